//! What each provider is really sent, turn after turn: the part that it may keep
//! in its cache stays as it was, to the byte.

use crate::memory::{add, done, new};
use domain::{Command, ProviderKind, TurnPolicy};
use serde_json::{Value, json};
use std::path::Path;
use tests::fake_server::{FakeServer, Reply, Request};
use tests::{connected_as, connected_in, stage, thought};

const ROUNDS: usize = 3;

/// One way of speaking to models.
struct Way {
    kind: ProviderKind,
    /// Where questions arrive.
    line: &'static str,
    saying: fn(&str) -> String,
    /// The fields of a question that come before the conversation.
    frame: &'static [&'static str],
    turns: &'static str,
}

const WAYS: [Way; 4] = [
    Way {
        kind: ProviderKind::Openai,
        line: "POST /v1/chat/completions",
        saying: |text| {
            let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
            event(&tests::fake_server::words(text)) + &event(&end)
        },
        frame: &["tools"],
        turns: "messages",
    },
    Way {
        kind: ProviderKind::Anthropic,
        line: "POST /v1/messages",
        saying: |text| {
            let piece = json!({"type": "text_delta", "text": text});
            [
                json!({"type": "message_start", "message": {"role": "assistant", "content": []}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                json!({"type": "content_block_delta", "index": 0, "delta": piece}),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}),
                json!({"type": "message_stop"}),
            ]
            .iter()
            .map(event)
            .collect()
        },
        frame: &["system", "tools"],
        turns: "messages",
    },
    Way {
        kind: ProviderKind::Gemini,
        line: "POST /v1/models/m1:streamGenerateContent?alt=sse",
        saying: |text| {
            let content = json!({"role": "model", "parts": [{"text": text}]});
            event(
                &json!({"candidates": [{"content": content, "index": 0, "finishReason": "STOP"}]}),
            )
        },
        frame: &["systemInstruction", "tools"],
        turns: "contents",
    },
    Way {
        kind: ProviderKind::Ollama,
        line: "POST /api/chat",
        saying: |text| {
            let message = json!({"role": "assistant", "content": text});
            let end = json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"});
            format!("{}\n{end}\n", json!({"message": message, "done": false}))
        },
        frame: &["tools"],
        turns: "messages",
    },
];

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

#[tokio::test]
async fn whatever_the_provider_each_question_begins_with_the_one_before() {
    for way in WAYS {
        let server = FakeServer::start().await;
        for n in 0..2 * ROUNDS {
            server.once(way.line, Reply::raw((way.saying)(thought(n))));
        }
        let stage = connected_as(&server, way.kind).await;
        let group = stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
        for n in 0..ROUNDS {
            stage.say(group, &format!("Round {n}: what do you know?")).await;
        }
        let said = stage.transcript(group).await;
        assert_eq!(said.len(), 3 * ROUNDS, "{:?}: {said:#?}", way.kind);

        let sent: Vec<Value> = server.requests().iter().map(Request::json).collect();
        let by_frame = |frame: &dyn Fn(&Value) -> String| {
            let mut agents: Vec<(String, Vec<&Value>)> = Vec::new();
            for question in &sent {
                let key = frame(question);
                match agents.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, questions)) => questions.push(question),
                    None => agents.push((key, vec![question])),
                }
            }
            agents
        };
        let agents = by_frame(&|question| frame(&way, question));
        assert_eq!(agents.len(), 2, "{:?}: the frame of each agent stays as it was", way.kind);
        for (_, questions) in agents {
            assert_eq!(questions.len(), ROUNDS, "{:?}", way.kind);
            for two in questions.windows(2) {
                let (before, after) = (turns(&way, two[0]), turns(&way, two[1]));
                assert!(after.len() > before.len(), "{:?}", way.kind);
                assert_eq!(before, after[..before.len()], "{:?}", way.kind);
            }
        }
    }
}

