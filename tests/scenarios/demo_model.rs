//! What the model that ships is kept from: it talks, and can do nothing else.

use domain::{
    Became, Body, CatchUp, Command, CommunityId, FaultKind, Language, Message, ModelInfo, Notice,
    Outcome, Provider, ProviderKind, Query, Reason, Reply, RequestId, Schedule, SchedulePlan,
    ScheduleView, ScheduledWork, SettingsPatch, TurnPolicy, Usage,
};
use llm::Finish;
use llm::scripted::{Beat, Scripted};
use std::time::Duration;
use tests::{Stage, says, stage};
use uuid::Uuid;

const HOUR: Duration = Duration::from_secs(60 * 60);

/// The scripted model, as small as the one that ships.
async fn with_demo_model(model: Scripted) -> Stage {
    let stage = stage().model(model).open().await;
    let models = vec![ModelInfo { demo: true, ..ModelInfo::new("script", Some(2_048)) }];
    let provider = Provider {
        name: "test".into(),
        kind: ProviderKind::Scripted,
        base_url: None,
        key_env: None,
        key: None,
        models,
    };
    stage.do_(Command::save_provider(provider)).await;
    stage
}

async fn square(stage: &Stage, members: &[&str]) -> CommunityId {
    let (name, rules) = ("Square".to_owned(), String::new());
    let members = stage.ids(members).await;
    match stage.do_(Command::NewCommunity { name, rules, members }).await {
        Reply::Community(community) => community.id,
        other => panic!("no community: {other:?}"),
    }
}

/// What came of a post: the comments on it, and why nobody wrote one.
async fn answers_to(stage: &Stage, community: CommunityId, text: &str) -> (Vec<Body>, Vec<String>) {
    let posted = stage.do_(Command::WritePost { community, text: text.into() }).await;
    let Reply::Post(view) = posted else { panic!("no post: {posted:?}") };
    stage.do_(Command::Tick).await;
    stage
        .until(async |stage: &Stage| match stage.query(Query::FeedQueue).await {
            Ok(Reply::FeedQueue(queue)) => queue.answers_to_come == 0,
            other => panic!("no queue: {other:?}"),
        })
        .await;
    let mut said = stage.messages(view.post.group).await;
    said.remove(0);
    let words = said.into_iter().map(|message| message.body).collect();
    (words, stage.decisions(view.post.group).await)
}

fn text(words: &str) -> Body {
    Body::Text { text: words.into(), cut_short: false }
}

#[tokio::test]
async fn what_it_writes_with_gaps_or_as_a_model_is_read_by_nobody() {
    for (written, expected) in [
        ("Ferns like the shade.", vec![text("Ferns like the shade.")]),
        ("Dear [Landlord's Name], I like ferns.", vec![]),
        ("I am an AI assistant and like ferns.", vec![]),
    ] {
        let stage = with_demo_model(says(written)).await;
        let community = square(&stage, &["Bo"]).await;
        let (words, decisions) = answers_to(&stage, community, "What grows in the shade?").await;
        let is_silent = decisions.iter().any(|one| one == "Bo pass out_of_persona");
        assert_eq!((words, is_silent), (expected.clone(), expected.is_empty()), "{decisions:?}");
    }
}

#[tokio::test]
async fn it_stops_before_it_writes_on_in_the_name_of_others() {
    let stage = with_demo_model(says("I like ferns.")).await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.say(group, "@Ada what do you like?").await;
    let asked = stage.model.requests().pop().expect("Ada was asked");
    assert_eq!(asked.stop, ["\nUser:", "\nBo:"]);
}

#[tokio::test]
async fn what_it_writes_until_it_is_cut_off_ends_with_a_whole_sentence() {
    let cut = Scripted::from_fn(|_, _| {
        let words = Beat::Text("Ferns do. Hostas do too, and also the".into());
        vec![words, Beat::Done { finish: Finish::Length, usage: Usage::default() }]
    });
    let stage = with_demo_model(cut).await;
    let community = square(&stage, &["Bo"]).await;
    let (words, _) = answers_to(&stage, community, "What grows in the shade?").await;
    assert_eq!(words, [text("Ferns do.")]);
}

#[tokio::test]
async fn it_is_not_given_what_it_does_not_understand() {
    let stage = with_demo_model(says("Ferns like the shade.")).await;
    let community = square(&stage, &["Bo"]).await;
    let (words, decisions) = answers_to(&stage, community, "阳台上种什么好？").await;
    assert_eq!((words, decisions), (vec![], vec!["Bo pass unknown_language".to_owned()]));
    let (words, decisions) = answers_to(&stage, community, "@Bo 阳台上种什么好？").await;
    assert_eq!(words, [], "{decisions:?}");
    assert!(decisions.iter().all(|one| one == "Bo pass unknown_language"), "{decisions:?}");
    assert_eq!(stage.model.requests(), [], "nobody was asked");
}

