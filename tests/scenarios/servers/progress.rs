//! How far a server says that it is while its tool is used.

use super::*;
use domain::{Record, Step, StepKind};

#[tokio::test]
async fn how_far_a_server_says_that_it_is_is_told_until_its_use_has_ended() {
    let Some(setup) = everything("things") else { return };
    let takes_a_while = json!({"duration": 2, "steps": 20});
    let model = does("things__trigger-long-running-operation", takes_a_while);
    let stage = with(model).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, setup, &[]).await.expect("it is set up");
    ready(&stage).await;
    let mut events = stage.events();
    stage.post(ada, "take your time").await;
    allow(&stage, &asked(&stage).await).await;

    let mut told = Vec::new();
    let returned = loop {
        let Some(FromOwner::Event(event)) = events.next().await else { panic!("no events") };
        match event.update {
            Update::UseProgress { progress } => told.push(progress),
            Update::Saved { record: Record::Step(step) } if is_return(&step) => break step,
            _ => {}
        }
    };
    let StepKind::ToolReturned { call, .. } = returned.kind else { panic!("it has returned") };
    assert!(!told.is_empty() && told.is_sorted_by(|one, next| one.done < next.done), "{told:?}");
    for one in &told {
        assert_eq!((one.run, one.call), (returned.run, call));
        assert_eq!((one.total, one.message.as_deref()), (Some(20.0), None));
    }
    stage.workspace.close().await;
}

fn is_return(step: &Step) -> bool {
    matches!(step.kind, StepKind::ToolReturned { .. })
}