/// Anthropic finds nothing but what was marked before, and memories stand behind the
/// newest words for one turn only.
#[tokio::test]
async fn what_is_remembered_for_one_turn_does_not_lose_what_the_server_kept_of_those_before() {
    let way = &WAYS[1];
    let server = FakeServer::start().await;
    for n in 0..=ROUNDS {
        server.once(way.line, Reply::raw((way.saying)(thought(n))));
    }
    let stage = connected_as(&server, way.kind).await;
    let memory = add(&stage, new("The launch is on Friday")).await.id;
    done(&stage, Command::PinMemory { memory, pinned: true }).await;
    let ada = stage.direct("Ada").await;
    for n in 0..=ROUNDS {
        stage.say(ada, &format!("Round {n}: what do you know?")).await;
    }
    let sent: Vec<Value> = server.requests().iter().map(Request::json).collect();
    assert_eq!(sent.len(), ROUNDS + 1);
    let mut kept: Vec<Vec<String>> = Vec::new();
    for (n, question) in sent.iter().enumerate() {
        let newest = turns(way, question).pop().expect("a question");
        assert!(newest.contains("launch is on Friday"), "{newest}");
        let marked = up_to_its_marks(question);
        assert!(marked.len() < 4, "with the system prompt's that is one too many: {question}");
        let found = marked.iter().filter(|one| kept.contains(one)).map(Vec::len).max();
        // Of the turn before, what was said until then: a question and an answer each.
        let before = n.checked_sub(1).map(|n| 2 * n).filter(|blocks| *blocks > 0);
        assert_eq!(found, before, "{question}");
        kept.extend(marked);
    }
}

/// The blocks of the conversation up to each that is marked.
fn up_to_its_marks(question: &Value) -> Vec<Vec<String>> {
    let messages = question["messages"].as_array().expect("a conversation");
    let blocks: Vec<&Value> = messages
        .iter()
        .flat_map(|message| message["content"].as_array().expect("blocks"))
        .collect();
    let ends = (1..=blocks.len()).filter(|end| blocks[end - 1].get("cache_control").is_some());
    ends.map(|end| blocks[..end].iter().map(|block| unmarked(block)).collect()).collect()
}

#[tokio::test]
async fn a_plan_is_asked_for_in_the_same_frame_where_the_provider_takes_that() {
    for way in WAYS {
        let server = FakeServer::start().await;
        let plan = json!({ "steps": [{ "id": "end", "reply": "both" }] }).to_string();
        for n in 0..ROUNDS {
            server.once(way.line, Reply::raw((way.saying)(&plan)));
            server.once(way.line, Reply::raw((way.saying)(thought(n))));
        }
        let plans = stage().before(|data: &Path| {
            let soul = "---\nname: Ada\nplan: always\ntools: [calculator]\n---\nYou plan.\n";
            std::fs::create_dir_all(data.join("souls")).expect("the folder can be written");
            std::fs::write(data.join("souls/ada.md"), soul).expect("the folder can be written");
        });
        let stage = connected_in(plans, &server, way.kind).await;
        let ada = stage.direct("Ada").await;
        for n in 0..ROUNDS {
            stage.say(ada, &format!("Round {n}: add what you know.")).await;
        }
        let sent: Vec<Value> = server.requests().iter().map(Request::json).collect();
        assert_eq!(sent.len(), 2 * ROUNDS, "{:?}", way.kind);
        // A model that nothing holds to a form is told it behind its system prompt.
        let begins = |field: &&str, value: &Value| match *field {
            "system" => unmarked(&value[0]),
            _ => unmarked(value),
        };
        let frame = |question: &Value| {
            let fields = way.frame.iter();
            fields.map(|field| begins(field, &question[field])).collect::<Vec<_>>()
        };
        let mut frames: Vec<_> = sent.iter().map(frame).collect();
        frames.sort();
        frames.dedup();
        // These would take a plan for a call, or refuse it: `docs/providers.md`.
        let is_without_tools = matches!(way.kind, ProviderKind::Gemini | ProviderKind::Ollama);
        assert_eq!(frames.len(), if is_without_tools { 2 } else { 1 }, "{:?}", way.kind);
    }
}

/// All that stands before the conversation, and tells agents apart.
fn frame(way: &Way, question: &Value) -> String {
    let before: Vec<String> = way.frame.iter().map(|field| unmarked(&question[field])).collect();
    before.join("\n") + turns(way, question).first().map_or("", String::as_str)
}

/// The conversation, but for what tells of the moment at its end.
fn turns(way: &Way, question: &Value) -> Vec<String> {
    let turns = question[way.turns].as_array().expect("a conversation");
    turns.iter().map(unmarked).collect()
}

/// Marks of what is to be cached wander on with the end: they are no content.
fn unmarked(value: &Value) -> String {
    fn without(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let kept = fields.iter().filter(|(name, _)| *name != "cache_control");
                Value::Object(kept.map(|(name, value)| (name.clone(), without(value))).collect())
            }
            Value::Array(all) => Value::Array(all.iter().map(without).collect()),
            plain => plain.clone(),
        }
    }
    without(value).to_string()
}
