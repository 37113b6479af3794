//! What comes of a question about what a person has since put on the list of what never
//! happens.

use super::*;

const BLOCKED: &str = "Ada: blocked: the person has put this on the list of what no agent does; \
    do not try it another way";

async fn block(stage: &Stage, tool: &str, pattern: &str) {
    let blocked = vec![BlockedUse { tool: tool.into(), pattern: pattern.into(), group: None }];
    set(stage, Approvals { blocked, ..Approvals::default() }).await;
}

#[tokio::test]
async fn what_never_happens_from_now_on_is_asked_about_no_more_and_its_turn_goes_on() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    stage.post(ada, "count, please").await;
    let question = asked(&stage).await;
    block(&stage, "count", "something else").await;
    assert_eq!(asked(&stage).await, question);
    block(&stage, "count", "*").await;
    assert_eq!(stage.overview().await.approvals, [], "in the same breath");
    let [settled] = &approvals(&stage).await[..] else { panic!("one question") };
    assert_eq!((settled.state, settled.answered_ms.is_some()), (ApprovalState::Denied, true));
    let late = answer(&stage, &question, Consent::Always, None).await.expect_err("too late");
    let kind = FaultKind::ApprovalOver { how: ApprovalState::Denied };
    assert_eq!(late.kind, Some(Box::new(kind)));
    stage.quiet().await;
    assert_eq!(last_said(&stage, ada).await, BLOCKED);
    assert_eq!((counter.uses(), state_of(&stage).await), (0, AgentState::Idle));
    assert_eq!(came_of_uses(&stage).await, [CallState::Blocked]);
    goes_the_same_way_again(&stage).await;
}

#[tokio::test]
async fn a_question_of_a_turn_that_rests_has_its_answer_by_that_and_no_other_has() {
    let counter = Counter::risky();
    let model = Scripted::from_fn(|request, _| match request.turns.last() {
        Some(turn) if turn.role == Role::Tool => vec![Beat::Text("done".into())],
        Some(_) | None => vec![
            call("a", "count", json!({})),
            call("b", "write_file", json!({"path": "plan.md", "content": "tea"})),
        ],
    });
    let stage = open(model, &counter).await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "do both").await;
    stage.until(async |stage: &Stage| stage.overview().await.approvals.len() == 2).await;
    let agent = id_of(&stage).await;
    stage.do_(Command::PauseAgent { agent }).await;
    let stage = stage.reopen().await;
    block(&stage, "*", "*/plan.md").await;
    let [count] = &stage.overview().await.approvals[..] else { panic!("one still waits") };
    assert_eq!(count.tool, "count");
    answer(&stage, count, Consent::Once, None).await.expect("in time");
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    assert_eq!((last_said(&stage, ada).await.as_str(), counter.uses()), ("Ada: done", 1));
    let mut states = approvals(&stage).await;
    states.sort_by(|one, other| one.tool.cmp(&other.tool));
    let states: Vec<_> = states.iter().map(|one| (one.tool.as_str(), one.state)).collect();
    let expected = [("count", ApprovalState::Used), ("write_file", ApprovalState::Denied)];
    assert_eq!(states, expected);
    assert!(!stage.data().join("desk/plan.md").exists());
}

