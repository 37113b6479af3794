//! What holds for an agent's turn: its own setting, else the soul's, else the
//! workspace's, else the default.

use super::front::Front;
use super::policy::Policy;
use domain::{ModelChoice, ResponseCache, RunLimits, Settings};

#[derive(Debug, Clone, PartialEq)]
pub struct Effective {
    /// `provider/model`; `None` while no model serves the role that is asked for.
    pub model: Option<String>,
    /// Who plans and decides who speaks, and who makes notes, where those are
    /// others.
    pub reasoning: Option<String>,
    pub fast: Option<String>,
    pub fallback: Option<Fallback>,
    pub temperature: f32,
    pub max_tokens: u32,
    /// From 0 to 100.
    pub talkativeness: u8,
    pub limits: RunLimits,
    pub cache: CacheUse,
}

/// Who goes on in the place of a model that fails for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallback {
    pub model: String,
    /// Also where that means that words leave this machine.
    pub anywhere: bool,
}

/// For which questions an answer that was given before will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheUse {
    Never,
    /// Those that ask for the likeliest answer.
    Likeliest,
    /// Those too whose answer chance has a part in.
    Always,
}

pub fn effective(agent_model: Option<&str>, front: &Front, settings: &Settings) -> Effective {
    let asked = agent_model.map(str::trim).filter(|model| !model.is_empty());
    let asked = asked.or(front.model.as_deref()).unwrap_or(DEFAULT);
    let models = &settings.models;
    // Whoever is given one model by name says and thinks everything with it,
    // unless its soul names others.
    let keeps_to_it = asked.contains('/');
    let role = |own: &Option<String>, workspace: &Option<String>| match own {
        Some(own) => resolve(own, models),
        None if keeps_to_it => None,
        None => workspace.clone(),
    };
    Effective {
        model: resolve(asked, models),
        reasoning: role(&front.reasoning, &models.reasoning),
        fast: role(&front.fast, &models.fast),
        fallback: fallback(front, models, keeps_to_it),
        temperature: front.temperature.unwrap_or(0.7),
        max_tokens: front.max_tokens.unwrap_or(4096),
        talkativeness: front.talkativeness.unwrap_or(50),
        limits: limits(front),
        cache: cache(front, settings.response_cache),
    }
}

const DEFAULT: &str = "default";
/// In a soul: no other model, whatever the workspace has.
pub(super) const NO_MODEL: &str = "none";

fn fallback(front: &Front, models: &ModelChoice, keeps_to_it: bool) -> Option<Fallback> {
    match front.fallback.as_deref() {
        Some(NO_MODEL) => None,
        Some(own) => Some(Fallback { model: resolve(own, models)?, anywhere: true }),
        None => Some(Fallback { model: models.fallback.clone()?, anywhere: !keeps_to_it }),
    }
}

fn cache(front: &Front, settings: ResponseCache) -> CacheUse {
    match (front.response_cache, settings) {
        (Some(true), _) => CacheUse::Always,
        (Some(false), _) | (None, ResponseCache { on: false, .. }) => CacheUse::Never,
        (None, ResponseCache { sampled: true, .. }) => CacheUse::Always,
        (None, ResponseCache { sampled: false, .. }) => CacheUse::Likeliest,
    }
}

/// What the soul's `policy` says of one run; the defaults for the rest.
fn limits(front: &Front) -> RunLimits {
    let (usual, policy) = (RunLimits::default(), Policy::of(front.policy.as_ref()));
    RunLimits {
        max_iterations: policy.max_iterations.unwrap_or(usual.max_iterations).max(1),
        max_replan_attempts: policy.max_replan_attempts.unwrap_or(usual.max_replan_attempts),
        parallel_tools: policy.parallel_tools.unwrap_or(usual.parallel_tools),
        plan: front.plan.unwrap_or(usual.plan),
    }
}

/// The model that serves a role; whoever has no fast or reasoning model uses
/// the default one for it.
fn resolve(asked: &str, models: &ModelChoice) -> Option<String> {
    match asked {
        DEFAULT => models.default.clone(),
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
            ..ModelChoice::default()
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
            reasoning: None,
            fast: None,
            fallback: None,
            temperature: 0.7,
            max_tokens: 4096,
            talkativeness: 50,
            limits: RunLimits::default(),
            cache: CacheUse::Likeliest,
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
            reasoning: None,
            fast: None,
            fallback: None,
            temperature: 0.0,
            max_tokens: 10,
            talkativeness: 0,
            limits: RunLimits { plan: PlanMode::Never, ..RunLimits::default() },
            cache: CacheUse::Always,
        };
        assert_eq!(spoken, expected);
    }

    #[test]
    fn a_task_is_done_by_its_roles_model_unless_the_agent_keeps_to_one() {
        let settings = settings(Some("ollama/small"));
        let check = |agent: Option<&str>, soul: &Front, expected: [Option<&str>; 2]| {
            let found = effective(agent, soul, &settings);
            assert_eq!([found.reasoning.as_deref(), found.fast.as_deref()], expected);
        };
        let quiet = Front::of("ada");
        check(None, &quiet, [Some("ollama/big"), Some("ollama/small")]);
        check(Some("fast"), &quiet, [Some("ollama/big"), Some("ollama/small")]);
        check(Some("lab/x"), &quiet, [None, None]);
        let says = Front { reasoning: Some("lab/y".into()), ..quiet };
        check(Some("lab/x"), &says, [Some("lab/y"), None]);
        check(None, &says, [Some("lab/y"), Some("ollama/small")]);
    }

    #[test]
    fn the_souls_fallback_comes_before_the_workspaces_and_may_be_none() {
        let mut settings = settings(None);
        settings.models.fallback = Some("lab/f".into());
        let check = |agent: Option<&str>, soul: Option<&str>, expected: Option<(&str, bool)>| {
            let front = Front { fallback: soul.map(Into::into), ..Front::of("ada") };
            let found = effective(agent, &front, &settings).fallback;
            let expected =
                expected.map(|(model, anywhere)| Fallback { model: model.into(), anywhere });
            assert_eq!(found, expected, "{agent:?} {soul:?}");
        };
        check(None, None, Some(("lab/f", true)));
        check(Some("local/x"), None, Some(("lab/f", false)));
        check(Some("local/x"), Some("lab/g"), Some(("lab/g", true)));
        check(None, Some("reasoning"), Some(("ollama/big", true)));
        check(None, Some("none"), None);
    }

    #[test]
    fn chance_is_kept_out_of_the_cache_unless_somebody_wants_it_there() {
        let check = |soul: Option<bool>, on: bool, sampled: bool, expected: CacheUse| {
            let settings =
                Settings { response_cache: ResponseCache { on, sampled }, ..Settings::default() };
            let front = Front { response_cache: soul, ..Front::of("ada") };
            assert_eq!(effective(None, &front, &settings).cache, expected, "{soul:?} {on}");
        };
        check(None, true, false, CacheUse::Likeliest);
        check(None, true, true, CacheUse::Always);
        check(None, false, true, CacheUse::Never);
        check(Some(true), true, false, CacheUse::Always);
        check(Some(false), true, true, CacheUse::Never);
    }
}
