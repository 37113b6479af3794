//! Which tools an agent may use, as its soul lists them.

use domain::{Risk, ToolSpec};
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Allowed {
    /// Nothing was said: the usual tools of low risk.
    #[default]
    Usual,
    Everything,
    /// These and no others; names that no tool has do no harm.
    Listed(BTreeSet<String>),
}

impl Allowed {
    /// Takes a soul's list: exact names; `*` stands for all tools, `none` for
    /// no tool, and an empty list for those of low risk.
    pub fn from_list(list: &[String]) -> Self {
        let names: BTreeSet<&str> = list.iter().map(|name| name.trim()).collect();
        if names.is_empty() {
            return Allowed::Usual;
        }
        if names.contains("*") {
            return Allowed::Everything;
        }
        Allowed::Listed(
            names.into_iter().filter(|name| *name != NO_TOOL).map(str::to_owned).collect(),
        )
    }

    pub fn permits(&self, spec: &ToolSpec) -> bool {
        match self {
            Allowed::Usual => spec.risk == Risk::Low,
            Allowed::Everything => true,
            Allowed::Listed(names) => names.contains(&spec.name),
        }
    }
}

/// Stands in a list for no tool, so no tool is called that.
pub(crate) const NO_TOOL: &str = "none";

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Effects;
    use serde_json::json;

    #[test]
    fn a_souls_list_says_what_it_may_use() {
        let check = |list: &[&str], expected: &[&str]| {
            let allowed =
                Allowed::from_list(&list.iter().map(ToString::to_string).collect::<Vec<_>>());
            let tools = [("look", Risk::Low), ("count", Risk::Low), ("shell", Risk::High)];
            let permitted: Vec<&str> = tools
                .into_iter()
                .filter(|(name, risk)| {
                    allowed.permits(&ToolSpec {
                        name: (*name).into(),
                        description: String::new(),
                        input: json!({"type": "object"}),
                        effects: Effects::None,
                        risk: *risk,
                    })
                })
                .map(|(name, _)| name)
                .collect();
            assert_eq!(permitted, expected, "{list:?}");
        };
        check(&[], &["look", "count"]);
        check(&["*"], &["look", "count", "shell"]);
        check(&["look", "*"], &["look", "count", "shell"]);
        check(&["shell"], &["shell"]);
        check(&[" look ", "shell"], &["look", "shell"]);
        check(&["Look", "loo", "no_such_tool"], &[]);
        check(&["none"], &[]);
        check(&["none", "look"], &["look"]);
    }
}
