//! `coterie group …`: groups, their members, and what was said in them.

mod branches;
mod export;
mod forget;
mod log;
mod templates;

use crate::arguments::policy;
use crate::names::Names;
use crate::quiet::{self, Patience};
use crate::screen::Failure;
use crate::session::Session;
use crate::table::table;
use crate::{why, words};
use clap::Subcommand;
use domain::{
    Caps, Command as Order, Fault, Group, GroupId, GroupKind, GroupPatch, GroupView, History,
    MemberPatch, Participant, Reply, Target, TurnPolicy,
};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// All groups; a direct one is called after its agent
    List {
        /// The archived ones and the tasks in progress too
        #[arg(long)]
        all: bool,
    },
    /// Bring agents together
    New {
        /// What it is called
        name: String,
        /// Names or ids, separated by commas
        #[arg(long, required = true, value_name = "AGENT,…")]
        members: Vec<String>,
        /// Who may speak: default_responder, mention, rounds, round_robin, weighted, supervisor, broadcast or manual
        #[arg(long, value_parser = policy)]
        policy: Option<TurnPolicy>,
    },
    /// What a new group can begin with: who is in it, and how they take turns
    Templates,
    /// Begin a group as a template has it; `group templates` lists them
    Begin {
        /// pair_review, debate, writers_room, research_team, or one of your own in templates/groups/
        template: String,
        /// What the group is called, if not as the template
        #[arg(long)]
        name: Option<String>,
    },
    /// Let an agent join
    Add {
        /// By name or id
        group: String,
        /// By name or id
        agent: String,
        /// How much of the past the newcomer sees: all, none, or the last N messages
        #[arg(long, value_parser = history, default_value = "all", value_name = "all|none|N")]
        sees: History,
    },
    /// Let an agent leave
    Remove {
        /// By name or id
        group: String,
        /// By name or id
        agent: String,
    },
    /// Change a setting of a group
    Set {
        /// By name or id
        group: String,
        /// name, policy, default_agent, supervisor, archived, messages_per_post, chain_depth, pair_hops, runs_per_hour, talkativeness or position
        key: String,
        /// A name, a policy, an agent, yes or no, or a number; for talkativeness and position an agent and a number
        #[arg(required = true, num_args = 1..=2)]
        value: Vec<String>,
    },
    /// Have an agent read and stay silent
    Mute {
        /// By name or id
        group: String,
        /// By name or id
        agent: String,
    },
    /// Let an agent that was muted speak again
    Unmute {
        /// By name or id
        group: String,
        /// By name or id
        agent: String,
    },
    /// Give an agent one turn now, whatever the policy says
    Speak {
        /// By name or id
        group: String,
        /// By name or id
        agent: String,
        #[command(flatten)]
        patience: Patience,
    },
    /// Stop the turns that are going on in a group; what was written is kept
    Stop {
        /// By name or id
        group: String,
    },
    /// What was said, oldest first
    Log {
        /// By name or id, or an agent's direct one by the agent's name
        group: String,
        /// The newest N messages
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Only those in which these words stand, as they are given
        #[arg(long, value_name = "WORDS", conflicts_with = "branch")]
        find: Option<String>,
        /// Also say where other messages stand in the place of a shown one
        #[arg(long)]
        branch: bool,
    },
    /// Write what was said to a file
    Export {
        /// By name or id
        group: String,
        /// A file that is not there yet
        file: PathBuf,
        /// markdown or json [default: json for a name that ends in .json, else markdown]
        #[arg(long)]
        format: Option<export::Format>,
    },
    /// Show another branch of a conversation
    Branch {
        /// By name or id
        group: String,
        /// A message of that branch, by the number that `group log --branch` shows, or its id
        message: String,
    },
    /// Have an agent answer again; what it had said stays in another branch
    Again {
        /// By name or id
        group: String,
        /// Its answer, by its number or id
        message: String,
        #[command(flatten)]
        patience: Patience,
    },
    /// Take a message's words away for ever, with what was remembered of it and its copies
    /// in forks
    Forget {
        /// By name or id
        group: String,
        /// By its number or id
        message: String,
        /// Ask nothing
        #[arg(long)]
        yes: bool,
    },
    /// React to a message by a sign; it wakes nobody
    React {
        /// By name or id
        group: String,
        /// By its number or id
        message: String,
        /// An emoji, or one short word
        sign: String,
        /// Take the reaction back
        #[arg(long)]
        off: bool,
    },
    /// Make a conversation of its own out of everything up to a message
    Fork {
        /// By name or id
        group: String,
        /// The last message of it, by its number or id
        message: String,
        /// What the new group is called
        #[arg(long)]
        name: Option<String>,
    },
}

