//! What a soul says that its agent may spend.
//!
//! Pure, but for looking up the soul. Its `budget` knows `tokens_per_day`,
//! `usd_per_day`, `tokens_per_run` and `usd_per_run`, each a number or `off`.

use super::DOLLAR;
use crate::shared::Shared;
use crate::souls::Front;
use domain::{Agent, Budget, BudgetUnit};
use serde_json::Value;

/// Each limit is `None` where the soul does not speak of it, and `Some(None)`
/// where it says that there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Said {
    tokens: Option<Option<i64>>,
    microusd: Option<Option<i64>>,
}

impl Said {
    /// What the soul does not say is as usual.
    pub(super) fn over(self, usual: Budget) -> Budget {
        Budget {
            scope: usual.scope,
            tokens: self.tokens.unwrap_or(usual.tokens),
            microusd: self.microusd.unwrap_or(usual.microusd),
        }
    }
}

pub(super) fn per_day(shared: &Shared, agent: &Agent) -> Option<Said> {
    said(&shared.souls.in_force(&agent.soul)?.front, "day")
}

pub(super) fn per_run(shared: &Shared, agent: &Agent) -> Option<Said> {
    said(&shared.souls.in_force(&agent.soul)?.front, "run")
}

/// The soul whose own line limits a turn of the agent in this, over whatever is set.
pub(super) fn limits_run(shared: &Shared, agent: &Agent, unit: BudgetUnit) -> Option<String> {
    let said = per_run(shared, agent)?;
    let line = match unit {
        BudgetUnit::Tokens => said.tokens,
        BudgetUnit::Microusd => said.microusd,
    };
    line.map(|_| agent.soul.clone())
}

fn said(front: &Front, span: &str) -> Option<Said> {
    let budget = front.budget.as_ref()?;
    let limit = |unit: &str, ones: i64| limit(budget.get(&format!("{unit}_per_{span}"))?, ones);
    let said = Said { tokens: limit("tokens", 1), microusd: limit("usd", DOLLAR) };
    (said.tokens.is_some() || said.microusd.is_some()).then_some(said)
}

/// `None` for what is no limit at all: then the usual one holds.
fn limit(said: &Value, ones: i64) -> Option<Option<i64>> {
    match said {
        Value::Number(number) => {
            let limit = number.as_f64()? * ones as f64;
            // Too large a number saturates.
            Some(Some((limit.max(0.0)).round() as i64))
        }
        Value::String(word) if word.eq_ignore_ascii_case("off") => Some(None),
        Value::Bool(false) => Some(None),
        Value::Null | Value::Bool(true) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::BudgetScope;
    use serde_json::json;

    fn front(budget: Value) -> Front {
        Front { budget: budget.as_object().cloned(), ..Front::of("ada") }
    }

    #[test]
    fn a_soul_limits_in_numbers_or_says_off_and_0_is_nothing() {
        let check = |budget: Value, span: &str, expected: Option<(Option<_>, Option<_>)>| {
            let expected = expected.map(|(tokens, microusd)| Said { tokens, microusd });
            assert_eq!(said(&front(budget), span), expected);
        };
        let spoken = json!({ "usd_per_day": 0.25, "tokens_per_day": 1000, "usd_per_run": "off" });
        check(spoken.clone(), "day", Some((Some(Some(1000)), Some(Some(250_000)))));
        check(spoken, "run", Some((None, Some(None))));
        check(json!({ "tokens_per_day": 0 }), "day", Some((Some(Some(0)), None)));
        check(json!({ "tokens_per_day": -5 }), "day", Some((Some(Some(0)), None)));
        check(json!({ "usd_per_day": false }), "day", Some((None, Some(None))));
        check(json!({ "usd_per_day": "a lot" }), "day", None);
        check(json!({}), "day", None);
    }

    #[test]
    fn what_a_soul_does_not_say_is_as_usual() {
        let scope = BudgetScope::AnyAgent;
        let usual = Budget { scope, tokens: Some(9), microusd: Some(7) };
        let said = Said { tokens: None, microusd: Some(None) };
        let expected = Budget { scope, tokens: Some(9), microusd: None };
        assert_eq!(said.over(usual), expected);
    }
}
