//! Another message in the place of one, another answer, and back again.

use domain::{
    Approvals, BlockedUse, Caps, Command, Fault, FaultCode, FaultKind, GroupId, GroupPatch,
    Message, MessageId, Query, Reply, RequestId, RunState, SettingsPatch, Target, TurnPolicy,
    Variant, Variants,
};
use llm::Role;
use llm::scripted::{Beat, Gate, Scripted};
use tests::{Counter, Stage, speaker, stage};
use uuid::Uuid;

/// Each answer says which it is.
fn counts() -> Scripted {
    Scripted::from_fn(|_, n| vec![Beat::Text(format!("answer {n}"))])
}

async fn edit(stage: &Stage, message: MessageId, text: &str) -> Result<Message, Fault> {
    let edit = Command::EditMessage { message, text: text.to_owned(), attachments: Vec::new() };
    match stage.command(edit).await? {
        Reply::Message(message) => Ok(message),
        other => panic!("no message: {other:?}"),
    }
}

async fn show(stage: &Stage, message: MessageId) {
    stage.do_(Command::ShowBranch { message }).await;
}

async fn variants(stage: &Stage, group: GroupId) -> Vec<Variants> {
    match stage.query(Query::Variants { group }).await {
        Ok(Reply::Variants(variants)) => variants,
        other => panic!("no variants: {other:?}"),
    }
}

fn of(shown: &Message, all: &[&Message]) -> Variants {
    let all = all.iter().map(|one| Variant { message: one.id, seq: one.seq }).collect();
    Variants { shown: shown.id, all }
}

/// What the model was last asked, without the system prompt.
fn heard(stage: &Stage) -> Vec<String> {
    let request = stage.model.requests().pop().expect("it was asked");
    let said = request.turns.iter().filter(|turn| turn.role != Role::System);
    said.map(|turn| turn.content.clone()).collect()
}

fn with(heard: &[String], words: &str) -> usize {
    heard.iter().filter(|said| said.contains(words)).count()
}

#[tokio::test]
async fn an_edited_message_is_answered_in_the_place_of_the_first_and_both_can_be_shown() {
    let stage = stage().model(counts()).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Good morning").await;
    let tea = stage.say(ada, "Which tea?").await;
    stage.say(ada, "And milk?").await;
    let coffee = edit(&stage, tea.id, "Which coffee?").await.expect("it can be edited");
    stage.quiet().await;
    let morning = ["you: Good morning", "Ada: answer 1"];
    let with_coffee = [&morning[..], &["you: Which coffee?", "Ada: answer 4"]].concat();
    assert_eq!(stage.transcript(ada).await, with_coffee);
    assert_eq!(with(&heard(&stage), "tea"), 0);
    assert_eq!(with(&heard(&stage), "coffee"), 1);
    assert_eq!(variants(&stage, ada).await, [of(&coffee, &[&tea, &coffee])]);

    // The other branch goes on as if nothing had been said in this one.
    show(&stage, tea.id).await;
    stage.quiet().await;
    let with_tea =
        [&morning[..], &["you: Which tea?", "Ada: answer 2", "you: And milk?", "Ada: answer 3"]]
            .concat();
    assert_eq!(stage.transcript(ada).await, with_tea);
    stage.say(ada, "Thank you").await;
    assert_eq!(with(&heard(&stage), "coffee"), 0);
    assert_eq!(with(&heard(&stage), "answer 4"), 0);
    assert_eq!(with(&heard(&stage), "And milk?"), 1);
    let with_thanks = [&with_tea[..], &["you: Thank you", "Ada: answer 5"]];
    let with_thanks = with_thanks.concat();
    assert_eq!(stage.transcript(ada).await, with_thanks);

    // So it is after a restart, and so is the way back.
    let stage = stage.reopen().await;
    assert_eq!(stage.transcript(ada).await, with_thanks);
    show(&stage, coffee.id).await;
    assert_eq!(stage.transcript(ada).await, with_coffee);
    assert_eq!(variants(&stage, ada).await, [of(&coffee, &[&tea, &coffee])]);
}

