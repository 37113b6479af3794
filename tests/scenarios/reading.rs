//! Finding words in a conversation, and taking it along in a file.

use domain::{
    Command, Fault, FaultCode, GroupExport, GroupFormat, GroupId, Occurrence, Query, Reply,
};
use serde_json::Value;
use std::fs;
use tests::{Stage, says, stage};

async fn found(stage: &Stage, group: GroupId, text: &str, limit: u32) -> Vec<i64> {
    match stage.query(Query::Occurrences { group, text: text.into(), limit }).await {
        Ok(Reply::Occurrences(places)) => {
            places.into_iter().map(|Occurrence { seq, .. }| seq).collect()
        }
        other => panic!("no places: {other:?}"),
    }
}

async fn export(
    stage: &Stage,
    group: GroupId,
    file: &str,
    format: GroupFormat,
) -> Result<GroupExport, Fault> {
    let path = stage.data().join(file).display().to_string();
    match stage.command(Command::ExportGroup { group, path, format }).await? {
        Reply::GroupExport(export) => Ok(export),
        other => panic!("nothing is written: {other:?}"),
    }
}

#[tokio::test]
async fn words_are_found_as_they_stand_the_newest_first() {
    let stage = stage().model(says("As you like.")).open().await;
    let group = stage.direct("Ada").await;
    let first = stage.say(group, "Tea at 5.30, or 绿茶?").await.seq;
    stage.say(group, "coffee").await;
    let last = stage.say(group, "more TEAPOTS").await.seq;
    assert_eq!(found(&stage, group, " tea ", 10).await, [last, first]);
    assert_eq!(found(&stage, group, "tea", 1).await, [last]);
    assert_eq!(found(&stage, group, "茶", 10).await, [first]);
    assert_eq!(found(&stage, group, "5.3", 10).await, [first]);
    assert_eq!(found(&stage, group, "you LIKE.", 10).await.len(), 3);
    for nothing in ["", "  ", "milk"] {
        assert_eq!(found(&stage, group, nothing, 10).await, Vec::<i64>::new());
    }
    let elsewhere = stage.direct("Bo").await;
    assert_eq!(found(&stage, elsewhere, "tea", 10).await, Vec::<i64>::new());
}

#[tokio::test]
async fn words_are_found_behind_more_messages_than_are_read_at_once() {
    let stage = stage().model(says("yes")).open().await;
    let group = stage.direct("Ada").await;
    let ada = stage.agent("Ada").await.id;
    let first = stage.say(group, "the needle").await.seq;
    stage.do_(Command::PauseAgent { agent: ada }).await;
    for n in 0..1_100 {
        stage.post(group, &format!("straw {n}")).await;
    }
    assert_eq!(found(&stage, group, "needle", 10).await, [first]);
    assert_eq!(found(&stage, group, "straw", 5_000).await.len(), 1_000);
}

#[tokio::test]
async fn a_conversation_is_written_to_be_read_and_whole() {
    let stage = stage().model(says("Green.")).open().await;
    let group = stage.direct("Ada").await;
    let asked = stage.say(group, "Which tea?").await;
    let answer = stage.messages(group).await.pop().expect("an answer");
    let post = Command::Post {
        group,
        text: "Why?".into(),
        reply_to: Some(answer.id),
        attachments: Vec::new(),
    };
    stage.do_(post).await;
    stage.quiet().await;
    stage.do_(Command::React { item: answer.id, sign: "👍".into(), on: true }).await;

    let told = export(&stage, group, "tea.md", GroupFormat::Markdown).await.unwrap();
    assert_eq!(told.messages, 4);
    let text = fs::read_to_string(&told.path).unwrap();
    assert!(text.starts_with("# Ada\n\n**User** · "), "{text}");
    assert!(text.contains("\n\nWhich tea?\n\n**Ada** · "), "{text}");
    assert!(text.contains("\n\n> Ada: Green.\n\nWhy?\n"), "{text}");
    assert!(text.contains("\n\nGreen.\n\n👍 User\n"), "{text}");

    let told = export(&stage, group, "tea.json", GroupFormat::Json).await.unwrap();
    let whole: Value = serde_json::from_str(&fs::read_to_string(&told.path).unwrap()).unwrap();
    assert_eq!(whole["format"], "coterie.conversation.1");
    assert_eq!(whole["agents"][0]["name"], "Ada");
    let messages = whole["messages"].as_array().expect("a list");
    assert_eq!(messages.len(), told.messages as usize);
    assert_eq!(messages[0]["id"], serde_json::to_value(asked.id).unwrap());
    assert_eq!(messages[2]["parent"], serde_json::to_value(answer.id).unwrap());
    assert_eq!(messages[1]["reactions"][0]["sign"], "👍");
    assert_eq!(messages[0]["reactions"], serde_json::json!([]));
}

#[tokio::test]
async fn no_file_is_written_over_and_none_is_left_half() {
    let stage = stage().model(says("yes")).open().await;
    let group = stage.direct("Ada").await;
    fs::write(stage.data().join("mine.md"), "mine").unwrap();
    let refused = export(&stage, group, "mine.md", GroupFormat::Markdown).await.unwrap_err();
    assert_eq!(refused.code, FaultCode::Refused, "{refused}");
    assert_eq!(fs::read_to_string(stage.data().join("mine.md")).unwrap(), "mine");

    let nowhere = export(&stage, group, "no/such/folder.md", GroupFormat::Json).await.unwrap_err();
    assert!(nowhere.message.contains("cannot be written"), "{nowhere}");
    let unknown = GroupId(uuid::Uuid::now_v7());
    let missing = export(&stage, unknown, "other.md", GroupFormat::Json).await.unwrap_err();
    assert_eq!(missing.code, FaultCode::NotFound, "{missing}");
    let left: Vec<_> = fs::read_dir(stage.data())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| ["other.md", "folder.md", ".part"].iter().any(|part| name.contains(part)))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}
