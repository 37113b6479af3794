//! The command line: what can be said, and what is said when it is wrong.

use crate::quiet::Patience;
use crate::screen::{Failure, Screen};
use crate::{
    agent, approval, backup, bench, budget, digest, feed, grant, group, key, mcp, memory, model,
    open, provider, question, run, say, schedule, search, serve, setting, skill, soul, source,
    tick, usage, why,
};
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
use domain::{Fault, TurnPolicy};
use door::Redactor;
use std::path::PathBuf;
use std::process::ExitCode;

/// Agents that live on your own machine: talk to them, look at what they did,
/// change who they are.
#[derive(Parser)]
#[command(name = "coterie", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit status: 0 done, 1 failed, 2 wrong usage or input, 3 not found, \
                          4 refused by a policy or a limit, 5 timed out.";

/// Apart from a command's own options, which come first.
const EVERYWHERE: &str = "Options of every command";

#[derive(Args, Clone, Default)]
pub(crate) struct Global {
    /// The workspace's folder [default: $COTERIE_DATA, else this system's place for application data]
    #[arg(long, global = true, value_name = "DIR", help_heading = EVERYWHERE)]
    pub data: Option<PathBuf>,
    /// What ships with Coterie: models and libraries [default: $COTERIE_ASSETS, else as installed]
    #[arg(long, global = true, value_name = "DIR", help_heading = EVERYWHERE)]
    pub assets: Option<PathBuf>,
    /// Print one JSON object: {"ok":true,"data":…} or {"ok":false,"fault":…}
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub json: bool,
    /// Print one JSON object a line: records, or events while they happen
    #[arg(long, global = true, conflicts_with = "json", help_heading = EVERYWHERE)]
    pub jsonl: bool,
    /// No colours, as when the output is not a terminal
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub no_color: bool,
    /// Stands in the log before a workspace is open, and learns its keys then.
    #[arg(skip)]
    pub redactor: Redactor,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check everything: data, database, souls, keyring, models, providers
    Doctor,
    /// Who the agents are: their Markdown files
    #[command(subcommand)]
    Soul(soul::Command),
    /// Instructions that agents load when they need them
    #[command(subcommand)]
    Skill(skill::Command),
    /// The agents themselves
    #[command(subcommand)]
    Agent(agent::Command),
    /// Groups, their members and what was said in them
    #[command(subcommand)]
    Group(group::Command),
    /// Post a message and follow what happens until the group is quiet
    Say(say::Say),
    /// Who spoke, who stayed silent, and why
    Why(why::Why),
    /// The agents' turns
    #[command(subcommand)]
    Run(run::Command),
    /// What agents ask before they do it, and your answers
    #[command(subcommand)]
    Approval(approval::Command),
    /// What agents want to know from you, and your answers
    #[command(subcommand)]
    Question(question::Command),
    /// What agents may do without asking, and what they never do
    #[command(subcommand)]
    Grant(grant::Command),
    /// What is set for the whole workspace: your name, how long questions wait, notices
    Setting(setting::Setting),
    /// What is remembered: found, corrected, forgotten
    #[command(subcommand)]
    Memory(memory::Command),
    /// Posts in communities, with the comments of people and agents
    #[command(subcommand)]
    Feed(feed::Command),
    /// Give out what was written in the feed, and follow until it is answered
    Tick(tick::Tick),
    /// What agents are given at set times, by themselves
    #[command(subcommand)]
    Schedule(schedule::Command),
    /// What is told in the feed when it happens: files, turns that end, contradictions
    #[command(subcommand)]
    Source(source::Command),
    /// Have an agent tell what happened since the last time
    Digest(digest::Digest),
    /// What a link names, such as one in a digest
    Open(open::Open),
    /// Have everybody rest, and nothing happen by itself
    Pause,
    /// Have everybody go on who rested with all
    Resume {
        #[command(flatten)]
        patience: Patience,
    },
    /// Find words in messages, memories and runs
    Search(search::Search),
    /// Servers that bring agents more tools, and other programs that use this workspace
    #[command(subcommand)]
    Mcp(mcp::Command),
    /// Who serves models
    #[command(subcommand)]
    Provider(provider::Command),
    /// Keys: where each one lies; never what it is
    #[command(subcommand)]
    Key(key::Command),
    /// Which models are used
    #[command(subcommand)]
    Model(model::Command),
    /// How much may be spent, and how much is gone
    #[command(subcommand)]
    Budget(budget::Command),
    /// What the models used, and what it cost
    Usage(usage::Usage),
    /// Write the whole workspace to one file, without its keys, while everybody goes on
    #[command(visible_alias = "export")]
    Backup(backup::Backup),
    /// Take another workspace in, out of its backup, beside what is here
    Import(backup::Import),
    /// Put a backup in the place of the workspace; what was there is kept aside
    Restore(backup::Restore),
    /// Run the workspace without a window
    Serve(serve::Serve),
    /// Measure what the runtime costs on this machine
    #[command(subcommand)]
    Bench(bench::Command),
}