#[tokio::test]
async fn an_agent_answers_again_without_having_read_what_it_had_answered() {
    let counter = Counter::held(domain::Effects::Repeatable);
    counter.gate.open();
    // It counts first, and then says how often.
    let model = Scripted::from_fn(|request, n| match request.turns.last() {
        Some(turn) if turn.role == Role::Tool => {
            vec![Beat::Text(format!("answer {n}: {}", turn.content))]
        }
        Some(_) | None => {
            let (id, name) = (format!("c{n}"), Some("count".to_owned()));
            vec![Beat::ToolCall(llm::ToolCallDelta { id, name, arguments: "{}".to_owned() })]
        }
    });
    let soul = |data: &std::path::Path| {
        std::fs::create_dir_all(data.join("souls")).expect("a folder");
        let text = "---\nname: Ada\ntools: [count]\n---\nYou count.\n";
        std::fs::write(data.join("souls/ada.md"), text).expect("a soul");
    };
    let stage = stage().before(soul).model(model).tool(counter).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "How many?").await;
    let first = stage.messages(ada).await.pop().expect("an answer");
    stage.do_(Command::AnswerAgain { message: first.id }).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: How many?", "Ada: answer 4: counted 2"]);
    let heard = heard(&stage);
    assert_eq!((with(&heard, "counted 1"), with(&heard, "How many?")), (0, 1), "{heard:?}");
    let second = stage.messages(ada).await.pop().expect("an answer");
    assert_eq!(variants(&stage, ada).await, [of(&second, &[&first, &second])]);

    show(&stage, first.id).await;
    assert_eq!(stage.transcript(ada).await, ["you: How many?", "Ada: answer 2: counted 1"]);
    stage.quiet().await;
    assert!(stage.runs().await.iter().all(|run| run.state == RunState::Settled));
}

/// Answers once, and then does this when it is asked again.
fn then(again: Vec<Beat>) -> Scripted {
    Scripted::from_fn(
        move |_, n| if n == 1 { vec![Beat::Text("good".into())] } else { again.clone() },
    )
}

#[tokio::test]
async fn an_answer_of_which_nothing_comes_takes_none_away() {
    let silent = stage().model(then(vec![Beat::Text("[pass]".into())])).open().await;
    let stopped = stage().model(then(vec![Beat::Hang])).open().await;
    let ended = stage().model(then(vec![Beat::Hang])).open().await;
    for (stage, how) in [(silent, "silent"), (stopped, "stopped"), (ended, "ended")] {
        let ada = stage.direct("Ada").await;
        stage.say(ada, "One?").await;
        let first = stage.messages(ada).await.pop().expect("an answer");
        stage.do_(Command::AnswerAgain { message: first.id }).await;
        stage.model.asked(2).await;
        match how {
            "stopped" => drop(stage.do_(Command::Stop { target: Target::Group(ada) }).await),
            "ended" => {
                let agent = stage.agent("Ada").await.id;
                stage.do_(Command::TerminateAgent { agent }).await;
            }
            _ => {}
        }
        stage.until(async |stage| stage.runs().await[1].ended_ms.is_some()).await;
        assert_eq!(stage.transcript(ada).await, ["you: One?", "Ada: good"], "{how}");
    }
}

/// Whether it rests before it is asked, or as it begins.
#[tokio::test]
async fn who_rests_takes_no_answer_away() {
    let stage = stage().model(then(vec![Beat::Hang])).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "One?").await;
    let first = stage.messages(ada).await.pop().expect("an answer");
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::AnswerAgain { message: first.id }).await;
    stage.model.asked(2).await;
    stage.do_(Command::PauseAgent { agent }).await;
    stage.until(async |stage| stage.runs().await[1].ended_ms.is_some()).await;
    assert_eq!(stage.transcript(ada).await, ["you: One?", "Ada: good"]);
    let refused = stage.command(Command::AnswerAgain { message: first.id }).await;
    assert_eq!(refused.unwrap_err().code, FaultCode::Refused);
    assert_eq!(stage.transcript(ada).await, ["you: One?", "Ada: good"]);
}

#[tokio::test]
async fn who_has_had_its_turns_of_the_hour_takes_no_answer_away() {
    let stage = stage().model(counts()).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.say(group, "@Ada one?").await;
    let first = stage.messages(group).await.pop().expect("an answer");
    let caps = Some(Caps { runs_per_hour: 1, ..Caps::default() });
    let patch = GroupPatch { caps, ..GroupPatch::default() };
    stage.do_(Command::EditGroup { group, patch }).await;
    stage.do_(Command::AnswerAgain { message: first.id }).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(group).await, ["you: @Ada one?", "Ada: answer 1"]);
}

