//! The prompts' templates, rendered.
//!
//! They hold no clock and nothing that changes from turn to turn, so that a
//! provider's prompt cache keeps hitting.

use crate::souls::SoulInForce;
use domain::{Fault, FaultCode, Group, GroupKind};
use minijinja::{Environment, UndefinedBehavior, Value, context};
use serde::Serialize;

pub(crate) struct Prompts {
    templates: Environment<'static>,
}

/// Somebody else in the group, as the prompt names them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Other {
    pub name: String,
    pub role: String,
}

impl Prompts {
    pub(crate) fn new() -> Result<Self, Fault> {
        let mut templates = Environment::new();
        templates.set_undefined_behavior(UndefinedBehavior::Strict);
        let bundled = [
            ("base", include_str!("prompts/base.md")),
            ("group", include_str!("prompts/group.md")),
            ("direct", include_str!("prompts/direct.md")),
        ];
        for (name, text) in bundled {
            templates.add_template(name, text).map_err(|error| unusable(name, &error))?;
        }
        Ok(Prompts { templates })
    }

    /// Base identity, the soul, and where the agent is.
    ///
    /// A demo model loses itself in long prompts, so it is told only how the
    /// soul begins; whoever looks at the prompt sees exactly that.
    pub(crate) fn system(
        &self,
        name: &str,
        soul: &SoulInForce,
        group: &Group,
        others: &[Other],
        for_demo_model: bool,
    ) -> Result<String, Fault> {
        let base = self.render("base", context! { name })?;
        let members = Value::from(minijinja::value::Serde(others));
        let place = match group.kind {
            GroupKind::Direct | GroupKind::Task => {
                self.render("direct", context! { name, members })?
            }
            GroupKind::Group => {
                self.render("group", context! { name, group => group.name.as_str(), members })?
            }
        };
        let persona = soul.persona.trim();
        if for_demo_model {
            let first = persona
                .split("\n\n")
                .find(|part| !part.trim_start().starts_with('#'))
                .unwrap_or(persona);
            return Ok(format!("{} You answer in a few short sentences.", first.trim()));
        }
        Ok(format!("{}\n\n{persona}\n\n{}\n", base.trim(), place.trim()))
    }

    fn render(&self, name: &str, values: Value) -> Result<String, Fault> {
        let template = self.templates.get_template(name).map_err(|error| unusable(name, &error))?;
        template.render(values).map_err(|error| unusable(name, &error))
    }
}

fn unusable(name: &str, error: &minijinja::Error) -> Fault {
    Fault::new(FaultCode::Internal, format!("the prompt {name} cannot be used: {error:#}"), "")
}
