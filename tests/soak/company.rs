//! Who is there: the agents, their souls, and the groups they sit in.

use crate::caller::Caller;
use domain::{
    AgentId, Budget, BudgetScope, Command, GroupId, ModelInfo, ModelRole, Price, Provider,
    ProviderKind, Reply, SettingsPatch, TurnPolicy,
};
use futures::stream::{self, StreamExt};
use uuid::Uuid;

pub(crate) struct Company {
    /// p0, p1 and so on.
    pub agents: Vec<AgentId>,
    /// Each agent's direct chat, in the same order.
    pub directs: Vec<GroupId>,
    pub groups: Vec<Place>,
    /// Agents that may spend very little.
    pub poor: Vec<AgentId>,
}

pub(crate) struct Place {
    pub id: GroupId,
    pub policy: TurnPolicy,
    /// By their place among the agents.
    pub members: Vec<usize>,
}

pub(crate) const SOULS: usize = 20;
/// Agents in a group.
const SEATS: usize = 8;
/// Made at the same time.
const TOGETHER: usize = 16;
/// What a conversation may take before its oldest part is folded.
const WINDOW_TOKENS: u32 = 4_096;
/// In a day, for those who are poor.
const LITTLE: i64 = 40_000;

impl Company {
    pub(crate) async fn found(caller: &Caller, agents: usize, groups: usize) -> Company {
        connect(caller).await;
        for soul in 0..SOULS {
            let text = soul_text(soul, "as you always were");
            let soul = soul_name(soul);
            caller.must(Command::SaveSoul { soul, text, base_hash: None }).await;
        }
        let (soul, text) = ("scout".to_owned(), "---\nname: Scout\n---\nYou look.\n".to_owned());
        caller.must(Command::SaveSoul { soul, text, base_hash: None }).await;
        let made = stream::iter(0..agents).map(|n| new_agent(caller, n));
        let agents: Vec<AgentId> = made.buffered(TOGETHER).collect().await;
        let direct = |agent: &AgentId| GroupId(Uuid::new_v5(&agent.0, b"direct"));
        let directs = agents.iter().map(direct).collect();
        let mut places = Vec::new();
        for n in 0..groups {
            places.push(new_group(caller, &agents, n).await);
        }
        let poor: Vec<AgentId> = agents.iter().skip(9).step_by(50).copied().collect();
        limit(caller, &poor).await;
        Company { agents, directs, groups: places, poor }
    }
}

async fn connect(caller: &Caller) {
    let model = ModelInfo::new("script", Some(WINDOW_TOKENS));
    let provider = Provider {
        name: "soak".into(),
        kind: ProviderKind::Scripted,
        base_url: None,
        key_env: None,
        key: None,
        models: vec![model],
    };
    caller.must(Command::save_provider(provider)).await;
    let model = "soak/script".to_owned();
    caller.must(Command::UseModel { role: ModelRole::Default, model }).await;
    let price = Price {
        model: "soak/*".into(),
        input_microusd: 100_000,
        cached_microusd: Some(10_000),
        cache_write_microusd: None,
        output_microusd: 400_000,
        as_of: None,
        by_provider: false,
    };
    let patch = SettingsPatch { price: Some(price.into()), ..SettingsPatch::default() };
    caller.must(Command::ChangeSettings { patch }).await;
}

/// The usual budgets hold, but for the day of everybody together, which is
/// meant for fewer; one message may not cost much, and a few agents have
/// little.
async fn limit(caller: &Caller, poor: &[AgentId]) {
    let day = Budget { scope: BudgetScope::Day, tokens: None, microusd: Some(100_000_000) };
    let message = Budget { scope: BudgetScope::Message, tokens: Some(60_000), microusd: None };
    let little = |agent: &AgentId| {
        let scope = BudgetScope::Agent(*agent);
        Budget { scope, tokens: Some(LITTLE), microusd: None }
    };
    for budget in [day, message].into_iter().chain(poor.iter().map(little)) {
        caller.must(Command::SetBudget { budget }).await;
    }
}

pub(crate) fn soul_name(n: usize) -> String {
    format!("staff{n}")
}

/// Some have delegates; nobody's is ever changed, so that budgets and tools
/// stay as they are.
pub(crate) fn soul_text(n: usize, mood: &str) -> String {
    let delegates = if n.is_multiple_of(4) { "delegates: [scout]\n" } else { "" };
    format!(
        "---\nname: Staff{n}\nrole: Clerk\n{delegates}plan: never\ntalkativeness: {}\n---\nYou keep the books, {mood}.\n",
        20 + n * 3
    )
}

async fn new_agent(caller: &Caller, n: usize) -> AgentId {
    let soul = soul_name(n % SOULS);
    let name = Some(format!("p{n}"));
    match caller.must(Command::NewAgent { soul, name, model: None, parent: None }).await {
        Reply::Agent(agent) => agent.id,
        other => panic!("no agent: {other:?}"),
    }
}

/// Neighbours, so that everybody sits somewhere; the first agent sits in
/// every fourth group beside.
async fn new_group(caller: &Caller, agents: &[AgentId], n: usize) -> Place {
    let mut members: Vec<usize> =
        (0..SEATS).map(|seat| (n * SEATS + seat) % agents.len()).collect();
    if n.is_multiple_of(4) && !members.contains(&0) {
        members.push(0);
    }
    let policy = TurnPolicy::ALL[n % TurnPolicy::ALL.len()];
    let ids = members.iter().map(|at| agents[*at]).collect();
    let name = Some(format!("Room {n}"));
    match caller.must(Command::NewGroup { name, members: ids, policy: Some(policy) }).await {
        Reply::Group(view) => Place { id: view.group.id, policy, members },
        other => panic!("no group: {other:?}"),
    }
}