impl Command {
    /// Whether agents answer while it lasts. The others leave what waits for
    /// a process that stays.
    pub(crate) fn gives_turns(&self) -> bool {
        match self {
            Command::Serve(_)
            | Command::Mcp(mcp::Command::Serve(_))
            | Command::Run(run::Command::Once(_))
            | Command::Soul(soul::Command::New(_)) => true,
            Command::Say(say) => say.wait > 0,
            Command::Tick(tick) => tick.wait > 0,
            Command::Feed(feed) => feed.gives_turns(),
            Command::Budget(budget) => budget.gives_turns(),
            Command::Resume { patience } => patience.wait > 0,
            // Whoever asked goes on with the answer.
            Command::Approval(approval::Command::Allow(_) | approval::Command::Deny { .. })
            | Command::Question(
                question::Command::Answer { .. }
                | question::Command::Decline { .. }
                | question::Command::Dismiss { .. },
            ) => true,
            Command::Schedule(schedule) => schedule.gives_turns(),
            Command::Digest(digest) => digest.patience.wait > 0,
            Command::Agent(agent::Command::Resume { patience, .. })
            | Command::Group(
                group::Command::Speak { patience, .. } | group::Command::Again { patience, .. },
            )
            | Command::Run(run::Command::Resume { patience, .. }) => patience.wait > 0,
            Command::Doctor
            | Command::Soul(_)
            | Command::Skill(_)
            | Command::Agent(_)
            | Command::Group(_)
            | Command::Why(_)
            | Command::Run(_)
            | Command::Approval(_)
            | Command::Question(_)
            | Command::Grant(_)
            | Command::Setting(_)
            | Command::Memory(_)
            | Command::Open(_)
            | Command::Search(_)
            | Command::Source(_)
            | Command::Pause
            | Command::Mcp(_)
            | Command::Provider(_)
            | Command::Key(_)
            | Command::Model(_)
            | Command::Usage(_)
            | Command::Backup(_)
            | Command::Import(_)
            | Command::Restore(_)
            | Command::Bench(_) => false,
        }
    }
}

/// Help and version as clap prints them; a mistake as one line, and as JSON if
/// that was wanted.
pub(crate) fn refuse(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let screen = screen_as_said();
            if let Err(unwritten) = error.print() {
                screen.cannot_write(unwritten);
            }
            if error.use_stderr() { ExitCode::from(2) } else { screen.end(Ok(())) }
        }
        _ => {
            let text = error.to_string();
            let mistake = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            let missing: Vec<&str> =
                text.lines().skip(1).take_while(|line| line.starts_with("  ")).collect();
            let mistake = format!("{mistake} {}", missing.join(" ").trim());
            let usage = text.lines().find_map(|line| line.strip_prefix("Usage: "));
            let fix =
                usage.map_or("see coterie --help".to_owned(), |usage| format!("usage: {usage}"));
            let mistake = mistake.split_whitespace().collect::<Vec<_>>().join(" ");
            screen_as_said().end(Err(Failure::from(Fault::bad_input(mistake, fix))))
        }
    }
}

/// What the command line says about the output, though it cannot be read as a
/// whole.
fn screen_as_said() -> Screen {
    let said = |flag: &str| std::env::args_os().skip(1).any(|word| word == flag);
    Screen::new(&Global {
        json: said("--json"),
        jsonl: said("--jsonl"),
        no_color: said("--no-color"),
        ..Global::default()
    })
}

pub(crate) fn policy(word: &str) -> Result<TurnPolicy, String> {
    let wanted = word.replace('-', "_");
    TurnPolicy::ALL.into_iter().find(|policy| policy.word() == wanted).ok_or_else(|| {
        let words = TurnPolicy::ALL.map(TurnPolicy::word).join(", ");
        format!("choose one of {words}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// Every command below this one says what it is for, and its arguments what
    /// they are. Those of `bench` are for whoever works on Coterie.
    fn undocumented(command: &clap::Command, path: &str, found: &mut Vec<String>) {
        let path = format!("{path} {}", command.get_name());
        if command.get_about().is_none() {
            found.push(path.clone());
        }
        let silent = command.get_arguments().filter(|argument| argument.get_help().is_none());
        found.extend(silent.map(|argument| format!("{path} {}", argument.get_id())));
        for command in command.get_subcommands().filter(|command| command.get_name() != "bench") {
            undocumented(command, &path, found);
        }
    }

    #[test]
    fn help_says_what_everything_is_for() {
        let mut found = Vec::new();
        undocumented(&Arguments::command(), "", &mut found);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn a_commands_own_options_come_before_those_of_every_command() {
        let wanted = ["coterie", "provider", "add", "--help"];
        let help = Arguments::try_parse_from(wanted).err().unwrap().to_string();
        let place = |option: &str| help.find(option).unwrap_or_else(|| panic!("{option}: {help}"));
        let own = ["--url", "--kind", "--key ", "--key-env", "--trace", "--model", "--help"];
        assert!(own.into_iter().map(place).is_sorted(), "{help}");
        assert!(place("--model") < place("--data") && place("--data") < place("--json"), "{help}");
    }
}
