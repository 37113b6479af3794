//! Recorded answers of OpenAI-compatible servers, read from bytes alone: how
//! the bytes are cut must never matter, and no bytes may cause a panic.

use domain::Usage;
use futures::{FutureExt, Stream, StreamExt, stream};
use llm::openai::{Asked, Reading, decode};
use llm::{Delta, Finish, Trouble};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::Instant;

const CHUNKS: [usize; 6] = [1, 2, 3, 7, 150, 16 * 1024];

/// An answer put together again.
#[derive(Debug, Clone, PartialEq, Default)]
struct Told {
    text: String,
    reasoning: String,
    /// Id, name and arguments.
    calls: Vec<[String; 3]>,
    end: Option<Delta>,
}

fn tell(deltas: &[Delta]) -> Told {
    let mut told = Told::default();
    for delta in deltas {
        assert_eq!(told.end, None, "something came after the end: {delta:?}");
        match delta {
            Delta::Text(text) => told.text += text,
            Delta::Reasoning(text) => told.reasoning += text,
            Delta::ToolCall(piece) => {
                match told.calls.iter_mut().find(|call| call[0] == piece.id) {
                    None => {
                        let name = piece.name.clone().expect("the first piece brings the name");
                        told.calls.push([piece.id.clone(), name, piece.arguments.clone()]);
                    }
                    Some(call) => {
                        assert_eq!(piece.name, None, "the name comes once");
                        call[2] += &piece.arguments;
                    }
                }
            }
            Delta::Done { .. } | Delta::Failed { .. } => told.end = Some(delta.clone()),
        }
    }
    assert!(told.end.is_some(), "the answer did not end: {deltas:?}");
    told
}

/// All bytes are there, so nothing waits and no runtime turns.
fn read(chunks: impl IntoIterator<Item = Vec<u8>>) -> Vec<Delta> {
    let mut minted = 0;
    let mint = move || {
        minted += 1;
        format!("minted_{minted}")
    };
    let asked = Asked { server: "acme".into(), model: "m1".into(), key: None };
    let chunks: Vec<_> = chunks.into_iter().map(Ok::<_, Infallible>).collect();
    let deltas =
        decode(stream::iter(chunks), Reading::minting(asked, mint), Duration::from_secs(1));
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("starts");
    let _guard = runtime.enter();
    deltas.collect().now_or_never().expect("everything is there")
}

fn read_cut(bytes: &[u8], size: usize) -> Vec<Delta> {
    read(bytes.chunks(size).map(<[u8]>::to_vec))
}

fn fixtures(folder: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
    let paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    let name = |path: &Path| path.file_name().expect("a file").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read(path).expect("readable"))).collect()
}

/// The same stream in every dress that the format allows.
fn dresses(name: &str, bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let text = String::from_utf8(bytes.to_vec()).expect("fixtures are UTF-8");
    let mut dresses = vec![("as it is", bytes.to_vec())];
    if name.ends_with(".sse") {
        dresses.push(("CR", text.replace('\n', "\r").into_bytes()));
        dresses.push(("CRLF", text.replace('\n', "\r\n").into_bytes()));
        dresses.push(("no space", text.replace("data: ", "data:").into_bytes()));
        dresses.push(("comments", text.replace("data:", ": a comment\ndata:").into_bytes()));
        dresses.push(("BOM", format!("\u{feff}{text}").into_bytes()));
    }
    dresses
}

