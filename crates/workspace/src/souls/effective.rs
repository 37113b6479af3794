//! What holds for an agent's turn: its own setting, else the soul's, else the
//! workspace's, else the default.

use super::front::Front;
use domain::{ModelChoice, RunLimits, Settings};
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq)]
pub struct Effective {
    /// `provider/model`; `None` while no model serves the role that is asked for.
    pub model: Option<String>,
    pub temperature: f32,
    pub max_tokens: u32,
    /// From 0 to 100.
    pub talkativeness: u8,
    pub limits: RunLimits,
    pub response_cache: bool,
}

pub fn effective(agent_model: Option<&str>, front: &Front, settings: &Settings) -> Effective {
    let asked = agent_model.map(str::trim).filter(|model| !model.is_empty());
    let asked = asked.or(front.model.as_deref()).unwrap_or("default");
    Effective {
        model: resolve(asked, &settings.models),
        temperature: front.temperature.unwrap_or(0.7),
        max_tokens: front.max_tokens.unwrap_or(4096),
        talkativeness: front.talkativeness.unwrap_or(50),
        limits: limits(front),
        response_cache: front.response_cache.unwrap_or(false),
    }
}

/// What the soul's `policy` says of one run; the defaults for the rest.
fn limits(front: &Front) -> RunLimits {
    let usual = RunLimits::default();
    let policy = front.policy.as_ref();
    let number = |key| policy.and_then(|policy: &Map<String, Value>| policy.get(key)?.as_u64());
    let count =
        |key, usual| number(key).map_or(usual, |count| u32::try_from(count).unwrap_or(u32::MAX));
    let together = policy.and_then(|policy| policy.get("parallel_tools")?.as_bool());
    RunLimits {
        max_iterations: count("max_iterations", usual.max_iterations).max(1),
        max_replan_attempts: count("max_replan_attempts", usual.max_replan_attempts),
        parallel_tools: together.unwrap_or(usual.parallel_tools),
        plan: front.plan.unwrap_or(usual.plan),
    }
}

/// The model that serves a role; whoever has no fast or reasoning model uses
/// the default one for it.
fn resolve(asked: &str, models: &ModelChoice) -> Option<String> {
    match asked {
        "default" => models.default.clone(),
        "fast" => models.fast.clone().or_else(|| models.default.clone()),
        "reasoning" => models.reasoning.clone().or_else(|| models.default.clone()),
        model => Some(model.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::PlanMode;

    fn settings(fast: Option<&str>) -> Settings {
        let models = ModelChoice {
            default: Some("local/starter".into()),
            fast: fast.map(Into::into),
            reasoning: Some("ollama/big".into()),
        };
        Settings { models, ..Settings::default() }
    }

    #[test]
    fn the_agent_outranks_the_soul_and_the_soul_the_workspace() {
        let check = |agent: Option<&str>,
                     soul: Option<&str>,
                     fast: Option<&str>,
                     expected: &str| {
            let front = Front { model: soul.map(Into::into), ..Front::of("ada") };
            assert_eq!(effective(agent, &front, &settings(fast)).model.as_deref(), Some(expected));
        };
        check(None, None, None, "local/starter");
        check(None, Some("default"), None, "local/starter");
        check(None, Some("reasoning"), None, "ollama/big");
        check(None, Some("fast"), None, "local/starter");
        check(None, Some("fast"), Some("ollama/small"), "ollama/small");
        check(None, Some("lab/meta/llama"), None, "lab/meta/llama");
        check(Some("lab/x"), Some("reasoning"), None, "lab/x");
        check(Some("reasoning"), Some("lab/x"), None, "ollama/big");
        check(Some(" "), Some("lab/x"), None, "lab/x");
    }

    #[test]
    fn without_a_default_model_there_is_none() {
        let settings = Settings::default();
        for model in ["default", "fast", "reasoning"] {
            assert_eq!(effective(Some(model), &Front::of("ada"), &settings).model, None);
        }
    }

    #[test]
    fn a_soul_that_says_nothing_gets_the_defaults() {
        let quiet = effective(None, &Front::of("ada"), &Settings::default());
        let expected = Effective {
            model: None,
            temperature: 0.7,
            max_tokens: 4096,
            talkativeness: 50,
            limits: RunLimits::default(),
            response_cache: false,
        };
        assert_eq!(quiet, expected);
        let front = Front {
            temperature: Some(0.0),
            max_tokens: Some(10),
            talkativeness: Some(0),
            plan: Some(PlanMode::Never),
            response_cache: Some(true),
            ..Front::of("ada")
        };
        let spoken = effective(None, &front, &Settings::default());
        let expected = Effective {
            model: None,
            temperature: 0.0,
            max_tokens: 10,
            talkativeness: 0,
            limits: RunLimits { plan: PlanMode::Never, ..RunLimits::default() },
            response_cache: true,
        };
        assert_eq!(spoken, expected);
    }
}
