//! What is known of a server before anything is asked of its models: which it
//! has, whether its key is right, and that it is there at all.

use super::{PATIENT, endpoint, http};
use domain::{
    Call, Command, FaultCode, ModelInfo, Offer, Provider, ProviderKind, Query, Request, RequestId,
};
use llm::Trouble;
use llm::discover::{self, Ports};
use llm::openai::list_models;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tests::fake_server::{FakeServer, MODELS, Reply};
use uuid::Uuid;
use workspace::{Parts, Places, Workspace};

/// Nobody is silent, so nobody is waited for.
const LONG: Duration = Duration::from_secs(60);

fn ports(ollama: &FakeServer, lmstudio: &FakeServer, llamaserver: &FakeServer) -> Ports {
    Ports { ollama: ollama.port(), lmstudio: lmstudio.port(), llamaserver: llamaserver.port() }
}

#[tokio::test]
async fn the_models_of_a_server_are_listed() {
    let server = FakeServer::start().await;
    let endpoint = || endpoint(&server.base_url());
    let info = |name: &str, context_tokens| ModelInfo::new(name, context_tokens);

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
    let workspace = empty_workspace(folder.path()).await;
    let ask =
        async |call| workspace.answer(Request { id: RequestId(Uuid::now_v7()), call }).await.result;
    let provider = Provider {
        name: "acme".into(),
        kind: ProviderKind::Openai,
        base_url: Some(server.base_url()),
        key_env: Some("ACME_KEY".into()),
        key: None,
        models: Vec::new(),
    };
    ask(Call::Command(Command::save_provider(provider))).await.expect("it is saved");
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
async fn a_provider_without_a_proper_address_is_neither_asked_nor_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let workspace = empty_workspace(folder.path()).await;
    let ask =
        async |call| workspace.answer(Request { id: RequestId(Uuid::now_v7()), call }).await.result;
    let kinds = [
        (ProviderKind::Openai, "give it as http://HOST:PORT/v1"),
        (ProviderKind::Anthropic, "give it as https://api.anthropic.com/v1"),
        (ProviderKind::Gemini, "give it as https://generativelanguage.googleapis.com/v1beta"),
        (ProviderKind::Ollama, "give it as http://HOST:11434"),
    ];
    for (kind, fix) in kinds {
        for base_url in [None, Some("127.0.0.1:11434"), Some("http://"), Some("http:///v1")] {
            let provider = Provider {
                name: "acme".into(),
                kind,
                base_url: base_url.map(str::to_owned),
                key_env: None,
                key: None,
                models: Vec::new(),
            };
            let save = Call::Command(Command::save_provider(provider.clone()));
            for call in [save, Call::Query(Query::ModelsOf { provider, key: None })] {
                let fault = ask(call).await.expect_err("an address that is none");
                assert_eq!((fault.code, &*fault.fix), (FaultCode::BadInput, fix), "{base_url:?}");
            }
        }
    }
    workspace.close().await;
}

#[tokio::test]
async fn the_servers_on_this_machine_are_offered_with_their_models_and_what_each_reads() {
    let (ollama, lmstudio, llamaserver) =
        (FakeServer::start().await, FakeServer::start().await, FakeServer::start().await);
    let tags = json!({"models": [
        {"name": "qwen3:4b", "details": {"family": "qwen3"}},
        {"name": "nomic-embed-text", "details": {"family": "nomic-bert"}},
        // Its makers run these: nobody is told that they stay on this machine.
        {"name": "gpt-oss:120b-cloud", "details": {"family": "gptoss"}},
        {"name": "mine", "remote_host": "https://ollama.com:443", "details": {"family": "glm"}},
    ]});
    ollama.always("GET /api/version", Reply::json(&json!({"version": "0.21.0"})));
    ollama.always("GET /api/tags", Reply::json(&tags));
    ollama.always("POST /api/show", Reply::json(&json!({"parameters": "num_ctx 32768"})));
    lmstudio.always("GET /lmstudio-greeting", Reply::json(&json!({"lmstudio": true})));
    lmstudio.models("organization_owner", &["gemma-4", "phi-5", "text-embedding-nomic"]);
    let loaded = json!({"data": [
        {"id": "gemma-4", "loaded_context_length": 8192, "max_context_length": 131_072},
        {"id": "phi-5", "max_context_length": 131_072},
    ]});
    lmstudio.always("GET /api/v0/models", Reply::json(&loaded));
    llamaserver.models("llamacpp", &["starter.gguf"]);
    let props = json!({"default_generation_settings": {"n_ctx": 4096}});
    llamaserver.always("GET /props", Reply::json(&props));

    let offers = discover::look(&http(), ports(&ollama, &lmstudio, &llamaserver), LONG).await;
    assert_eq!(
        offers,
        [
            Offer {
                name: "ollama".into(),
                title: "Ollama".into(),
                kind: ProviderKind::Ollama,
                base_url: format!("http://127.0.0.1:{}", ollama.port()),
                models: vec![model("qwen3:4b", Some(32_768))],
            },
            Offer {
                name: "lmstudio".into(),
                title: "LM Studio".into(),
                kind: ProviderKind::Openai,
                base_url: lmstudio.base_url(),
                models: vec![model("gemma-4", Some(8192)), model("phi-5", None)],
            },
            Offer {
                name: "llamaserver".into(),
                title: "llama-server".into(),
                kind: ProviderKind::Openai,
                base_url: llamaserver.base_url(),
                models: vec![model("starter.gguf", Some(4096))],
            },
        ]
    );
}

#[tokio::test]
async fn a_server_that_tells_nothing_but_names_is_offered_with_them() {
    let (ollama, lmstudio, llamaserver) =
        (FakeServer::start().await, FakeServer::start().await, FakeServer::start().await);
    let tags = json!({"models": [
        {"name": "qwen3:4b", "details": {"family": "qwen3"}},
        {"name": "nomic-embed-text", "details": {"family": "nomic-bert"}},
    ]});
    ollama.always("GET /api/version", Reply::json(&json!({"version": "0.5.0"})));
    ollama.always("GET /api/tags", Reply::json(&tags));
    lmstudio.always("GET /lmstudio-greeting", Reply::json(&json!({"lmstudio": true})));
    lmstudio.models("organization_owner", &["gemma-4"]);
    llamaserver.models("llamacpp", &["starter.gguf"]);
    let offers = discover::look(&http(), ports(&ollama, &lmstudio, &llamaserver), LONG).await;
    let models: Vec<_> = offers.into_iter().map(|offer| offer.models).collect();
    assert_eq!(
        models,
        [
            vec![model("qwen3:4b", None)],
            vec![model("gemma-4", None)],
            vec![model("starter.gguf", None)]
        ]
    );
}

/// Whose variables hold whatever is asked for.
async fn empty_workspace(folder: &Path) -> Workspace {
    let places = Places::bare(folder.to_owned());
    let parts = Parts::real(&places, Arc::new(|name| Some(format!("the value of {name}"))));
    workspace::open(places, parts, 1).await.expect("it opens")
}

fn model(name: &str, context_tokens: Option<u32>) -> ModelInfo {
    ModelInfo::new(name, context_tokens)
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
