//! Stories about keys: where they are kept, what happens while they cannot be
//! had. That they show nowhere is told in `cli::leaks`.

mod changing;
mod places;
mod stopped;
mod unread;

use domain::{
    Command, Fault, Key, Keys, ModelInfo, ModelRole, Offer, Provider, ProviderKind, Query, Reply,
    Secret,
};
use futures::future::BoxFuture;
use llm::Model;
use llm::scripted::Scripted;
use std::sync::{Arc, Mutex};
use tests::Stage;
use workspace::{KeyParts, Models};

const PASSPHRASE: &str = "four words of some length";
const ACME: &str = "acme-0123-4567-89ab-cdef";

/// No test panics while it writes.
const WHOLE: &str = "the list is whole";

/// Serves one model, to whoever comes with whatever key.
#[derive(Clone)]
struct Keyed {
    model: Arc<Scripted>,
    keys: Arc<Mutex<Vec<Option<String>>>>,
}

impl Keyed {
    fn saying(text: &str) -> Keyed {
        Keyed { model: Arc::new(Scripted::saying(text)), keys: Arc::default() }
    }

    /// The keys that it was asked with.
    fn came_with(&self) -> Vec<Option<String>> {
        self.keys.lock().expect(WHOLE).clone()
    }
}

impl Models for Keyed {
    fn serve(&self, _: &Provider, key: Option<secrets::Secret>) -> Result<Arc<dyn Model>, Fault> {
        self.keys.lock().expect(WHOLE).push(key.map(|key| key.expose().to_owned()));
        Ok(self.model.clone())
    }

    fn list(
        &self,
        provider: Provider,
        _: Option<secrets::Secret>,
    ) -> BoxFuture<'_, Result<Vec<ModelInfo>, Fault>> {
        Box::pin(async move { Ok(provider.models) })
    }

    fn discover(&self) -> BoxFuture<'_, Vec<Offer>> {
        Box::pin(async { Vec::new() })
    }
}

/// A service that wants a key.
fn acme() -> Provider {
    Provider {
        name: "acme".into(),
        kind: ProviderKind::Openai,
        base_url: Some("https://acme.example/v1".into()),
        key_env: None,
        key: None,
        models: vec![ModelInfo::new("m", Some(32_000))],
    }
}

/// A workspace whose agents all ask acme, which wants its own key.
async fn asking_acme(models: Keyed, keys: KeyParts) -> Stage {
    let stage = tests::stage().without_model().models(models).keys(keys).open().await;
    let provider = Provider { key: Some("provider/acme".into()), ..acme() };
    stage.do_(Command::save_provider(provider)).await;
    let model = "acme/m".to_owned();
    stage.do_(Command::UseModel { role: ModelRole::Default, model }).await;
    stage
}

fn with_variable(name: &'static str, value: &'static str) -> KeyParts {
    let environment = move |asked: &str| (asked == name).then(|| value.to_owned());
    KeyParts { environment: Arc::new(environment), ..KeyParts::in_memory() }
}

fn without_keyring() -> KeyParts {
    KeyParts { keyring: secrets::Keyring::none(), ..KeyParts::in_memory() }
}

fn set(name: &str, value: &str) -> Command {
    Command::SetKey { name: name.into(), value: Secret::new(value) }
}

fn seal() -> Command {
    Command::SealKeys { passphrase: Secret::new(PASSPHRASE) }
}

fn unlock(passphrase: &str) -> Command {
    Command::UnlockKeys { passphrase: Secret::new(passphrase) }
}

async fn keys(stage: &Stage) -> Keys {
    told(stage.query(Query::Keys { check: false }).await)
}

async fn keys_checked(stage: &Stage) -> Keys {
    told(stage.query(Query::Keys { check: true }).await)
}

fn told(reply: Result<Reply, Fault>) -> Keys {
    match reply {
        Ok(Reply::Keys(keys)) => keys,
        other => panic!("no keys: {other:?}"),
    }
}

async fn key(stage: &Stage, name: &str) -> Option<Key> {
    keys(stage).await.keys.into_iter().find(|key| key.name == name)
}
