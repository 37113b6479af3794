//! All the tools there are, and the few that one agent is offered.

use crate::allowed::NO_TOOL;
use crate::arguments::Arguments;
use crate::{Allowed, Place, Tool};
use domain::{Need, NeedOf, ToolSpec};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// By name, so that every list of them is in the same order.
type Tools = BTreeMap<String, Arc<Known>>;

struct Known {
    tool: Arc<dyn Tool>,
    arguments: Arguments,
}

impl Known {
    fn needs(&self, place: &Place, allowed: &Allowed) -> Vec<Need> {
        let permits = allowed.permits(self.tool.spec())
            && (*allowed != Allowed::Usual || self.tool.is_usual());
        let mut needs = vec![Need::new(NeedOf::Allowed, permits)];
        needs.extend(self.tool.needs(place));
        needs
    }
}

/// Every tool of a workspace. Cheap to clone.
#[derive(Clone, Default)]
pub struct Registry {
    tools: Tools,
}

/// The tools that an agent has during one turn: what it is told about, and
/// what it can call. Cheap to clone.
#[derive(Clone, Default)]
pub struct Offer {
    tools: Tools,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    #[error("add tool {0:?}: a name has 1 to 64 letters, digits, `_` or `-`, and is not `none`")]
    Name(String),
    #[error("add tool {0}: there already is one of this name")]
    Twice(String),
    #[error("add tool {name}: {problem}")]
    Schema { name: String, problem: String },
}

impl Registry {
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Result<Self, RegistryError> {
        let mut registry = Registry::default();
        for tool in tools {
            registry.add(tool)?;
        }
        Ok(registry)
    }

    fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), RegistryError> {
        let ToolSpec { name, input, .. } = tool.spec();
        if !is_name(name) {
            return Err(RegistryError::Name(name.clone()));
        }
        if self.tools.contains_key(name) {
            return Err(RegistryError::Twice(name.clone()));
        }
        let arguments = Arguments::new(input)
            .map_err(|problem| RegistryError::Schema { name: name.clone(), problem })?;
        self.tools.insert(name.clone(), Arc::new(Known { tool, arguments }));
        Ok(())
    }

    /// These and more. Of two that are called the same the one that is here stays,
    /// and what cannot be checked is left out.
    pub fn with(&self, more: Vec<Arc<dyn Tool>>) -> Registry {
        let mut registry = self.clone();
        for tool in more {
            let _ = registry.add(tool);
        }
        registry
    }

    /// In order of their names.
    pub fn specs(&self) -> Vec<ToolSpec> {
        specs(&self.tools)
    }

    pub fn spec(&self, name: &str) -> Option<ToolSpec> {
        self.tools.get(name).map(|known| known.tool.spec().clone())
    }

    /// What an agent that is allowed so much has in such a place.
    pub fn offer(&self, place: &Place, allowed: &Allowed) -> Offer {
        let offered = self
            .tools
            .iter()
            .filter(|(_, known)| known.needs(place, allowed).iter().all(|need| need.met));
        Offer { tools: offered.map(|(name, known)| (name.clone(), Arc::clone(known))).collect() }
    }

    /// What a tool needs for an agent that is allowed so much to be offered it; `None`
    /// where there is no such tool.
    pub fn needs(&self, name: &str, place: &Place, allowed: &Allowed) -> Option<Vec<Need>> {
        Some(self.tools.get(name)?.needs(place, allowed))
    }
}

impl Offer {
    /// The tools of both.
    #[must_use]
    pub fn and(mut self, other: Offer) -> Offer {
        self.tools.extend(other.tools);
        self
    }

    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// In order of their names.
    pub fn specs(&self) -> Vec<ToolSpec> {
        specs(&self.tools)
    }

    /// The tool that a model wants to call, if it may and the arguments are
    /// right; else what to tell the model.
    pub fn check(&self, name: &str, arguments: &Value) -> Result<Arc<dyn Tool>, String> {
        let known = self.tools.get(name).ok_or_else(|| self.no_such_tool(name))?;
        known.arguments.check(name, arguments)?;
        Ok(Arc::clone(&known.tool))
    }

    fn no_such_tool(&self, name: &str) -> String {
        let shown: String = name.chars().take(MOST_IN_NAME).collect();
        if self.tools.is_empty() {
            return format!("there is no tool `{shown}`; you have no tools here");
        }
        let names: Vec<&str> = self.tools.keys().map(String::as_str).collect();
        format!("there is no tool `{shown}`; your tools are: {}", names.join(", "))
    }
}

fn specs(tools: &Tools) -> Vec<ToolSpec> {
    tools.values().map(|known| known.tool.spec().clone()).collect()
}

const MOST_IN_NAME: usize = 64;

