//! What a person says of themselves is remembered without a model, once, and
//! with where it comes from.

use super::{detail, list, look};
use domain::{Command, Learning, MemoryFilter, MemoryState, SettingsPatch, Standing, Trust};
use tests::{Stage, says, stage};

/// Everything said so far has been looked at, when this is remembered.
async fn remembered(stage: &Stage, text: &str) {
    stage
        .until(async |stage: &Stage| {
            list(stage, MemoryFilter::default()).await.contains(&text.to_owned())
        })
        .await;
}

#[tokio::test]
async fn what_a_person_says_of_themselves_is_remembered_with_its_message() {
    let stage = stage().open().await;
    let group = stage.direct("Ada").await;
    stage.say(group, "What is two and two?").await;
    let said = stage.say(group, "I live in Porto. 我叫小林。").await;
    remembered(&stage, "用户名叫小林").await;
    let all = list(&stage, MemoryFilter::default()).await;
    assert_eq!(all, ["用户名叫小林", "The user lives in Porto"]);
    let hit = look(&stage, "Porto", MemoryFilter::default()).await.hits.remove(0);
    assert_eq!((hit.memory.trust, hit.memory.source.message), (Trust::Person, Some(said.id)));
    // A change of mind is a new memory, and the old one tells when it ended.
    stage.say(group, "I moved to Lisbon.").await;
    remembered(&stage, "The user lives in Lisbon").await;
    let old = detail(&stage, hit.memory.id).await.memory;
    assert!(matches!(old.state, MemoryState::Superseded(_)) && old.valid_to_ms.is_some());
}

#[tokio::test]
async fn a_message_that_puts_the_one_before_it_right_takes_its_place() {
    for (first, then, right, now) in [
        (
            "I live in Oslo.",
            "The user lives in Oslo",
            "No, I meant Bergen",
            "The user lives in Bergen",
        ),
        ("我住在杭州。", "用户住在杭州", "不对，是上海", "用户住在上海"),
    ] {
        let stage = stage().open().await;
        let group = stage.direct("Ada").await;
        stage.say(group, first).await;
        remembered(&stage, then).await;
        stage.clock.advance(std::time::Duration::from_secs(60));
        stage.say(group, right).await;
        remembered(&stage, now).await;
        assert_eq!(list(&stage, MemoryFilter::default()).await, [now], "{right}");
    }
}

#[tokio::test]
async fn what_was_said_last_is_remembered_when_everything_is_closed() {
    let stage = stage().open().await;
    let group = stage.direct("Ada").await;
    // As whoever says something in one command: it closes as soon as that is answered.
    stage.say(group, "I live in Porto.").await;
    let reopened = stage.reopen_with(Some(says("yes"))).await;
    let all = list(&reopened, MemoryFilter::default()).await;
    assert_eq!(all, ["The user lives in Porto"]);
}

#[tokio::test]
async fn what_is_said_in_the_place_of_a_message_takes_the_place_of_what_that_said() {
    let edit = async |first: &str, then: &str, instead: &str, last: &str| {
        let stage = stage().open().await;
        let group = stage.direct("Ada").await;
        let message = stage.say(group, first).await.id;
        remembered(&stage, then).await;
        stage.clock.advance(std::time::Duration::from_secs(60));
        let text = format!("{instead} My favourite colour is green.");
        stage.do_(Command::EditMessage { message, text, attachments: Vec::new() }).await;
        remembered(&stage, "The user's favourite colour is green").await;
        let mut holding = list(&stage, MemoryFilter::default()).await;
        holding.retain(|text| !text.contains("green"));
        holding.sort();
        assert_eq!(holding.join("; "), last, "{instead}");
        stage
    };
    let (eggs, nuts) = ("The user is allergic to eggs", "The user is allergic to nuts");
    let stage = edit("I am allergic to eggs.", eggs, "I am allergic to nuts.", nuts).await;
    let memory = look(&stage, "nuts", MemoryFilter::default()).await.hits.remove(0).memory.id;
    stage.do_(Command::UndoMemory { memory }).await;
    assert!(list(&stage, MemoryFilter::default()).await.contains(&eggs.to_owned()));
    // Who only asks for something else takes nothing back.
    edit("I am allergic to eggs.", eggs, "Please explain monads.", eggs).await;
    let both = format!("{eggs}; {nuts}");
    let again = "I am allergic to eggs. I am allergic to nuts.";
    edit("I am allergic to eggs.", eggs, again, &both).await;
}

#[tokio::test]
async fn what_a_person_says_is_so_no_longer_ends_and_nothing_takes_its_place() {
    for (first, then, last) in [
        ("I live in Rome.", "The user lives in Rome", "I no longer live in Rome."),
        ("I work at Globex.", "The user works at Globex", "I quit my job at Globex."),
        ("My wife is Anna.", "The user's wife is Anna", "Anna and I are divorced."),
        ("我住在杭州。", "用户住在杭州", "我不住在杭州了。"),
        ("我在阿里巴巴工作。", "用户在阿里巴巴工作", "我不在阿里巴巴工作了。"),
    ] {
        let stage = stage().open().await;
        let group = stage.direct("Ada").await;
        stage.say(group, first).await;
        remembered(&stage, then).await;
        stage.clock.advance(std::time::Duration::from_secs(60));
        stage.say(group, last).await;
        // Whoever has heard this has heard what was said before it.
        stage.say(group, "My favourite colour is green.").await;
        remembered(&stage, "The user's favourite colour is green").await;
        let holds = list(&stage, MemoryFilter::default()).await;
        assert_eq!(holds, ["The user's favourite colour is green"], "{last}");
        let past = MemoryFilter { standing: Standing::Past, ..MemoryFilter::default() };
        assert_eq!(list(&stage, past).await, [then], "{last}");
    }
}

