//! What the children do at the door of their workspace.

use domain::{
    Call, Command, ModelInfo, ModelRole, Overview, Provider, ProviderKind, Query, Reply, Request,
    RequestId, RunState,
};
use door::Door;
use futures::StreamExt;
use std::process::ExitCode;
use uuid::Uuid;

pub(crate) type Outcome<T> = Result<T, String>;

/// Says `event` at each one.
pub(crate) fn tell_events(door: &Door) {
    let mut events = door.events(None);
    tokio::spawn(async move {
        while events.next().await.is_some() {
            println!("event");
        }
    });
}

/// How a life has ended that nobody killed, for the parent that listens.
pub(crate) fn tell_end(lived: Outcome<()>) -> ExitCode {
    match lived {
        Ok(()) => {
            println!("quiet");
            ExitCode::SUCCESS
        }
        Err(wrong) => {
            println!("wrong: {wrong}");
            ExitCode::FAILURE
        }
    }
}

pub(crate) async fn use_script(door: &Door) -> Outcome<()> {
    let provider = Provider {
        name: "test".into(),
        kind: ProviderKind::Scripted,
        base_url: None,
        key_env: None,
        key: None,
        models: vec![ModelInfo::new("script", Some(32_000))],
    };
    order(door, new_id(), Command::save_provider(provider)).await?;
    let (role, model) = (ModelRole::Default, "test/script".to_owned());
    order(door, new_id(), Command::UseModel { role, model }).await?;
    Ok(())
}

/// What ended the process too often waits for a person.
pub(crate) async fn resume_what_was_interrupted(door: &Door) -> Outcome<()> {
    for run in overview(door).await?.open_runs {
        if run.state == RunState::Interrupted {
            let resume = Command::ResumeRun { run: run.id };
            // It may have been taken up meanwhile, which is as good.
            let _ = order(door, new_id(), resume).await;
        }
    }
    Ok(())
}

pub(crate) async fn overview(door: &Door) -> Outcome<Overview> {
    match ask(door, Query::Overview).await? {
        Reply::Overview(overview) => Ok(*overview),
        other => Err(format!("no overview: {other:?}")),
    }
}

pub(crate) async fn ask(door: &Door, query: Query) -> Outcome<Reply> {
    door.ask(Call::Query(query)).await.map_err(|fault| fault.to_string())
}

pub(crate) async fn order(door: &Door, id: RequestId, command: Command) -> Outcome<Reply> {
    let call = Call::Command(command);
    let answer = door.send(Request { id, call }).await;
    answer.result.map_err(|fault| fault.to_string())
}

pub(crate) fn new_id() -> RequestId {
    RequestId(Uuid::now_v7())
}