fn history(word: &str) -> Result<History, String> {
    match word {
        "all" => Ok(History::All),
        "none" => Ok(History::Nothing),
        n => n
            .parse()
            .map(|messages| History::Last { messages })
            .map_err(|_| "say all, none or a number".into()),
    }
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    let names = session.names().await?;
    let agent = |name: &str| names.agent(name).map(|agent| agent.id);
    let group_of = |name: &str| names.group(name).map(|view| view.group.id);
    let mute = |group_name: &str, name: &str, muted: bool| {
        let patch = MemberPatch { muted: Some(muted), ..MemberPatch::default() };
        Ok::<_, Fault>(Order::EditMember {
            group: group_of(group_name)?,
            agent: agent(name)?,
            patch,
        })
    };
    let order = match command {
        Command::List { all } => return list(session, &names, all),
        Command::Log { group, limit, find, branch } => {
            let group = group_of(&group)?;
            return match find {
                Some(words) => log::found(session, &names, group, words, limit).await,
                None => log::log(session, &names, group, limit, branch).await,
            };
        }
        Command::Export { group, file, format } => {
            return export::run(session, group_of(&group)?, &file, format).await;
        }
        Command::Branch { group, message } => {
            branches::shows(session, group_of(&group)?, &message).await?
        }
        Command::Again { group, message, patience } => {
            return branches::again(session, &names, group_of(&group)?, &message, &patience).await;
        }
        Command::Forget { group, message, yes } => {
            return forget::forget(session, group_of(&group)?, &message, yes).await;
        }
        Command::React { group, message, sign, off } => {
            return forget::react(session, group_of(&group)?, &message, sign, off).await;
        }
        Command::Fork { group, message, name } => {
            let message = why::message(session, group_of(&group)?, &message).await?.id;
            Order::Fork { message, name }
        }
        Command::Templates => return templates::list(session).await,
        Command::Begin { template, name } => Order::NewGroupFrom { template, name },
        Command::New { name, members, policy } => {
            Order::NewGroup { name: Some(name), members: names.agents(&members)?, policy }
        }
        Command::Add { group: name, agent: who, sees } => {
            Order::AddMember { group: group_of(&name)?, agent: agent(&who)?, sees }
        }
        Command::Remove { group: name, agent: who } => {
            Order::RemoveMember { group: group_of(&name)?, agent: agent(&who)? }
        }
        Command::Set { group, key, value } => {
            set(&names, &names.group(&group)?.group, &key, &value)?
        }
        Command::Mute { group, agent } => mute(&group, &agent, true)?,
        Command::Unmute { group, agent } => mute(&group, &agent, false)?,
        Command::Speak { group: name, agent: who, patience } => {
            let who = names.agent(&who)?;
            let order = Order::SpeakNow { group: group_of(&name)?, agent: who.id };
            let ordered = quiet::order(session, order, who.id, &patience).await?;
            return ordered.report(session, &(), || words::given_a_turn(who));
        }
        Command::Stop { group: name } => Order::Stop { target: Target::Group(group_of(&name)?) },
    };
    match session.order(order).await? {
        Reply::Group(view) => session.screen.one(&view, |_| describe(&names, &view)),
        _ => session.screen.one(&(), |_| "done".to_owned()),
    }
    Ok(())
}

/// What `set` changes: something of the group, or of one member in it.
fn set(names: &Names, group: &Group, key: &str, values: &[String]) -> Result<Order, Fault> {
    match (OF_MEMBERS.contains(&key), values) {
        (false, [value]) => {
            Ok(Order::EditGroup { group: group.id, patch: change(names, group, key, value)? })
        }
        (true, [agent, value]) => Ok(Order::EditMember {
            group: group.id,
            agent: names.agent(agent)?.id,
            patch: change_of_member(key, value)?,
        }),
        (false, _) => Err(Fault::bad_input(
            format!("{key} has one value"),
            format!("coterie group set GROUP {key} VALUE"),
        )),
        (true, _) => Err(Fault::bad_input(
            format!("{key} is an agent's own"),
            format!("coterie group set GROUP {key} AGENT NUMBER"),
        )),
    }
}

/// What `set` changes of one member.
const OF_MEMBERS: [&str; 2] = ["talkativeness", "position"];

fn change_of_member(key: &str, value: &str) -> Result<MemberPatch, Fault> {
    let wrong = |fix: &str| Fault::bad_input(format!("{value:?} is no {key}"), fix);
    let mut patch = MemberPatch::default();
    if key == "talkativeness" {
        let share = value.parse();
        patch.talkativeness =
            Some(share.map_err(|_| wrong("give a number from 0, only when mentioned, to 100"))?);
    } else {
        let place = value.parse();
        patch.position = Some(place.map_err(|_| wrong("give its place among the agents, from 1"))?);
    }
    Ok(patch)
}

