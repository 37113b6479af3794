//! Making groups, and coming and going while they run.

use domain::{Command, FaultCode, History, Reply, TurnPolicy};
use tests::{says, stage};

#[tokio::test]
async fn a_group_is_called_after_its_members_unless_it_has_a_name() {
    let stage = stage().open().await;
    let group = stage.group(&["Ada", "林夏"], TurnPolicy::Broadcast).await;
    assert_eq!(stage.view(group).await.group.name, "Ada, 林夏");
}

#[tokio::test]
async fn a_newcomer_sees_as_much_of_the_past_as_it_was_given() {
    let stage = stage().model(says("hm, I see")).open().await;
    let group = stage.group(&["Ada"], TurnPolicy::Mention).await;
    for n in 1..=5 {
        stage.say(group, &format!("secret number {n}")).await;
    }
    let agent = stage.agent("Bo").await.id;
    let sees = History::Last { messages: 2 };
    let Reply::Group(view) = stage.do_(Command::AddMember { group, agent, sees }).await else {
        panic!("no group")
    };
    assert_eq!(view.members.len(), 3);
    stage.say(group, "@Bo welcome").await;
    let requests = stage.model.requests();
    let heard = &requests[0].turns.last().expect("Bo was asked").content;
    assert!(heard.contains("secret number 4") && heard.contains("secret number 5"), "{heard}");
    assert!(!heard.contains("secret number 3"), "{heard}");
    assert!(stage.transcript(group).await.contains(&"<joined>".to_owned()));
}

#[tokio::test]
async fn who_leaves_is_no_longer_woken_and_who_comes_back_is() {
    let stage = stage().open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
    let agent = stage.agent("Bo").await.id;
    stage.do_(Command::RemoveMember { group, agent }).await;
    stage.say(group, "who is here?").await;
    assert_eq!(stage.transcript(group).await, ["<left>", "you: who is here?", "Ada: yes"]);
    stage.do_(Command::AddMember { group, agent, sees: History::All }).await;
    stage.say(group, "@Bo, and now?").await;
    let answers = stage.transcript(group).await;
    assert_eq!(answers.iter().filter(|line| *line == "Bo: yes").count(), 1, "{answers:?}");
}

#[tokio::test]
async fn an_archived_group_takes_no_messages_until_it_is_brought_back() {
    let stage = stage().open().await;
    let group = stage.group(&["Ada"], TurnPolicy::Broadcast).await;
    let archive = |archived| Command::EditGroup {
        group,
        patch: domain::GroupPatch { archived: Some(archived), ..Default::default() },
    };
    stage.do_(archive(true)).await;
    let post =
        || Command::Post { group, text: "hello".into(), reply_to: None, attachments: Vec::new() };
    assert_eq!(stage.command(post()).await.unwrap_err().code, FaultCode::Refused);
    stage.do_(archive(false)).await;
    assert!(stage.command(post()).await.is_ok());
}

#[tokio::test]
async fn a_direct_chat_stays_a_chat_of_two() {
    let stage = stage().open().await;
    let group = stage.direct("Ada").await;
    let agent = stage.agent("Bo").await.id;
    let fault =
        stage.command(Command::AddMember { group, agent, sees: History::All }).await.unwrap_err();
    assert_eq!(fault.code, FaultCode::Refused);
    assert!(fault.fix.contains("group"), "{fault}");
}

#[tokio::test]
async fn a_changed_policy_is_said_in_the_group() {
    let stage = stage().open().await;
    let group = stage.group(&["Ada"], TurnPolicy::Broadcast).await;
    stage.say(group, "hello").await;
    let patch = domain::GroupPatch { policy: Some(TurnPolicy::Manual), ..Default::default() };
    stage.do_(Command::EditGroup { group, patch }).await;
    assert_eq!(stage.transcript(group).await.last().map(String::as_str), Some("<policy_changed>"));
}
