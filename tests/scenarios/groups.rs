//! Making groups, and coming and going while they run.

use domain::{
    Command, Fault, FaultCode, FaultKind, GroupTemplates, GroupView, History, Member, Participant,
    Query, Reply, TurnPolicy,
};
use llm::scripted::{Beat, Gate, Scripted};
use tests::{Stage, says, speaker, stage};

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
async fn the_last_agent_stays() {
    let stage = stage().open().await;
    let group = stage.group(&["Ada"], TurnPolicy::Broadcast).await;
    let agent = stage.agent("Ada").await.id;
    let refused = stage.command(Command::RemoveMember { group, agent }).await.unwrap_err();
    assert_eq!(refused.code, FaultCode::Refused);
    assert!(refused.message.starts_with("Ada is the only agent in"), "{}", refused.message);
    let other = stage.agent("Bo").await.id;
    stage.do_(Command::AddMember { group, agent: other, sees: History::All }).await;
    stage.do_(Command::RemoveMember { group, agent }).await;
    stage.say(group, "who is here?").await;
    assert_eq!(stage.transcript(group).await.last().unwrap(), "Bo: yes");
}

/// The first answer waits at the gate.
fn held(gate: &Gate) -> Scripted {
    let gate = gate.clone();
    Scripted::from_fn(move |request, n| {
        let words = Beat::Text(format!("{} says {n}", speaker(request)));
        if n == 1 { vec![Beat::Gate(gate.clone()), words] } else { vec![words] }
    })
}

#[tokio::test]
async fn who_is_brought_back_sits_where_it_sat_and_owes_what_it_owed() {
    let gate = Gate::new();
    let stage = stage().model(held(&gate)).open().await;
    let direct = stage.direct("Ada").await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    let agent = stage.agent("Ada").await.id;
    let before = stage.view(group).await.members;
    // It is busy elsewhere, so this waits.
    stage.post(direct, "first").await;
    stage.model.asked(1).await;
    stage.post(group, "@Ada hello").await;
    stage.do_(Command::RemoveMember { group, agent }).await;
    stage.do_(Command::BringBack { group, agent }).await;
    stage.do_(Command::BringBack { group, agent }).await;
    let seats = |members: Vec<Member>| -> Vec<_> {
        members.into_iter().map(|member| (member.who, member.position)).collect()
    };
    assert_eq!(seats(stage.view(group).await.members), seats(before));
    gate.open();
    stage.quiet().await;
    assert_eq!(
        stage.transcript(group).await,
        ["you: @Ada hello", "<left>", "<joined>", "Ada: Ada says 2"]
    );
    assert_eq!(
        stage
            .decisions(group)
            .await
            .into_iter()
            .filter(|line| line.starts_with("Ada"))
            .collect::<Vec<_>>(),
        ["Ada speak mentioned", "Ada pass left_the_group", "Ada speak mentioned"]
    );
}

#[tokio::test]
async fn a_turn_that_leaving_cut_off_is_taken_again_by_who_is_brought_back() {
    let gate = Gate::new();
    let stage = stage().model(held(&gate)).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    let agent = stage.agent("Ada").await.id;
    stage.post(group, "@Ada hello").await;
    stage.model.asked(1).await;
    stage.do_(Command::RemoveMember { group, agent }).await;
    stage.do_(Command::BringBack { group, agent }).await;
    gate.open();
    stage.quiet().await;
    let said = ["you: @Ada hello", "<left>", "<joined>", "Ada: Ada says 2"];
    assert_eq!(stage.transcript(group).await, said);

    // It owes nothing now.
    stage.do_(Command::RemoveMember { group, agent }).await;
    stage.do_(Command::BringBack { group, agent }).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(group).await[4..], ["<left>", "<joined>"]);
}

