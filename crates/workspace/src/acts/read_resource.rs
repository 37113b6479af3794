//! `read_resource`: what the servers of an agent have to be read.
//!
//! What a server itself has listed is read unasked. Every other address was made
//! up by a model, and goes to somebody else: that the person sees first.

use super::Ground;
use crate::servers;
use async_trait::async_trait;
use domain::{Effects, Need, NeedOf, Risk, ToolSpec};
use mcp::{Ask, Fault, Resource};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tools::{CallContext, Place, Returned, Stakes, Tool};

pub(crate) const READ_RESOURCE: &str = "read_resource";

/// Lists what one of your servers has to be read, or reads one of it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The name of the server.
    server: String,
    /// The address of what to read, as the list has it. Without it you get the list.
    uri: Option<String>,
}

pub(super) struct ReadResource {
    spec: ToolSpec,
    ground: Ground,
    /// What each server has listed since this process began: its name and an address as
    /// models read it, without keys, and the address as it is.
    listed: Mutex<HashMap<(String, String), String>>,
}

impl ReadResource {
    pub(super) fn new(ground: Ground) -> Self {
        let spec = tools::describe::<Input>(READ_RESOURCE, Effects::None, Risk::High);
        ReadResource { spec, ground, listed: Mutex::default() }
    }

    /// Whoever panicked beside it left something whole in it.
    fn listed(&self) -> MutexGuard<'_, HashMap<(String, String), String>> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn look(&self, input: Input, with: &CallContext) -> Result<String, Fault> {
        let closing = |_| Fault::Away("the workspace is closing".to_owned());
        let shared = self.ground.shared().map_err(closing)?;
        let running = servers::running(&shared);
        let Input { server, uri } = input;
        let Some(uri) = uri else {
            let all = running.resources(&server, &with.stop).await?;
            let redactor = shared.safe.redactor();
            let shown = |one: &Resource| redactor.redact(&one.uri).into_owned();
            let addresses = all.iter().map(|one| ((server.clone(), shown(one)), one.uri.clone()));
            self.listed().extend(addresses);
            return Ok(list(&server, &all));
        };
        let (server, uri) = {
            let shown = (server, uri);
            let listed = self.listed().get(&shown).cloned();
            (shown.0, listed.unwrap_or(shown.1))
        };
        let key = Some(with.key.to_string());
        let progress = Some(with.progress.clone());
        let ask = Ask { key, stop: with.stop.clone(), progress };
        Ok(mcp::words(&running.read(&server, &uri, &ask).await?))
    }
}

#[async_trait]
impl Tool for ReadResource {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn needs(&self, place: &Place) -> Vec<Need> {
        vec![Need::new(NeedOf::Resources, !place.resources.is_empty())]
    }

    /// It comes with the servers, whatever tools a soul lists.
    fn is_usual(&self) -> bool {
        false
    }

    fn stakes(&self, arguments: &Value, place: &Place) -> Result<Stakes, String> {
        let input: Input = tools::input(arguments.clone()).map_err(|returned| returned.text)?;
        if !place.resources.contains(&input.server) {
            let all = place.resources.join(", ");
            return Err(format!(
                "you have no server `{}` with anything to be read; your servers are: {all}",
                input.server
            ));
        }
        let Input { server, uri: Some(uri) } = input else {
            return Ok(Stakes { risk: Risk::Low, ..Stakes::default() });
        };
        let (target, like) = (Some(format!("{server} {uri}")), Some(format!("{server} *")));
        let risk = match self.listed().contains_key(&(server, uri)) {
            true => Risk::Low,
            false => Risk::High,
        };
        Ok(Stakes { risk, target, like, ..Stakes::default() })
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        let input: Input = match tools::input(arguments) {
            Ok(input) => input,
            Err(returned) => return returned,
        };
        match self.look(input, with).await {
            Ok(text) => Returned::ok(text).foreign(),
            Err(Fault::Stopped) => Returned::stopped(),
            Err(fault) => Returned::failed(fault.to_string()).foreign(),
        }
    }
}

fn list(server: &str, all: &[Resource]) -> String {
    if all.is_empty() {
        return format!("{server} has nothing to be read");
    }
    let line = |one: &Resource| {
        let about = one.description.as_deref().or(one.title.as_deref()).unwrap_or(&one.name);
        format!("{} ({about})", one.uri)
    };
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}
