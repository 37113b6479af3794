//! Each mistake gets one clear sentence with the fix, and nothing is lost.

use domain::{Command, FaultCode, GroupId, ModelRole, Query, TurnPolicy};
use std::fs;
use tests::stage;
use uuid::Uuid;

#[tokio::test]
async fn messages_that_cannot_be_posted() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    let post = |group, text: String| Command::Post { group, text, reply_to: None };
    for (command, code, words) in [
        (post(ada, "  \n".into()), FaultCode::BadInput, "empty"),
        (post(ada, "x".repeat(33_000)), FaultCode::BadInput, "33000 characters; 32000 is the most"),
        (post(GroupId(Uuid::nil()), "hello".into()), FaultCode::NotFound, "group"),
    ] {
        let fault = stage.command(command).await.unwrap_err();
        assert_eq!(fault.code, code);
        assert!(fault.message.contains(words) && !fault.fix.is_empty(), "{fault}");
    }
    assert!(stage.transcript(ada).await.is_empty());
}

#[tokio::test]
async fn things_that_are_not_there() {
    let stage = stage().open().await;
    let new = Command::NewAgent { soul: "nobody".into(), name: None, model: None };
    let fault = stage.command(new).await.unwrap_err();
    assert_eq!(
        (fault.code, fault.message.as_str()),
        (FaultCode::NotFound, "there is no soul called nobody")
    );
    let fault = stage.query(Query::Soul { soul: "nobody".into() }).await.unwrap_err();
    assert_eq!(fault.code, FaultCode::NotFound);
    let wrong = Command::UseModel { role: ModelRole::Default, model: "nowhere/model".into() };
    let fault = stage.command(wrong).await.unwrap_err();
    assert_eq!(
        (fault.code, fault.message.as_str()),
        (FaultCode::NotFound, "there is no provider called nowhere")
    );
    let empty =
        Command::NewGroup { name: None, members: Vec::new(), policy: Some(TurnPolicy::Mention) };
    assert_eq!(stage.command(empty).await.unwrap_err().code, FaultCode::BadInput);
}

#[tokio::test]
async fn a_corrupt_database_is_named_and_left_alone() {
    let fault = stage()
        .before(|data| {
            fs::write(data.join("coterie.db"), b"this is no database at all, but it is long enough")
                .unwrap()
        })
        .try_open()
        .await
        .err()
        .expect("it does not open");
    assert_eq!(fault.code, FaultCode::Storage);
    assert!(fault.message.contains("damaged") && fault.message.contains("coterie.db"), "{fault}");
    assert!(fault.fix.contains("backups"), "{fault}");
}

#[tokio::test]
async fn a_database_from_a_newer_coterie_is_not_touched() {
    let opened = stage().open().await;
    let path = opened.data().join("coterie.db");
    opened.workspace.close().await;
    let copy = fs::read(&path).unwrap();
    drop(opened);
    let fault = stage()
        .before(move |data| {
            let mut bytes = copy;
            // `user_version` of SQLite's file header.
            bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
            fs::write(data.join("coterie.db"), bytes).unwrap();
        })
        .try_open()
        .await
        .err()
        .expect("it does not open");
    assert!(fault.message.contains("newer Coterie"), "{fault}");
}

#[tokio::test]
async fn a_data_directory_that_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data");
    fs::write(&file, b"").unwrap();
    let places = workspace::Places {
        data: file.clone(),
        assets: folder.path().into(),
        engine: folder.path().into(),
        onnxruntime: folder.path().into(),
    };
    let environment: workspace::Environment = std::sync::Arc::new(|_| None);
    let parts = workspace::Parts::real(&places, environment);
    let fault = workspace::open(places, parts, 1).await.err().expect("it does not open");
    assert_eq!(fault.code, FaultCode::Storage);
    assert!(
        fault.message.contains(&file.display().to_string()) && fault.fix.contains("--data"),
        "{fault}"
    );
}
