//! `read_resource`: what the servers of an agent have to be read.
//!
//! What a server itself has listed is read unasked. Every other address was made
//! up by a model, also where it filled in what a server has for that, and goes to
//! somebody else: that the person sees first.

use super::Ground;
use crate::servers;
use async_trait::async_trait;
use domain::{Effects, Need, NeedOf, Risk, ToolSpec};
use mcp::{Ask, Fault, Resource, ResourceTemplate};
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
    /// The address of what to read, as the list has it, or one that you made of those with
    /// parts to fill in. Without it you get the list.
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
            let (all, templates) = running.to_read(&server, &with.stop).await?;
            let redactor = shared.safe.redactor();
            let shown = |one: &Resource| redactor.redact(&one.uri).into_owned();
            let addresses = all.iter().map(|one| ((server.clone(), shown(one)), one.uri.clone()));
            self.listed().extend(addresses);
            return Ok(list(&server, &all, &templates));
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
        let server = input.server.clone();
        match self.look(input, with).await {
            Ok(text) => Returned::ok(text).foreign(),
            Err(Fault::Stopped) => Returned::stopped(),
            Err(fault) => Returned::failed(fault.told(&server)).foreign(),
        }
    }
}

fn list(server: &str, all: &[Resource], templates: &[ResourceTemplate]) -> String {
    let line = |one: &Resource| {
        let about = one.description.as_deref().or(one.title.as_deref()).unwrap_or(&one.name);
        format!("{} ({about})", one.uri)
    };
    let mut lines: Vec<String> = all.iter().map(line).collect();
    if all.is_empty() {
        lines.push(match templates {
            [] => format!("{server} has nothing to be read"),
            _ => format!("{server} lists nothing that can be read as it is"),
        });
    }
    lines.extend(to_fill_in(templates));
    lines.join("\n")
}

/// In characters: of all of them together, and of what is said of one.
const MOST_OF_TEMPLATES: usize = 4000;
const MOST_OF_ONE: usize = 300;

/// Those that there is room for; half an address is none.
fn to_fill_in(templates: &[ResourceTemplate]) -> Vec<String> {
    let mut left = MOST_OF_TEMPLATES;
    let line = |one: &ResourceTemplate| {
        let name = one.title.as_ref().unwrap_or(&one.name);
        let about = match one.description.as_deref() {
            Some(said) if !said.is_empty() => format!("{name}: {said}"),
            Some(_) | None => name.clone(),
        };
        let about: String = about.chars().take(MOST_OF_ONE).collect();
        format!("{} ({about})", one.uri_template)
    };
    let has_room = |line: &String| {
        let room = left.checked_sub(line.chars().count());
        left = room.unwrap_or(left);
        room.is_some()
    };
    let mut lines: Vec<String> = templates.iter().map(line).filter(has_room).collect();
    let without = templates.len() - lines.len();
    if !lines.is_empty() {
        lines.insert(0, FILL_IN.to_owned());
    }
    if without > 0 {
        lines.push(format!("[{without} more with parts to fill in are left out]"));
    }
    lines
}

const FILL_IN: &str = "With parts to fill in, in the form of RFC 6570; the person is asked before what you make of one is read:";

#[cfg(test)]
mod tests {
    use super::*;

    fn template(uri: &str, description: &str) -> ResourceTemplate {
        ResourceTemplate {
            uri_template: uri.to_owned(),
            name: "page".to_owned(),
            title: None,
            description: Some(description.to_owned()),
            mime_type: None,
        }
    }

    #[test]
    fn what_can_be_filled_in_is_listed_as_far_as_there_is_room() {
        assert_eq!(list("notes", &[], &[]), "notes has nothing to be read");
        let long = "x".repeat(9000);
        let templates = [
            template("notes://{day}", ""),
            template(&format!("notes://{{{long}}}"), ""),
            template("notes://{day}/{page}", &long),
        ];
        let cut = "x".repeat(MOST_OF_ONE - "page: ".len());
        let expected = format!(
            "notes lists nothing that can be read as it is\n{FILL_IN}\nnotes://{{day}} (page)\nnotes://{{day}}/{{page}} (page: {cut})\n[1 more with parts to fill in are left out]"
        );
        assert_eq!(list("notes", &[], &templates), expected);
        let many = vec![template("notes://{day}", &long); 5000];
        let told = list("notes", &[], &many);
        assert!(told.chars().count() < MOST_OF_TEMPLATES + 400, "{}", told.len());
        assert!(told.ends_with("[4988 more with parts to fill in are left out]"), "{told}");
    }
}
