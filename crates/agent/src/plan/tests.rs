//! What is read as a plan, what is refused, and in which order steps begin.

use super::*;
use domain::{Plan, PlanAction, PlanStep, ToolSpecs};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tools::Offer;

#[path = "../../../../tests/harness/random.rs"]
mod random;
use random::holds;

fn offer() -> Offer {
    let calculator = json!({
        "type": "object",
        "properties": {"expression": {"type": "string"}},
        "required": ["expression"],
        "additionalProperties": false,
    });
    let look = json!({
        "type": "object",
        "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
        "required": ["path"],
        "additionalProperties": false,
    });
    crate::tests::offer(vec![
        crate::tests::TestTool::new("calculator").taking(calculator),
        crate::tests::TestTool::new("look").taking(look),
    ])
}

fn specs() -> ToolSpecs {
    offer().specs()
}

/// One step a line.
fn told(plan: &Plan) -> String {
    let mut lines = String::new();
    for step in &plan.steps {
        match &step.action {
            PlanAction::Tool { tool, arguments } => {
                // In an order that no build changes.
                let fields: BTreeMap<_, _> = arguments.as_object().unwrap().iter().collect();
                let arguments = serde_json::to_string(&fields).unwrap();
                write!(lines, "{} {tool} {arguments}", step.id)
            }
            PlanAction::Reply { about } => write!(lines, "{} reply {about:?}", step.id),
        }
        .unwrap();
        lines.push_str(if step.required { "" } else { " optional" });
        if !step.after.is_empty() {
            write!(lines, " after {}", step.after.join(",")).unwrap();
        }
        lines.push('\n');
    }
    lines
}

fn told_of(text: &str) -> String {
    match read(text, &specs()) {
        Ok(plan) => told(&plan),
        Err(Unread::NoPlan) => "no plan\n".into(),
        Err(Unread::Wrong(problems)) => {
            problems.iter().map(|problem| format!("problem: {problem}\n")).collect()
        }
    }
}

const MALFORMED: &str = include_str!("malformed.txt");

/// Name, text and what is read from it.
fn corpus() -> Vec<(&'static str, &'static str, String)> {
    let cases = MALFORMED.split("=== ").skip(1);
    let parts = |case: &'static str| {
        let (name, rest) = case.split_once('\n').unwrap();
        let (text, expected) = rest.split_once("\n---\n").unwrap();
        (name, text, expected.to_owned())
    };
    cases.map(parts).collect()
}

#[test]
fn malformed_plans_are_read_as_they_were_meant_or_refused_with_a_reason() {
    let corpus = corpus();
    assert!(corpus.len() > 30);
    for (name, text, expected) in corpus {
        assert_eq!(told_of(text), expected, "{name}");
    }
}

#[test]
fn a_plan_is_checked_against_what_the_agent_can_do_here_and_now() {
    let check = |text: &str, expected: Result<&str, &[&str]>| {
        let plan = read(text, &specs()).expect("a plan");
        let earlier = Results::from([("earlier".to_owned(), "7".to_owned())]);
        let checked = checked(plan, &offer(), &earlier).map(|plan| told(&plan));
        let expected = expected
            .map(str::to_owned)
            .map_err(|problems| problems.iter().map(ToString::to_string).collect());
        assert_eq!(checked, expected, "{text}");
    };
    check(r#"{"steps":[{"id":"a","tool":"shell","arguments":{}}]}"#, {
        Err(&["step `a`: there is no tool `shell`; your tools are: calculator, look"])
    });
    check(r#"{"steps":[{"id":"a","tool":"shell","arguments":{"x":"{{a}}"}}]}"#, {
        Err(&["step `a`: there is no tool `shell`; your tools are: calculator, look"])
    });
    check(r#"{"steps":[{"id":"a","tool":"look","arguments":{"lines":"x"}}]}"#, {
        Err(&[
            "step `a`: `look` was not called, its arguments are wrong:\n- `lines`: expected an integer, given \"x\"\n- `path` is missing",
        ])
    });
    check(r#"[{"id":"a","reply":"x"},{"id":"a","reply":"y","after":["b"]}]"#, {
        Err(&["two steps have the id `a`", "step `a` waits for `b`, and there is no such step"])
    });
    check(r#"[{"id":"a","tool":"look","arguments":{"path":"{{b}}"}}]"#, {
        Err(&["step `a` uses the result {{b}}, and there is no such step"])
    });
    check(r#"[{"id":"a","tool":"look","arguments":{"path":"{{a}}"}}]"#, {
        Err(&["steps wait for each other in a circle: `a`"])
    });
    check(
        r#"[{"id":"a","reply":"","after":["b"]},{"id":"b","reply":"","after":["c"]},{"id":"c","reply":"","after":["a"]},{"id":"d","reply":""}]"#,
        Err(&["steps wait for each other in a circle: `a`, `b`, `c`"]),
    );
    let many = json!(vec![json!({"reply": "x"}); 21]).to_string();
    check(&many, Err(&["it has 21 steps; 20 is the most"]));
    // What is implied is said, and what is there already is not waited for.
    check(
        r#"[{"id":"a","tool":"look","arguments":{"path":"x"}},{"id":"b","tool":"look","arguments":{"path":"{{ a.result }}","lines":"{{earlier}}"},"after":["earlier"]}]"#,
        Ok(
            "a look {\"path\":\"x\"}\nb look {\"lines\":\"{{earlier}}\",\"path\":\"{{ a.result }}\"} after a\n",
        ),
    );
}

