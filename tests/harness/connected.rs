//! A stage whose models are asked over real connections.

use crate::fake_server::FakeServer;
use crate::{Setting, Stage, stage};
use domain::{Command, ModelInfo, ModelRole, Provider, ProviderKind};
use workspace::{Connected, Places};

/// All agents ask `acme/m1`, which is this server.
pub async fn connected(server: &FakeServer) -> Stage {
    connected_as(server, ProviderKind::Openai).await
}

/// The same for a server that speaks so.
pub async fn connected_as(server: &FakeServer, kind: ProviderKind) -> Stage {
    connected_in(stage(), server, kind).await
}

/// The same in a workspace to come.
pub async fn connected_in(setting: Setting, server: &FakeServer, kind: ProviderKind) -> Stage {
    let places = Places::bare("nowhere".into());
    let stage = setting.without_model().models(Connected::new(&places)).open().await;
    let info = ModelInfo::new("m1", Some(32_000));
    let provider = Provider {
        name: "acme".into(),
        kind,
        base_url: Some(server.base_url()),
        key_env: None,
        key: None,
        models: vec![info],
    };
    stage.do_(Command::save_provider(provider)).await;
    stage.do_(Command::UseModel { role: ModelRole::Default, model: "acme/m1".into() }).await;
    stage
}
