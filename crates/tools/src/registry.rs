//! All the tools there are, and the few that one agent is offered.

use crate::allowed::NO_TOOL;
use crate::arguments::Arguments;
use crate::{Allowed, Place, Tool};
use domain::{Need, NeedOf, ToolSpec, ToolSpecs};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

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
    told: Arc<Told>,
}

/// The tools that an agent has during one turn: what it is told about, and
/// what it can call. Cheap to clone.
#[derive(Clone, Default)]
pub struct Offer {
    tools: Tools,
    told: Arc<Told>,
}

/// What models are told of the tools of one registry, by the names of those they are
/// told of: the same few in turn after turn.
#[derive(Default)]
struct Told(Mutex<HashMap<String, ToolSpecs>>);

/// More than this many are not kept: children are each given tools of their own choice.
const MOST_TOLD: usize = 64;

impl Told {
    fn of(&self, tools: &Tools) -> ToolSpecs {
        let names = tools.keys().map(String::as_str).collect::<Vec<_>>().join(" ");
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(specs) = told.get(&names) {
            return specs.clone();
        }
        if told.len() == MOST_TOLD {
            told.clear();
        }
        let all: Vec<_> = tools.values().map(|known| known.tool.spec().clone()).collect();
        told.entry(names).or_insert(all.into()).clone()
    }
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
        // The same name may mean another tool where this is a copy.
        self.told = Arc::default();
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
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.values().map(|known| known.tool.spec())
    }

    pub fn spec(&self, name: &str) -> Option<&ToolSpec> {
        self.tools.get(name).map(|known| known.tool.spec())
    }

    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name).map(|known| &known.tool)
    }

    /// What an agent that is allowed so much has in such a place.
    pub fn offer(&self, place: &Place, allowed: &Allowed) -> Offer {
        let offered = self
            .tools
            .iter()
            .filter(|(_, known)| known.needs(place, allowed).iter().all(|need| need.met));
        let tools = offered.map(|(name, known)| (name.clone(), Arc::clone(known))).collect();
        Offer { tools, told: self.told.clone() }
    }

    /// What a tool needs for an agent that is allowed so much to be offered it; `None`
    /// where there is no such tool.
    pub fn needs(&self, name: &str, place: &Place, allowed: &Allowed) -> Option<Vec<Need>> {
        Some(self.tools.get(name)?.needs(place, allowed))
    }
}

impl Offer {
    /// The tools of both, of the same registry.
    #[must_use]
    pub fn and(mut self, other: Offer) -> Offer {
        self.tools.extend(other.tools);
        self
    }

    /// All but these.
    #[must_use]
    pub fn without(mut self, names: &BTreeSet<String>) -> Offer {
        self.tools.retain(|name, _| !names.contains(name));
        self
    }

    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub fn len(&self) -> usize {
        self.tools.len()
    }

    pub fn has(&self, name: &str) -> bool {
        self.tools.contains_key(name)
    }

    /// In order.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.tools.keys().map(String::as_str)
    }

    /// In order of their names.
    pub fn specs(&self) -> ToolSpecs {
        self.told.of(&self.tools)
    }

    /// The tool that a model wants to call, if it may and the arguments are
    /// right; else what to tell the model.
    pub fn check(&self, name: &str, arguments: &Value) -> Result<Arc<dyn Tool>, String> {
        let known = self.tools.get(name).ok_or_else(|| self.no_such_tool(name))?;
        known.arguments.check(name, &known.tool.spec().input, arguments)?;
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
        let offered =
            |place, allowed| registry.offer(place, &allowed).names().collect::<Vec<_>>().join(" ");
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
            registry.specs().map(|spec| spec.name.as_str()).collect::<Vec<_>>(),
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
    fn what_models_are_told_is_made_once_for_the_same_tools_and_anew_for_others() {
        let registry = Registry::new(vec![named("a"), named("b")]).expect("good tools");
        let told = |registry: &Registry, names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            registry.offer(&Place::default(), &Allowed::from_list(&names)).specs()
        };
        let is_same =
            |one: &ToolSpecs, other: &ToolSpecs| std::ptr::eq(one.as_ptr(), other.as_ptr());
        let both = told(&registry, &["a", "b"]);
        assert!(is_same(&both, &told(&registry, &["b", "a"])));
        assert_eq!(told(&registry, &["a"]).len(), 1);
        // Another tool of the same name, as a server may bring after it has changed.
        let (one, other) = (json!({"type": "object"}), json!({"type": "object", "title": "c"}));
        let more = registry.with(vec![tool("c", Risk::Low, one)]);
        let changed = registry.with(vec![tool("c", Risk::Low, other.clone())]);
        assert_ne!(told(&more, &["a", "c"]), told(&changed, &["a", "c"]));
        assert_eq!(told(&changed, &["a", "c"])[1].input, other);
        let many: Vec<String> = (0..=MOST_TOLD).map(|nth| format!("t{nth}")).collect();
        let registry = registry.with(many.iter().map(|name| named(name)).collect());
        assert!(many.iter().all(|name| told(&registry, &[name])[0].name == *name));
        assert!(registry.told.0.lock().unwrap().len() <= MOST_TOLD);
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
