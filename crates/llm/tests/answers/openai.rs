//! Recorded answers of OpenAI-compatible servers.

use crate::damage::holds_whatever_comes;
use crate::told::{
    GREETING, NONE, PATIENCE, Recorded, SOME, asked, done, fixtures, minting, read, read_cut, tell,
    usage,
};
use domain::{Kept, KeptPart, ProviderKind};
use futures::{Stream, StreamExt, stream};
use llm::http::decode;
use llm::openai::Reading;
use llm::{Delta, Finish, Trouble};
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::Instant;

const RECORDED: Recorded<Reading> = Recorded { folder: "answers", reading };

fn reading() -> Reading {
    Reading::minting(asked(), minting())
}

const CALLS: Recorded<Reading> = Recorded { folder: "two_calls", reading };

// Seen in apache/maka#1976, smolagents#1958, agno#8880, agentao#117.
#[test]
fn two_tool_calls_are_the_same_two_however_they_are_streamed() {
    let all = fixtures(CALLS.folder);
    assert_eq!(all.len(), 23);
    for name in all.keys() {
        CALLS.check(name, |told, which| {
            let calls: Vec<_> =
                told.calls.iter().map(|[_, name, arguments]| (&**name, &**arguments)).collect();
            let expected = [("weather", r#"{"city":"Oslo"}"#), ("weather", r#"{"city":"北京"}"#)];
            assert_eq!(calls, expected, "{which}");
            let by_calls = matches!(told.end, Some(Delta::Done { finish: Finish::ToolCalls, .. }));
            assert!(by_calls, "{which}: {:?}", told.end);
        });
    }
}

#[test]
fn ids_are_kept_where_given_and_made_up_where_not() {
    let check = |name: &str, expected: [&str; 2]| {
        CALLS.check(name, |told, which| {
            let ids: Vec<_> = told.calls.iter().map(|[id, _, _]| &**id).collect();
            assert_eq!(ids, expected, "{which}");
        });
    };
    check("by_index.sse", ["call_a", "call_b"]);
    check("ids_that_change.sse", ["call_a", "call_b"]);
    check("one_id_for_both.sse", ["call_a", "minted_1"]);
    check("no_index_no_id.sse", ["minted_1", "minted_2"]);
}

#[test]
fn words_thoughts_and_counts_arrive_whole() {
    let check = |name: &str, reasoning: &str, finish: Finish, counts: [Option<u32>; 3]| {
        RECORDED.check_greeting(name, reasoning, finish, counts);
    };
    check("plain.sse", "", Finish::Stop, SOME);
    check("cached_usage.sse", "", Finish::Stop, [Some(20), Some(9), Some(16)]);
    check("usage_null.sse", "", Finish::Stop, NONE);
    check("usage_on_the_last_chunk.sse", "", Finish::Stop, SOME);
    check("no_done.sse", "", Finish::Stop, NONE);
    check("no_last_blank_line.sse", "", Finish::Stop, NONE);
    check("no_finish_reason.sse", "", Finish::Stop, NONE);
    check("reasoning_content.sse", "Let me think.", Finish::Stop, NONE);
    check("content_parts.sse", "Let me think.", Finish::Stop, NONE);
    check("length.sse", "", Finish::Length, SOME);
    check("window_exceeded.sse", "", Finish::Length, SOME);
    check("filtered.sse", "", Finish::Filtered, NONE);
    check("sensitive.sse", "", Finish::Filtered, NONE);
    check("other_choices.sse", "", Finish::Stop, NONE);
    check("azure_first_chunk.sse", "", Finish::Stop, NONE);
    check("empty_finish_reason.sse", "", Finish::Stop, NONE);
    check("comments_and_pings.sse", "", Finish::Stop, NONE);
    check("several_lines.sse", "", Finish::Stop, NONE);
    check("no_stream.json", "Let me think.", Finish::Stop, SOME);
    check("error_null.sse", "", Finish::Stop, NONE);
    check("cut_after_finish.sse", "", Finish::Stop, NONE);
    check("tool_calls_without_a_call.sse", "", Finish::Stop, NONE);
}

#[test]
fn thinking_that_comes_as_words_is_told_apart_and_never_said() {
    let check = |name: &str, reasoning: &str| {
        RECORDED.check_greeting(name, reasoning, Finish::Stop, SOME);
    };
    check("think_in_words.sse", "Let me think.");
    check("think_opened_by_the_template.sse", "Let me think.");
    check("think_empty.sse", "");
    check("think_left_over.sse", "Let me think.");
    RECORDED.check("think_without_an_end.sse", |told, which| {
        assert_eq!((&*told.text, &*told.reasoning), ("", "Let me think."), "{which}");
        assert_eq!(told.end, done(Finish::Length, SOME), "{which}");
    });
}

// Seen where a gateway in JavaScript cuts texts by their UTF-16 units.
#[test]
fn halves_of_a_character_are_joined_and_one_that_is_alone_is_shown_as_such() {
    RECORDED.check_greeting("halves.sse", "", Finish::Stop, SOME);
    RECORDED.check("halves_alone.sse", |told, which| {
        assert_eq!(told.text, "a\u{fffd}b\u{fffd}c😀\u{fffd}", "{which}");
        assert_eq!(told.end, done(Finish::Stop, SOME), "{which}");
    });
    RECORDED.check("halves_in_a_call.sse", |told, which| {
        assert_eq!(told.calls, [["call_a", "say", r#"{"text":"🌍"}"#]], "{which}");
    });
}

#[test]
fn what_a_router_wants_back_of_the_thinking_is_kept_as_it_came() {
    let check = |name: &str, details: &str| {
        let parts = vec![KeptPart::Own { json: details.into() }];
        let kept = Some(Kept { by: ProviderKind::Openai, model: "m1".into(), parts });
        RECORDED.check(name, |told, which| {
            assert_eq!((&*told.text, &*told.reasoning), (GREETING, "Let me think."), "{which}");
            assert_eq!(told.kept, kept, "{which}");
        });
    };
    check("reasoning.sse", r#"[{"text":"think.","type":"reasoning.text"}]"#);
    check(
        "reasoning_details.sse",
        r#"[{"summary":"Let me ","type":"reasoning.summary"},{"text":"think.","type":"reasoning.text"}]"#,
    );
    check(
        "reasoning_details_signed.sse",
        r#"[{"format":"anthropic-claude-v1","index":0,"signature":"EqQBCgIYAhIM+/a=é","text":"Let me think.","type":"reasoning.text"},{"data":"gAAAAAB+/==","id":"rs_1","index":1,"type":"reasoning.encrypted"}]"#,
    );
}

#[test]
fn what_was_thought_is_kept_for_a_server_that_wants_it_back() {
    let keeping: Recorded<Reading> =
        Recorded { folder: "answers", reading: || reading().keeping_thoughts() };
    let parts = vec![KeptPart::Own { json: "\"Let me think.\"".into() }];
    let kept = Some(Kept { by: ProviderKind::Openai, model: "m1".into(), parts });
    keeping.check("reasoning_content.sse", |told, which| assert_eq!(told.kept, kept, "{which}"));
    keeping.check("plain.sse", |told, which| assert_eq!(told.kept, None, "{which}"));
}

#[test]
fn a_refusal_in_its_own_field_is_text() {
    RECORDED.check("refusal.sse", |told, which| {
        let expected = ("I will not.", &done(Finish::Stop, NONE));
        assert_eq!((told.text.as_str(), &told.end), expected, "{which}");
    });
}

#[test]
fn what_breaks_in_the_middle_fails_and_says_how() {
    let check = |name: &str, text: &str, trouble: Trouble, message: &str| {
        RECORDED.check_broken(name, text, trouble, message);
    };
    let broken = Trouble::BrokenAnswer;
    let busy = Trouble::Busy { retry_after: None };
    check("cut_in_an_event.sse", "Grüße, ", broken, "acme stopped in the middle of its answer");
    check("cut_between_events.sse", GREETING, broken, "acme stopped in the middle of its answer");
    check("empty.sse", "", broken, "acme stopped in the middle of its answer");
    check("garbled.sse", "Grüße, ", broken, "acme sent something that is not part of an answer: ");
    check("other_json.json", "", broken, "acme sent something that is not part of an answer: ");
    check("nameless_call.sse", "", broken, "acme called a tool without naming it");
    check("web_page.html", "", Trouble::Refused, "acme answered with a web page");
    check("error_inside.sse", "Grüße, ", busy, "acme is busy (529: The engine is overloaded)");
    check("error_event.sse", "Grüße, ", Trouble::ServerError, "acme failed (out of memory)");
    check(
        "error_as_text.sse",
        "Grüße, ",
        Trouble::ServerError,
        "acme failed (the model runner has stopped)",
    );
    check(
        "interrupted.sse",
        GREETING,
        Trouble::BrokenAnswer,
        "acme gave up its answer (insufficient_system_resource)",
    );
    check(
        "error_in_choice.sse",
        "Grüße, ",
        Trouble::ServerError,
        "acme failed (502: upstream died)",
    );
    check(
        "error_no_stream.json",
        "",
        Trouble::Refused,
        "acme does not take questions at this address",
    );
    check("no_room.sse", "", Trouble::TooLong, "acme had no room left to answer");
}

#[test]
fn an_answer_cut_off_at_any_byte_was_broken_off_and_not_garbled() {
    for name in ["plain.sse", "several_lines.sse", "no_finish_reason.sse", "no_stream.json"] {
        RECORDED.check_cut_anywhere(name);
    }
}

#[test]
fn what_was_counted_before_an_answer_broke_is_not_lost() {
    let check = |name: &str, counts: [Option<u32>; 3]| {
        RECORDED.check(name, |told, which| {
            told.fault();
            assert_eq!(told.usage(), usage(counts), "{which}");
        });
    };
    check("usage_as_it_goes_then_cut.sse", [Some(20), Some(5), None]);
    check("usage_then_error.sse", [Some(20), Some(5), None]);
    check("cut_between_events.sse", NONE);
}

#[test]
fn a_call_without_arguments_gets_the_empty_object() {
    RECORDED.check("call_without_arguments.sse", |told, which| {
        assert_eq!(told.calls, [["call_a", "now", "{}"], ["call_b", "now", "{}"]], "{which}");
    });
}

#[test]
fn a_call_as_it_was_said_before_there_could_be_several_is_a_call() {
    RECORDED.check("call_as_before_tools.sse", |told, which| {
        let [[id, name, arguments]] = &told.calls[..] else { panic!("{which}: {:?}", told.calls) };
        assert!(!id.is_empty(), "{which}");
        assert_eq!([name, arguments], ["weather", r#"{"city":"Oslo"}"#], "{which}");
        assert_eq!(told.end, done(Finish::ToolCalls, NONE), "{which}");
    });
}

/// Judging them is up to whoever would run the tool.
#[test]
fn arguments_that_are_no_json_are_handed_on_as_they_are() {
    RECORDED.check("invalid_arguments.sse", |told, which| {
        assert_eq!(told.calls, [["call_a", "weather", r#"{"city":"#]], "{which}");
    });
}

#[test]
fn an_event_that_never_ends_is_given_up_before_it_fills_the_memory() {
    let endless =
        std::iter::once(b"data: ".to_vec()).chain(std::iter::repeat_n(vec![b'x'; 1 << 20], 6));
    let told = tell(&read(reading(), endless));
    assert_eq!(told.fault().message, "acme sent more than 4 MiB where far less was due");
}

#[test]
fn an_answer_that_never_ends_is_given_up_before_it_fills_the_memory() {
    let event = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n",
        "x".repeat(1 << 20)
    );
    let told = tell(&read(reading(), std::iter::repeat_n(event.into_bytes(), 70)));
    assert_eq!(told.fault().message, "acme sent more than 64 MiB where far less was due");
}

/// The events so far, then whatever else happens, in tokio's time.
async fn read_slowly(
    events: &[&str],
    rest: impl Stream<Item = Vec<u8>> + Send + 'static,
) -> (Vec<Delta>, Duration) {
    let begun = Instant::now();
    let events: Vec<_> =
        events.iter().map(|data| format!("data: {data}\n\n").into_bytes()).collect();
    let body = stream::iter(events).chain(rest).map(Ok::<_, Infallible>);
    let deltas = decode(body, reading(), PATIENCE).collect().await;
    (deltas, begun.elapsed())
}

/// The same bytes every ten seconds, for ever.
fn every_ten_seconds(bytes: &'static str) -> impl Stream<Item = Vec<u8>> + Send {
    stream::unfold((), move |()| async move {
        tokio::time::sleep(Duration::from_secs(10)).await;
        Some((bytes.as_bytes().to_vec(), ()))
    })
}

const HI: &str = r#"{"choices":[{"delta":{"content":"Hi"}}]}"#;
const STOP: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

#[tokio::test(start_paused = true)]
async fn silence_ends_an_answer_and_signs_of_life_do_not_count() {
    let rests = [
        stream::pending().boxed(),
        every_ten_seconds(": ping\n\n").boxed(),
        every_ten_seconds("event: ping\ndata: {\"type\":\"ping\"}\n\n").boxed(),
        every_ten_seconds("data: {").boxed(),
        every_ten_seconds("data: {\"choices\":[{\"delta\":{}}]}\n\n").boxed(),
        every_ten_seconds("data: {\"choices\":[{\"delta\":{\"content\":\"\"}}]}\n\n").boxed(),
        every_ten_seconds("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9}}\n\n").boxed(),
    ];
    for rest in rests {
        let (deltas, waited) = read_slowly(&[HI], rest).await;
        let fault = match &deltas[..] {
            [Delta::Text(text), Delta::Failed { fault, .. }] if text == "Hi" => fault,
            other => panic!("{other:?}"),
        };
        assert_eq!(fault.trouble, Trouble::BrokenAnswer);
        assert_eq!(fault.message, "acme sent nothing for 120 s");
        assert_eq!(waited, Duration::from_secs(120));
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_answer_is_not_a_dead_one() {
    let words =
        every_ten_seconds("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n").take(100);
    let rest = words.chain(stream::iter([b"data: [DONE]\n\n".to_vec()]));
    let (deltas, waited) = read_slowly(&[], rest).await;
    assert_eq!(tell(&deltas).end, done(Finish::Stop, NONE));
    assert_eq!(waited, Duration::from_secs(1000));
}

#[tokio::test(start_paused = true)]
async fn a_finished_answer_is_not_kept_waiting_by_pieces_without_anything_in_them() {
    let rest = stream::unfold((), |()| async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Some((b"data: {\"choices\":[{\"delta\":{}}]}\n\n".to_vec(), ()))
    });
    let (deltas, waited) = read_slowly(&[HI, STOP], rest).await;
    assert_eq!(tell(&deltas).end, done(Finish::Stop, NONE));
    assert_eq!(waited, Duration::from_secs(5));
}

#[test]
fn what_nobody_is_shown_is_told_by_its_length() {
    let check = |delta: &str, expected: u32| {
        let chunk = format!("data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n\n");
        let told = read_cut(reading(), format!("{chunk}data: [DONE]\n\n").as_bytes(), 7);
        assert_eq!(told.unshown, expected, "{delta}");
    };
    check(r#"{"reasoning_details":[{"type":"reasoning.encrypted","data":"gA==","id":"rs_1"}]}"#, 4);
    check(r#"{"reasoning_details":[{"type":"reasoning.text","text":"Hm."}]}"#, 0);
    check(r#"{"reasoning":"Hm.","reasoning_details":[{"type":"reasoning.text","text":"Hm."}]}"#, 3);
    check(r#"{"content":"Hi","role":"assistant","audio":null}"#, 0);
    check(r#"{"content":"Hi","audio":{"data":"QUJD"}}"#, 4);
    check(r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"add","arguments":"{}"}}]}"#, 0);
    check(r#"{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{\"a\":1}"}}]}"#, 7);
}

#[tokio::test(start_paused = true)]
async fn a_finished_answer_waits_a_little_for_its_usage_and_not_for_ever() {
    let (deltas, waited) = read_slowly(&[HI, STOP], stream::pending()).await;
    assert_eq!(deltas, [Delta::Text("Hi".into()), done(Finish::Stop, NONE).expect("an end")]);
    assert_eq!(waited, Duration::from_secs(5));
}

holds_whatever_comes!(reading, &["answers", "two_calls"]);
