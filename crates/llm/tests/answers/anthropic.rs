//! Recorded answers in Anthropic's Messages.

use crate::damage::holds_whatever_comes;
use crate::told::{GREETING, NONE, Recorded, SOME, Told, asked, done, minting, usage};
use domain::{Kept, KeptPart, ProviderKind, Usage};
use llm::anthropic::Reading;
use llm::{Finish, Trouble};

const SEAL: &str = "EqQBCgIYAhIM+/a=é";

const RECORDED: Recorded<Reading> = Recorded { folder: "anthropic", reading };

fn reading() -> Reading {
    Reading::minting(asked(), minting())
}

fn thinking(thought: &str, seal: &str) -> KeptPart {
    let block = serde_json::json!({"type": "thinking", "thinking": thought, "signature": seal});
    KeptPart::Own { json: block.to_string() }
}

fn text(bytes: usize) -> KeptPart {
    KeptPart::Text { bytes: bytes as u32, seal: None }
}

fn kept(parts: Vec<KeptPart>) -> Option<Kept> {
    Some(Kept { by: ProviderKind::Anthropic, model: "m1".into(), parts })
}

#[test]
fn words_thoughts_and_counts_arrive_whole() {
    let check = |name: &str, finish: Finish, counts: [Option<u32>; 3]| {
        let end = done(finish, counts);
        let expected = Told { text: GREETING.into(), end, ..Told::default() };
        RECORDED.check_told(name, &expected);
    };
    check("plain.sse", Finish::Stop, SOME);
    check("halves.sse", Finish::Stop, SOME);
    check("no_event_names.sse", Finish::Stop, SOME);
    check("pings_and_unknown.sse", Finish::Stop, SOME);
    check("several_texts.sse", Finish::Stop, SOME);
    check("text_at_the_start.sse", Finish::Stop, SOME);
    check("unknown_blocks.sse", Finish::Stop, SOME);
    check("usage_grows.sse", Finish::Stop, SOME);
    check("no_usage.sse", Finish::Stop, NONE);
    check("max_tokens.sse", Finish::Length, SOME);
    check("window_full.sse", Finish::Length, SOME);
    check("pause_turn.sse", Finish::Length, SOME);
    check("refusal.sse", Finish::Filtered, SOME);
    check("stop_sequence.sse", Finish::Stop, SOME);
    check("no_message_stop.sse", Finish::Stop, SOME);
    check("no_stop_reason.sse", Finish::Stop, [Some(20), Some(1), None]);
    check("blocks_left_open.sse", Finish::Stop, SOME);
    check("done_mark.sse", Finish::Stop, SOME);
    check("cut_after_the_stop_reason.sse", Finish::Stop, SOME);
}

// Seen in PostHog/posthog-js#4664, 9router#2873.
#[test]
fn what_came_out_of_the_cache_is_told_from_what_went_into_it() {
    let counted = Usage { cache_write_tokens: Some(4), ..usage([Some(20), Some(9), Some(12)]) };
    RECORDED.check("cached_usage.sse", |told, which| assert_eq!(told.usage(), counted, "{which}"));
}

