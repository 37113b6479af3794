//! What never happens holds for what servers bring, of which nobody here knows what a use
//! touches: it is compared with each text that they are given.

use super::*;
use domain::{Approvals, BlockedUse, CallState, SettingsPatch, StepKind};

const BLOCKED: &str = "blocked: the person has put this on the list of what no agent does; \
    do not try it another way";

async fn block(stage: &Stage, tool: &str, pattern: &str) {
    let blocked = vec![BlockedUse { tool: tool.into(), pattern: pattern.into(), group: None }];
    let approvals = Some(Approvals { blocked, ..Approvals::default() });
    let patch = SettingsPatch { approvals, ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
}

/// Ada has the server echo each of these, and nobody is asked.
async fn echoing(texts: &[String]) -> (Stage, GroupId) {
    let calls: Vec<Beat> = texts.iter().enumerate().map(|(n, text)| echo(n, text)).collect();
    let model = Scripted::from_fn(move |request, _| match request.turns.last() {
        Some(turn) if turn.role == Role::Tool => vec![Beat::Text("done".into())],
        Some(_) | None => calls.clone(),
    });
    let stage = with(model).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, obedient("things", &["plain"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    stage.post(ada, "echo, please").await;
    let Approval { call, binding, .. } = asked(&stage).await;
    let (consent, covers) = (Consent::Always, Some(Covers::AnyUse));
    stage.do_(Command::AnswerApproval { call, binding, consent, covers }).await;
    stage.quiet().await;
    (stage, ada)
}

fn echo(n: usize, text: &str) -> Beat {
    let arguments = json!({ "text": text }).to_string();
    let name = Some("things__echo".to_owned());
    Beat::ToolCall(ToolCallDelta { id: format!("c{n}"), name, arguments })
}

/// What came of each use of the newest turn.
async fn came(stage: &Stage) -> Vec<(CallState, String)> {
    let run = stage.runs().await.pop().expect("she took a turn");
    let returned = |kind: StepKind| match kind {
        StepKind::ToolReturned { state, text, .. } => Some((state, text)),
        _ => None,
    };
    let steps = stage.run(run.id).await.steps;
    steps.into_iter().filter_map(|step| returned(step.kind)).collect()
}

#[cfg(unix)]
#[tokio::test]
async fn a_path_that_is_blocked_is_so_for_the_tools_of_servers_however_it_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let there = folder.path().canonicalize().expect("it is there");
    std::fs::create_dir_all(there.join("secret")).expect("a folder");
    std::os::unix::fs::symlink("secret", there.join("link")).expect("a link");
    let at = there.display();
    let texts = [
        format!("{at}/secret/s.txt"),
        format!("{at}/secret"),
        format!("file://{at}/secret/s.txt"),
        format!("{at}//open/../secret/"),
        format!("{at}/link/s.txt"),
        "secret/s.txt".to_owned(),
    ];
    let (stage, ada) = echoing(&texts).await;
    let is_done = |(state, _): &(CallState, String)| *state == CallState::Succeeded;
    assert!(came(&stage).await.iter().all(is_done), "nothing is blocked");
    let (pattern, by_link) = (format!("{at}/secret/*"), format!("{at}/link/*"));
    for (tool, pattern) in
        [("things__echo", pattern.as_str()), ("*", &pattern), ("*", "*/secret/*"), ("*", &by_link)]
    {
        block(&stage, tool, pattern).await;
        stage.say(ada, "and again").await;
        let blocked = (CallState::Blocked, BLOCKED.to_owned());
        assert_eq!(came(&stage).await, vec![blocked; texts.len()], "{tool} {pattern}");
    }
    block(&stage, "things__echo", &format!("{at}/open/*")).await;
    stage.say(ada, "and again").await;
    assert!(came(&stage).await.iter().all(is_done), "another folder is");
    stage.workspace.close().await;
}
