//! Recorded answers of Gemini in its own words.

use crate::damage::holds_whatever_comes;
use crate::told::{GREETING, NONE, Recorded, SOME, asked, minting, usage};
use domain::{Kept, KeptPart, ProviderKind};
use llm::gemini::Reading;
use llm::{Finish, Trouble};

const SEAL: &str = "EjQKMgEM+/==";

const RECORDED: Recorded<Reading> = Recorded { folder: "gemini", reading };

fn reading() -> Reading {
    Reading::minting(asked(), minting())
}

fn text(bytes: usize, seal: Option<&str>) -> KeptPart {
    KeptPart::Text { bytes: bytes as u32, seal: seal.map(str::to_owned) }
}

fn kept(parts: Vec<KeptPart>) -> Option<Kept> {
    Some(Kept { by: ProviderKind::Gemini, model: "m1".into(), parts })
}

#[test]
fn words_thoughts_and_counts_arrive_whole() {
    let check = |name: &str, reasoning: &str, finish: Finish, counts: [Option<u32>; 3]| {
        RECORDED.check_greeting(name, reasoning, finish, counts);
    };
    check("plain.sse", "", Finish::Stop, SOME);
    check("halves.sse", "", Finish::Stop, SOME);
    check("finish_with_the_words.sse", "", Finish::Stop, SOME);
    check("usage_grows.sse", "", Finish::Stop, SOME);
    check("usage_alone.sse", "", Finish::Stop, SOME);
    check("no_usage.sse", "", Finish::Stop, NONE);
    check("no_parts.sse", "", Finish::Stop, SOME);
    check("cached_and_thought.sse", "", Finish::Stop, [Some(20), Some(9), Some(12)]);
    check("other_candidates.sse", "", Finish::Stop, SOME);
    check("done_mark.sse", "", Finish::Stop, SOME);
    check("max_tokens.sse", "", Finish::Length, SOME);
    check("safety.sse", "", Finish::Filtered, SOME);
    check("recitation.sse", "", Finish::Filtered, SOME);
    check("blocklist.sse", "", Finish::Filtered, SOME);
    check("not_streamed.json", "", Finish::Stop, SOME);
    check("one_object.json", "", Finish::Stop, SOME);
    check("thinking.sse", "Let me think.", Finish::Stop, SOME);
}

#[test]
fn seals_are_kept_with_the_parts_that_they_came_on() {
    let check = |name: &str, parts: Vec<KeptPart>| {
        let kept = kept(parts);
        RECORDED.check(name, |told, which| {
            assert_eq!(told.kept, kept, "{which}");
            assert_eq!((&*told.text, &*told.reasoning), (GREETING, "Let me think."), "{which}");
        });
    };
    let (before, last) = (GREETING.len() - 4, 4);
    check("sealed_words.sse", vec![text(before, None), text(last, Some(SEAL))]);
    check("sealed_at_the_end.sse", vec![text(GREETING.len(), None), text(0, Some(SEAL))]);
    let call = |id: &str, seal: Option<&str>| KeptPart::Call {
        id: id.into(),
        seal: seal.map(str::to_owned),
    };
    let calls = kept(vec![call("minted_1", Some(SEAL)), call("minted_2", None)]);
    RECORDED.check("sealed_calls.sse", |told, which| assert_eq!(told.kept, calls, "{which}"));
}

// Seen in apache/maka#1976, smolagents#1958, agno#8880, agentao#117.
#[test]
fn two_tool_calls_are_the_same_two_however_they_are_streamed() {
    let check = |name: &str, ids: [&str; 2]| RECORDED.check_two_calls(name, ids);
    check("calls_together.sse", ["minted_1", "minted_2"]);
    check("calls_apart.sse", ["minted_1", "minted_2"]);
    check("calls_with_ids.sse", ["fc_a", "fc_b"]);
    check("calls_under_one_id.sse", ["fc_a", "minted_1"]);
    check("sealed_calls.sse", ["minted_1", "minted_2"]);
}

#[test]
fn a_call_without_arguments_gets_the_empty_object() {
    RECORDED.check("call_without_arguments.sse", |told, which| {
        assert_eq!(told.calls, [["minted_1", "now", "{}"], ["minted_2", "now", "{}"]], "{which}");
    });
}

#[test]
fn what_breaks_in_the_middle_fails_and_says_how() {
    let check = |name: &str, text: &str, trouble: Trouble, message: &str| {
        RECORDED.check_broken(name, text, trouble, message);
    };
    let broken = Trouble::BrokenAnswer;
    let busy = Trouble::Busy { retry_after: None };
    let gave_up = "acme gave up its answer";
    check("malformed_call.sse", "Grüße, ", broken, &format!("{gave_up} (MALFORMED_FUNCTION_CALL)"));
    check("unknown_end.sse", "Grüße, ", broken, &format!("{gave_up} (SOMETHINGbnewb)"));
    check(
        "blocked_question.sse",
        "",
        Trouble::Refused,
        "acme does not answer this question (PROHIBITED_CONTENT)",
    );
    check("overloaded.sse", "Grüße, ", busy, "acme is busy (503: The model is overloaded.");
    check("error_in_a_list.json", "", Trouble::Key, "acme wants a key (400: API key not valid");
    check("cut_between_events.sse", GREETING, broken, "acme stopped in the middle of its answer");
    check("empty.sse", "", broken, "acme stopped in the middle of its answer");
    check("nameless_call.sse", "", broken, "acme called a tool without naming it");
    check("garbled.sse", "Grüße, ", broken, "acme sent something that is not part of an answer: ");
    check("other_json.json", "", broken, "acme sent something that is not part of an answer: ");
    check("web_page.html", "", Trouble::Refused, "acme answered with a web page");
    check("no_room.sse", "", Trouble::TooLong, "acme had no room left to answer");
    let blocked = usage([Some(20), None, None]);
    RECORDED
        .check("blocked_question.sse", |told, which| assert_eq!(told.usage(), blocked, "{which}"));
}

#[test]
fn an_answer_cut_off_at_any_byte_was_broken_off_and_not_garbled() {
    for name in ["plain.sse", "sealed_calls.sse", "not_streamed.json"] {
        RECORDED.check_cut_anywhere(name);
    }
}

holds_whatever_comes!(reading, &["gemini"]);
