//! The scripted model: what traces answer, what they refuse, and how tests
//! steer it.

use domain::Usage;
use futures::StreamExt;
use llm::scripted::{Beat, Gate, Scripted, Trace};
use llm::{Called, Calls, Delta, Finish, Model, ModelFault, ModelRequest, Role, Trouble, Turn};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::time::Instant;

fn request(model: &str, system: &str, last: &str) -> ModelRequest {
    ModelRequest {
        model: model.into(),
        turns: vec![Turn::new(Role::System, system), Turn::new(Role::User, last)],
        temperature: 0.7,
        max_tokens: 100,
        stop: vec![],
        seed: None,
        grammar: None,
        tools: domain::ToolSpecs::default(),
    }
}

fn trace(exchanges: Value, fallback: Value) -> Scripted {
    let text = json!({"format": "coterie-trace", "version": 1, "exchanges": exchanges, "fallback": fallback});
    let trace = Trace::parse(&text.to_string(), Path::new("demo.json")).expect("a good trace");
    Scripted::from_trace(trace, "demo.json")
}

async fn answer(model: &Scripted, request: ModelRequest) -> Vec<Delta> {
    model.ask(request).collect().await
}

fn text(text: &str) -> Delta {
    Delta::Text(text.into())
}

fn stop() -> Delta {
    Delta::Done { finish: Finish::Stop, usage: Usage::default() }
}

#[tokio::test]
async fn the_first_exchange_that_fits_answers() {
    let says = |text: &str| json!({"lines": [{"text": text}]});
    let model = trace(
        json!([
            {"when": {"model": "other"}, "answer": says("model")},
            {"when": {"last": {"equals": "hello"}}, "answer": says("equals")},
            {"when": {"last": {"contains": "hello"}}, "times": 1, "answer": says("contains, once")},
            {"when": {"system": {"contains": "Ada"}, "last": {"contains": "hello"}}, "answer": says("system")},
            {"when": {"call": 6}, "answer": says("sixth")},
        ]),
        says("fallback"),
    );
    let expected = [
        (request("other", "", "hello"), "model"),
        (request("m", "", "hello"), "equals"),
        (request("m", "", "oh hello"), "contains, once"),
        (request("m", "You are Ada.", "oh hello"), "system"),
        (request("m", "", "oh hello"), "fallback"),
        (request("m", "", "oh hello"), "sixth"),
        (request("m", "", "bye"), "fallback"),
    ];
    for (request, words) in expected {
        assert_eq!(answer(&model, request.clone()).await, [text(words), stop()], "{request:?}");
    }
}

