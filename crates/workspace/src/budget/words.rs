//! What is said when a limit is met: what is gone of what, and the command
//! that raises it.

use super::room::{Over, Unit};
use super::stopped::stops_the_agent;
use domain::{BudgetScope, GroupKind};
use store::table::{agents, groups};
use store::{Read, StoreError};

/// The sentence and what to do about it.
pub(super) fn refusal(
    read: &Read<'_>,
    scope: BudgetScope,
    over: &Over,
) -> Result<(String, String), StoreError> {
    let Scope { whose, used_by, today, word } = describe(read, scope)?;
    let Over { unit, limit, used, needed } = *over;
    let message = if limit == 0 {
        format!("{whose} budget{today} is 0 {}", unit.plural())
    } else {
        let [used, limit, needed] = [used, limit, needed].map(|amount| unit.amount(amount));
        format!("{used_by} used {used} of {limit}{today}, and the next call may take {needed} more")
    };
    let enough = limit.saturating_mul(2).max(used.saturating_add(needed));
    let raise = format!("coterie budget set {word} {}", unit.option(enough));
    // Tomorrow helps only where the call would fit a day on its own.
    let fix = match (stops_the_agent(scope), needed <= limit) {
        (true, true) => {
            format!("wait until midnight UTC, or raise it and the agent goes on at once: {raise}")
        }
        (true, false) => format!("raise it and the agent goes on: {raise}"),
        (false, _) => format!("raise it and say it again: {raise}"),
    };
    Ok((message, fix))
}

struct Scope {
    whose: String,
    used_by: String,
    today: &'static str,
    /// As `coterie budget` takes it.
    word: String,
}

fn describe(read: &Read<'_>, kind: BudgetScope) -> Result<Scope, StoreError> {
    let scope = |whose: &str, used_by: &str, today, word: String| Scope {
        whose: whose.to_owned(),
        used_by: used_by.to_owned(),
        today,
        word,
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
            scope(&format!("{name}'s"), &format!("{name} has"), " today", word)
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
            scope(&format!("the group {}'s", group.name), &used_by, " today", word)
        }
    })
}

impl Unit {
    fn plural(self) -> &'static str {
        match self {
            Unit::Tokens => "tokens",
            Unit::Microusd => "dollars",
        }
    }

    fn amount(self, amount: i64) -> String {
        match self {
            Unit::Tokens => format!("{} tokens", grouped(amount)),
            Unit::Microusd => format!("${}", dollars(amount)),
        }
    }

    /// At least so much, in round numbers.
    fn option(self, amount: i64) -> String {
        match self {
            Unit::Tokens => format!("--tokens {amount}"),
            Unit::Microusd => {
                let cents = amount.max(1).saturating_add(9_999) / 10_000;
                format!("--usd {}", dollars(cents.saturating_mul(10_000)))
            }
        }
    }
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
        assert_eq!(Unit::Tokens.amount(1_234_567), "1,234,567 tokens");
        assert_eq!(Unit::Tokens.amount(999), "999 tokens");
        assert_eq!(Unit::Microusd.amount(1_000_000), "$1.00");
        assert_eq!(Unit::Microusd.amount(1_234), "$0.001234");
        assert_eq!(Unit::Microusd.amount(12_500_000), "$12.50");
        assert_eq!(Unit::Tokens.option(800_000), "--tokens 800000");
        assert_eq!(Unit::Microusd.option(1_234), "--usd 0.01");
        assert_eq!(Unit::Microusd.option(2_000_000), "--usd 2.00");
        assert_eq!(quoted("group:Tea round"), "'group:Tea round'");
    }
}
