//! What a server has beside tools: what can be read, and prompts that people say.
//!
//! Whoever asks waits until the server is there, or hears why it is not.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::server::away;
use crate::{
    Ask, Connection, Contents, Data, Fault, Part, Prompt, PromptText, Resource, ResourceTemplate,
    Servers,
};

/// What a server has for people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offers {
    pub resources: Vec<Resource>,
    pub templates: Vec<ResourceTemplate>,
    pub prompts: Vec<Prompt>,
}

impl Servers {
    pub async fn offers(&self, name: &str, stop: &CancellationToken) -> Result<Offers, Fault> {
        let server = self.reached(name, stop).await?;
        let asked = async {
            let (listed, prompts) = tokio::join!(to_read(&server), server.prompts());
            let (resources, templates) = listed?;
            Ok(Offers { resources, templates, prompts: prompts? })
        };
        unless_stopped(stop, asked).await
    }

    pub async fn resources(
        &self,
        name: &str,
        stop: &CancellationToken,
    ) -> Result<Vec<Resource>, Fault> {
        let server = self.reached(name, stop).await?;
        unless_stopped(stop, server.resources()).await
    }

    /// What it lists to be read, and what stands for more of that.
    pub async fn to_read(
        &self,
        name: &str,
        stop: &CancellationToken,
    ) -> Result<(Vec<Resource>, Vec<ResourceTemplate>), Fault> {
        let server = self.reached(name, stop).await?;
        unless_stopped(stop, to_read(&server)).await
    }

    pub async fn read(&self, name: &str, uri: &str, with: &Ask) -> Result<Vec<Contents>, Fault> {
        self.reached(name, &with.stop).await?.read(uri, with).await
    }

    pub async fn prompt(
        &self,
        name: &str,
        prompt: &str,
        arguments: Map<String, Value>,
        with: &Ask,
    ) -> Result<PromptText, Fault> {
        self.reached(name, &with.stop).await?.prompt(prompt, arguments, with).await
    }

    async fn reached(
        &self,
        name: &str,
        stop: &CancellationToken,
    ) -> Result<Arc<Connection>, Fault> {
        let server = self.0.server(name, stop).await?;
        let connection = server.connection();
        connection.ok_or_else(|| away(&server.state().borrow()))
    }
}

async fn to_read(server: &Connection) -> Result<(Vec<Resource>, Vec<ResourceTemplate>), Fault> {
    let (resources, templates) = tokio::join!(server.resources(), server.resource_templates());
    // Many have resources and nothing that stands for more of them.
    Ok((resources?, templates.unwrap_or_default()))
}

async fn unless_stopped<T>(
    stop: &CancellationToken,
    asked: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    tokio::select! {
        asked = asked => asked,
        () = stop.cancelled() => Err(Fault::Stopped),
    }
}

/// What was read, as text: of what is none it says how much there is.
pub fn words(contents: &[Contents]) -> String {
    let several = contents.len() > 1;
    let texts = contents.iter().map(|one| match &one.data {
        Data::Text(text) if !several => text.clone(),
        Data::Text(_) | Data::Base64(_) => Part::Resource(one.clone()).shown(),
    });
    texts.collect::<Vec<_>>().join("\n\n")
}