#[test]
fn two_tool_calls_are_the_same_two_however_they_are_streamed() {
    let fixtures = fixtures("two_calls");
    assert_eq!(fixtures.len(), 23);
    for (name, bytes) in fixtures {
        for (dress, bytes) in dresses(&name, &bytes) {
            for size in CHUNKS {
                let told = tell(&read_cut(&bytes, size));
                let calls: Vec<_> =
                    told.calls.iter().map(|[_, name, arguments]| (&**name, &**arguments)).collect();
                let expected =
                    [("weather", r#"{"city":"Oslo"}"#), ("weather", r#"{"city":"北京"}"#)];
                assert_eq!(calls, expected, "{name}, {dress}, cut at {size}");
                let finish = match told.end {
                    Some(Delta::Done { finish, .. }) => finish,
                    other => panic!("{name}, {dress}, cut at {size}: {other:?}"),
                };
                assert_eq!(finish, Finish::ToolCalls, "{name}");
            }
        }
    }
}

#[test]
fn ids_are_kept_where_given_and_made_up_where_not() {
    let fixtures = fixtures("two_calls");
    let ids = |name: &str| {
        let told = tell(&read_cut(&fixtures[name], 7));
        told.calls.into_iter().map(|[id, _, _]| id).collect::<Vec<_>>()
    };
    assert_eq!(ids("by_index.sse"), ["call_a", "call_b"]);
    assert_eq!(ids("ids_that_change.sse"), ["call_a", "call_b"]);
    assert_eq!(ids("one_id_for_both.sse"), ["call_a", "minted_1"]);
    assert_eq!(ids("no_index_no_id.sse"), ["minted_1", "minted_2"]);
}

const GREETING: &str = "Grüße, 世界 🌍";

fn done(finish: Finish, counts: [Option<u32>; 3]) -> Option<Delta> {
    let [input_tokens, output_tokens, cached_tokens] = counts;
    Some(Delta::Done { finish, usage: Usage { input_tokens, output_tokens, cached_tokens } })
}

fn check_all(name: &str, check: impl Fn(&Told, &str)) {
    let bytes = &fixtures("answers")[name];
    for (dress, bytes) in dresses(name, bytes) {
        for size in CHUNKS {
            let told = tell(&read_cut(&bytes, size));
            check(&told, &format!("{name}, {dress}, cut at {size}"));
        }
    }
}

#[test]
fn words_thoughts_and_counts_arrive_whole() {
    const NONE: [Option<u32>; 3] = [None; 3];
    const SOME: [Option<u32>; 3] = [Some(20), Some(9), None];
    let check = |name: &str, reasoning: &str, finish: Finish, counts: [Option<u32>; 3]| {
        let expected = Told {
            text: GREETING.into(),
            reasoning: reasoning.into(),
            calls: vec![],
            end: done(finish, counts),
        };
        check_all(name, |told, which| assert_eq!(*told, expected, "{which}"));
    };
    check("plain.sse", "", Finish::Stop, SOME);
    check("cached_usage.sse", "", Finish::Stop, [Some(20), Some(9), Some(16)]);
    check("usage_null.sse", "", Finish::Stop, NONE);
    check("usage_on_the_last_chunk.sse", "", Finish::Stop, SOME);
    check("no_done.sse", "", Finish::Stop, NONE);
    check("no_last_blank_line.sse", "", Finish::Stop, NONE);
    check("no_finish_reason.sse", "", Finish::Stop, NONE);
    check("reasoning_content.sse", "Let me think.", Finish::Stop, NONE);
    check("reasoning.sse", "Let me think.", Finish::Stop, NONE);
    check("reasoning_details.sse", "Let me think.", Finish::Stop, NONE);
    check("content_parts.sse", "Let me think.", Finish::Stop, NONE);
    check("length.sse", "", Finish::Length, SOME);
    check("filtered.sse", "", Finish::Filtered, NONE);
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
fn a_refusal_in_its_own_field_is_text() {
    check_all("refusal.sse", |told, which| {
        let expected = ("I will not.", &done(Finish::Stop, [None; 3]));
        assert_eq!((told.text.as_str(), &told.end), expected, "{which}");
    });
}

#[test]
fn what_breaks_in_the_middle_fails_and_says_how() {
    let check = |name: &str, text: &str, trouble: Trouble, message: &str| {
        check_all(name, |told, which| {
            let fault = match &told.end {
                Some(Delta::Failed { fault, .. }) => fault,
                other => panic!("{which}: {other:?}"),
            };
            assert_eq!((told.text.as_str(), fault.trouble), (text, trouble), "{which}");
            assert!(fault.message.starts_with(message), "{which}: {}", fault.message);
            assert!(!fault.fix.is_empty());
        });
    };
    let broken = Trouble::BrokenAnswer;
    let busy = Trouble::Busy { retry_after: None };
    check(
        "cut_in_an_event.sse",
        "Grüße, ",
        broken,
        "acme sent something that is not part of an answer: ",
    );
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
fn what_was_counted_before_an_answer_broke_is_not_lost() {
    let check = |name: &str, counts: [Option<u32>; 3]| {
        let [input_tokens, output_tokens, cached_tokens] = counts;
        let expected = Usage { input_tokens, output_tokens, cached_tokens };
        check_all(name, |told, which| match &told.end {
            Some(Delta::Failed { usage, .. }) => assert_eq!(*usage, expected, "{which}"),
            other => panic!("{which}: {other:?}"),
        });
    };
    check("usage_as_it_goes_then_cut.sse", [Some(20), Some(5), None]);
    check("usage_then_error.sse", [Some(20), Some(5), None]);
    check("cut_between_events.sse", [None; 3]);
}

#[test]
fn a_call_without_arguments_gets_the_empty_object() {
    check_all("call_without_arguments.sse", |told, which| {
        assert_eq!(told.calls, [["call_a", "now", "{}"], ["call_b", "now", "{}"]], "{which}");
    });
}

/// Judging them is up to whoever would run the tool.
#[test]
fn arguments_that_are_no_json_are_handed_on_as_they_are() {
    check_all("invalid_arguments.sse", |told, which| {
        assert_eq!(told.calls, [["call_a", "weather", r#"{"city":"#]], "{which}");
    });
}

#[test]
fn an_event_that_never_ends_is_given_up_before_it_fills_the_memory() {
    let endless =
        std::iter::once(b"data: ".to_vec()).chain(std::iter::repeat_n(vec![b'x'; 1 << 20], 6));
    let told = tell(&read(endless));
    let Some(Delta::Failed { fault, .. }) = told.end else { panic!("{:?}", told.end) };
    assert_eq!(fault.message, "acme sent more than 4 MiB where far less was due");
}

#[test]
fn an_answer_that_never_ends_is_given_up_before_it_fills_the_memory() {
    let event = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n",
        "x".repeat(1 << 20)
    );
    let told = tell(&read(std::iter::repeat_n(event.into_bytes(), 70)));
    let Some(Delta::Failed { fault, .. }) = told.end else { panic!("{:?}", told.end) };
    assert_eq!(fault.message, "acme sent more than 64 MiB where far less was due");
}

/// The events so far, then whatever else happens, in tokio's time.
async fn read_slowly(
    events: &[&str],
    rest: impl Stream<Item = Vec<u8>> + Send + 'static,
) -> (Vec<Delta>, Duration) {
    let begun = Instant::now();
    let asked = Asked { server: "acme".into(), model: "m1".into(), key: None };
    let events: Vec<_> =
        events.iter().map(|data| format!("data: {data}\n\n").into_bytes()).collect();
    let body = stream::iter(events).chain(rest).map(Ok::<_, Infallible>);
    let deltas = decode(body, Reading::new(asked), Duration::from_secs(120)).collect().await;
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
    assert_eq!(tell(&deltas).end, done(Finish::Stop, [None; 3]));
    assert_eq!(waited, Duration::from_secs(1000));
}

#[tokio::test(start_paused = true)]
async fn a_finished_answer_waits_a_little_for_its_usage_and_not_for_ever() {
    let (deltas, waited) = read_slowly(&[HI, STOP], stream::pending()).await;
    assert_eq!(deltas, [Delta::Text("Hi".into()), done(Finish::Stop, [None; 3]).expect("an end")]);
    assert_eq!(waited, Duration::from_secs(5));
}

/// Any bytes end in one end, and the same one however they are cut.
fn check(bytes: &[u8], cuts: &[usize]) {
    let whole = tell(&read([bytes.to_vec()]));
    let mut chunks = Vec::new();
    let mut rest = bytes;
    for cut in cuts {
        let (chunk, after) = rest.split_at((*cut).min(rest.len()));
        chunks.push(chunk.to_vec());
        rest = after;
    }
    chunks.push(rest.to_vec());
    assert_eq!(tell(&read(chunks)), whole, "{:?}", String::from_utf8_lossy(bytes));
}

fn any_fixture() -> impl Strategy<Value = Vec<u8>> {
    let all: Vec<Vec<u8>> = [fixtures("answers"), fixtures("two_calls")]
        .into_iter()
        .flatten()
        .flat_map(|(name, bytes)| dresses(&name, &bytes).into_iter().map(|(_, bytes)| bytes))
        .collect();
    proptest::sample::select(all)
}

/// What line noise, a bad proxy or another server could put in its place.
#[derive(Debug, Clone)]
enum Damage {
    Byte(u8),
    Without(usize),
    Twice(usize),
    Word(&'static str),
}

fn damages() -> impl Strategy<Value = Vec<(prop::sample::Index, Damage)>> {
    let words = prop::sample::select(vec![
        "\n",
        "\r",
        "\n\n",
        "data:",
        ":",
        "[DONE]",
        "null",
        "{}",
        "[]",
        "\"",
        "\\u0000",
        "-1",
        "1e999",
        "\u{feff}",
        "\"error\":",
        "\"index\":",
        "\"id\":\"call_a\"",
        "<",
    ]);
    let damage = prop_oneof![
        any::<u8>().prop_map(Damage::Byte),
        (1..60_usize).prop_map(Damage::Without),
        (1..60_usize).prop_map(Damage::Twice),
        words.prop_map(Damage::Word),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), damage), 1..6)
}

fn damaged(mut bytes: Vec<u8>, damages: &[(prop::sample::Index, Damage)]) -> Vec<u8> {
    for (at, damage) in damages {
        let at = at.index(bytes.len() + 1);
        let after = |length: usize| at..(at + length).min(bytes.len());
        match damage {
            Damage::Byte(byte) => bytes.splice(after(1), [*byte]).for_each(drop),
            Damage::Without(length) => bytes.splice(after(*length), []).for_each(drop),
            Damage::Twice(length) => {
                let piece = bytes[after(*length)].to_vec();
                bytes.splice(at..at, piece).for_each(drop);
            }
            Damage::Word(word) => bytes.splice(at..at, word.bytes()).for_each(drop),
        }
    }
    bytes
}

proptest! {
    #[test]
    fn any_cut_of_any_answer_gives_the_same_deltas(
        bytes in any_fixture(),
        cuts in prop::collection::vec(0..200_usize, 0..40),
    ) {
        check(&bytes, &cuts);
    }

    #[test]
    fn no_damage_causes_a_panic_or_an_answer_without_end(
        bytes in any_fixture(),
        damages in damages(),
        cuts in prop::collection::vec(0..200_usize, 0..40),
    ) {
        check(&damaged(bytes, &damages), &cuts);
    }

    #[test]
    fn no_bytes_at_all_cause_a_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        cuts in prop::collection::vec(0..50_usize, 0..10),
    ) {
        check(&bytes, &cuts);
    }
}
