//! What exactly is asked about: a use of a tool, as a hash and as patterns fit
//! it.

use super::named::{Named, ways};
use crate::acts::READ_RESOURCE;
use crate::servers;
use domain::{Approval, BlockedUse, Covers, Grant, Risk, ToolSpec};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::OnceLock;
use tools::{Place, Registry, Stakes, Tool, fits, fits_all_of};

/// A use of a tool with all that a person decides by.
#[derive(Debug, Clone)]
pub(crate) struct Use {
    pub(crate) tool: String,
    /// A hash of what the tool is and takes; nothing where nobody is asked.
    pub(crate) schema: String,
    pub(crate) arguments: Value,
    pub(crate) stakes: Stakes,
    /// A hash of the text that it changes.
    touched: Option<String>,
    /// Seconds that a question about it waits, where its agent has a say in that.
    pub(super) timeout: Option<u32>,
    /// What its arguments may name, once that is asked for.
    named: OnceLock<Named>,
}

impl Use {
    pub(crate) fn new(tool: &dyn Tool, arguments: Value, mut stakes: Stakes) -> Self {
        let schema = match stakes.risk {
            Risk::High => schema(tool),
            Risk::Low => String::new(),
        };
        // Nobody could tell a `*` of its name from one that stands for any signs.
        stakes.like.take_if(|_| stakes.target.as_ref().is_some_and(|target| target.contains('*')));
        let (tool, named) = (tool.spec().name.clone(), OnceLock::new());
        Use { tool, schema, arguments, stakes, touched: None, timeout: None, named }
    }

    /// The same, of a text that stands so now.
    pub(crate) fn touching(self, text: Option<&str>) -> Self {
        let touched = text.map(|text| hash(&serde_json::json!(text)));
        Use { touched, ..self }
    }

    /// The same, asked about for so many seconds.
    pub(crate) fn waiting(self, timeout: Option<u32>) -> Self {
        Use { timeout, ..self }
    }

    /// What was asked about, if it was asked of the tool of this schema.
    pub(crate) fn as_asked(asked: &Approval, schema: &str) -> Option<Self> {
        let wanted = Use {
            tool: asked.tool.clone(),
            schema: schema.to_owned(),
            arguments: asked.arguments.clone(),
            stakes: Stakes { target: asked.target.clone(), ..Stakes::default() },
            touched: None,
            timeout: None,
            named: OnceLock::new(),
        };
        // What it would have changed, only the question knows.
        let before_mark = asked.binding.split(TOUCHED).next();
        (before_mark == Some(wanted.binding().as_str())).then_some(wanted)
    }

    /// What was asked about, as what never happens is compared with it.
    pub(crate) fn that_waits(asked: &Approval, tools: &Registry) -> Self {
        // A program's text is the same wherever it runs.
        let here = Place::default();
        let stakes = tools.get(&asked.tool).map(|tool| tool.stakes(&asked.arguments, &here));
        let texts = stakes.and_then(Result::ok).map(|stakes| stakes.texts).unwrap_or_default();
        Use {
            tool: asked.tool.clone(),
            schema: String::new(),
            arguments: asked.arguments.clone(),
            stakes: Stakes { target: asked.target.clone(), texts, ..Stakes::default() },
            touched: None,
            timeout: None,
            named: OnceLock::new(),
        }
    }

    pub(crate) fn is_risky(&self) -> bool {
        self.stakes.risk == Risk::High
    }

    /// One letter more anywhere, and it is another; also in the text that it changes, which a
    /// person may write in while they are asked.
    pub(crate) fn binding(&self) -> String {
        let Use { tool, schema, arguments, stakes, .. } = self;
        let own = hash(&serde_json::json!([tool, schema, arguments, stakes.target]));
        match &self.touched {
            Some(touched) => format!("{own}{TOUCHED}{touched}"),
            None => own,
        }
    }