/// What `set` changes of the group, from the key and the value as they were
/// typed.
fn change(names: &Names, group: &Group, key: &str, value: &str) -> Result<GroupPatch, Fault> {
    let mut patch = GroupPatch::default();
    let caps = |cap: fn(&mut Caps) -> &mut u32| {
        let (mut caps, mut most) = (group.caps, Caps::MOST);
        *cap(&mut caps) = value.parse().map_err(|_| no_cap(key, value, *cap(&mut most)))?;
        Ok::<_, Fault>(Some(caps))
    };
    match key {
        "name" => patch.name = Some(value.to_owned()),
        "policy" => patch.policy = Some(policy(value).map_err(|fix| unknown_policy(value, fix))?),
        "default_agent" => patch.default_agent = Some(names.agent(value)?.id),
        "supervisor" => patch.supervisor = Some(names.agent(value)?.id),
        "archived" => patch.archived = Some(yes_or_no(value)?),
        "messages_per_post" => patch.caps = caps(|caps| &mut caps.messages_per_post)?,
        "chain_depth" => patch.caps = caps(|caps| &mut caps.chain_depth)?,
        "pair_hops" => patch.caps = caps(|caps| &mut caps.pair_hops)?,
        "runs_per_hour" => patch.caps = caps(|caps| &mut caps.runs_per_hour)?,
        _ => return Err(unknown_key(key)),
    }
    Ok(patch)
}

/// A number that is too large to be one here is still a number.
fn no_cap(key: &str, value: &str, most: u32) -> Fault {
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let message = match is_number {
        true => format!("{key} goes from 1 to {most}, not {value}"),
        false => format!("{value:?} is no number"),
    };
    Fault::bad_input(message, format!("give a whole number from 1 to {most} for {key}"))
}

fn unknown_policy(value: &str, fix: String) -> Fault {
    Fault::bad_input(format!("there is no turn policy {value:?}"), fix)
}

fn yes_or_no(value: &str) -> Result<bool, Fault> {
    match value {
        "true" | "yes" => Ok(true),
        "false" | "no" => Ok(false),
        _ => Err(Fault::bad_input(format!("{value:?} is neither yes nor no"), "say yes or no")),
    }
}

fn unknown_key(key: &str) -> Fault {
    Fault::bad_input(
        format!("a group has no setting {key:?}"),
        "choose one of name, policy, default_agent, supervisor, archived, messages_per_post, chain_depth, pair_hops, runs_per_hour, talkativeness, position",
    )
}

/// The newest that was said in it.
pub(crate) async fn show_log(
    session: &Session,
    names: &Names,
    group: GroupId,
) -> Result<(), Failure> {
    log::log(session, names, group, 50, false).await
}

fn list(session: &Session, names: &Names, all: bool) -> Result<(), Failure> {
    // Tasks are no conversations: they are seen by their runs.
    let is_open = |group: &Group| !group.archived && group.kind != GroupKind::Task;
    let wanted = |view: &&GroupView| all || is_open(&view.group);
    let groups: Vec<&GroupView> = names.overview.groups.iter().filter(wanted).collect();
    session.screen.many(&groups, |paint| {
        let rows = groups.iter().map(|view| {
            let last = view
                .last
                .as_ref()
                .map_or("nothing said yet".to_owned(), |last| words::ago(last.at_ms));
            let last = match view.group.problem {
                Some(_) => format!("{last}, stopped"),
                None => last,
            };
            [
                names.group_name(view),
                view.group.policy.word().to_owned(),
                names.agents_of(view).join(", "),
                last,
            ]
        });
        let all = table(paint, ["group", "policy", "agents", "last message"], rows.collect());
        let stopped: String = groups.iter().filter_map(|view| stopped(names, view)).collect();
        all + &stopped
    });
    Ok(())
}

/// Why nobody answers in it, and what helps.
fn stopped(names: &Names, view: &GroupView) -> Option<String> {
    let Fault { message, fix, .. } = view.group.problem.as_ref()?;
    Some(format!("{} is stopped: {message}; {fix}\n", names.group_name(view)))
}

