//! What holds for an agent's turn: its own setting, else the soul's, else the
//! workspace's, else the default.

use super::front::{Front, Plan};
use domain::{ModelChoice, Settings};

#[derive(Debug, Clone, PartialEq)]
pub struct Effective {
    /// `provider/model`; `None` while no model serves the role that is asked for.
    pub model: Option<String>,
    pub temperature: f32,
    pub max_tokens: u32,
    /// From 0 to 100.
    pub talkativeness: u8,
    pub plan: Plan,
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
        plan: front.plan.unwrap_or(Plan::Auto),
        response_cache: front.response_cache.unwrap_or(false),
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
            plan: Plan::Auto,
            response_cache: false,
        };
        assert_eq!(quiet, expected);
        let front = Front {
            temperature: Some(0.0),
            max_tokens: Some(10),
            talkativeness: Some(0),
            plan: Some(Plan::Never),
            response_cache: Some(true),
            ..Front::of("ada")
        };
        let spoken = effective(None, &front, &Settings::default());
        let expected = Effective {
            model: None,
            temperature: 0.0,
            max_tokens: 10,
            talkativeness: 0,
            plan: Plan::Never,
            response_cache: true,
        };
        assert_eq!(spoken, expected);
    }
}
