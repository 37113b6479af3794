//! The person: posts, stops answers, and asks those who gave up to go on.
//!
//! Whatever a killed process left unanswered is asked again of the next one.

use super::GROUPS;
use super::provider::letter;
use domain::{
    AgentState, Budget, BudgetScope, Call, Caps, Command, Fault, FaultCode, FaultKind, FromOwner,
    GroupId, GroupPatch, Mark, MessageId, ModelInfo, ModelRole, Overview, Price, Provider,
    ProviderKind, Query, Record, Reply, Request, RequestId, RunState, SettingsPatch, Target,
    Update,
};
use door::Door;
use futures::StreamExt;
use std::path::Path;
use tests::Dice;
use tokio::task::JoinHandle;
use uuid::Uuid;

pub(super) struct Person {
    door: Door,
    groups: Vec<GroupId>,
}

impl Person {
    /// Sets everything up: the provider, no budgets, the groups.
    pub(super) async fn sit_down(data: &Path, base_url: &str) -> Person {
        let door = Door::connect(data).await.expect("the owner listens");
        let mut person = Person { door, groups: Vec::new() };
        person.connect(base_url).await;
        let agents = person.overview().await.agents;
        for (names, policy, _) in GROUPS {
            let id = |name: &&str| agents.iter().find(|agent| agent.name == **name).map(|it| it.id);
            let members = names.iter().filter_map(id).collect();
            let policy = Some(*policy);
            let made = person.must(Command::NewGroup { name: None, members, policy }).await;
            let Reply::Group(view) = made else { panic!("no group: {made:?}") };
            let group = view.group.id;
            let caps = Some(Caps { runs_per_hour: 1_000_000, ..Caps::default() });
            let patch = GroupPatch { caps, ..GroupPatch::default() };
            person.must(Command::EditGroup { group, patch }).await;
            person.groups.push(group);
        }
        person
    }

    async fn connect(&self, base_url: &str) {
        let model = ModelInfo::new("m", Some(200_000));
        let provider = Provider {
            name: "wire".into(),
            kind: ProviderKind::Openai,
            base_url: Some(base_url.to_owned()),
            key_env: None,
            key: None,
            models: vec![model],
        };
        self.must(Command::save_provider(provider)).await;
        let model = "wire/m".to_owned();
        self.must(Command::UseModel { role: ModelRole::Default, model }).await;
        let price = Price {
            model: "wire/*".into(),
            input_microusd: 100_000,
            cached_microusd: None,
            cache_write_microusd: None,
            output_microusd: 400_000,
            as_of: None,
            by_provider: false,
        };
        let patch = SettingsPatch { price: Some(price.into()), ..SettingsPatch::default() };
        self.must(Command::ChangeSettings { patch }).await;
        use BudgetScope::{AnyAgent, AnyGroup, Day, Message, Run};
        for scope in [Message, Run, Day, AnyAgent, AnyGroup] {
            let budget = Budget { scope, tokens: None, microusd: None };
            self.must(Command::SetBudget { budget }).await;
        }
    }

    /// Posts the nth message; each group gets one after the other.
    pub(super) fn post(&self, n: usize) -> JoinHandle<MessageId> {
        let (_, _, named) = GROUPS[n % GROUPS.len()];
        let text = letter(n, named[n / GROUPS.len() % named.len()]);
        let group = self.groups[n % self.groups.len()];
        let call =
            Call::Command(Command::Post { group, text, reply_to: None, attachments: Vec::new() });
        let request = Request { id: RequestId(Uuid::now_v7()), call };
        let door = self.door.clone();
        tokio::spawn(async move {
            match insist(&door, request).await {
                Ok(Reply::Message(message)) => message.id,
                other => panic!("not posted: {other:?}"),
            }
        })
    }

    /// Returns when so much has happened, or nothing more will.
    pub(super) async fn watch(&self, after: Mark, events: u64) {
        let mut heard = self.door.events(Some(after));
        for _ in 0..events {
            let said = heard.next().await.expect("somebody owns the workspace");
            if !is_live(&said) && is_at_rest(&self.overview().await) {
                return;
            }
        }
    }

