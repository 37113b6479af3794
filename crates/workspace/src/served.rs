//! Who serves a model: the provider named in `provider/model`.

use crate::models;
use domain::{Fault, FaultCode, ModelInfo, Provider, ProviderKind};
use store::Read;
use store::table::providers;

pub(crate) struct Served {
    pub provider: Provider,
    /// What the provider says of the model.
    pub info: Option<ModelInfo>,
}

impl Served {
    pub(crate) fn find(read: &Read<'_>, model: &str) -> Result<Served, Fault> {
        let nobody = |message: String| {
            let fix =
                "choose a model in Settings, or with coterie model use default PROVIDER/MODEL";
            Fault::new(FaultCode::NoModel, message, fix)
        };
        let Some((name, model_name)) = model.split_once('/') else {
            return Err(nobody("no model is chosen".to_owned()));
        };
        let provider = providers::get(read, name)?;
        // The machine's own is there without being set up.
        let own = || (name == models::LOCAL).then(models::local_provider);
        let Some(provider) = provider.or_else(own) else {
            return Err(nobody(format!("there is no provider called {name}")));
        };
        let info = provider.models.iter().find(|info| info.name == model_name).cloned();
        Ok(Served { provider, info })
    }

    pub(crate) fn is_local(&self) -> bool {
        self.provider.kind == ProviderKind::Local
    }

    pub(crate) fn is_demo(&self) -> bool {
        self.info.as_ref().is_some_and(|info| info.demo)
    }

    /// What it reads at once, as far as its provider says.
    pub(crate) fn context_tokens(&self) -> Option<u32> {
        self.info.as_ref().and_then(|info| info.context_tokens)
    }
}