#[tokio::test]
async fn a_turn_that_can_no_longer_be_taken_says_why_it_waits() {
    for pauses in [true, false] {
        let gate = Gate::new();
        let wait = gate.clone();
        let stage = stage()
            .model(Scripted::from_fn(move |_, _| {
                let fault = llm::ModelFault::new(llm::Trouble::Key, "refused", "set another");
                vec![Beat::Gate(wait.clone()), Beat::Fail(fault)]
            }))
            .open()
            .await;
        let direct = stage.direct("Ada").await;
        let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
        stage.post(direct, "first").await;
        stage.model.asked(1).await;
        stage.post(group, "@Ada hello").await;
        if pauses {
            let agent = stage.agent("Ada").await.id;
            stage.do_(Command::PauseAgent { agent }).await;
        }
        gate.open();
        stage.quiet().await;
        let reason = if pauses { "paused" } else { "in_error" };
        assert_eq!(
            stage.decisions(group).await,
            [
                "Ada speak mentioned".to_owned(),
                "Bo pass not_mentioned".to_owned(),
                format!("Ada wait {reason}"),
            ]
        );
    }
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

async fn templates(stage: &Stage) -> GroupTemplates {
    match stage.query(Query::GroupTemplates).await {
        Ok(Reply::GroupTemplates(templates)) => templates,
        other => panic!("no templates: {other:?}"),
    }
}

async fn begin(stage: &Stage, template: &str, name: Option<&str>) -> Result<GroupView, Fault> {
    let (template, name) = (template.to_owned(), name.map(str::to_owned));
    match stage.command(Command::NewGroupFrom { template, name }).await? {
        Reply::Group(view) => Ok(view),
        other => panic!("no group: {other:?}"),
    }
}

#[tokio::test]
async fn a_template_of_the_persons_own_is_read_when_it_is_asked_for() {
    let stage = stage().open().await;
    let folder = stage.data().join("templates/groups");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write(
        "duel.yaml",
        "title: Duel at dawn\nmembers: [bo, ines]\npolicy: rounds\nmessages_per_post: 3\n",
    );
    write("debate.yaml", "title: Our debate\nmembers: [ada, bo]\n");
    write("broken.yaml", "title: Broken\nmembers: [ada]\npolcy: rounds\n");
    write("strangers.yaml", "title: Strangers\nmembers: [nobody]\n");
    write(".#duel.yaml", "what an editor keeps for itself");
    write("notes.txt", "no template");
    let known = templates(&stage).await;
    let told: Vec<(&str, &str, bool)> = known
        .templates
        .iter()
        .map(|one| (one.template.as_str(), one.title.as_str(), one.is_own))
        .collect();
    let expected = [
        ("pair_review", "Pair review", false),
        ("writers_room", "Writers’ room", false),
        ("research_team", "Research team", false),
        ("debate", "Our debate", true),
        ("duel", "Duel at dawn", true),
    ];
    assert_eq!(told, expected);
    let wrong: Vec<String> = known.wrong.iter().map(Fault::to_string).collect();
    let expected = [
        "group template templates/groups/broken.yaml:3:8: polcy is none of title, about, members, policy, supervisor, messages_per_post; correct the file; it is read anew each time",
        "group template templates/groups/strangers.yaml: there is no soul nobody: write souls/nobody.md; correct the file; it is read anew each time",
    ];
    assert_eq!(wrong, expected);
    let view = begin(&stage, "duel", None).await.expect("it begins");
    assert_eq!((view.group.name.as_str(), view.group.policy), ("Duel at dawn", TurnPolicy::Rounds));
    assert_eq!((view.group.caps.messages_per_post, view.members.len()), (3, 3));
    let fault = begin(&stage, "broken", None).await.unwrap_err();
    assert!(matches!(fault.kind.as_deref(), Some(FaultKind::GroupTemplateWrong { .. })), "{fault}");
    write("broken.yaml", "title: Mended\nmembers: [ada]\n");
    assert_eq!(begin(&stage, "broken", None).await.expect("it is read anew").group.name, "Mended");
    let fault = begin(&stage, "quartet", None).await.unwrap_err();
    assert_eq!(
        fault.to_string(),
        "there is no group template quartet; say one of pair_review, debate, writers_room, research_team, broken, duel, strangers"
    );
}

#[tokio::test]
async fn a_group_begins_as_a_template_has_it_with_those_who_are_there() {
    let stage = stage().open().await;
    let all = templates(&stage).await.templates;
    let names: Vec<&str> = all.iter().map(|one| one.template.as_str()).collect();
    assert_eq!(names, ["pair_review", "debate", "writers_room", "research_team"]);
    let debate = all.into_iter().find(|one| one.template == "debate").expect("a debate");
    let before = stage.everybody().await.len();
    let view = begin(&stage, "debate", Some("Tea")).await.expect("it begins");
    let otto = stage.agent("Otto").await.id;
    assert_eq!((view.group.policy, view.group.caps), (debate.policy, debate.caps));
    assert_eq!(view.group.supervisor, Some(otto));
    let sits: Vec<Participant> = view.members.iter().map(|member| member.who).collect();
    let known = debate.members.iter().filter_map(|member| member.agent);
    let expected: Vec<Participant> =
        [Participant::User].into_iter().chain(known.map(Participant::Agent)).collect();
    assert_eq!(sits, expected);
    assert_eq!(stage.everybody().await.len(), before, "those who are there sit in it");
}

#[tokio::test]
async fn who_is_missing_for_a_template_is_made_from_the_soul_that_ships() {
    let stage = stage().open().await;
    let agent = stage.agent("Bo").await.id;
    stage.do_(Command::TerminateAgent { agent }).await;
    std::fs::remove_file(stage.data().join("souls/bo.md")).expect("it was there");
    let view = begin(&stage, "pair_review", None).await.expect("it begins");
    assert_eq!(view.members.len(), 3);
    let sits = |member: &Member| member.who == Participant::Agent(agent);
    assert!(!view.members.iter().any(sits), "another wears the soul now");
    assert_eq!(view.group.name, "Pair review");
    let second = begin(&stage, "pair_review", Some(" ")).await.expect("it begins");
    assert_eq!(second.group.name, "Pair review (2)");
}