// Seen in anthropics/claude-code#12362, opencode#41738.
#[test]
fn signed_thoughts_are_shown_and_kept_byte_for_byte_in_their_place() {
    let check = |name: &str, reasoning: &str, sealed: &[&str], kept: Option<Kept>| {
        let expected = Told {
            text: GREETING.into(),
            reasoning: reasoning.into(),
            calls: vec![],
            kept,
            unshown: sealed.concat().chars().count() as u32,
            end: done(Finish::Stop, SOME),
        };
        RECORDED.check(name, |told, which| assert_eq!(*told, expected, "{which}"));
    };
    let thought = || thinking("Let me think.", SEAL);
    let words = || text(GREETING.len());
    check("thinking.sse", "Let me think.", &[SEAL], kept(vec![thought(), words()]));
    check("not_streamed.json", "Let me think.", &[SEAL], kept(vec![thought(), words()]));
    check("thinking_omitted.sse", "", &[SEAL], kept(vec![thinking("", SEAL), words()]));
    check("thinking_unsigned.sse", "Let me think.", &[], None);
    let opaque = "b3BhcXVl+/==";
    let redacted =
        KeptPart::Own { json: format!(r#"{{"data":"{opaque}","type":"redacted_thinking"}}"#) };
    let parts = vec![thought(), redacted, words()];
    check("redacted.sse", "Let me think.", &[SEAL, opaque], kept(parts));
}

#[test]
fn thoughts_between_words_and_calls_are_kept_between_them() {
    let call = KeptPart::Call { id: "toolu_a".into(), seal: None };
    let parts = vec![thinking("Let me think.", SEAL), text(7), thinking("Again.", "s2"), call];
    let expected = Told {
        text: "I look.".into(),
        reasoning: "Let me think.Again.".into(),
        calls: vec![["toolu_a", "weather", r#"{"city":"Oslo"}"#].map(str::to_owned)],
        kept: kept(parts),
        unshown: (SEAL.chars().count() + "s2".len()) as u32,
        end: done(Finish::ToolCalls, SOME),
    };
    RECORDED
        .check("thinking_before_a_call.sse", |told, which| assert_eq!(*told, expected, "{which}"));
}

// Seen in apache/maka#1976, smolagents#1958, agno#8880, agentao#117.
#[test]
fn two_tool_calls_are_the_same_two_however_they_are_streamed() {
    let check = |name: &str, ids: [&str; 2]| RECORDED.check_two_calls(name, ids);
    check("calls_in_pieces.sse", ["toolu_a", "toolu_b"]);
    check("calls_interleaved.sse", ["toolu_a", "toolu_b"]);
    check("calls_whole.sse", ["toolu_a", "toolu_b"]);
    check("calls_that_end_the_turn.sse", ["toolu_a", "toolu_b"]);
    check("calls_not_streamed.json", ["toolu_a", "toolu_b"]);
    check("calls_without_ids.sse", ["minted_1", "minted_2"]);
    check("calls_under_one_id.sse", ["toolu_a", "minted_1"]);
}

#[test]
fn a_call_without_arguments_gets_the_empty_object() {
    RECORDED.check("call_without_arguments.sse", |told, which| {
        assert_eq!(told.calls, [["toolu_a", "now", "{}"], ["toolu_b", "now", "{}"]], "{which}");
    });
}

#[test]
fn what_breaks_in_the_middle_fails_and_says_how() {
    let check = |name: &str, text: &str, trouble: Trouble, message: &str| {
        RECORDED.check_broken(name, text, trouble, message);
    };
    let broken = Trouble::BrokenAnswer;
    let busy = Trouble::Busy { retry_after: None };
    check("overloaded.sse", "Grüße, ", busy, "acme is busy (Overloaded)");
    check(
        "refused_inside.sse",
        "Grüße, ",
        Trouble::Refused,
        "acme did not accept the question (tools.0.input_schema: Field required)",
    );
    check(
        "error_without_a_name.sse",
        "Grüße, ",
        Trouble::ServerError,
        "acme failed (Internal server error)",
    );
    check("rate_limited.sse", "", busy, "acme is busy (This would exceed your limit)");
    check("too_long.json", "", Trouble::TooLong, "the conversation is too long for m1 (prompt is");
    check("cut_between_events.sse", GREETING, broken, "acme stopped in the middle of its answer");
    check("cut_in_a_call.sse", "", broken, "acme stopped in the middle of its answer");
    check("empty.sse", "", broken, "acme stopped in the middle of its answer");
    check("nameless_call.sse", "", broken, "acme called a tool without naming it");
    check("garbled.sse", "Grüße, ", broken, "acme sent something that is not part of an answer: ");
    check("other_json.json", "", broken, "acme sent something that is not part of an answer: ");
    check("web_page.html", "", Trouble::Refused, "acme answered with a web page");
    check("no_room.sse", "", Trouble::TooLong, "acme had no room left to answer");
    RECORDED.check("overloaded.sse", |told, which| {
        assert_eq!(told.usage(), usage([Some(20), Some(1), None]), "{which}");
    });
}

#[test]
fn an_answer_cut_off_at_any_byte_was_broken_off_and_not_garbled() {
    for name in ["plain.sse", "thinking_before_a_call.sse", "not_streamed.json"] {
        RECORDED.check_cut_anywhere(name);
    }
}

holds_whatever_comes!(reading, &["anthropic"]);
