//! `coterie agent …`: the agents themselves.

mod capable;

use crate::names::Names;
use crate::quiet::{self, Patience};
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::table::{pairs, table};
use crate::{visible, waiting, words};
use clap::Subcommand;
use domain::{Agent, AgentDetail, AgentId, Command as Order, Query, Transition, TransitionCause};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// All agents that have not been ended
    List {
        /// The ended ones too
        #[arg(long)]
        all: bool,
    },
    /// Make an agent from a soul
    New {
        /// The soul's name: its file in souls/ without .md
        soul: String,
        /// What it is called [default: the name in the soul]
        #[arg(long)]
        name: Option<String>,
        /// The model it uses, as PROVIDER/MODEL [default: what the soul says]
        #[arg(long)]
        model: Option<String>,
        /// Who delegates to it, by name or id: it ends with its parent
        #[arg(long)]
        parent: Option<String>,
    },
    /// Let an agent rest: it reads nothing and answers nothing
    Pause {
        /// By name or id
        agent: String,
    },
    /// Back to work, also after an error: it answers what came meanwhile
    Resume {
        /// By name or id
        agent: String,
        #[command(flatten)]
        patience: Patience,
    },
    /// End an agent for good; what it said stays
    Terminate {
        /// By name or id
        agent: String,
    },
    /// Choose an agent's model
    Model {
        /// By name or id
        agent: String,
        /// As PROVIDER/MODEL [default: what its soul says]
        model: Option<String>,
    },
    /// What an agent can use, and what keeps the rest from it
    Tools {
        /// By name or id
        agent: String,
    },
    /// What an agent is and what became of it
    Show {
        /// By name or id
        agent: String,
    },
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    let names = session.names().await?;
    let id = |name: &str| names.agent(name).map(|agent| agent.id);
    let (order, done) = match command {
        Command::List { all } => return list(session, &names, all),
        Command::Tools { agent } => return capable::show(session, id(&agent)?).await,
        Command::Show { agent } => return show(session, &names, id(&agent)?).await,
        Command::New { soul, name, model, parent } => {
            let parent = parent.as_deref().map(id).transpose()?;
            (Order::NewAgent { soul: names.soul(&soul)?, name, model, parent }, "is there")
        }
        Command::Pause { agent } => (Order::PauseAgent { agent: id(&agent)? }, "rests"),
        Command::Resume { agent, patience } => {
            let agent = id(&agent)?;
            let order = Order::ResumeAgent { agent };
            let ordered = quiet::order(session, order, agent, &patience).await?;
            let agent = answered!(ordered.reply.clone(), Agent)?;
            return ordered.report(session, &agent, || {
                format!("{} is back at work", visible::line(&agent.name))
            });
        }
        Command::Terminate { agent } => {
            (Order::TerminateAgent { agent: id(&agent)? }, "has been ended")
        }
        Command::Model { agent, model } => {
            (Order::SetAgentModel { agent: id(&agent)?, model }, "has its model")
        }
    };
    let agent = answered!(session.order(order).await?, Agent)?;
    session.screen.one(&agent, |_| format!("{} {done}", visible::line(&agent.name)));
    Ok(())
}

fn list(session: &Session, names: &Names, all: bool) -> Result<(), Failure> {
    let wanted = |agent: &&Agent| all || agent.state != domain::AgentState::Terminated;
    let agents: Vec<&Agent> = names.overview.agents.iter().filter(wanted).collect();
    session.screen.many(&agents, |paint| {
        let rows = agents.iter().map(|agent| {
            let state = match &agent.problem {
                Some(fault) => format!("{}: {}", words::agent_state(agent.state), fault.message),
                None => state(agent, names),
            };
            [agent.name.clone(), agent.role.clone(), agent.soul.clone(), state]
        });
        table(paint, ["agent", "role", "soul", "state"], rows.collect())
    });
    Ok(())
}

async fn show(session: &Session, names: &Names, agent: AgentId) -> Result<(), Failure> {
    let detail = answered!(session.ask(Query::Agent { agent }).await?, AgentDetail)?;
    session.screen.one(&detail, |paint| {
        let AgentDetail { agent, groups, transitions } = &detail;
        let groups: Vec<String> = groups.iter().map(|group| names.group_name_of(*group)).collect();
        let mut rows = vec![
            ("agent", agent.name.clone()),
            ("id", agent.id.to_string()),
            ("role", agent.role.clone()),
            ("about", agent.description.clone()),
            ("soul", format!("{}, version {}", agent.soul, agent.soul_version)),
            ("model", agent.model.clone().unwrap_or_else(|| "as its soul says".to_owned())),
            ("state", state(agent, names)),
        ];
        if let Some(fault) = &agent.problem {
            rows.push(("problem", words::with_way_back(fault, Some(agent)).to_string()));
        }
        rows.push(("groups", groups.join(", ")));
        let changes = transitions.iter().map(|change| {
            [words::ago(change.at_ms), words::agent_state(change.to).to_owned(), cause(change)]
        });
        format!(
            "{}\n{}",
            pairs(paint, &rows),
            table(paint, ["when", "state", "because"], changes.collect())
        )
    });
    Ok(())
}

/// With where it stands in line, while it waits for a model.
fn state(agent: &Agent, names: &Names) -> String {
    let state = words::agent_state(agent.state);
    match waiting::of_agent(agent.id, names) {
        Some(waiting) => format!("{state}, {waiting}"),
        None => state.to_owned(),
    }
}

fn cause(change: &Transition) -> String {
    match &change.cause {
        TransitionCause::Created => "it was made".to_owned(),
        TransitionCause::Woken => "a message woke it".to_owned(),
        TransitionCause::Settled => "its turn was over".to_owned(),
        TransitionCause::Failed { fault } => fault.to_string(),
        TransitionCause::AskedFirst => "you are asked before it uses a tool".to_owned(),
        TransitionCause::AnswerCame => "it needs no answer any more".to_owned(),
        TransitionCause::PausedByUser => "you paused it".to_owned(),
        TransitionCause::ResumedByUser => "you resumed it".to_owned(),
        TransitionCause::AllPaused => "you paused everybody".to_owned(),
        TransitionCause::AllResumed => "you had everybody go on".to_owned(),
        TransitionCause::NewDay => "a new day has a budget of its own".to_owned(),
        TransitionCause::Restarted => "it tries again by itself".to_owned(),
        TransitionCause::TerminatedByUser => "you ended it".to_owned(),
        TransitionCause::TaskEnded => "its task was done".to_owned(),
        TransitionCause::ParentTerminated => "its parent was ended".to_owned(),
        TransitionCause::ProcessEnded => "the program ended in the middle of a turn".to_owned(),
    }
}