/// Ada makes all of these calls at once; gives what she reads of each.
async fn reads(stage: Stage, calls: &[(&str, Value)]) -> (Stage, Vec<String>) {
    let calls: Vec<_> =
        calls.iter().map(|(tool, arguments)| ((*tool).to_owned(), arguments.clone())).collect();
    let wants = move || {
        let all = calls.iter().enumerate();
        all.map(|(n, (tool, arguments))| call(&format!("c{n}"), tool, arguments.clone())).collect()
    };
    let model = Scripted::from_fn(move |request, _| match request.turns.last() {
        Some(turn) if turn.role == Role::Tool => vec![Beat::Text("done".into())],
        Some(_) | None => wants(),
    });
    let stage = stage.reopen_with(Some(model)).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "look").await;
    let heard = stage.model.requests().pop().expect("a request").turns;
    let asked = heard.iter().rposition(|turn| turn.role == Role::User).expect("asked");
    let read = heard[asked..].iter().filter(|turn| turn.role == Role::Tool);
    let read = read.map(|turn| turn.content.clone()).collect();
    (stage, read)
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_no_tool_touches_is_neither_listed_nor_searched_nor_found_from_outside() {
    let stage = open(does("count", json!({})), &Counter::risky()).await;
    let desk = stage.data().join("desk");
    std::fs::create_dir_all(desk.join("inner/.ssh")).expect("folders");
    std::fs::write(desk.join("inner/.ssh/id"), "the key of the house").expect("a file");
    std::fs::write(desk.join("inner/plan.md"), "the key lies there").expect("a file");
    std::os::unix::fs::symlink("inner/.ssh", desk.join("link")).expect("a link");
    block(&stage, "*", "*/.ssh/*").await;

    let inside = ["inner/.ssh", "inner/.ssh/", "inner/../inner/.ssh", "link"];
    let mut calls = vec![("read_file", json!({"path": "inner/.ssh/id"}))];
    for path in inside {
        calls.push(("read_file", json!({"path": path})));
        calls.push(("list_folder", json!({"path": path, "all": true})));
        calls.push(("find_files", json!({"path": path, "pattern": "*", "all": true})));
        calls.push(("search_files", json!({"path": path, "pattern": "key", "all": true})));
    }
    let (stage, read) = reads(stage, &calls).await;
    assert_eq!(read.len(), calls.len());
    for (read, call) in read.iter().zip(&calls) {
        assert_eq!(Some(read.as_str()), BLOCKED.strip_prefix("Ada: "), "{call:?}");
    }

    let around = [
        ("read_file", json!({"path": "inner"})),
        ("list_folder", json!({"path": desk, "depth": 5, "all": true})),
        ("find_files", json!({"pattern": "*", "all": true})),
        ("search_files", json!({"pattern": "key", "all": true})),
        ("search_files", json!({"pattern": "key", "all": true, "files": "**/.ssh/*"})),
    ];
    let (_, read) = reads(stage, &around).await;
    assert_eq!(read.len(), around.len());
    for (read, call) in read.iter().zip(&around) {
        assert!(!read.contains(".ssh") && !read.contains("house"), "{call:?}: {read}");
        let is_for_all = call.1.get("files").is_none();
        assert_eq!(read.contains("plan.md"), is_for_all, "{call:?}: {read}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_is_blocked_by_every_way_that_leads_there() {
    let stage = open(does("count", json!({})), &Counter::risky()).await;
    let desk = stage.data().join("desk");
    std::fs::create_dir_all(desk.join("inner/secret")).expect("folders");
    std::fs::write(desk.join("inner/secret/s.txt"), "the tea is under the stairs").expect("a file");
    let link = |to: &str, from: &str| {
        std::os::unix::fs::symlink(to, stage.data().join(from)).expect("a link");
    };
    // As a person's own `Documents`, which lies elsewhere.
    link("desk", "docs");
    link("inner", "desk/way");
    let docs = stage.data().join("docs");
    let calls = [
        ("read_file", json!({"path": docs.join("inner/secret/s.txt")})),
        ("read_file", json!({"path": desk.join("way/secret/s.txt")})),
        ("read_file", json!({"path": "way/secret/s.txt"})),
        ("write_file", json!({"path": "way/secret/new.txt", "content": "tea"})),
    ];
    let straight = [
        ("read_file", json!({"path": "inner/secret/s.txt"})),
        ("list_folder", json!({"path": "inner/secret"})),
        ("write_file", json!({"path": "inner/secret/new.txt", "content": "tea"})),
    ];
    let all: Vec<_> = calls.into_iter().chain(straight).collect();
    let mut stage = stage;
    let whole = |folder: &str| format!("{}/secret/*", stage.data().join(folder).display());
    // What a `*` begins with no folder is known of: it holds for the path as it is given.
    let patterns = [
        (whole("docs/inner"), 0..all.len()),
        (whole("desk/way"), 0..all.len()),
        ("*/way/secret/*".to_owned(), 1..4),
    ];
    for (pattern, held) in patterns {
        block(&stage, "*", &pattern).await;
        let held = &all[held];
        let (again, read) = reads(stage, held).await;
        stage = again;
        assert_eq!(read, vec![BLOCKED.strip_prefix("Ada: ").expect("it is"); held.len()]);
        if !pattern.starts_with('*') {
            let search = [("search_files", json!({"pattern": "tea"}))];
            let (again, read) = reads(stage, &search).await;
            stage = again;
            assert!(read.len() == 1 && !read[0].contains("stairs"), "{pattern}: {read:?}");
        }
    }
    let open = [("read_file", json!({"path": "inner/secret/s.txt"}))];
    assert!(reads(stage, &open).await.1[0].contains("stairs"), "by another name");
}

/// Who is asked, and whether they are told of the tool; a boss gives a task once.
fn tells_of_count() -> Scripted {
    Scripted::from_fn(|request, _| {
        let has = request.tools.iter().any(|tool| tool.name == "count");
        match (speaker(request).as_str(), request.turns.last()) {
            ("Boss", Some(turn)) if turn.role == Role::Tool => {
                vec![Beat::Text(turn.content.clone())]
            }
            ("Boss", _) => vec![call("c", "delegate", json!({"to": "ada", "task": "count"}))],
            _ => vec![Beat::Text(format!("I have it: {has}"))],
        }
    })
}

#[tokio::test]
async fn a_tool_that_is_blocked_in_one_group_is_nobodys_there_nor_in_its_tasks_and_stays_elsewhere()
{
    let counter = Counter::risky();
    let stage = open(tells_of_count(), &counter).await;
    let text = "---\nname: Boss\ntools: [\"*\"]\ndelegates: [ada]\nplan: never\n---\nYou lead.\n"
        .to_owned();
    stage.do_(Command::SaveSoul { soul: "boss".into(), text, base_hash: None }).await;
    stage
        .do_(Command::NewAgent { soul: "boss".into(), name: None, model: None, parent: None })
        .await;
    let there = stage.group(&["Ada", "Boss"], TurnPolicy::Mention).await;
    let elsewhere = stage.group(&["Ada", "Boss"], TurnPolicy::Mention).await;
    let blocked = vec![BlockedUse { tool: "cou*".into(), pattern: "*".into(), group: Some(there) }];
    set(&stage, Approvals { blocked, ..Approvals::default() }).await;
    for (group, has) in [(there, false), (elsewhere, true)] {
        stage.say(group, "@Ada, what do you have?").await;
        assert_eq!(last_said(&stage, group).await, format!("Ada: I have it: {has}"));
        stage.say(group, "@Boss, have it counted").await;
        assert_eq!(last_said(&stage, group).await, format!("Boss: I have it: {has}"));
    }

    let agent = id_of(&stage).await;
    let Ok(Reply::Capabilities(can)) = stage.query(Query::Capabilities { agent }).await else {
        panic!("no capabilities")
    };
    let count = can.all.iter().find(|one| one.name == "count").expect("it is there");
    let group = stage.view(there).await.group.name;
    assert!(count.there, "in other groups");
    assert_eq!(count.needs.last(), Some(&Need::new(NeedOf::Unblocked { group }, false)));
}

#[tokio::test]
async fn who_has_a_tool_still_when_its_group_blocks_it_is_told_no() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    let bo = stage.direct("Bo").await;
    stage.post(ada, "count, please").await;
    asked(&stage).await;
    let blocked = |group| {
        let one = BlockedUse { tool: "count".into(), pattern: "*".into(), group: Some(group) };
        Approvals { blocked: vec![one], ..Approvals::default() }
    };
    set(&stage, blocked(bo)).await;
    assert_eq!(stage.overview().await.approvals.len(), 1, "of another group");
    set(&stage, blocked(ada)).await;
    stage.quiet().await;
    assert_eq!((last_said(&stage, ada).await.as_str(), counter.uses()), (BLOCKED, 0));
    let nowhere = Command::ChangeSettings {
        patch: SettingsPatch {
            approvals: Some(blocked(GroupId(uuid::Uuid::from_u128(1)))),
            ..SettingsPatch::default()
        },
    };
    let refused = stage.command(nowhere).await.expect_err("no group");
    assert_eq!(refused.code, FaultCode::NotFound);
}