/// What every provider takes as the name of a tool.
fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=MOST_IN_NAME).contains(&name.len()) && name.bytes().all(fits) && name != NO_TOOL
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CallContext, Returned, built_in};
    use async_trait::async_trait;
    use domain::{Effects, Risk};
    use serde_json::json;

    struct Named(ToolSpec);

    #[async_trait]
    impl Tool for Named {
        fn spec(&self) -> &ToolSpec {
            &self.0
        }

        async fn call(&self, _: Value, _: &CallContext) -> Returned {
            Returned::ok("done")
        }
    }

    fn tool(name: &str, risk: Risk, input: Value) -> Arc<dyn Tool> {
        let description = "A tool.".to_owned();
        Arc::new(Named(ToolSpec {
            name: name.into(),
            description,
            input,
            effects: Effects::Once,
            risk,
        }))
    }

    fn named(name: &str) -> Arc<dyn Tool> {
        tool(name, Risk::Low, json!({"type": "object"}))
    }

    fn names(specs: &[ToolSpec]) -> Vec<&str> {
        specs.iter().map(|spec| spec.name.as_str()).collect()
    }

    #[test]
    fn what_no_provider_would_take_is_refused() {
        let check = |tools: Vec<Arc<dyn Tool>>, expected: &str| {
            let error = Registry::new(tools).err().expect("refused");
            assert_eq!(error.to_string(), expected);
        };
        let rule = "a name has 1 to 64 letters, digits, `_` or `-`, and is not `none`";
        for name in ["", "read file", "读", "a.b", "none", &"x".repeat(65)] {
            check(vec![named(name)], &format!("add tool {name:?}: {rule}"));
        }
        check(
            vec![named("a"), named("b"), named("a")],
            "add tool a: there already is one of this name",
        );
        check(
            vec![tool("a", Risk::Low, json!({"type": "array"}))],
            "add tool a: its input is not the schema of an object",
        );
        assert!(Registry::new(vec![named("a-B_9"), named(&"x".repeat(64))]).is_ok());
    }

    #[test]
    fn an_agent_is_offered_what_it_may_use_where_it_is_in_order() {
        let mut tools = built_in();
        tools.push(tool("shell", Risk::High, json!({"type": "object"})));
        tools.push(named("about"));
        let registry = Registry::new(tools).expect("good tools");
        let nowhere = Place::default();
        let somewhere = Place { roots: vec!["/data".into()], ..Place::default() };
        let offered = |place, allowed| names(&registry.offer(place, &allowed).specs()).join(" ");
        assert_eq!(offered(&nowhere, Allowed::Usual), "about calculator");
        assert_eq!(
            offered(&somewhere, Allowed::Usual),
            "about calculator find_files list_folder read_file search_files"
        );
        assert_eq!(
            offered(&somewhere, Allowed::Everything),
            "about calculator edit_file fetch find_files list_folder read_file search_files shell write_file"
        );
        let listed = Allowed::from_list(&["shell".into(), "read_file".into(), "gone".into()]);
        assert_eq!(offered(&nowhere, listed), "shell");
        assert_eq!(
            names(&registry.specs()),
            [
                "about",
                "calculator",
                "edit_file",
                "fetch",
                "find_files",
                "list_folder",
                "read_file",
                "search_files",
                "shell",
                "write_file",
            ]
        );
    }

    #[test]
    fn only_what_was_offered_can_be_called() {
        let registry = Registry::new(vec![
            tool("shell", Risk::High, json!({"type": "object"})),
            tool("send", Risk::Low, json!({"type": "object", "required": ["to"]})),
            named("about"),
        ]);
        let registry = registry.expect("good tools");
        let offer = registry.offer(&Place::default(), &Allowed::Usual);
        let check = |name: &str, arguments: Value, expected: Result<&str, &str>| {
            let checked = offer.check(name, &arguments);
            let found =
                checked.as_ref().map(|tool| tool.spec().name.as_str()).map_err(String::as_str);
            assert_eq!(found, expected, "{name} {arguments}");
        };
        check("about", json!({}), Ok("about"));
        check("send", json!({"to": "Bo"}), Ok("send"));
        check(
            "send",
            json!({}),
            Err("`send` was not called, its arguments are wrong:\n- `to` is missing"),
        );
        check("shell", json!({}), Err("there is no tool `shell`; your tools are: about, send"));
        check("About", json!({}), Err("there is no tool `About`; your tools are: about, send"));
        let long = "工".repeat(100);
        let shown = format!("there is no tool `{}`; your tools are: about, send", "工".repeat(64));
        check(&long, json!({}), Err(&shown));
        let nothing = Offer::default();
        assert!(nothing.is_empty());
        assert_eq!(
            nothing.check("about", &json!({})).err().as_deref(),
            Some("there is no tool `about`; you have no tools here")
        );
    }
}