#[tokio::test]
async fn a_request_that_fits_nothing_fails_and_says_what_was_asked() {
    let model = trace(json!([]), Value::Null);
    let fault = ModelFault::new(
        Trouble::Refused,
        "the trace has no answer for request 1, asked of m: \"what time is it?\"",
        "add an exchange that fits it, or a fallback, to demo.json",
    );
    assert_eq!(answer(&model, request("m", "", "what time is it?")).await, [Delta::failed(fault)]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_plays_its_lines_in_time() {
    let model = trace(
        json!([{"answer": {
            "lines": [
                {"reasoning": "Hm."},
                {"wait_ms": 1000},
                {"text": "one two 三"},
                {"tool_call": {"id": "call_1", "name": "add", "arguments": {"a": 1}}},
            ],
            "word_ms": 50,
            "usage": {"input_tokens": 7, "output_tokens": 3},
        }}]),
        Value::Null,
    );
    let begun = Instant::now();
    let deltas = answer(&model, request("m", "", "")).await;
    let pieces: Vec<_> = deltas
        .iter()
        .map(|delta| match delta {
            Delta::Text(text) | Delta::Reasoning(text) => text.clone(),
            Delta::ToolCall(call) => {
                format!("{}({})", call.name.as_deref().unwrap_or(""), call.arguments)
            }
            Delta::Kept(kept) => format!("{kept:?}"),
            Delta::Unshown(letters) => format!("{letters} letters"),
            Delta::Counted(usage) => format!("{usage:?}"),
            Delta::Anew => "anew".into(),
            Delta::Done { finish, usage } => format!("{finish:?} {:?}", usage.output_tokens),
            Delta::Failed { fault, .. } => fault.message.clone(),
        })
        .collect();
    assert_eq!(pieces, ["Hm.", "one ", "two ", "三", r#"add({"a":1})"#, "ToolCalls Some(3)"]);
    assert_eq!(begun.elapsed(), Duration::from_millis(1000 + 4 * 50));
}

#[tokio::test]
async fn every_trouble_can_be_played() {
    let troubles = [
        ("unreachable", Trouble::Unreachable),
        ("broken_answer", Trouble::BrokenAnswer),
        ("busy", Trouble::Busy { retry_after: Some(Duration::from_millis(94)) }),
        ("server_error", Trouble::ServerError),
        ("key", Trouble::Key),
        ("unknown_model", Trouble::UnknownModel),
        ("too_long", Trouble::TooLong),
        ("refused", Trouble::Refused),
        ("engine", Trouble::Engine),
        ("model_file", Trouble::ModelFile),
    ];
    for (name, trouble) in troubles {
        let fault = json!({"trouble": name, "message": "no", "fix": "yes", "retry_after_ms": 94});
        let model =
            trace(json!([{"answer": {"lines": [{"text": "I"}, {"fault": fault}]}}]), Value::Null);
        let expected = [text("I"), Delta::failed(ModelFault::new(trouble, "no", "yes"))];
        assert_eq!(answer(&model, request("m", "", "")).await, expected);
    }
}

#[tokio::test]
async fn what_a_failed_answer_had_used_is_told() {
    let fault = json!({"trouble": "broken_answer", "message": "cut", "fix": "again"});
    let model = trace(
        json!([{"answer": {"lines": [{"text": "I"}, {"fault": fault}], "usage": {"input_tokens": 7}}}]),
        Value::Null,
    );
    let fault = ModelFault::new(Trouble::BrokenAnswer, "cut", "again");
    let usage = Usage { input_tokens: Some(7), ..Usage::default() };
    assert_eq!(
        answer(&model, request("m", "", "")).await,
        [text("I"), Delta::Failed { fault, usage }]
    );
}

#[tokio::test]
async fn a_trace_calls_a_tool_and_answers_its_result() {
    let call = json!({"tool_call": {"id": "call_1", "name": "add", "arguments": {"a": 1}}});
    let model = trace(
        json!([
            {"when": {"last": {"equals": "add one"}}, "answer": {"lines": [call]}},
            {"when": {"last": {"contains": "sum is"}}, "answer": {"lines": [{"text": "Two."}]}},
        ]),
        Value::Null,
    );
    let mut asked = request("m", "", "add one");
    let mut calls = Calls::default();
    for delta in answer(&model, asked.clone()).await {
        match delta {
            Delta::ToolCall(piece) => calls.take(piece),
            other => assert_eq!(
                other,
                Delta::Done { finish: Finish::ToolCalls, usage: Usage::default() }
            ),
        }
    }
    let calls = calls.finish();
    assert_eq!(calls, [Called::new("call_1", "add", r#"{"a":1}"#)]);
    asked.turns.push(Turn::calling("", calls));
    asked.turns.push(Turn::answering("call_1", "the sum is 2"));
    assert_eq!(answer(&model, asked.clone()).await, [text("Two."), stop()]);
    assert_eq!(model.requests()[1], asked);
}

#[test]
fn a_bad_trace_is_refused_where_it_is_bad() {
    let check = |text: &str, expected: &str| {
        let error = Trace::parse(text, Path::new("demo.json")).expect_err("a bad trace");
        assert_eq!(error.to_string(), expected, "{text}");
    };
    check("", "demo.json:1:0: EOF while parsing a value");
    check(
        "{\n  \"format\": \"x\"\n}",
        "demo.json:2:15: unknown variant `x`, expected `coterie-trace`",
    );
    check(
        "{\"format\": \"coterie-trace\",\n \"version\": 2}",
        "demo.json:2:14: trace version 2 is not known, only 1 is",
    );
    check(
        "{\"format\": \"coterie-trace\", \"version\": 1}",
        "demo.json:1:41: missing field `exchanges`",
    );
    let line = |line: &str| {
        format!(
            "{{\"format\":\"coterie-trace\",\"version\":1,\"exchanges\":[{{\"answer\":{{\"lines\":[\n{line}\n]}}}}]}}"
        )
    };
    check(
        &line("{\"txt\": \"hi\"}"),
        "demo.json:2:6: unknown variant `txt`, expected one of `text`, `reasoning`, `tool_call`, `wait_ms`, `fault`, `hang`",
    );
    check(&line("{\"wait_ms\": -1}"), "demo.json:2:14: invalid value: integer `-1`, expected u64");
    check(&line("{\"hang\": false}"), "demo.json:2:14: only `true` makes sense here");
}

#[test]
fn a_trace_that_is_not_there_is_named() {
    let error = Trace::load(Path::new("/nowhere/demo.json")).expect_err("not there");
    assert!(error.to_string().starts_with("/nowhere/demo.json: "), "{error}");
}

#[test]
fn the_documented_example_is_a_trace_and_survives_being_written() {
    let page = include_str!("../../../docs/scripted-traces.md");
    let example = page
        .split("```json\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("an example");
    let trace =
        Trace::parse(example, Path::new("scripted-traces.md")).expect("the example is good");
    let written = serde_json::to_string_pretty(&trace).expect("plain data");
    assert_eq!(Trace::parse(&written, Path::new("again")).expect("still good"), trace);
}

#[tokio::test]
async fn a_test_can_hold_answers_at_a_gate_and_count_them() {
    let gate = Gate::new();
    let held = gate.clone();
    let model = Scripted::from_fn(move |_, n| {
        vec![Beat::Gate(held.clone()), Beat::Text(format!("answer {n}"))]
    });
    let asked = |words: &str| tokio::spawn(model.ask(request("m", "", words)).collect::<Vec<_>>());
    let (first, second) = (asked("one"), asked("two"));
    gate.arrived(2).await;
    assert_eq!(model.asked(2).await.turns[1].content, "two");
    assert_eq!(model.most_at_once(), 2);
    assert!(!first.is_finished());
    gate.open();
    assert_eq!(first.await.expect("no panic"), [text("answer 1"), stop()]);
    assert_eq!(second.await.expect("no panic"), [text("answer 2"), stop()]);
    model.writing(0).await;
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn dropping_an_answer_is_noticed() {
    let model = Scripted::from_fn(|_, _| vec![Beat::Text("I".into()), Beat::Hang]);
    let mut answer = model.ask(request("m", "", ""));
    assert_eq!(answer.next().await, Some(text("I")));
    drop(answer);
    model.dropped(1).await;
}
