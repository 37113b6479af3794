//! Recorded answers of Ollama in its own words.

use crate::damage::holds_whatever_comes;
use crate::told::{
    GREETING, NONE, Recorded, SOME, asked, done, fixtures, minting, read_cut, usage,
};
use domain::{Kept, KeptPart, ProviderKind};
use llm::ollama::Reading;
use llm::{Finish, Trouble};

const RECORDED: Recorded<Reading> = Recorded { folder: "ollama", reading };

fn reading() -> Reading {
    Reading::minting(asked(), minting())
}

#[test]
fn words_thoughts_and_counts_arrive_whole() {
    let check = |name: &str, reasoning: &str, finish: Finish, counts: [Option<u32>; 3]| {
        RECORDED.check_greeting(name, reasoning, finish, counts);
    };
    check("plain.ndjson", "", Finish::Stop, SOME);
    check("no_last_line_break.ndjson", "", Finish::Stop, SOME);
    check("whole_at_once.ndjson", "", Finish::Stop, SOME);
    check("words_on_the_last_line.ndjson", "", Finish::Stop, SOME);
    check("thinking.ndjson", "Let me think.", Finish::Stop, SOME);
    check("no_reason.ndjson", "", Finish::Stop, SOME);
    check("no_counts.ndjson", "", Finish::Stop, NONE);
    check("length.ndjson", "", Finish::Length, SOME);
    check("after_the_end.ndjson", "", Finish::Stop, SOME);
    check("think_in_words.ndjson", "Let me think.", Finish::Stop, SOME);
    check("think_opened_by_the_template.ndjson", "Let me think.", Finish::Stop, SOME);
    check("halves.ndjson", "", Finish::Stop, SOME);
}

// Seen in apache/maka#1976, smolagents#1958, agno#8880, agentao#117.
#[test]
fn two_tool_calls_are_the_same_two_however_they_are_streamed() {
    let check = |name: &str, ids: [&str; 2]| RECORDED.check_two_calls(name, ids);
    check("calls_together.ndjson", ["minted_1", "minted_2"]);
    check("calls_apart.ndjson", ["minted_1", "minted_2"]);
    check("calls_with_ids.ndjson", ["call_a", "call_b"]);
    check("calls_under_one_id.ndjson", ["call_a", "minted_1"]);
    check("calls_under_one_index.ndjson", ["minted_1", "minted_2"]);
    check("calls_as_text.ndjson", ["minted_1", "minted_2"]);
    check("calls_on_the_last_line.ndjson", ["minted_1", "minted_2"]);
}

#[test]
fn a_call_without_arguments_gets_the_empty_object() {
    RECORDED.check("call_without_arguments.ndjson", |told, which| {
        assert_eq!(told.calls, [["minted_1", "now", "{}"], ["minted_2", "now", "{}"]], "{which}");
    });
}

#[test]
fn what_was_thought_before_a_call_is_kept_for_the_next_question() {
    let parts = vec![
        KeptPart::Text { bytes: 7, seal: None },
        KeptPart::Own { json: "\"Let me think.\"".into() },
        KeptPart::Call { id: "minted_1".into(), seal: None },
    ];
    let kept = Kept { by: ProviderKind::Ollama, model: "m1".into(), parts };
    RECORDED.check("thinking_before_a_call.ndjson", |told, which| {
        assert_eq!(told.kept.as_ref(), Some(&kept), "{which}");
        assert_eq!(told.reasoning, "Let me think.", "{which}");
    });
}

#[test]
fn what_was_thought_in_words_is_not_sent_back_with_a_call() {
    RECORDED.check("think_before_a_call.ndjson", |told, which| {
        assert_eq!((&*told.text, &*told.reasoning), ("I look.", "Let me think."), "{which}");
        assert_eq!(told.calls, [["minted_1", "weather", r#"{"city":"Oslo"}"#]], "{which}");
        assert_eq!(told.kept, None, "{which}");
    });
}

#[test]
fn an_answer_to_a_question_that_was_cut_off_does_not_count() {
    let bytes = &fixtures("ollama")["plain.ndjson"];
    let told = |least: u32| read_cut(reading().expecting(least), bytes, 7);
    assert_eq!(told(1_499).end, done(Finish::Stop, SOME), "so little is never cut");
    let cut = told(1_500);
    assert_eq!(cut.fault().trouble, Trouble::TooLong);
    assert_eq!(
        cut.fault().message,
        "acme let m1 read 20 of at least 1500 tokens: it cut off the beginning, so the answer \
         does not count"
    );
    assert_eq!(cut.usage(), usage(SOME), "it is paid for");
}

#[test]
fn what_breaks_in_the_middle_fails_and_says_how() {
    let check = |name: &str, text: &str, trouble: Trouble, message: &str| {
        RECORDED.check_broken(name, text, trouble, message);
    };
    let broken = Trouble::BrokenAnswer;
    check(
        "error_line.ndjson",
        "Grüße, ",
        Trouble::ServerError,
        "acme failed (an error was encountered while running the model: unexpected EOF)",
    );
    check(
        "too_long.ndjson",
        "",
        Trouble::TooLong,
        "the conversation is too long for m1 (the input",
    );
    check("cut_between_lines.ndjson", GREETING, broken, "acme stopped in the middle of its answer");
    check("cut_in_a_line.ndjson", "Grüße, ", broken, "acme stopped in the middle of its answer");
    check("empty.ndjson", "", broken, "acme stopped in the middle of its answer");
    check("garbled.ndjson", "Grüße, ", broken, "acme sent something that is not part of an answer");
    check("nameless_call.ndjson", "", broken, "acme called a tool without naming it");
    check("other_lines.ndjson", "", broken, "acme sent something that is not part of an answer");
    check("web_page.html", "", Trouble::Refused, "acme answered with a web page");
    check("no_room.ndjson", "", Trouble::TooLong, "acme had no room left to answer");
}

#[test]
fn an_answer_cut_off_at_any_byte_was_broken_off_and_not_garbled() {
    for name in ["plain.ndjson", "thinking_before_a_call.ndjson"] {
        RECORDED.check_cut_anywhere(name);
    }
}

holds_whatever_comes!(reading, &["ollama"]);