fn step(id: &str, after: &[&str], required: bool) -> PlanStep {
    let action = PlanAction::Tool { tool: "look".into(), arguments: json!({}) };
    let after = after.iter().map(ToString::to_string).collect();
    PlanStep { id: id.into(), action, after, required }
}

/// The waves of a plan in which these steps fail, and what is left undone.
fn waves(plan: &Plan, fails: &[&str]) -> (Vec<Vec<String>>, Option<String>) {
    let mut progress = Progress::new(plan);
    let mut results = Results::new();
    let mut waves = Vec::new();
    loop {
        let ready = progress.ready();
        if ready.is_empty() {
            return (waves, progress.undone());
        }
        waves.push(ready.iter().map(|step| step.id.clone()).collect());
        for step in ready {
            let fails = fails.contains(&step.id.as_str());
            progress.end(step, !fails, if fails { "no" } else { "ok" }, &mut results);
        }
    }
}

#[test]
fn a_step_begins_when_what_it_waits_for_has_ended_and_none_when_a_required_one_has_failed() {
    let mut steps = vec![
        step("d", &["b", "c"], true),
        step("a", &[], true),
        step("b", &["a"], true),
        step("c", &["r"], false),
        step("e", &[], true),
    ];
    let about = PlanAction::Reply { about: String::new() };
    steps.push(PlanStep { action: about, ..step("r", &["a"], true) });
    let plan = Plan { steps };
    let check = |fails: &[&str], expected: &[&str], undone: Option<&str>| {
        let (waves, left) = waves(&plan, fails);
        let waves: Vec<String> = waves.iter().map(|wave| wave.join(" ")).collect();
        assert_eq!(waves, expected, "{fails:?}");
        assert_eq!(left.as_deref(), undone);
    };
    check(&[], &["a e", "b c", "d"], None);
    // The rest can do without it.
    check(&["c"], &["a e", "b c", "d"], None);
    // What waits for others only does not begin either.
    check(
        &["e"],
        &["a e"],
        Some(
            "step `e` (look) failed: no\nstep `d` was not tried\nstep `b` was not tried\nstep `c` was not tried",
        ),
    );
    check(&["b"], &["a e", "b c"], Some("step `b` (look) failed: no\nstep `d` was not tried"));
    check(
        &["a"],
        &["a e"],
        Some(
            "step `a` (look) failed: no\nstep `d` was not tried\nstep `b` was not tried\nstep `c` was not tried",
        ),
    );
}

