//! `coterie mcp …`: servers that bring agents more tools, and Coterie as a server for
//! other programs.

mod add;
mod grant;
mod serve;
mod shown;

use crate::screen::Failure;
use crate::session::{Session, answered};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use clap::{Args, Subcommand};
use domain::{
    AttachmentContent, Command as Order, Fault, FaultCode, FromOwner, McpImport, McpOffers,
    McpPatch, McpServer, McpState, Query, Reply, Secret, Update,
};
use futures::StreamExt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// The servers that are set up, and how each is
    List,
    /// Add a server, and see whether it answers
    Add(add::Add),
    /// Take in the servers of another app, from the JSON that it keeps them in
    Import {
        /// The file, such as claude_desktop_config.json; - reads standard input
        file: PathBuf,
        /// Show what would come of it, and change nothing
        #[arg(long)]
        preview: bool,
    },
    /// Remove a server, with what it has among the keys
    Remove {
        /// The server's name
        name: String,
        /// Only take its keys off the list, where their place cannot be reached any more
        #[arg(long)]
        forget: bool,
    },
    /// Let a server run
    On {
        /// The server's name
        name: String,
    },
    /// Stop a server; it stays on the list
    Off {
        /// The server's name
        name: String,
    },
    /// Start a server anew, with its keys as they are now
    Reload {
        /// The server's name
        name: String,
        /// Sign in with it: its page is printed, to be opened in a browser
        #[arg(long)]
        sign_in: bool,
        #[command(flatten)]
        patience: Patience,
    },
    /// What a server brings, and which of it agents are offered
    Tools {
        /// The server's name
        name: String,
        /// Offer agents this tool; can be given more than once
        #[arg(long, value_name = "TOOL")]
        on: Vec<String>,
        /// Offer nobody this tool; can be given more than once
        #[arg(long, value_name = "TOOL")]
        off: Vec<String>,
    },
    /// What a server has to be read
    Resources {
        /// The server's name
        name: String,
    },
    /// Read something that a server has; pictures and what is no text are not shown
    Read {
        /// The server's name
        name: String,
        /// Its address, as `coterie mcp resources` shows it
        uri: String,
    },
    /// What a server writes for you to say: coterie say GROUP --prompt NAME/PROMPT
    Prompts {
        /// The server's name
        name: String,
    },
    /// What a server has logged since it was started
    Log {
        /// The server's name
        name: String,
    },
    /// Believe a server what it says its tools do: what only looks is not asked about
    Trust {
        /// The server's name
        name: String,
        /// Believe it no longer
        #[arg(long)]
        not: bool,
    },
    /// Be a server for another program, over standard input and output, until it closes them
    Serve(serve::Serve),
    /// What other programs may do here through `coterie mcp serve`
    #[command(subcommand)]
    Grant(grant::Command),
    /// Let a server have a model asked, each time when you allow it
    Sampling {
        /// The server's name
        name: String,
        /// Not any more
        #[arg(long)]
        not: bool,
    },
}

#[derive(Args, Clone, Copy)]
pub(crate) struct Patience {
    /// How many seconds to wait until it answers [default: 60, and 600 to sign in]
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
}

impl Patience {
    fn within(self, usual: u64) -> Duration {
        Duration::from_secs(self.wait.unwrap_or(usual))
    }
}

const USUAL: u64 = 60;
const TO_SIGN_IN: u64 = 600;

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List => {
            let servers = all(session).await?;
            session.screen.many(&servers, |paint| shown::list(&servers, paint));
            Ok(())
        }
        Command::Add(add) => add::run(session, add).await,
        Command::Serve(serve) => {
            // Whoever started it ends it, and waits for nothing.
            session.leave();
            serve::run(session, serve).await
        }
        Command::Grant(command) => grant::run(session, command).await,
        Command::Import { file, preview } => import(session, &file, preview).await,
        Command::Remove { name, forget } => {
            let before = permissions(session).await?;
            session.order(Order::RemoveServer { server: name.clone(), forget }).await?;
            let permissions = before.saturating_sub(permissions(session).await?);
            let gone = Gone { permissions };
            session.screen.one(&gone, |_| shown::gone(&name, permissions));
            Ok(())
        }
        Command::On { name } => {
            tell(session, edit(session, name, McpPatch { on: Some(true), ..none() }).await?)
        }
        Command::Off { name } => {
            tell(session, edit(session, name, McpPatch { on: Some(false), ..none() }).await?)
        }
        Command::Reload { name, sign_in, patience } => {
            let order = Order::ReloadServer { server: name, sign_in };
            let within = patience.within(if sign_in { TO_SIGN_IN } else { USUAL });
            there(session, order, within).await
        }
        Command::Tools { name, on, off } => tools(session, name, &on, &off).await,
        Command::Resources { name } => {
            let offers = offers(session, name).await?;
            session.screen.one(&offers, |paint| shown::resources(&offers, paint));
            Ok(())
        }
        Command::Prompts { name } => {
            let prompts = offers(session, name).await?.prompts;
            session.screen.many(&prompts, |paint| shown::prompts(&prompts, paint));
            Ok(())
        }
        Command::Read { name, uri } => read_resource(session, name, uri).await,
        Command::Log { name } => {
            let server = name.clone();
            let lines = answered!(session.ask(Query::ServerLog { server }).await?, Lines)?;
            session.screen.many(&lines, |_| match lines.is_empty() {
                true => format!("{name} has logged nothing since it was started, if it was"),
                false => lines.join("\n"),
            });
            Ok(())
        }
        Command::Trust { name, not } => {
            tell(session, edit(session, name, McpPatch { trusted: Some(!not), ..none() }).await?)
        }
        Command::Sampling { name, not } => {
            tell(session, edit(session, name, McpPatch { may_sample: Some(!not), ..none() }).await?)
        }
    }
}