    /// Whether a standing permission is for this.
    pub(crate) fn is_covered_by(&self, grant: &Grant) -> bool {
        grant.tool == self.tool
            && grant.schema == self.schema
            && match &grant.covers {
                Covers::Arguments { arguments } => *arguments == self.arguments,
                Covers::Same { target } => self.stakes.target.as_ref() == Some(target),
                Covers::Target { pattern } => {
                    self.stakes.target.as_ref().is_some_and(|target| fits(pattern, target))
                }
                Covers::AnyUse => true,
            }
    }

    /// Whether the person said that this never happens.
    pub(crate) fn is_blocked_by(&self, blocked: &BlockedUse) -> bool {
        fits(&blocked.tool, &self.tool)
            && ways(&blocked.pattern).iter().any(|pattern| self.is_for(pattern))
    }

    fn is_for(&self, pattern: &str) -> bool {
        let Stakes { target, given, texts, .. } = &self.stakes;
        let is_named = target.is_some() && texts.is_empty();
        let arguments = (!is_named).then(|| canonical(&self.arguments));
        let mut said = texts.iter().chain(&arguments);
        target.iter().chain(given).any(|target| fits_all_of(pattern, target))
            || said.any(|text| fits(pattern, text))
            || (self.goes_to_a_server() && self.named().fits(pattern))
    }

    /// What it touches there, only the server knows.
    fn goes_to_a_server(&self) -> bool {
        servers::is_theirs(&self.tool) || self.tool == READ_RESOURCE
    }

    fn named(&self) -> &Named {
        self.named.get_or_init(|| Named::of(&self.arguments))
    }
}

/// Before the hash of what is touched.
const TOUCHED: char = '/';

/// A hash of what a tool is and takes, and of whose it is.
pub(crate) fn schema(tool: &dyn Tool) -> String {
    let ToolSpec { name, description, input, effects, .. } = tool.spec();
    match tool.made_by() {
        "" => hash(&serde_json::json!([name, description, input, effects])),
        maker => hash(&serde_json::json!([name, description, input, effects, maker])),
    }
}