/// The one that was shown comes back, also where somebody else still has a turn.
#[tokio::test]
async fn of_several_answers_the_one_that_was_shown_comes_back() {
    let model = Scripted::from_fn(|request, n| match (speaker(request).as_str(), n) {
        ("Ada", 1..=3) => vec![Beat::Text(format!("answer {n}"))],
        _ => vec![Beat::Hang],
    });
    let stage = stage().model(model).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    let bo = stage.agent("Bo").await.id;
    stage.do_(Command::PauseAgent { agent: bo }).await;
    stage.say(group, "@Ada @Bo one?").await;
    let first = stage.messages(group).await.pop().expect("an answer");
    let mut shown = first.clone();
    for _ in 0..2 {
        stage.do_(Command::AnswerAgain { message: shown.id }).await;
        stage.until(async |stage| stage.messages(group).await.len() == 2).await;
        shown = stage.messages(group).await.pop().expect("an answer");
    }
    show(&stage, first.id).await;
    stage.do_(Command::AnswerAgain { message: first.id }).await;
    stage.model.asked(4).await;
    stage.do_(Command::Stop { target: Target::Group(group) }).await;
    assert_eq!(stage.transcript(group).await, ["you: @Ada @Bo one?", "Ada: answer 1"]);
}

#[tokio::test]
async fn who_goes_back_to_the_first_answer_wants_no_other_any_more() {
    let model = Scripted::from_fn(|request, n| {
        let last = request.turns.last().map(|turn| turn.content.as_str());
        match last {
            Some("Wait.") => vec![Beat::Hang],
            _ => vec![Beat::Text(format!("answer {n}"))],
        }
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "One?").await;
    let first = stage.messages(ada).await.pop().expect("an answer");
    // It is busy elsewhere.
    let elsewhere = stage.group(&["Ada"], TurnPolicy::DefaultResponder).await;
    stage.post(elsewhere, "Wait.").await;
    stage.model.asked(2).await;
    stage.do_(Command::AnswerAgain { message: first.id }).await;
    assert_eq!(stage.transcript(ada).await, ["you: One?"]);
    show(&stage, first.id).await;
    stage.do_(Command::Stop { target: Target::Group(elsewhere) }).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: One?", "Ada: answer 1"]);
    assert_eq!(stage.model.requests().len(), 2);
}

#[tokio::test]
async fn who_answers_an_agent_again_may_say_the_same() {
    let model = Scripted::from_fn(|request, _| match speaker(request).as_str() {
        "Ada" => vec![Beat::Text("@Bo when do the tiles come?".into())],
        _ => vec![Beat::Text("They come on the third.".into())],
    });
    let stage = stage().model(model).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::DefaultResponder).await;
    stage.say(group, "ask Bo about the tiles").await;
    let first = stage.messages(group).await.pop().expect("an answer");
    stage.do_(Command::AnswerAgain { message: first.id }).await;
    stage.quiet().await;
    let second = stage.messages(group).await.pop().expect("an answer");
    assert_ne!(second.id, first.id);
    assert_eq!(second.text(), first.text());
    assert_eq!(variants(&stage, group).await, [of(&second, &[&first, &second])]);
}

/// What stands aside has not been said in the branch that is shown.
#[tokio::test]
async fn who_repeats_what_is_aside_repeats_nothing() {
    let model = Scripted::from_fn(|request, n| match (speaker(request).as_str(), n) {
        ("Ada", 1) => vec![Beat::Text("@Bo when do the tiles come?".into())],
        ("Ada", _) => vec![Beat::Text("@Bo and when do the tiles arrive?".into())],
        _ => vec![Beat::Text("They come on the third.".into())],
    });
    let stage = stage().model(model).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::DefaultResponder).await;
    stage.say(group, "ask Bo about the tiles").await;
    let asked = stage.messages(group).await.remove(1);
    stage.do_(Command::AnswerAgain { message: asked.id }).await;
    stage.quiet().await;
    let last = stage.transcript(group).await.pop();
    assert_eq!(last.as_deref(), Some("Bo: They come on the third."));
}