fn none() -> McpPatch {
    McpPatch::default()
}

async fn all(session: &Session) -> Result<Vec<McpServer>, Fault> {
    answered!(session.ask(Query::Servers).await?, Servers)
}

async fn offers(session: &Session, server: String) -> Result<McpOffers, Fault> {
    let offers = session.ask(Query::ServerOffers { server }).await?;
    answered!(offers, ServerOffers).map(|offers| *offers)
}

async fn read_resource(session: &Session, server: String, uri: String) -> Result<(), Failure> {
    let kept = session.order(Order::AttachResource { server, uri }).await?;
    let kept = answered!(kept, Attachment)?;
    let hash = kept.hash.clone();
    let content = answered!(session.ask(Query::Attachment { hash }).await?, AttachmentContent)?;
    let text = match kept.kind.is_picture() {
        true => format!("[picture: {}, {} bytes]", kept.name, kept.bytes),
        false => text_of(&content),
    };
    session.screen.one(&content, |_| text);
    Ok(())
}

fn text_of(content: &AttachmentContent) -> String {
    let bytes = BASE64_STANDARD.decode(&content.base64).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

async fn one(session: &Session, name: &str) -> Result<McpServer, Fault> {
    let found = all(session).await?.into_iter().find(|server| server.setup.name == name);
    found.ok_or_else(|| {
        Fault::not_found(format!("there is no MCP server {name}"), "see coterie mcp list")
    })
}

async fn edit(session: &Session, server: String, patch: McpPatch) -> Result<McpServer, Fault> {
    let edited = session.order(Order::EditServer { server, patch }).await?;
    answered!(edited, Server).map(|server| *server)
}

fn tell(session: &Session, server: McpServer) -> Result<(), Failure> {
    session.screen.one(&server, |_| shown::in_a_line(&server));
    Ok(())
}

/// Orders something that starts a server, and waits until it is known how that went.
async fn there(session: &Session, order: Order, within: Duration) -> Result<(), Failure> {
    // From before, so that nothing is missed.
    let before = session.overview().await?.mark;
    let mut events = session.door.events(Some(before));
    let started = answered!(session.order(order).await?, Server)?;
    let name = started.setup.name.clone();
    let mut server = *started;
    let late = tokio::time::sleep(within);
    tokio::pin!(late);
    while server.state == McpState::Starting {
        let said = tokio::select! {
            said = events.next() => said,
            () = &mut late => {
                let fault = Fault::new(
                    FaultCode::TimedOut,
                    format!("{name} does not answer yet"),
                    format!("it is tried on where Coterie runs; coterie mcp log {name} says more"),
                );
                return Err(Failure::with(fault, &server));
            }
        };
        match said {
            Some(FromOwner::Event(event)) => {
                if let Update::Page { server, url } = &event.update
                    && *server == name
                {
                    session.screen.aside(&format!("open this page to sign in with {name}: {url}"));
                }
            }
            Some(FromOwner::Resync { .. } | FromOwner::Answer(_)) => {}
            None => {
                let fix = "coterie mcp list says how it is";
                let gone = "the process that has the workspace open has ended";
                return Err(Fault::new(FaultCode::Storage, gone, fix).into());
            }
        }
        server = one(session, &name).await?;
    }
    match why_not(&server) {
        Some(fault) => Err(Failure::found(fault, &server)),
        None => tell(session, server),
    }
}

/// What is in the way of a server that was to be there.
fn why_not(server: &McpServer) -> Option<Fault> {
    let name = &server.setup.name;
    let log = format!("correct it; coterie mcp log {name} says more where Coterie runs");
    match &server.state {
        McpState::Resting { why, .. } => Some(Fault::new(
            FaultCode::Provider,
            format!("{name} is set up and does not answer: {why}"),
            log,
        )),
        McpState::Failed { why } => Some(Fault::new(
            FaultCode::Provider,
            format!("{name} is set up and cannot be started: {why}"),
            log,
        )),
        McpState::SignIn { why } => Some(Fault::new(
            FaultCode::Key,
            format!("{name} is set up, and {why}"),
            format!("coterie mcp reload {name} --sign-in"),
        )),
        McpState::Off | McpState::Asleep | McpState::Starting | McpState::Ready { .. } => None,
    }
}

async fn tools(
    session: &Session,
    name: String,
    on: &[String],
    off: &[String],
) -> Result<(), Failure> {
    let mut server = one(session, &name).await?;
    let switched: Vec<(String, bool)> = on
        .iter()
        .map(|tool| (tool.clone(), true))
        .chain(off.iter().map(|tool| (tool.clone(), false)))
        .collect();
    let mut tools = std::collections::BTreeMap::new();
    for (wanted, on) in switched {
        let is = |tool: &&domain::McpTool| tool.name == wanted || tool.offered_as == wanted;
        let Some(known) = server.tools.iter().find(is) else {
            return Err(Fault::not_found(
                format!("{name} has no tool {wanted}"),
                format!("coterie mcp tools {name} shows what it has"),
            )
            .into());
        };
        tools.insert(known.name.clone(), on);
    }
    if !tools.is_empty() {
        server = edit(session, name, McpPatch { tools: Some(tools), ..none() }).await?;
    }
    session.screen.many(&server.tools, |paint| shown::tools(&server, paint));
    Ok(())
}

/// What went with a server.
#[derive(serde::Serialize)]
struct Gone {
    /// What agents were allowed to do with it.
    permissions: usize,
}

async fn permissions(session: &Session) -> Result<usize, Fault> {
    let grants = session.ask(Query::Grants).await?;
    answered!(grants, Grants).map(|grants| grants.len())
}

async fn import(session: &Session, file: &Path, preview: bool) -> Result<(), Failure> {
    let text = Secret::new(read(file)?);
    let reply = session.order(Order::ImportServers { text, preview }).await?;
    let import: McpImport = match reply {
        Reply::ServersImported(import) => *import,
        other => return Err(crate::session::unexpected(&other).into()),
    };
    session.screen.one(&import, |paint| shown::import(&import, preview, paint));
    Ok(())
}

fn read(file: &Path) -> Result<String, Fault> {
    const MOST: u64 = 4 << 20;
    let mut bytes = Vec::new();
    let done = match file.to_str() {
        Some("-") => std::io::stdin().take(MOST).read_to_end(&mut bytes),
        _ => std::fs::File::open(file).and_then(|file| file.take(MOST).read_to_end(&mut bytes)),
    };
    let unread = |why: String| {
        Fault::not_found(
            format!("read {}: {why}", file.display()),
            "give the path of a JSON file with mcpServers in it",
        )
    };
    done.map_err(|error| unread(error.to_string()))?;
    in_letters(bytes).ok_or_else(|| {
        unread("it is no text in UTF-8 or UTF-16; save it as UTF-8 in an editor".to_owned())
    })
}

/// The text that a file holds. Windows writes some in UTF-16, with a mark in front.
fn in_letters(bytes: Vec<u8>) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some([0xff, 0xfe]) => u16::from_le_bytes,
        Some([0xfe, 0xff]) => u16::from_be_bytes,
        _ => return String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')),
    };
    let units = bytes[2..].chunks(2).map(|pair| pair.try_into().map(unit));
    String::from_utf16(&units.collect::<Result<Vec<u16>, _>>().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{McpPlace, McpSetup};

    #[test]
    fn whoever_could_not_sign_in_reads_why() {
        let place = McpPlace::Address { url: "https://example.org".into(), headers: [].into() };
        let setup = McpSetup {
            name: "things".into(),
            title: None,
            place,
            on: true,
            trusted: false,
            may_sample: false,
            switched_off: [].into(),
        };
        let why = "the server asks to sign in: nobody came back from the page in time";
        let state = McpState::SignIn { why: why.into() };
        let fault = why_not(&McpServer { setup, state, tools: Vec::new(), memory_bytes: None });
        let expected = format!("things is set up, and {why}");
        assert_eq!(fault.map(|fault| fault.message), Some(expected));
    }
}
