//! What is said when a limit is met: what is gone of what, and the command
//! that raises it.

use super::room::Over;
use super::stopped::Stops;
use domain::{BudgetScope, BudgetUnit, FaultKind, GroupKind};
use llm::{ModelFault, Trouble};
use store::table::spend::Amount;
use store::table::{agents, delegations, groups};
use store::{Read, StoreError};

/// The sentence, what to do about it, and of what both are made. The soul is the one that
/// says so, where one does; with `least_tokens` something can be said.
pub(super) fn refusal(
    read: &Read<'_>,
    scope: BudgetScope,
    over: &Over,
    may_take: Amount,
    least_tokens: i64,
    soul: Option<String>,
) -> Result<ModelFault, StoreError> {
    let Scope { whose, used_by, today, word, name } = describe(read, scope)?;
    let Over { unit, limit, used, needed } = *over;
    let message = if limit == 0 {
        format!("{whose} budget{today} is 0 {}", plural(unit))
    } else {
        let [used, limit, needed] = [used, limit, needed].map(|amount| said(unit, amount));
        format!("{used_by} used {used} of {limit}{today}, and the next call may take {needed} more")
    };
    let enough = limit.saturating_mul(2).max(used.saturating_add(needed));
    let raise = format!("coterie budget set {word} {}", option(unit, enough));
    // Tomorrow helps only where the call would fit a day on its own.
    let stopped = match Stops::of(scope) {
        Stops::Agent => Some("the agent goes on"),
        Stops::Group if scope == BudgetScope::Day => Some("everybody goes on"),
        Stops::Group => Some("the group goes on"),
        Stops::Turn => None,
    };
    let fix = match (&soul, stopped, needed <= limit) {
        _ if is_of_a_task(read, scope)? => {
            let enough = used.saturating_add(least_tokens);
            format!("give the task {enough} tokens or more")
        }
        (Some(soul), _, _) => {
            format!("raise it in souls/{soul}.md and say it again: {}", line(unit, enough))
        }
        (None, Some(goes_on), true) => {
            format!("wait until midnight UTC, or raise it and {goes_on} at once: {raise}")
        }
        (None, Some(goes_on), false) => format!("raise it and {goes_on}: {raise}"),
        (None, None, _) => format!("raise it and say it again: {raise}"),
    };
    let kind = FaultKind::OverBudget { scope, name, unit, limit, used, needed, soul };
    let Amount { tokens, microusd, .. } = may_take;
    let fault = ModelFault::new(Trouble::Budget { scope, tokens, microusd }, message, fix);
    Ok(ModelFault { kind: Some(Box::new(kind)), ..fault })
}

/// It was given by who gave the task, and not by a person.
fn is_of_a_task(read: &Read<'_>, scope: BudgetScope) -> Result<bool, StoreError> {
    match scope {
        BudgetScope::Agent(agent) => Ok(delegations::of_child(read, agent)?.is_some()),
        _ => Ok(false),
    }
}

struct Scope {
    whose: String,
    used_by: String,
    today: &'static str,
    /// As `coterie budget` takes it.
    word: String,
    /// What the one is called whose own it is.
    name: Option<String>,
}

fn describe(read: &Read<'_>, kind: BudgetScope) -> Result<Scope, StoreError> {
    let scope = |whose: &str, used_by: &str, today, word: String| Scope {
        whose: whose.to_owned(),
        used_by: used_by.to_owned(),
        today,
        word,
        name: None,
    };
    Ok(match kind {
        BudgetScope::Message => {
            scope("each message's", "what this message began has", "", "message".to_owned())
        }
        BudgetScope::Run => scope("each turn's", "this turn has", "", "run".to_owned()),
        BudgetScope::Day => {
            scope("everybody's", "all agents together have", " today", "day".to_owned())
        }
        BudgetScope::Feed => scope("the feed's", "the feed has", " today", "feed".to_owned()),
        BudgetScope::AnyAgent => {
            scope("each agent's", "the agent has", " today", "agent".to_owned())
        }
        BudgetScope::AnyGroup => {
            scope("each group's", "the group has", " today", "group".to_owned())
        }
        BudgetScope::Agent(agent) => {
            let name = agents::get(read, agent)?.name;
            let word = quoted(&format!("agent:{name}"));
            let own = scope(&format!("{name}'s"), &format!("{name} has"), " today", word);
            Scope { name: Some(name), ..own }
        }
        BudgetScope::Group(id) => {
            let group = groups::get(read, id)?;
            // Nobody gave the group of a task its name.
            let name = match group.kind {
                GroupKind::Direct | GroupKind::Group => group.name.clone(),
                GroupKind::Task | GroupKind::Post => id.to_string(),
            };
            let word = quoted(&format!("group:{name}"));
            let used_by = format!("the group {} has", group.name);
            let own = scope(&format!("the group {}'s", group.name), &used_by, " today", word);
            Scope { name: Some(group.name), ..own }
        }
    })
}

fn plural(unit: BudgetUnit) -> &'static str {
    match unit {
        BudgetUnit::Tokens => "tokens",
        BudgetUnit::Microusd => "dollars",
    }
}

fn said(unit: BudgetUnit, amount: i64) -> String {
    match unit {
        BudgetUnit::Tokens => format!("{} tokens", grouped(amount)),
        BudgetUnit::Microusd => format!("${}", dollars(amount)),
    }
}

fn option(unit: BudgetUnit, amount: i64) -> String {
    match unit {
        BudgetUnit::Tokens => format!("--tokens {amount}"),
        BudgetUnit::Microusd => format!("--usd {}", in_cents(amount)),
    }
}

/// As a soul says it of a turn.
fn line(unit: BudgetUnit, amount: i64) -> String {
    match unit {
        BudgetUnit::Tokens => format!("tokens_per_run: {amount}"),
        BudgetUnit::Microusd => format!("usd_per_run: {}", in_cents(amount)),
    }
}

/// At least so much, in round numbers.
fn in_cents(microusd: i64) -> String {
    let cents = microusd.max(1).saturating_add(9_999) / 10_000;
    dollars(cents.saturating_mul(10_000))
}

/// With two places at least, and as many more as say something.
fn dollars(microusd: i64) -> String {
    let text = format!("{}.{:06}", microusd / 1_000_000, microusd % 1_000_000);
    let (whole, parts) = text.split_at(text.len() - 6);
    let parts = parts.trim_end_matches('0');
    format!("{whole}{parts:0<2}")
}

fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// As it can be typed into a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':');
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_easy_to_read_and_options_are_easy_to_type() {
        use BudgetUnit::{Microusd, Tokens};
        assert_eq!(said(Tokens, 1_234_567), "1,234,567 tokens");
        assert_eq!(said(Tokens, 999), "999 tokens");
        assert_eq!(said(Microusd, 1_000_000), "$1.00");
        assert_eq!(said(Microusd, 1_234), "$0.001234");
        assert_eq!(said(Microusd, 12_500_000), "$12.50");
        assert_eq!(option(Tokens, 800_000), "--tokens 800000");
        assert_eq!(option(Microusd, 1_234), "--usd 0.01");
        assert_eq!(option(Microusd, 2_000_000), "--usd 2.00");
        assert_eq!(quoted("group:Tea round"), "'group:Tea round'");
    }
}