#[test]
fn whatever_a_model_writes_is_read_to_its_end() {
    let (specs, offer) = (specs(), offer());
    holds(mangled(), |text| {
        if let Ok(plan) = read(&text, &specs) {
            let ids: BTreeSet<&str> = plan.steps.iter().map(|step| step.id.as_str()).collect();
            assert!(!ids.contains(""));
            if let Ok(plan) = checked(plan, &offer, &Results::new()) {
                // What was checked comes to its end, each step once.
                let (waves, undone) = waves(&plan, &[]);
                let is_tool = |step: &&PlanStep| matches!(step.action, PlanAction::Tool { .. });
                let tools = plan.steps.iter().filter(is_tool);
                assert_eq!(waves.concat().len(), tools.count());
                assert_eq!(undone, None);
            }
        }
    });
}

#[test]
fn whatever_is_written_at_all_is_read_to_its_end() {
    let specs = specs();
    let letters: Vec<char> = "[]{}[]{}:::,,,\"\"\"''\\/*abcduz 1“”，：\n".chars().collect();
    let text = proptest::collection::vec(proptest::sample::select(letters), 0..200);
    holds(text, |text| drop(read(&text.into_iter().collect::<String>(), &specs)));
}

#[test]
fn a_plan_that_was_stored_is_read_as_it_was() {
    let specs = specs();
    holds((any_plan(), any_letters("azAZ .\n字", 20)), |(plan, preface)| {
        let text = format!("{preface}{}", serde_json::to_string_pretty(&plan).unwrap());
        assert_eq!(read(&text, &specs), Ok(plan));
    });
}

/// Of these letters, and so many at most. Cheaper to make than what fits a pattern.
fn any_letters(letters: &str, most: usize) -> impl Strategy<Value = String> + use<> {
    let letters: Vec<char> = letters.chars().collect();
    proptest::collection::vec(proptest::sample::select(letters), 0..=most)
        .prop_map(|letters| letters.into_iter().collect())
}

/// A plan of the corpus with something cut out, doubled or put in.
fn mangled() -> impl Strategy<Value = String> {
    let texts: Vec<&'static str> = corpus().into_iter().map(|(_, text, _)| text).collect();
    let piece = prop_oneof![
        any_letters("[]{}:,\"'\\", 3),
        Just("{{a}}".to_owned()),
        Just("\\u00".to_owned()),
        Just("```".to_owned()),
        proptest::collection::vec(any::<char>(), 0..5).prop_map(|all| all.into_iter().collect()),
    ];
    let cut = (any::<proptest::sample::Index>(), 0..20_usize, piece);
    (proptest::sample::select(texts), proptest::collection::vec(cut, 0..5)).prop_map(
        |(text, cuts)| {
            let mut chars: Vec<char> = text.chars().collect();
            for (place, gone, piece) in cuts {
                let at = place.index(chars.len() + 1);
                let end = (at + gone).min(chars.len());
                chars.splice(at..end, piece.chars());
            }
            chars.into_iter().collect()
        },
    )
}

fn any_plan() -> impl Strategy<Value = Plan> {
    let arguments = prop_oneof![
        Just(json!({"expression": "it's \"2\""})),
        Just(json!({"path": "{{s0}}\n", "lines": 3})),
    ];
    let action = prop_oneof![
        (proptest::sample::select(vec!["calculator", "look", "shell"]), arguments)
            .prop_map(|(tool, arguments)| PlanAction::Tool { tool: tool.to_owned(), arguments }),
        any_letters("abz'\"{}[]字", 9).prop_map(|about| PlanAction::Reply { about }),
    ];
    let after = (0..10_u8).prop_map(|n| format!("s{n}"));
    let step = (action, any::<bool>(), proptest::collection::vec(after, 0..3));
    proptest::collection::vec(step, 1..6).prop_map(|steps| Plan {
        steps: steps
            .into_iter()
            .enumerate()
            .map(|(n, (action, required, after))| PlanStep {
                id: format!("s{n}"),
                action,
                after,
                required,
            })
            .collect(),
    })
}

#[test]
fn reading_takes_time_in_proportion_to_the_text() {
    // Would take days if each beginning were read to the end of the text.
    for text in ["{".repeat(60_000), "[[".repeat(30_000), "{\"a\":".repeat(12_000)] {
        let _ = read(&text, &specs());
    }
    let value: Value = json!({"steps": vec![json!({"tool": "look"}); 5_000]});
    assert!(read(&value.to_string(), &specs()).is_ok());
}
