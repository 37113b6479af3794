//! Whose turn it is to ask a model, and what those who wait are told.

use domain::{Command, FromOwner, Limits, SettingsPatch, StepKind, Target, Update, Usage};
use futures::StreamExt;
use llm::scripted::{Beat, Gate, Scripted};
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tests::{Stage, speaker, stage};

/// Where each run stands, as the events say.
#[derive(Default)]
struct Line {
    told: HashMap<domain::RunId, Vec<u32>>,
}

impl Line {
    async fn follow(
        &mut self,
        events: &mut (impl futures::Stream<Item = FromOwner> + Unpin),
        mut enough: impl FnMut(&Line) -> bool,
    ) {
        while !enough(self) {
            match events.next().await.expect("the workspace is open") {
                FromOwner::Event(event) => {
                    if let Update::Waiting { waiting } = event.update {
                        self.told.entry(waiting.run).or_default().push(waiting.position);
                    }
                }
                other => panic!("fell behind: {other:?}"),
            }
        }
    }

    fn waiting(&self) -> usize {
        self.told.values().filter(|told| told.last() != Some(&0)).count()
    }
}

#[tokio::test]
async fn forty_agents_are_each_served_within_two_rounds_and_see_where_they_stand() {
    const AGENTS: usize = 40;
    let gate = Gate::new();
    let held = gate.clone();
    let model = Scripted::from_fn(move |request, n| {
        let text = format!("{} {n}", speaker(request));
        vec![Beat::Gate(held.clone()), Beat::Text(text)]
    });
    let stage = stage().model(model).open().await;
    let mut groups = Vec::new();
    for n in 0..AGENTS {
        let name = format!("Agent{n}");
        stage.new_agent(&name).await;
        groups.push(stage.direct(&name).await);
    }
    let mut events = stage.events();
    let mut line = Line::default();
    for group in &groups {
        stage.post(*group, "one").await;
    }
    line.follow(&mut events, |line| line.waiting() == AGENTS - 4).await;
    stage.model.writing(4).await;
    let mut places: Vec<u32> = line.told.values().filter_map(|told| told.last().copied()).collect();
    places.sort_unstable();
    assert_eq!(places, (1..=36).collect::<Vec<u32>>());
    for group in &groups {
        stage.post(*group, "two").await;
    }
    gate.open();
    stage.quiet().await;

    assert!(stage.model.most_at_once() <= 4);
    let speakers: Vec<String> = stage.model.requests().iter().map(speaker).collect();
    // Who was called while the first four were held takes both at once.
    for (at, name) in speakers.iter().enumerate() {
        let next = speakers[at + 1..].iter().position(|other| other == name);
        assert!(next.is_none_or(|gap| gap < 2 * AGENTS), "{name} after {next:?}");
    }
    let first: HashSet<&String> = speakers.iter().take(AGENTS).collect();
    assert_eq!(first.len(), AGENTS, "everybody once before anybody twice");
}

#[tokio::test]
async fn who_stood_in_line_has_that_on_record_and_who_did_not_has_nothing() {
    let gate = Gate::new();
    let held = gate.clone();
    let model =
        Scripted::from_fn(move |_, _| vec![Beat::Gate(held.clone()), Beat::Text("hi".into())]);
    let stage = stage().model(model).open().await;
    let limits = Some(Limits { max_concurrent: 1, ..Limits::default() });
    let patch = SettingsPatch { limits, ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    let mut events = stage.events();
    let mut line = Line::default();
    for name in ["Ada", "Bo", "Otto"] {
        let group = stage.direct(name).await;
        stage.post(group, "hello").await;
        if name == "Ada" {
            gate.arrived(1).await;
        }
    }
    line.follow(&mut events, |line| line.waiting() == 2).await;
    stage.clock.advance(Duration::from_secs(6));
    let leaves = stage.agent("Otto").await.id;
    let runs = stage.runs().await;
    let run = runs.iter().find(|run| run.agent == leaves).expect("it has begun").id;
    stage.do_(Command::Stop { target: Target::Run(run) }).await;
    line.follow(&mut events, |line| line.waiting() == 1).await;
    gate.open();
    stage.quiet().await;
    for (name, expected) in [("Ada", vec![]), ("Bo", vec![6_000]), ("Otto", vec![6_000])] {
        let agent = stage.agent(name).await.id;
        let run = stage.runs().await.into_iter().find(|run| run.agent == agent).unwrap();
        let steps = stage.run(run.id).await.steps;
        let stood: Vec<u64> = steps
            .iter()
            .filter_map(|step| match step.kind {
                StepKind::StoodInLine { waited_ms } => Some(waited_ms),
                _ => None,
            })
            .collect();
        assert_eq!(stood, expected, "{name}: {steps:#?}");
    }
}

#[tokio::test]
async fn more_calls_at_a_time_take_effect_at_once_and_a_stop_leaves_the_line() {
    let model = Scripted::from_fn(|_, _| vec![Beat::Hang]);
    let stage = stage().model(model).open().await;
    let at_a_time = async |stage: &Stage, max_concurrent| {
        let limits = Some(Limits { max_concurrent, ..Limits::default() });
        let patch = SettingsPatch { limits, ..SettingsPatch::default() };
        stage.do_(Command::ChangeSettings { patch }).await;
    };
    at_a_time(&stage, 1).await;
    let mut groups = Vec::new();
    for name in ["One", "Two", "Three", "Four"] {
        stage.new_agent(name).await;
        groups.push(stage.direct(name).await);
    }
    let mut events = stage.events();
    let mut line = Line::default();
    for group in &groups {
        stage.post(*group, "hello").await;
    }
    line.follow(&mut events, |line| line.waiting() == 3).await;
    assert_eq!(stage.model.requests().len(), 1);

    let waiting: Vec<_> = line.told.keys().copied().collect();
    stage.do_(Command::Stop { target: Target::Run(waiting[0]) }).await;
    line.follow(&mut events, |line| line.told[&waiting[0]].last() == Some(&0)).await;
    assert_eq!(stage.model.requests().len(), 1, "who stopped waiting asked nobody");
    assert_eq!(line.waiting(), 2);
    at_a_time(&stage, 3).await;
    stage.model.asked(3).await;
    line.follow(&mut events, |line| line.waiting() == 0).await;
    stage.do_(Command::Stop { target: Target::Run(waiting[1]) }).await;
    stage.model.dropped(1).await;
    let runs = stage.runs().await;
    let never_asked = runs.iter().find(|run| run.id == waiting[0]).unwrap();
    assert_eq!(never_asked.usage, Usage::default());
}