fn describe(names: &Names, view: &GroupView) -> String {
    let agents = names.agents_of(view).join(", ");
    let caps = &view.group.caps;
    let for_each = match view.group.policy {
        TurnPolicy::Rounds => " for each agent",
        _ => "",
    };
    let stopped = stopped(names, view).unwrap_or_default();
    format!(
        "{}: {}; {}; per message of yours {} answers{for_each}, {} deep, {} of two to each other, {} runs an hour\n{stopped}",
        view.group.name,
        if agents.is_empty() { "no agents" } else { &agents },
        policy_words(names, view),
        caps.messages_per_post,
        caps.chain_depth,
        caps.pair_hops,
        caps.runs_per_hour,
    )
}

/// The policy, with what was set for it.
fn policy_words(names: &Names, view: &GroupView) -> String {
    let word = view.group.policy.word();
    match view.group.policy {
        TurnPolicy::Supervisor => match view.group.supervisor.or(view.group.default_agent) {
            Some(agent) => format!("{word} {}", names.agent_name(agent)),
            None => word.to_owned(),
        },
        TurnPolicy::Weighted => {
            let own = view.members.iter().filter_map(|member| match member.who {
                Participant::Agent(agent) => {
                    Some(format!("{} {}", names.agent_name(agent), member.talkativeness?))
                }
                Participant::User => None,
            });
            let own: Vec<String> = own.collect();
            if own.is_empty() { word.to_owned() } else { format!("{word} ({})", own.join(", ")) }
        }
        TurnPolicy::DefaultResponder
        | TurnPolicy::Mention
        | TurnPolicy::Rounds
        | TurnPolicy::RoundRobin
        | TurnPolicy::Broadcast
        | TurnPolicy::Manual => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::known;
    use domain::{Agent, AgentId, FaultCode};
    use uuid::Uuid;

    const ADA: AgentId = AgentId(Uuid::from_u128(1));

    fn names() -> Names {
        known::names(vec![Agent::new(ADA, "Ada".into(), "ada".into(), 0)], Vec::new())
    }

    fn typed(words: &str) -> Result<Order, Fault> {
        let group = Group {
            id: GroupId(Uuid::nil()),
            name: "Tea".into(),
            kind: GroupKind::Group,
            policy: TurnPolicy::Broadcast,
            default_agent: None,
            supervisor: None,
            caps: Caps::default(),
            archived: false,
            created_ms: 0,
            problem: None,
        };
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        set(&names(), &group, &words[0], &words[1..])
    }

    #[test]
    fn set_changes_the_group_or_one_of_its_members() {
        let group = GroupId(Uuid::nil());
        let of_group = |patch| Ok(Order::EditGroup { group, patch });
        let of_ada = |patch| Ok(Order::EditMember { group, agent: ADA, patch });
        for policy in TurnPolicy::ALL {
            let patch = GroupPatch { policy: Some(policy), ..GroupPatch::default() };
            assert_eq!(typed(&format!("policy {}", policy.word())), of_group(patch));
        }
        let patch = GroupPatch { supervisor: Some(ADA), ..GroupPatch::default() };
        assert_eq!(typed("supervisor ada"), of_group(patch));
        let patch = MemberPatch { talkativeness: Some(20), ..MemberPatch::default() };
        assert_eq!(typed("talkativeness Ada 20"), of_ada(patch));
        let patch = MemberPatch { position: Some(2), ..MemberPatch::default() };
        assert_eq!(typed("position Ada 2"), of_ada(patch));
    }

    #[test]
    fn set_says_what_is_missing() {
        let check = |words: &str, code: FaultCode, part: &str| {
            let fault = typed(words).unwrap_err();
            assert_eq!(fault.code, code, "{words}");
            assert!(fault.to_string().contains(part), "{fault}");
        };
        check("talkativeness 20", FaultCode::BadInput, "talkativeness AGENT NUMBER");
        check("talkativeness Ada much", FaultCode::BadInput, "from 0");
        check("talkativeness Ada 300", FaultCode::BadInput, "to 100");
        check("supervisor Zoe", FaultCode::NotFound, "Zoe");
        check("policy Ada supervisor", FaultCode::BadInput, "policy VALUE");
        check("policy loud", FaultCode::BadInput, "weighted");
        check("loudness 3", FaultCode::BadInput, "talkativeness");
        let range = "messages_per_post goes from 1 to 1000, not 99999999999; give a whole number";
        check("messages_per_post 99999999999", FaultCode::BadInput, range);
        check("messages_per_post -3", FaultCode::BadInput, "goes from 1 to 1000, not -3");
        check("messages_per_post many", FaultCode::BadInput, "\"many\" is no number; give a whole");
        check("chain_depth 3.5", FaultCode::BadInput, "from 1 to 100 for chain_depth");
        check("position Ada 99999999999999999999", FaultCode::BadInput, "from 1");
    }
}
