//! What is known of a server before anything is asked of its models: which it
//! has, whether its key is right, and that it is there at all.

use super::{PATIENT, endpoint, http};
use domain::{Call, Command, ModelInfo, Offer, Provider, ProviderKind, Query, Request, RequestId};
use llm::Trouble;
use llm::discover::{self, Ports};
use llm::openai::list_models;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tests::fake_server::{FakeServer, MODELS, Reply};
use uuid::Uuid;
use workspace::{Parts, Places};

/// Nobody is silent, so nobody is waited for.
const LONG: Duration = Duration::from_secs(60);

fn ports(ollama: &FakeServer, lmstudio: &FakeServer, llamaserver: &FakeServer) -> Ports {
    Ports { ollama: ollama.port(), lmstudio: lmstudio.port(), llamaserver: llamaserver.port() }
}

#[tokio::test]
async fn the_models_of_a_server_are_listed() {
    let server = FakeServer::start().await;
    let endpoint = || endpoint(&server.base_url());
    let info =
        |name: &str, context_tokens| ModelInfo { name: name.into(), context_tokens, demo: false };

    let list =
        json!({"object": "list", "data": [{"id": "a"}, {"id": "b", "context_length": 8192}]});
    server.once(MODELS, Reply::json(&list).in_pieces(3));
    assert_eq!(
        list_models(&http(), &endpoint()).await,
        Ok(vec![info("a", None), info("b", Some(8192))])
    );

    let troubles = [
        (
            Reply::json(&json!({"hello": "world"})),
            Trouble::Refused,
            "acme answered, but not with a list of models",
        ),
        (Reply::raw("<html>"), Trouble::Refused, "acme answered with a web page"),
        (Reply::refusal("401 Unauthorized", &json!({})), Trouble::Key, "acme wants a key (401)"),
        (
            Reply::json(&list).cut_before("8192"),
            Trouble::BrokenAnswer,
            "acme lost the connection in the middle of its answer",
        ),
    ];
    for (reply, trouble, message) in troubles {
        server.once(MODELS, reply);
        let fault = list_models(&http(), &endpoint()).await.expect_err("a bad list");
        assert_eq!(fault.trouble, trouble);
        assert!(fault.message.starts_with(message), "{}", fault.message);
    }
}

#[tokio::test]
async fn the_doctor_says_whether_a_key_has_been_looked_at() {
    let server = FakeServer::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let nowhere = folder.path().join("nowhere");
    let places = Places {
        data: folder.path().to_owned(),
        assets: nowhere.clone(),
        engine: nowhere.clone(),
        onnxruntime: nowhere,
    };
    let parts = Parts::real(&places, Arc::new(|name| Some(format!("the value of {name}"))));
    let workspace = workspace::open(places, parts, 1).await.expect("it opens");
    let ask =
        async |call| workspace.answer(Request { id: RequestId(Uuid::now_v7()), call }).await.result;
    let provider = Provider {
        name: "acme".into(),
        kind: ProviderKind::Openai,
        base_url: Some(server.base_url()),
        key_env: Some("ACME_KEY".into()),
        models: Vec::new(),
    };
    ask(Call::Command(Command::SaveProvider { provider })).await.expect("it is saved");
    let found = async || match ask(Call::Query(Query::Doctor)).await {
        Ok(domain::Reply::Checks(checks)) => {
            checks.into_iter().find(|check| check.name == "provider acme").expect("it looks").detail
        }
        other => panic!("no checks: {other:?}"),
    };
    let list = Reply::json(&json!({"data": [{"id": "a"}]}));
    server.once(MODELS, list.clone());
    server.once(MODELS, Reply::refusal("401 Unauthorized", &json!({})));
    assert_eq!(found().await, "answers; models: 1");
    server.always(MODELS, list);
    assert_eq!(
        found().await,
        "answers; models: 1; it tells them to anybody, so the key is not checked"
    );
    workspace.close().await;
}

#[tokio::test]
async fn the_servers_on_this_machine_are_offered_with_their_models() {
    let (ollama, lmstudio, llamaserver) =
        (FakeServer::start().await, FakeServer::start().await, FakeServer::start().await);
    let tags = json!({"models": [
        {"name": "qwen3:4b", "details": {"family": "qwen3"}},
        {"name": "nomic-embed-text", "details": {"family": "nomic-bert"}},
    ]});
    ollama.always("GET /api/version", Reply::json(&json!({"version": "0.21.0"})));
    ollama.always("GET /api/tags", Reply::json(&tags));
    lmstudio.always("GET /lmstudio-greeting", Reply::json(&json!({"lmstudio": true})));
    lmstudio.models("organization_owner", &["gemma-4", "text-embedding-nomic"]);
    llamaserver.models("llamacpp", &["starter.gguf"]);

    let offer = |name: &str, title: &str, server: &FakeServer, model: &str| Offer {
        name: name.into(),
        title: title.into(),
        base_url: server.base_url(),
        models: vec![model.into()],
    };
    assert_eq!(
        discover::look(&http(), ports(&ollama, &lmstudio, &llamaserver), LONG).await,
        [
            offer("ollama", "Ollama", &ollama, "qwen3:4b"),
            offer("lmstudio", "LM Studio", &lmstudio, "gemma-4"),
            offer("llamaserver", "llama-server", &llamaserver, "starter.gguf"),
        ]
    );
}

#[tokio::test]
async fn a_stranger_on_a_known_port_is_not_offered() {
    let stranger = FakeServer::start().await;
    let page = Reply::raw("<html>It works!</html>").header("content-type", "text/html");
    let lines = ["GET /", "GET /api/version", "GET /api/tags", "GET /lmstudio-greeting", MODELS];
    for line in lines {
        stranger.always(line, page.clone());
    }
    let ports = ports(&stranger, &stranger, &stranger);
    assert_eq!(discover::look(&http(), ports, LONG).await, []);

    stranger.models("somebody", &["a-model"]);
    stranger.always("GET /api/version", Reply::json(&json!({"version": 3})));
    stranger
        .always("GET /lmstudio-greeting", Reply::json(&json!({"error": "Unexpected endpoint"})));
    assert_eq!(discover::look(&http(), ports, LONG).await, []);
}

#[tokio::test]
async fn a_server_that_does_not_answer_holds_nobody_up() {
    let (silent, llamaserver) = (FakeServer::start().await, FakeServer::start().await);
    silent.always("GET /api/version", Reply::nothing());
    silent.always(
        "GET /lmstudio-greeting",
        Reply::json(&json!({"lmstudio": true})).silent_before("true"),
    );
    llamaserver.models("llamacpp", &["starter.gguf"]);
    let offers = discover::look(&http(), ports(&silent, &silent, &llamaserver), PATIENT).await;
    let names: Vec<_> = offers.iter().map(|offer| offer.name.as_str()).collect();
    assert_eq!(names, ["llamaserver"]);
}