/// The same value is the same text, in whatever order its fields came.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            let field = |(name, value)| format!("{}:{}", Value::from(name), canonical(value));
            let fields = fields.into_iter().map(|(name, value)| field((name.as_str(), value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

fn hash(value: &Value) -> String {
    let digest = Sha256::digest(canonical(value).as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use domain::Effects;
    use serde_json::json;
    use tools::{CallContext, Returned};

    /// A tool of somebody, which runs what it writes.
    struct Writes(ToolSpec, &'static str);

    #[async_trait]
    impl Tool for Writes {
        fn spec(&self) -> &ToolSpec {
            &self.0
        }

        fn made_by(&self) -> &str {
            self.1
        }

        fn stakes(&self, arguments: &Value, _: &Place) -> Result<Stakes, String> {
            let texts = arguments["code"].as_str().into_iter().map(str::to_owned).collect();
            Ok(Stakes { texts, ..Stakes::default() })
        }

        async fn call(&self, _: Value, _: &CallContext) -> Returned {
            Returned::ok("written")
        }
    }

    fn writes(maker: &'static str) -> Writes {
        let spec = ToolSpec {
            name: "write".into(),
            description: "Writes.".into(),
            input: json!({"type": "object"}),
            effects: Effects::Once,
            risk: Risk::High,
        };
        Writes(spec, maker)
    }

    fn uses_of(maker: &'static str, arguments: Value, target: Option<&str>) -> Use {
        let target = target.map(str::to_owned);
        Use::new(&writes(maker), arguments, Stakes { target, ..Stakes::default() })
    }

    fn uses(arguments: Value, target: Option<&str>) -> Use {
        uses_of("", arguments, target)
    }

    #[test]
    fn the_same_tool_of_somebody_else_is_another_one() {
        let [one, again, other] = ["https://a/mcp", "https://a/mcp", "https://b/mcp"]
            .map(|maker| uses_of(maker, json!({}), None));
        assert_eq!(one.binding(), again.binding());
        assert_ne!(one.binding(), other.binding());
        assert_ne!(one.schema, other.schema);
    }

    #[test]
    fn what_waits_is_compared_with_what_never_happens_as_what_begins_is() {
        let tools = Registry::new(vec![std::sync::Arc::new(writes(""))]).expect("one tool");
        let nobody = uuid::Uuid::nil();
        let asked = Approval {
            call: domain::CallId(nobody),
            run: domain::RunId(nobody),
            agent: domain::AgentId(nobody),
            group: domain::GroupId(nobody),
            tool: "write".into(),
            arguments: json!({"code": "rm -rf /"}),
            target: Some("/a".into()),
            like: None,
            binding: String::new(),
            state: domain::ApprovalState::Waiting,
            asked_ms: 0,
            expires_ms: 0,
            answered_ms: None,
        };
        let waits = Use::that_waits(&asked, &tools);
        for (pattern, expected) in [("rm *", true), ("/a", true), ("rm", false), ("/b", false)] {
            let blocked = BlockedUse { tool: "write".into(), pattern: pattern.into(), group: None };
            assert_eq!(waits.is_blocked_by(&blocked), expected, "{pattern}");
        }
    }

    // Seen in UKGovernmentBEIS/inspect_ai#4944, microsoft/agent-framework#6487.
    #[test]
    fn one_letter_more_is_another_use() {
        let one = uses(json!({"path": "a", "n": 1}), Some("/a"));
        let same = uses(json!({"n": 1, "path": "a"}), Some("/a"));
        assert_eq!(one.binding(), same.binding());
        let other_tool = Use { tool: "edit".into(), ..one.clone() };
        let other_schema = Use { schema: "x".into(), ..one.clone() };
        for other in [
            uses(json!({"path": "a", "n": 2}), Some("/a")),
            uses(json!({"path": "a"}), Some("/a")),
            uses(json!({"path": "a", "n": "1"}), Some("/a")),
            uses(json!({"path": "a", "n": 1}), Some("/b")),
            uses(json!({"path": "a", "n": 1}), None),
            uses(json!({}), None),
            other_tool,
            other_schema,
        ] {
            assert_ne!(one.binding(), other.binding(), "{other:?}");
        }
    }

    #[test]
    fn a_permission_without_arguments_is_not_one_for_any() {
        let grant = |covers: Covers| Grant {
            id: domain::GrantId(uuid::Uuid::nil()),
            agent: domain::AgentId(uuid::Uuid::nil()),
            group: domain::GroupId(uuid::Uuid::nil()),
            soul: None,
            tool: "write".into(),
            covers,
            always: true,
            schema: uses(json!({}), None).schema,
            at_ms: 0,
            used_ms: None,
            uses: 0,
        };
        let nothing = grant(Covers::Arguments { arguments: json!({}) });
        assert!(uses(json!({}), None).is_covered_by(&nothing));
        assert!(!uses(json!({"path": "a"}), Some("/a")).is_covered_by(&nothing));
        let file = grant(Covers::Same { target: "/a/*".into() });
        assert!(uses(json!({}), Some("/a/*")).is_covered_by(&file));
        assert!(!uses(json!({}), Some("/a/b")).is_covered_by(&file));
        assert!(!uses(json!({}), None).is_covered_by(&file));
        let folder = grant(Covers::Target { pattern: "/a/*".into() });
        assert!(uses(json!({}), Some("/a/b")).is_covered_by(&folder));
        assert!(!uses(json!({}), Some("/b/a")).is_covered_by(&folder));
        assert!(!uses(json!({}), None).is_covered_by(&folder));
        assert!(uses(json!({"x": 1}), None).is_covered_by(&grant(Covers::AnyUse)));
        let mut changed = grant(Covers::AnyUse);
        changed.schema = "another".into();
        assert!(!uses(json!({}), None).is_covered_by(&changed));
    }
}
