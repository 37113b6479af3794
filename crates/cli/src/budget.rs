//! `coterie budget …`: how much may be spent, and how much is gone.

pub(crate) mod ahead;

use crate::money::{self, dollars, usd};
use crate::names::Names;
use crate::quiet::{self, Patience};
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::table::table;
use crate::words;
use clap::Subcommand;
use domain::{Budget, BudgetScope, BudgetState, Command as Order, Fault, Query};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Every limit, and how much of it is gone today
    Show,
    /// Change a limit; who stopped for it goes on
    Set {
        /// message, run, day, feed, agent, group, agent:NAME or group:NAME
        scope: String,
        /// Tokens read and written, or off for no limit
        #[arg(long, value_name = "N|off", value_parser = tokens)]
        tokens: Option<Limit>,
        /// US dollars, or off for no limit
        #[arg(long, value_name = "X|off", value_parser = money_limit)]
        usd: Option<Limit>,
        #[command(flatten)]
        patience: Patience,
    },
    /// Go back to what holds without being said
    Reset {
        /// message, run, day, agent, group, agent:NAME or group:NAME
        scope: String,
        #[command(flatten)]
        patience: Patience,
    },
}

impl Command {
    /// Whether it stays for those who go on by it.
    pub(crate) fn gives_turns(&self) -> bool {
        match self {
            Command::Show => false,
            Command::Set { patience, .. } | Command::Reset { patience, .. } => patience.wait > 0,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    Off,
    At(i64),
}

impl Limit {
    fn bound(self) -> Option<i64> {
        match self {
            Limit::Off => None,
            Limit::At(most) => Some(most),
        }
    }
}

fn tokens(word: &str) -> Result<Limit, String> {
    let plain: String = word.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    match (word, plain.parse::<u32>()) {
        ("off", _) => Ok(Limit::Off),
        (_, Ok(most)) => Ok(Limit::At(most.into())),
        (_, Err(_)) => Err("give a whole number of tokens, or off for no limit".to_owned()),
    }
}

fn money_limit(word: &str) -> Result<Limit, String> {
    match word {
        "off" => Ok(Limit::Off),
        _ => usd(word).map(Limit::At).map_err(|fix| format!("{fix}, or off for no limit")),
    }
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    let names = session.names().await?;
    match command {
        Command::Show => {
            let all = budgets(session).await?;
            session.screen.many(&all, |paint| {
                let rows = all.iter().map(|state| row(state, &names));
                table(paint, HEADS, rows.collect())
            });
        }
        Command::Set { scope, tokens, usd, patience } => {
            let scope = scope_of(&scope, &names)?;
            if tokens.is_none() && usd.is_none() {
                return Err(Fault::bad_input(
                    "nothing to set",
                    "give --tokens N, --usd X, or off for either",
                )
                .into());
            }
            let before = in_force(&budgets(session).await?, scope);
            let budget = Budget {
                scope,
                tokens: tokens.map_or(before.tokens, Limit::bound),
                microusd: usd.map_or(before.microusd, Limit::bound),
            };
            quiet::followed(session, Order::SetBudget { budget }, &patience).await?;
            show_one(session, &names, scope).await?;
        }
        Command::Reset { scope, patience } => {
            let scope = scope_of(&scope, &names)?;
            quiet::followed(session, Order::ResetBudget { scope }, &patience).await?;
            show_one(session, &names, scope).await?;
        }
    }
    Ok(())
}

async fn budgets(session: &Session) -> Result<Vec<BudgetState>, Failure> {
    Ok(answered!(session.ask(Query::Budgets).await?, Budgets)?)
}

fn scope_of(word: &str, names: &Names) -> Result<BudgetScope, Fault> {
    match (word, word.split_once(':')) {
        ("message", _) => Ok(BudgetScope::Message),
        ("run", _) => Ok(BudgetScope::Run),
        ("day", _) => Ok(BudgetScope::Day),
        ("feed", _) => Ok(BudgetScope::Feed),
        ("agent", _) => Ok(BudgetScope::AnyAgent),
        ("group", _) => Ok(BudgetScope::AnyGroup),
        (_, Some(("agent", name))) => names.agent(name).map(|agent| BudgetScope::Agent(agent.id)),
        (_, Some(("group", name))) => {
            names.group(name).map(|view| BudgetScope::Group(view.group.id))
        }
        _ => Err(Fault::bad_input(
            format!("there is no budget of {word:?}"),
            "choose one of message, run, day, agent, group, agent:NAME, group:NAME",
        )),
    }
}

/// What holds now: for one agent or group what holds for any, until it has a
/// limit of its own.
fn in_force(all: &[BudgetState], scope: BudgetScope) -> Budget {
    let any = match scope {
        BudgetScope::Agent(_) => BudgetScope::AnyAgent,
        BudgetScope::Group(_) => BudgetScope::AnyGroup,
        scope => scope,
    };
    let of = |scope| all.iter().map(|state| state.budget).find(|budget| budget.scope == scope);
    let budget = of(scope).or_else(|| of(any));
    budget
        .map_or(Budget { scope, tokens: None, microusd: None }, |budget| Budget { scope, ..budget })
}

const HEADS: [&str; 6] = ["budget", "tokens", "money", "used today", "", ""];

/// The state of one, as it is after a change.
async fn show_one(session: &Session, names: &Names, scope: BudgetScope) -> Result<(), Failure> {
    let all = budgets(session).await?;
    let Some(state) = all.iter().find(|state| state.budget.scope == scope) else {
        // What had a limit of its own is again as any other.
        let budget = in_force(&all, scope);
        session.screen.one(&budget, |_| {
            let name = name(scope, names);
            format!(
                "{name}: as any other, {} and {}\n",
                limit(budget.tokens),
                most(budget.microusd)
            )
        });
        return Ok(());
    };
    session.screen.one(state, |paint| table(paint, HEADS, vec![row(state, names)]));
    Ok(())
}

fn row(state: &BudgetState, names: &Names) -> [String; 6] {
    let Budget { scope, tokens, microusd } = state.budget;
    let by_day = match scope {
        BudgetScope::Day | BudgetScope::Agent(_) | BudgetScope::Group(_) => true,
        // Who does not use it has nothing to read about it.
        BudgetScope::Feed => state.spent_tokens > 0 || state.unpriced_calls > 0,
        BudgetScope::Message | BudgetScope::Run | BudgetScope::AnyAgent | BudgetScope::AnyGroup => {
            false
        }
    };
    let (used, spent) = match by_day {
        true => (
            format!("{} tokens", state.spent_tokens),
            money::paid(state.spent_microusd, state.unpriced_calls),
        ),
        false => (String::new(), String::new()),
    };
    let set = state.set.then(|| "set by you".to_owned());
    let notes: Vec<_> = set.into_iter().chain(held(state)).collect();
    [name(scope, names), limit(tokens), most(microusd), used, spent, notes.join(", ")]
}

/// What is not spent yet, and mostly comes back.
fn held(state: &BudgetState) -> Option<String> {
    let BudgetState { reserved_tokens, reserved_microusd, .. } = *state;
    let money = (reserved_microusd > 0).then(|| format!(" and {}", dollars(reserved_microusd)));
    let money = money.unwrap_or_default();
    (reserved_tokens > 0)
        .then(|| format!("up to {reserved_tokens} tokens{money} more held by calls in progress"))
}

fn limit(tokens: Option<i64>) -> String {
    tokens.map_or("off".to_owned(), |tokens| tokens.to_string())
}

fn most(microusd: Option<i64>) -> String {
    microusd.map_or("off".to_owned(), dollars)
}

fn name(scope: BudgetScope, names: &Names) -> String {
    match scope {
        BudgetScope::Message => "message".to_owned(),
        BudgetScope::Run => "run".to_owned(),
        BudgetScope::Day => "day".to_owned(),
        BudgetScope::Feed => "feed".to_owned(),
        BudgetScope::AnyAgent => "agent".to_owned(),
        BudgetScope::AnyGroup => "group".to_owned(),
        BudgetScope::Agent(agent) => words::quoted(&format!("agent:{}", names.agent_name(agent))),
        BudgetScope::Group(group) => {
            words::quoted(&format!("group:{}", names.group_name_of(group)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_calls_in_progress_hold_is_told_from_what_is_spent() {
        let budget = Budget { scope: BudgetScope::Day, tokens: Some(9_000), microusd: None };
        let state = BudgetState {
            budget,
            set: true,
            spent_tokens: 110,
            spent_microusd: Some(1_000),
            unpriced_calls: 0,
            reserved_tokens: 4_300,
            reserved_microusd: 44_000,
        };
        let expected = "up to 4300 tokens and $0.044 more held by calls in progress";
        assert_eq!(held(&state).as_deref(), Some(expected));
        let unpriced = BudgetState { reserved_microusd: 0, ..state };
        let expected = "up to 4300 tokens more held by calls in progress";
        assert_eq!(held(&unpriced).as_deref(), Some(expected));
        assert_eq!(held(&BudgetState { reserved_tokens: 0, ..unpriced }), None);
    }
}
