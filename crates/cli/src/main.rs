//! Coterie from a terminal.
//!
//! Goes through the same door as the window: over the owner's socket when a
//! window or `coterie serve` has the workspace open, else it opens the
//! workspace itself for as long as the command takes. Each command is a file;
//! `names` finds what people call things, `quiet` waits for answers, `screen`
//! prints, `words` says what records mean.

mod arguments;
mod attach;
mod environment;
mod session;
mod setting;

mod agent;
mod approval;
mod backup;
mod below;
mod bench;
mod budget;
mod digest;
mod doctor;
mod feed;
mod from_server;
mod grant;
mod group;
mod key;
mod mcp;
mod memory;
mod model;
mod open;
mod pause;
mod provider;
mod run;
mod say;
mod schedule;
mod search;
mod serve;
mod skill;
mod soul;
mod source;
mod sure;
mod tick;
mod usage;
mod why;

mod ids;
mod money;
mod names;
mod paths;
mod problems;
mod question;
mod quiet;
mod screen;
mod table;
mod transcript;
mod unseen;
mod visible;
mod waiting;
mod words;

use arguments::{Arguments, Command};
use clap::Parser;
use screen::{Failure, Screen};
use session::Session;
use std::process::ExitCode;

/// What many short turns free goes back to the system: glibc's arenas keep a
/// quarter of it for good.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return arguments::refuse(&error),
    };
    door::leave_no_image();
    environment::write_log(&arguments.global.redactor);
    let screen = Screen::new(&arguments.global);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(run(arguments, &screen)),
        Err(error) => Err(Failure::internal(format!("start: {error}"))),
    };
    screen.end(done)
}

async fn run(arguments: Arguments, screen: &Screen) -> Result<(), Failure> {
    let Arguments { global, command } = arguments;
    // These do not need a workspace, or work where it cannot be opened.
    let command = match command {
        Command::Soul(soul::Command::Check { file }) => {
            return soul::check(&global, screen, &file).await;
        }
        Command::Skill(skill::Command::Check { folder }) => return skill::check(screen, &folder),
        Command::Doctor => return doctor::run(&global, screen).await,
        Command::Bench(command) => return bench::run(screen, command).await,
        Command::Restore(restore) => return backup::restore(&global, screen, restore).await,
        command => command,
    };
    let session = match &command {
        Command::Serve(serve) => {
            let passphrase = serve.passphrase_file.as_deref();
            Session::open_to_serve(&global, screen, passphrase).await?
        }
        Command::Memory(memory::Command::Rebuild(rebuild)) => {
            memory::open_to_rebuild(&global, screen, rebuild).await?
        }
        command if command.gives_turns() => {
            let session = Session::open_to_work(&global, screen).await?;
            if let Err(failure) = key::open_for_who_stopped(&session).await {
                session.close().await;
                return Err(failure);
            }
            session
        }
        _ => Session::open(&global, screen).await?,
    };
    let done = match command {
        Command::Doctor | Command::Bench(_) | Command::Restore(_) => unreachable!("done above"),
        Command::Soul(command) => soul::run(&session, command).await,
        Command::Skill(command) => skill::run(&session, command).await,
        Command::Agent(command) => agent::run(&session, command).await,
        Command::Group(command) => group::run(&session, command).await,
        Command::Say(say) => say::run(&session, say).await,
        Command::Why(why) => why::run(&session, why).await,
        Command::Run(command) => run::run(&session, command).await,
        Command::Approval(command) => approval::run(&session, command).await,
        Command::Question(command) => question::run(&session, command).await,
        Command::Grant(command) => grant::run(&session, command).await,
        Command::Setting(setting) => setting::run(&session, setting).await,
        Command::Memory(command) => memory::run(&session, command).await,
        Command::Feed(command) => feed::run(&session, command).await,
        Command::Tick(tick) => tick::run(&session, tick).await,
        Command::Schedule(command) => schedule::run(&session, command).await,
        Command::Source(command) => source::run(&session, command).await,
        Command::Digest(digest) => digest::run(&session, digest).await,
        Command::Pause => pause::pause(&session).await,
        Command::Resume { patience } => pause::resume(&session, &patience).await,
        Command::Open(open) => open::run(&session, open).await,
        Command::Search(search) => search::run(&session, search).await,
        Command::Mcp(command) => mcp::run(&session, command).await,
        Command::Provider(command) => provider::run(&session, command).await,
        Command::Key(command) => key::run(&session, command).await,
        Command::Model(command) => model::run(&session, command).await,
        Command::Budget(command) => budget::run(&session, command).await,
        Command::Usage(usage) => usage::run(&session, usage).await,
        Command::Backup(backup) => backup::run(&session, backup).await,
        Command::Import(import) => backup::import(&session, import).await,
        // It lives until somebody ends it, and that is meant.
        Command::Serve(_) => {
            let done = serve::run(&session).await;
            session.close().await;
            return done;
        }
    };
    session.close_after_others().await;
    done
}