/// The Chinese agents that ship are nearest to many a post, and could only fail.
#[tokio::test]
async fn who_is_somebody_in_a_language_that_it_does_not_know_is_not_given_what_others_can_answer() {
    let stage = with_demo_model(says("Oil the hinges.")).await;
    let text_of = |name: &str, persona: &str| {
        format!("---\nname: {name}\ninterests: [doors]\n---\n{persona}\n")
    };
    for (soul, text) in [
        ("fixer", text_of("Fixer", "你是一位修理工，什么都会修。回答要短。")),
        ("helper", text_of("Helper", "You help with whatever you can.")),
    ] {
        stage.do_(Command::SaveSoul { soul: soul.into(), text, base_hash: None }).await;
        let agent = Command::NewAgent { soul: soul.into(), name: None, model: None, parent: None };
        stage.do_(agent).await;
    }
    let community = square(&stage, &["Fixer", "Helper"]).await;
    let (words, decisions) = answers_to(&stage, community, "All my doors squeak.").await;
    assert_eq!(words, [text("Oil the hinges.")], "{decisions:?}");
    assert!(decisions.contains(&"Fixer pass unknown_language".to_owned()), "{decisions:?}");
}

/// What stands in Ada's chat after she was asked for a digest.
async fn digest(stage: &Stage) -> Vec<Message> {
    stage.clock.advance(HOUR);
    let ada = stage.agent("Ada").await.id;
    stage.do_(Command::AskForDigest { agent: ada }).await;
    stage.quiet().await;
    stage.messages(stage.direct("Ada").await).await
}

#[tokio::test(start_paused = true)]
async fn a_digest_is_the_record_itself_with_links_in_the_persons_language() {
    let stage = with_demo_model(says("In the [insert time period] all was well.")).await;
    let direct = stage.direct("Ada").await;
    stage.say(direct, "Where does it leak?").await;
    let asked = stage.model.requests().len();
    let messages = digest(&stage).await;
    let said = messages.last().and_then(Message::text).expect("it is told");
    assert!(said.starts_with("The starter model cannot tell what happened"), "{said}");
    let line = format!(
        "  - Ada: In the \\[insert time period] all was well. [[3]](coterie://message/{}",
        messages[1].id
    );
    assert!(said.contains(&line), "{said}");
    assert!(said.contains(&format!("[[1]](coterie://group/{direct})")), "{said}");
    assert_eq!(stage.model.requests().len(), asked, "nobody was asked");
    let told_at = messages[messages.len() - 2].at_ms;

    let mut appearance = stage.overview().await.settings.appearance.clone();
    appearance.language = Language::Zh;
    let patch = SettingsPatch { appearance: Some(appearance), ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    stage.clock.advance(HOUR);
    stage.say(direct, "And now?").await;
    let messages = digest(&stage).await;
    let [.., asked, told] = &messages[..] else { panic!("{messages:?}") };
    let since = match &asked.body {
        Body::Notice { notice: Notice::AskedForDigest { since_ms, .. } } => *since_ms,
        other => panic!("{other:?}"),
    };
    assert_eq!(since, told_at, "what was told is told once");
    let said = told.text().expect("it is told");
    assert!(said.starts_with("入门模型无法用自己的话说清发生了什么"), "{said}");
}

async fn view(stage: &Stage) -> ScheduleView {
    match stage.query(Query::Schedules).await {
        Ok(Reply::Schedules(mut all)) => all.pop().expect("there is one"),
        other => panic!("no schedules: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn it_has_no_heartbeats_and_says_why() {
    let stage = with_demo_model(says("I have just watered all the ferns.")).await;
    let plan = SchedulePlan {
        agent: stage.agent("Ada").await.id,
        work: ScheduledWork::Heartbeat,
        words: "every 30 minutes".into(),
        zone: "UTC".into(),
        hours: None,
        catch_up: CatchUp::Once,
    };
    let made = stage.do_(Command::NewSchedule { plan }).await;
    let Reply::Schedule(schedule) = made else { panic!("no schedule: {made:?}") };
    let Schedule { id: schedule, .. } = *schedule;
    assert_eq!(view(&stage).await.skipped, Some(Reason::DemoModel), "it says so at once");
    stage.clock.advance(HOUR / 2);
    stage.until(async |stage: &Stage| !view(stage).await.lately.is_empty()).await;
    let became = view(&stage).await.lately[0].time.became.clone();
    assert_eq!(became, Became::Skipped { why: Reason::DemoModel });
    let id = RequestId(Uuid::now_v7());
    let fault = stage.send(id, Command::RunSchedule { schedule }).await.expect_err("not by hand");
    let kind = FaultKind::HeartbeatOfDemo { name: "Ada".into() };
    assert_eq!(fault.kind.as_deref(), Some(&kind));
    assert_eq!(stage.messages(stage.direct("Ada").await).await, []);

    // With another model it has.
    let provider = Provider {
        name: "test".into(),
        kind: ProviderKind::Scripted,
        base_url: None,
        key_env: None,
        key: None,
        models: vec![ModelInfo::new("script", Some(32_000))],
    };
    stage.do_(Command::save_provider(provider)).await;
    stage.clock.advance(HOUR / 2);
    stage.until(async |stage: &Stage| view(stage).await.lately.len() == 2).await;
    stage.quiet().await;
    let lately = view(&stage).await.lately;
    assert!(matches!(lately[0].outcome, Some(Outcome::Replied { .. })), "{lately:?}");
}
