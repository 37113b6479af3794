//! Which folders servers are told of.

use super::*;
use tests::mcp_server::filesystem;

/// It takes the folders that it is told of for all that there are.
#[tokio::test]
async fn a_server_keeps_the_folder_that_its_person_gave_it_beside_those_of_the_agents() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().canonicalize().expect("a folder");
    let Some(setup) = filesystem("things", &own) else { return };
    let stage = with(does("things__list_allowed_directories", json!({}))).open().await;
    std::fs::create_dir(stage.data().join("desk")).expect("a folder");
    let soul = SOUL.replace("mcp:", "roots: [desk]\nmcp:");
    std::fs::write(stage.data().join("souls/ada.md"), soul).expect("a soul");
    let ada = stage.direct("Ada").await;
    put(&stage, setup, &[]).await.expect("it is set up");
    ready(&stage).await;
    let desk = stage.data().join("desk").canonicalize().expect("a folder");
    // It asks for them when it is there already.
    let told = loop {
        stage.post(ada, "where may it look?").await;
        allow(&stage, &asked(&stage).await).await;
        let told = last_said(&stage, ada).await;
        if told.contains(&desk.display().to_string()) {
            break told;
        }
    };
    assert!(told.lines().any(|line| line == own.display().to_string()), "{told}");
    stage.workspace.close().await;
}