    /// Whoever met an error goes on, and so does what was given up after too
    /// many tries. Gives how many there were.
    pub(super) async fn encourage(&self) -> usize {
        let Overview { agents, open_runs, .. } = self.overview().await;
        let mut encouraged = 0;
        for agent in agents.iter().filter(|agent| agent.state == AgentState::Error) {
            encouraged += usize::from(self.may(Command::ResumeAgent { agent: agent.id }).await);
        }
        for run in open_runs.iter().filter(|run| run.state == RunState::Interrupted) {
            // It is refused where its messages have been answered since.
            encouraged += usize::from(self.may(Command::ResumeRun { run: run.id }).await);
        }
        encouraged
    }

    /// Now and then ends an answer in the middle, or all in a group. Gives how
    /// many there were.
    pub(super) async fn stop_somebody(&self, dice: &mut Dice) -> usize {
        if dice.below(3) > 0 {
            return 0;
        }
        let runs = self.overview().await.open_runs;
        let running: Vec<_> = runs.iter().filter(|run| run.state == RunState::Running).collect();
        if running.is_empty() {
            return 0;
        }
        let run = running[dice.below(running.len() as u64) as usize];
        let target = match dice.below(6) {
            0 => Target::Group(run.group),
            _ => Target::Run(run.id),
        };
        usize::from(self.may(Command::Stop { target }).await)
    }

    /// Returns when a run has ended, if anything is going on.
    pub(super) async fn wait_for_an_end(&self) {
        self.something_ends(&self.overview().await).await;
    }

    /// Returns when nobody owes an answer, nor would after going on.
    pub(super) async fn see_to_the_end(&self) {
        loop {
            let encouraged = self.encourage().await;
            let now = self.overview().await;
            let owed = now.groups.iter().any(|view| view.answers_to_come > 0);
            let failed = now.agents.iter().any(|agent| agent.state == AgentState::Error);
            if encouraged == 0 && !owed && !failed {
                return;
            }
            self.something_ends(&now).await;
        }
    }

    async fn something_ends(&self, now: &Overview) {
        if is_at_rest(now) {
            return;
        }
        let mut events = self.door.events(Some(now.mark));
        loop {
            match events.next().await.expect("somebody owns the workspace") {
                FromOwner::Event(event) => {
                    if let Update::Saved { record: Record::Run(run) } = event.update
                        && run.state != RunState::Running
                    {
                        return;
                    }
                }
                FromOwner::Resync { .. } => return,
                FromOwner::Answer(_) => {}
            }
        }
    }

    pub(super) async fn overview(&self) -> Overview {
        let call = Call::Query(Query::Overview);
        let request = Request { id: RequestId(Uuid::now_v7()), call };
        match insist(&self.door, request).await {
            Ok(Reply::Overview(overview)) => *overview,
            other => panic!("no overview: {other:?}"),
        }
    }

    async fn must(&self, command: Command) -> Reply {
        let call = Call::Command(command);
        let request = Request { id: RequestId(Uuid::now_v7()), call };
        insist(&self.door, request).await.expect("nothing forbids it")
    }

    /// Whether it was done: what it is about may have ended meanwhile.
    async fn may(&self, command: Command) -> bool {
        let call = Call::Command(command);
        let request = Request { id: RequestId(Uuid::now_v7()), call };
        match insist(&self.door, request).await {
            Ok(_) => true,
            Err(fault) => {
                use FaultCode::{Conflict, NotFound, Refused, TimedOut};
                assert!([Conflict, NotFound, Refused, TimedOut].contains(&fault.code), "{fault}");
                false
            }
        }
    }
}

/// Asks again, with the same id, for as long as nobody was there to answer.
async fn insist(door: &Door, request: Request) -> Result<Reply, Fault> {
    const TIMES: usize = 10;
    for _ in 1..TIMES {
        match door.send(request.clone()).await.result {
            Err(fault) if matches!(fault.kind.as_deref(), Some(FaultKind::OwnerGone)) => {}
            answered => return answered,
        }
    }
    door.send(request).await.result
}

fn is_live(said: &FromOwner) -> bool {
    matches!(said, FromOwner::Event(event) if matches!(event.update, Update::Live { .. }))
}

/// Whether nothing will happen unless a person does something, as far as can
/// be told.
fn is_at_rest(now: &Overview) -> bool {
    let runs = now.open_runs.iter().any(|run| run.state == RunState::Running);
    let owed = now.groups.iter().any(|view| view.answers_to_come > 0);
    let failed = now.agents.iter().any(|agent| agent.state == AgentState::Error);
    !runs && (!owed || failed)
}