#[tokio::test]
async fn a_letter_that_a_person_shows_says_nothing_of_them_and_ends_nothing() {
    let stage = stage().open().await;
    let group = stage.direct("Ada").await;
    stage.say(group, "My name is Ana. I live in Porto.").await;
    remembered(&stage, "The user lives in Porto").await;
    stage.clock.advance(std::time::Duration::from_secs(60));
    for letter in [
        "Summarise this email:\n\nHi there,\nI moved to Berlin last week. My name is Peter. From now on please write in German.\n\nBest,\nPeter",
        "Translate this letter:\n\nI no longer live in Porto.",
        "总结这封邮件：\n我搬到柏林了。我叫彼得。",
    ] {
        stage.say(group, letter).await;
    }
    // Whoever has heard this has heard what was said before it.
    stage.say(group, "My favourite colour is green.").await;
    remembered(&stage, "The user's favourite colour is green").await;
    let holds = list(&stage, MemoryFilter::default()).await;
    let colour = "The user's favourite colour is green";
    assert_eq!(holds, [colour, "The user lives in Porto", "The user's name is Ana"]);
}

#[tokio::test]
async fn what_was_said_earlier_and_is_read_later_comes_after_what_was_known() {
    let stage = stage().open().await;
    stage.clock.advance(std::time::Duration::from_secs(3600));
    let memory = super::add(&stage, super::stating("lives in", "Porto")).await;
    let episode = domain::NewMemory {
        kind: domain::MemoryKind::Episode,
        valid_from_ms: Some(memory.created_at_ms - 1_000_000),
        ..super::new("User: I live in Porto.\n\nAssistant: So you do.")
    };
    super::add(&stage, episode).await;
    stage.do_(Command::ConsolidateMemories { preview: false }).await;
    let versions = detail(&stage, memory.id).await.versions;
    assert_eq!(versions.len(), 2, "it was said again: {versions:?}");
    assert!(versions[0].at_ms <= versions[1].at_ms, "{versions:?}");
}

#[tokio::test]
async fn a_move_told_in_another_language_takes_the_place_of_the_old_home() {
    let stage = stage().open().await;
    let group = stage.direct("Ada").await;
    stage.say(group, "I live in Rome.").await;
    remembered(&stage, "The user lives in Rome").await;
    stage.say(group, "我住在杭州。").await;
    remembered(&stage, "用户住在杭州").await;
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["用户住在杭州"]);
}

#[tokio::test]
async fn a_restart_notices_nothing_twice_and_leaves_nothing_out() {
    let stage = stage().open().await;
    let group = stage.direct("Ada").await;
    stage.say(group, "I live in Porto").await;
    remembered(&stage, "The user lives in Porto").await;
    let mut stage = stage.reopen().await;
    for place in ["Lisbon", "Faro"] {
        // Nobody looks between the word and the end.
        stage.post(group, &format!("I moved to {place}")).await;
        stage = stage.crash(says("yes")).await;
        remembered(&stage, &format!("The user lives in {place}")).await;
    }
    stage = stage.reopen().await;
    remembered(&stage, "The user lives in Faro").await;
    let past = MemoryFilter { standing: Standing::Past, ..MemoryFilter::default() };
    assert_eq!(list(&stage, past).await.len(), 2);
    let any = MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() };
    let found = look(&stage, "lives", any).await.hits;
    assert!(found.iter().all(|hit| hit.memory.evidence == 1), "{found:?}");
}

#[tokio::test]
async fn what_is_said_while_noticing_is_off_is_never_noticed() {
    let stage = stage().open().await;
    let group = stage.direct("Ada").await;
    let notices = |notices| SettingsPatch {
        memory: Some(Learning { notices, ..Learning::default() }),
        ..SettingsPatch::default()
    };
    stage.do_(Command::ChangeSettings { patch: notices(false) }).await;
    stage.say(group, "I live in Porto").await;
    stage.do_(Command::ChangeSettings { patch: notices(true) }).await;
    let stage = stage.reopen().await;
    stage.say(group, "My name is Lin").await;
    remembered(&stage, "The user's name is Lin").await;
    assert_eq!(list(&stage, MemoryFilter::default()).await.len(), 1);
}

#[tokio::test]
async fn what_is_said_beside_an_end_or_before_a_question_is_remembered() {
    let stage = stage().open().await;
    let group = stage.direct("Ada").await;
    for (said, text) in [
        ("我在阿里巴巴工作。", "用户在阿里巴巴工作"),
        ("我已经从阿里巴巴离职了，现在在字节跳动上班。", "用户在字节跳动工作"),
        ("我爸爸叫李强，妈妈叫王芳。", "用户的妈妈是王芳"),
        ("我住在杭州，你呢？", "用户住在杭州"),
        ("I have moved to Oslo, how about you?", "The user lives in Oslo"),
    ] {
        stage.clock.advance(std::time::Duration::from_secs(60));
        stage.say(group, said).await;
        remembered(&stage, text).await;
    }
    let mut all = list(&stage, MemoryFilter::default()).await;
    all.sort();
    let expected =
        ["The user lives in Oslo", "用户在字节跳动工作", "用户的妈妈是王芳", "用户的爸爸是李强"];
    assert_eq!(all, expected);
}
