//! Who serves a model: the provider named in `provider/model`.

use crate::models;
use domain::{Fault, FaultCode, FaultKind, ModelInfo, Provider, ProviderKind};
use std::net::IpAddr;
use store::Read;
use store::table::providers;

#[derive(Debug, Clone)]
pub(crate) struct Served {
    pub provider: Provider,
    /// The provider's own name for the model.
    pub name: String,
    /// What the provider says of the model.
    pub info: Option<ModelInfo>,
}

impl Served {
    pub(crate) fn find(read: &Read<'_>, model: &str) -> Result<Served, Fault> {
        let nobody = |message: String, kind: FaultKind| {
            let fix =
                "choose a model in Settings, or with coterie model use default PROVIDER/MODEL";
            Fault::new(FaultCode::NoModel, message, fix).of(kind)
        };
        let Some((name, model_name)) = model.split_once('/') else {
            return Err(nobody("no model is chosen".to_owned(), FaultKind::ModelUnchosen));
        };
        let provider = providers::get(read, name)?;
        // The machine's own is there without being set up.
        let own = || (name == models::LOCAL).then(models::local_provider);
        let Some(provider) = provider.or_else(own) else {
            let kind = FaultKind::ProviderUnknown { name: name.to_owned() };
            return Err(nobody(format!("there is no provider called {name}"), kind));
        };
        let info = provider.models.iter().find(|info| info.name == model_name).cloned();
        Ok(Served { provider, name: model_name.to_owned(), info })
    }

    pub(crate) fn is_local(&self) -> bool {
        self.provider.kind == ProviderKind::Local
    }

    /// Whether what it is asked stays on this machine.
    pub(crate) fn is_on_this_machine(&self) -> bool {
        let address = || self.provider.base_url.as_deref().unwrap_or_default();
        match self.provider.kind {
            ProviderKind::Local | ProviderKind::Scripted => true,
            ProviderKind::Openai
            | ProviderKind::Anthropic
            | ProviderKind::Gemini
            | ProviderKind::Ollama => is_loopback(address()),
        }
    }

    pub(crate) fn is_demo(&self) -> bool {
        self.info.as_ref().is_some_and(|info| info.demo)
    }

    /// What it reads at once, as far as its provider or a person says, or it is
    /// known of that model. What runs on this machine may well be given less
    /// than it was made for.
    pub(crate) fn context_tokens(&self) -> Option<u32> {
        let told = self.info.as_ref().and_then(ModelInfo::window_tokens);
        let is_elsewhere = || !self.is_on_this_machine();
        told.or_else(|| llm::known_window(&self.name).filter(|_| is_elsewhere()))
    }
}

fn is_loopback(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        Some((inside, _)) => inside,
        None => host.split(':').next().unwrap_or_default(),
    };
    host.eq_ignore_ascii_case("localhost")
        || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_this_machine_is_told_from_one_elsewhere() {
        for here in ["http://127.0.0.1:11434/v1", "http://localhost:1", "http://[::1]:8080/v1"] {
            assert!(is_loopback(here), "{here}");
        }
        for elsewhere in [
            "https://api.acme.example/v1",
            "http://192.168.1.9:11434",
            "http://localhost.acme.example/v1",
            "http://127.0.0.1@acme.example/v1",
            "",
        ] {
            assert!(!is_loopback(elsewhere), "{elsewhere}");
        }
    }
}