#[tokio::test]
async fn who_works_is_stopped_before_the_branch_changes() {
    let gate = Gate::new();
    let wait = gate.clone();
    let model = Scripted::from_fn(move |_, n| match n {
        1 => vec![Beat::Text("well, ".into()), Beat::Gate(wait.clone()), Beat::Text("no".into())],
        _ => vec![Beat::Text("yes".into())],
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    let first = stage.post(ada, "Is it?").await;
    stage.model.asked(1).await;
    edit(&stage, first.id, "Is it not?").await.expect("it can be edited");
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: Is it not?", "Ada: yes"]);
    let states: Vec<RunState> = stage.runs().await.into_iter().map(|run| run.state).collect();
    assert_eq!(states, [RunState::Stopped, RunState::Settled]);
    gate.open();
}

#[tokio::test]
async fn nobody_is_stopped_for_an_edit_that_is_refused() {
    let gate = Gate::new();
    let wait = gate.clone();
    let model =
        Scripted::from_fn(move |_, _| vec![Beat::Gate(wait.clone()), Beat::Text("yes".into())]);
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    let first = stage.post(ada, "Is it?").await;
    stage.model.asked(1).await;
    let refused = edit(&stage, first.id, " ").await.expect_err("it is empty");
    assert_eq!(refused.kind, Some(Box::new(FaultKind::MessageEmpty)));
    gate.open();
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: Is it?", "Ada: yes"]);
}

#[tokio::test]
async fn in_a_group_everybody_reads_the_branch_that_is_shown() {
    let stage = stage().model(counts()).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.say(group, "Hello").await;
    let one = stage.say(group, "@Ada one?").await;
    let answer = stage.messages(group).await.pop().expect("an answer");
    stage.say(group, "@Bo two?").await;
    edit(&stage, one.id, "@Bo three?").await.expect("it can be edited");
    stage.quiet().await;
    let expected = ["you: Hello", "you: @Bo three?", "Bo: answer 3"];
    assert_eq!(stage.transcript(group).await, expected);
    let heard = heard(&stage);
    assert_eq!((with(&heard, "one?"), with(&heard, "two?")), (0, 0), "{heard:?}");

    // What one of them answers again takes along what others have said to it.
    show(&stage, one.id).await;
    stage.do_(Command::AnswerAgain { message: answer.id }).await;
    stage.quiet().await;
    let expected = ["you: Hello", "you: @Ada one?", "Ada: answer 4"];
    assert_eq!(stage.transcript(group).await, expected);
    show(&stage, answer.id).await;
    let expected =
        ["you: Hello", "you: @Ada one?", "Ada: answer 1", "you: @Bo two?", "Bo: answer 2"];
    assert_eq!(stage.transcript(group).await, expected);
}

#[tokio::test]
async fn what_cannot_be_branched_is_refused_and_changes_nothing() {
    let stage = stage().model(counts()).open().await;
    let ada = stage.direct("Ada").await;
    let first = stage.say(ada, "One?").await;
    let answer = stage.messages(ada).await.pop().expect("an answer");
    let refused = edit(&stage, answer.id, "Two").await.expect_err("an agent said it");
    assert_eq!(refused.kind, Some(Box::new(FaultKind::MessageNotYours)));
    let again = |message| Command::AnswerAgain { message };
    let refused = stage.command(again(first.id)).await.expect_err("a person said it");
    assert_eq!(refused.kind, Some(Box::new(FaultKind::MessageNotAnAnswer)));
    let refused = edit(&stage, first.id, " ").await.expect_err("nothing is said");
    assert_eq!(refused.kind, Some(Box::new(FaultKind::MessageEmpty)));
    let nobodys = MessageId(Uuid::from_u128(7));
    edit(&stage, nobodys, "x").await.expect_err("nobody said it");
    stage.command(Command::ShowBranch { message: nobodys }).await.expect_err("nobody said it");
    assert_eq!(stage.transcript(ada).await, ["you: One?", "Ada: answer 1"]);

    edit(&stage, first.id, "Two?").await.expect("it can be edited");
    stage.quiet().await;
    let refused = edit(&stage, first.id, "Three?").await.expect_err("it is aside");
    assert_eq!(refused.kind, Some(Box::new(FaultKind::MessageAside)));
    let refused = stage.command(again(answer.id)).await.expect_err("it is aside");
    assert_eq!(refused.kind, Some(Box::new(FaultKind::MessageAside)));

    let (name, rules) = ("Garden".to_owned(), String::new());
    let new = Command::NewCommunity { name, rules, members: Vec::new() };
    let Reply::Community(garden) = stage.do_(new).await else { panic!("no community") };
    let post = Command::WritePost { community: garden.id, text: "A post".to_owned() };
    let Reply::Post(post) = stage.do_(post).await else { panic!("no post") };
    let item = post.item.expect("it was written").message.id;
    let refused = edit(&stage, item, "Another").await.expect_err("it is a post");
    assert_eq!(refused.kind, Some(Box::new(FaultKind::NoBranches)));
}

#[tokio::test]
async fn the_same_edit_twice_is_one() {
    let stage = stage().model(counts()).open().await;
    let ada = stage.direct("Ada").await;
    let first = stage.say(ada, "One?").await;
    let request = RequestId(Uuid::now_v7());
    let edit = || Command::EditMessage {
        message: first.id,
        text: "Two?".to_owned(),
        attachments: Vec::new(),
    };
    stage.send(request, edit()).await.expect("it can be edited");
    stage.quiet().await;
    stage.send(request, edit()).await.expect("it was edited");
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: Two?", "Ada: answer 2"]);
}

#[tokio::test]
async fn a_fork_is_a_conversation_of_its_own() {
    let stage = stage().model(counts()).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.say(group, "@Ada one?").await;
    let upto = stage.messages(group).await.pop().expect("an answer");
    stage.say(group, "@Bo two?").await;
    let request = RequestId(Uuid::now_v7());
    let fork = || Command::Fork { message: upto.id, name: None };
    let Ok(Reply::Group(forked)) = stage.send(request, fork()).await else { panic!("no group") };
    let again = stage.send(request, fork()).await;
    assert!(matches!(again, Ok(Reply::Group(again)) if again.group.id == forked.group.id));
    let before = stage.view(group).await;
    assert_eq!(forked.group.policy, TurnPolicy::Mention);
    assert_ne!(forked.group.name, before.group.name);
    assert_eq!(forked.members.len(), before.members.len());
    let fork = forked.group.id;
    stage.quiet().await;
    assert_eq!(stage.transcript(fork).await, ["you: @Ada one?", "Ada: answer 1"]);

    stage.say(fork, "@Bo three?").await;
    let heard = heard(&stage);
    assert_eq!((with(&heard, "one?"), with(&heard, "two?")), (1, 0), "{heard:?}");
    assert_eq!(stage.transcript(fork).await.pop().as_deref(), Some("Bo: answer 3"));
    assert_eq!(stage.transcript(group).await.pop().as_deref(), Some("Bo: answer 2"));
}

#[tokio::test]
async fn what_no_agent_does_in_a_group_none_does_in_a_fork_of_it() {
    let stage = stage().model(counts()).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    let other = stage.group(&["Ada"], TurnPolicy::Mention).await;
    let upto = stage.post(group, "One?").await;
    let block = |tool: &str, group| BlockedUse { tool: tool.into(), pattern: "*".into(), group };
    let before =
        vec![block("shell", Some(group)), block("fetch", Some(other)), block("write_file", None)];
    let approvals = Some(Approvals { blocked: before.clone(), ..Approvals::default() });
    let patch = SettingsPatch { approvals, ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    let fork = Command::Fork { message: upto.id, name: None };
    let Reply::Group(forked) = stage.do_(fork).await else { panic!("no group") };
    let now = stage.overview().await.settings;
    let expected = [before, vec![block("shell", Some(forked.group.id))]].concat();
    assert_eq!(now.approvals.blocked, expected);
}

#[tokio::test]
async fn in_a_fork_nobody_speaks_in_the_name_of_who_had_left_before() {
    let stage = stage().model(tests::says("Yes.\nBo: I agree.")).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::Mention).await;
    let agent = stage.agent("Bo").await.id;
    stage.do_(Command::RemoveMember { group, agent }).await;
    let upto = stage.post(group, "Well").await;
    let fork = Command::Fork { message: upto.id, name: None };
    let Reply::Group(forked) = stage.do_(fork).await else { panic!("no group") };
    assert_eq!(forked.members.len(), 3, "without who has left: {:?}", forked.members);
    stage.say(forked.group.id, "@Ada is it?").await;
    assert_eq!(stage.transcript(forked.group.id).await.pop().as_deref(), Some("Ada: Yes."));
}
