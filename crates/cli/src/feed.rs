//! `coterie feed …`: posts in communities, with the comments of people and agents.

mod community;
mod shown;

use crate::quiet::{self, Patience};
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::{budget, ids, money, tick, why};
use clap::{Args, Subcommand};
use domain::{
    Command as Order, Community, Fault, FaultCode, FeedFilter, FeedPlace, FeedQueue, GroupId,
    Message, Moderation, PostView, Query, Run, Settings,
};
use std::time::Duration;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Communities: the places for posts, with their rules
    #[command(subcommand)]
    Community(community::Command),
    /// Write a post; agents hear of it at the next tick, whoever is @mentioned at once
    Post {
        /// What it says
        text: String,
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        patience: Patience,
    },
    /// Answer a post or a comment
    Comment {
        /// Its number, as list and show have it
        item: String,
        /// What it says
        text: String,
        #[command(flatten)]
        patience: Patience,
    },
    /// Ask an agent to write a post
    Ask {
        /// The agent's name
        agent: String,
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        patience: Patience,
    },
    /// The newest posts
    List {
        /// The community's name or id [default: all that are not archived]
        #[arg(long = "in", value_name = "COMMUNITY")]
        community: Option<String>,
        /// Only those that this agent or source wrote, or `me`
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
        /// Only those with something new in them
        #[arg(long)]
        unread: bool,
        /// How many at the most
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
    },
    /// A post with its comments
    Show {
        /// Its number, or that of one of its comments
        item: String,
    },
    /// React to a post or a comment
    React {
        /// Its number
        item: String,
        /// An emoji, or one short word
        sign: String,
        /// Take the reaction back
        #[arg(long)]
        off: bool,
    },
    /// Put a post or a comment out of sight, also of agents
    Hide(Moderate),
    /// Show again what was hidden
    Unhide(Moderate),
    /// Let nobody comment any more on a post
    Lock(Moderate),
    /// Let a locked post be commented on again
    Unlock(Moderate),
    /// Remove the words of a post or a comment for good; that it was there stays
    Remove(Moderate),
    /// Who answered a post or a comment, who did not, and why
    Why {
        /// Its number
        item: String,
    },
    /// How the queue stands: what waits, and what failed too often
    Queue,
    /// What was written by whom on which day, and who was given how much to answer
    Activity {
        /// The community's name or id [default: all]
        #[arg(long = "in", value_name = "COMMUNITY")]
        community: Option<String>,
        /// Of how many days, today included
        #[arg(long, value_name = "DAYS", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
        since: u32,
    },
    /// Try again what failed too often
    Retry {
        /// The event's number, as queue has it
        event: i64,
    },
    /// Go on with every answer that was interrupted
    Resume {
        #[command(flatten)]
        patience: Patience,
    },
    /// Have ticks come by themselves, within what they may cost in a day
    On {
        /// Minutes from one tick to the next
        #[arg(long)]
        every: u32,
        /// Tokens that all agents together may use in the feed in a day
        #[arg(long)]
        tokens: i64,
        /// Dollars that all agents together may spend in the feed in a day
        #[arg(long, value_parser = money::usd)]
        usd: i64,
    },
    /// Have no tick come by itself
    Off,
}

#[derive(Args)]
pub(crate) struct Place {
    /// The community's name or id [default: the only one there is]
    #[arg(long = "in", value_name = "COMMUNITY")]
    community: Option<String>,
}

#[derive(Args)]
pub(crate) struct Moderate {
    /// Its number
    item: String,
    /// The reason, which stays on record
    #[arg(long)]
    why: Option<String>,
}

impl Command {
    /// Whether agents may answer at once.
    pub(crate) fn gives_turns(&self) -> bool {
        match self {
            Command::Post { patience, .. }
            | Command::Comment { patience, .. }
            | Command::Ask { patience, .. }
            | Command::Resume { patience } => patience.wait > 0,
            Command::Community(_)
            | Command::List { .. }
            | Command::Show { .. }
            | Command::React { .. }
            | Command::Hide(_)
            | Command::Unhide(_)
            | Command::Lock(_)
            | Command::Unlock(_)
            | Command::Remove(_)
            | Command::Why { .. }
            | Command::Queue
            | Command::Activity { .. }
            | Command::Retry { .. }
            | Command::On { .. }
            | Command::Off => false,
        }
    }
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::Community(command) => community::run(session, command).await,
        Command::Post { text, place, patience } => {
            let community = to_post_in(session, &place).await?.id;
            let newest = tick::newest_run(session).await?;
            let place = FeedPlace::Post { community: Some(community) };
            budget::ahead::tell_in_feed(session, place, &text).await?;
            let order = Order::WritePost { community, text };
            let view = answered!(quiet::followed(session, order, &patience).await?, Post)?;
            show_post(session, &view, newest).await
        }
        Command::Comment { item, text, patience } => {
            let to = self::item(session, &item).await?.id;
            budget::ahead::tell_in_feed(session, FeedPlace::Comment { to }, &text).await?;
            let order = Order::Comment { to, text };
            let message = answered!(quiet::followed(session, order, &patience).await?, Message)?;
            let names = session.names().await?;
            session.screen.one(&message, |paint| shown::comment(paint, &names, &message));
            Ok(())
        }
        Command::Ask { agent, place, patience } => {
            let community = to_post_in(session, &place).await?.id;
            let agent = session.names().await?.agent(&agent)?.id;
            let newest = tick::newest_run(session).await?;
            let order = Order::AskForPost { community, agent };
            let view = answered!(quiet::followed(session, order, &patience).await?, Post)?;
            show_post(session, &view, newest).await
        }
        Command::List { community, by, unread, limit } => {
            list(session, community.as_deref(), by.as_deref(), unread, limit).await
        }
        Command::Show { item } => show(session, &item).await,
        Command::React { item, sign, off } => {
            let item = self::item(session, &item).await?.id;
            session.order(Order::React { item, sign, on: !off }).await?;
            done(session, if off { "taken back" } else { "noted" })
        }
        Command::Hide(what) => moderate(session, what, Moderation::Hide).await,
        Command::Unhide(what) => moderate(session, what, Moderation::Show).await,
        Command::Lock(what) => moderate(session, what, Moderation::Lock).await,
        Command::Unlock(what) => moderate(session, what, Moderation::Unlock).await,
        Command::Remove(what) => moderate(session, what, Moderation::Remove).await,
        Command::Why { item } => {
            let message = self::item(session, &item).await?;
            let id = message.id;
            why::about(session, message).await?;
            let stuck = interrupted(session, |run| run.cause.message == id).await?;
            let names = session.names().await?;
            for line in shown::interrupted(session.screen.paint, &names, &stuck).lines() {
                session.screen.aside(line);
            }
            Ok(())
        }
        Command::Queue => queue(session).await,
        Command::Activity { community, since } => {
            activity(session, community.as_deref(), since).await
        }
        Command::Retry { event } => {
            session.order(Order::RetryFeedEvent { event }).await?;
            done(session, "it waits for the next tick")
        }
        Command::Resume { patience } => resume(session, &patience).await,
        Command::On { every, tokens, usd } => {
            let order = Order::TurnOnFeed {
                every_minutes: every,
                tokens_a_day: tokens,
                microusd_a_day: usd,
            };
            let settings = answered!(session.order(order).await?, Settings)?;
            show_rules(session, &settings)
        }
        Command::Off => {
            let settings = answered!(session.order(Order::TurnOffFeed).await?, Settings)?;
            show_rules(session, &settings)
        }
    }
}

/// Takes up what was interrupted, and stays until it is answered.
async fn resume(session: &Session, patience: &Patience) -> Result<(), Failure> {
    let runs = interrupted(session, |_| true).await?;
    let before = session.overview().await?.mark;
    let mut stop = quiet::interrupt().await;
    for run in &runs {
        quiet::ordered(session, Order::ResumeRun { run: run.id }, &mut stop).await?;
    }
    if !runs.is_empty() && patience.wait > 0 {
        let wait = Duration::from_secs(patience.wait);
        quiet::stay(session, before, wait, stop).await?.tell(session);
    }
    session.screen.one(&runs, |_| match runs.len() {
        0 => "nothing was interrupted".to_owned(),
        n => format!("taken up again: {n}"),
    });
    Ok(())
}

fn done(session: &Session, told: &str) -> Result<(), Failure> {
    session.screen.one(&serde_json::json!({}), |_| told.to_owned());
    Ok(())
}

async fn communities(session: &Session) -> Result<Vec<Community>, Fault> {
    answered!(session.ask(Query::Communities).await?, Communities)
}

/// By its name or id.
pub(crate) async fn community_named(session: &Session, wanted: &str) -> Result<Community, Fault> {
    community::named(&communities(session).await?, wanted)
}

/// The community that is named, or the only one.
async fn place(session: &Session, place: &Place) -> Result<Option<Community>, Fault> {
    let all = communities(session).await?;
    if let Some(wanted) = &place.community {
        return community::named(&all, wanted).map(Some);
    }
    let mut open = all.into_iter().filter(|community| !community.archived);
    let only = open.next();
    Ok(if open.next().is_some() { None } else { only })
}

/// Where there is none yet, one is made: nobody has to be asked for its name.
async fn to_post_in(session: &Session, wanted: &Place) -> Result<Community, Fault> {
    if let Some(community) = place(session, wanted).await? {
        return Ok(community);
    }
    let all = communities(session).await?;
    if all.iter().any(|community| !community.archived) {
        return Err(Fault::bad_input(
            "there are several communities",
            "say which with --in; coterie feed community list names them",
        ));
    }
    if let Some(archived) = all.first() {
        return Err(Fault::bad_input(
            "every community is archived",
            format!(
                "bring one back: coterie feed community edit {:?} --restore, or make another: coterie feed community new NAME",
                archived.name
            ),
        ));
    }
    let (name, rules, members) = ("Commons".to_owned(), String::new(), Vec::new());
    answered!(session.order(Order::NewCommunity { name, rules, members }).await?, Community)
}

/// A post or a comment by its number, with or without `#`, or by its whole id.
async fn item(session: &Session, wanted: &str) -> Result<Message, Fault> {
    if let Ok(message) = wanted.parse() {
        return answered!(session.ask(Query::Message { message }).await?, Message);
    }
    let seq = wanted.trim_start_matches('#').parse().map_err(|_| {
        Fault::bad_input(
            format!("{wanted:?} is no post or comment"),
            "give the number that coterie feed list or coterie feed show has for it",
        )
    })?;
    answered!(session.ask(Query::FeedItem { seq }).await?, Message)
}

async fn list(
    session: &Session,
    within: Option<&str>,
    by: Option<&str>,
    unread: bool,
    limit: u32,
) -> Result<(), Failure> {
    let names = session.names().await?;
    let community = match within {
        Some(wanted) => Some(community_named(session, wanted).await?.id),
        None => None,
    };
    let author = by.map(|wanted| names.writer(wanted)).transpose()?;
    let filter = FeedFilter { community, author, unread };
    let query = Query::Feed { filter, before: None, limit };
    let posts = answered!(session.ask(query).await?, Posts)?;
    let all = communities(session).await?;
    let is_cut_down = filter.author.is_some() || filter.unread;
    session.screen.many(&posts, |paint| match posts.is_empty() && is_cut_down {
        true => "no post fits".to_owned(),
        false => shown::posts(paint, &names, &all, &posts),
    });
    Ok(())
}

async fn show(session: &Session, wanted: &str) -> Result<(), Failure> {
    show_thread(session, item(session, wanted).await?.group).await
}

/// A post with all its comments, which are read by that.
pub(crate) async fn show_thread(session: &Session, post: GroupId) -> Result<(), Failure> {
    let thread = answered!(session.ask(Query::Thread { post }).await?, Thread)?;
    let (names, all) = (session.names().await?, communities(session).await?);
    let stuck = interrupted(session, |run| run.group == post).await?;
    session.screen.one(&*thread, |paint| {
        shown::thread(paint, &names, &all, &thread) + &shown::interrupted(paint, &names, &stuck)
    });
    let newest = thread.view.item.iter().chain(&thread.comments).map(|item| item.message.seq).max();
    if let Some(seq) = newest {
        session.order(Order::MarkRead { group: post, seq }).await?;
    }
    Ok(())
}

/// Those that do not go on by themselves.
async fn interrupted(session: &Session, of: impl Fn(&Run) -> bool) -> Result<Vec<Run>, Fault> {
    let queue: FeedQueue = answered!(session.ask(Query::FeedQueue).await?, FeedQueue)?;
    Ok(queue.interrupted.into_iter().filter(of).collect())
}

/// A post or a comment alone, as its thread shows it; `None` where it is none.
pub(crate) async fn show_item(session: &Session, message: &Message) -> Result<bool, Failure> {
    let asked = session.ask(Query::Thread { post: message.group }).await;
    let thread = match asked.and_then(|reply| answered!(reply, Thread)) {
        Ok(thread) => thread,
        // The conversation of a task that has ended.
        Err(fault) if fault.code == FaultCode::NotFound => return Ok(false),
        Err(fault) => return Err(fault.into()),
    };
    let all = thread.view.item.iter().chain(&thread.comments);
    let Some(item) = all.into_iter().find(|item| item.message.id == message.id) else {
        return Ok(false);
    };
    let (names, seq) = (session.names().await?, message.seq);
    session.screen.one(item, |paint| {
        let place = format!("in the feed; coterie feed show {seq} shows the thread\n");
        paint.faint(&place) + &shown::item(paint, &names, item, &thread.moderated)
    });
    Ok(true)
}

/// As it stands now, with the answers that came at once. A turn after `newest` that
/// failed is told too.
async fn show_post(session: &Session, view: &PostView, newest: i64) -> Result<(), Failure> {
    let post = view.post.group;
    let thread = answered!(session.ask(Query::Thread { post }).await?, Thread)?;
    let (names, all) = (session.names().await?, communities(session).await?);
    let Some(fault) = tick::trouble_since(session, newest, &names).await? else {
        session.screen.one(&thread.view, |paint| shown::thread(paint, &names, &all, &thread));
        return Ok(());
    };
    if session.screen.is_plain() {
        let plain = shown::thread(session.screen.paint, &names, &all, &thread);
        session.screen.text(&plain);
    }
    Err(Failure::with(fault, &thread.view))
}

async fn moderate(session: &Session, what: Moderate, how: Moderation) -> Result<(), Failure> {
    let item = item(session, &what.item).await?.id;
    session.order(Order::Moderate { item, how, why: what.why }).await?;
    done(
        session,
        match how {
            Moderation::Hide => "hidden; unhide shows it again",
            Moderation::Show => "shown again",
            Moderation::Lock => "locked; nobody comments on it until unlock",
            Moderation::Unlock => "unlocked",
            Moderation::Remove => "removed; its words are gone",
        },
    )
}

async fn queue(session: &Session) -> Result<(), Failure> {
    let queue: FeedQueue = answered!(session.ask(Query::FeedQueue).await?, FeedQueue)?;
    let names = session.names().await?;
    session.screen.one(&queue, |paint| shown::queue(paint, &names, &queue));
    Ok(())
}

/// A line for each day and each of those who did something on it, or had something decided
/// for them.
async fn activity(session: &Session, within: Option<&str>, days: u32) -> Result<(), Failure> {
    let community = match within {
        Some(wanted) => Some(community_named(session, wanted).await?.id),
        None => None,
    };
    let since_ms = money::today_ms() - (i64::from(days) - 1) * money::DAY_MS;
    let query = Query::FeedActivity { community, since_ms };
    let rows = answered!(session.ask(query).await?, FeedActivity)?;
    let names = session.names().await?;
    session.screen.many(&rows, |paint| shown::activity(paint, &names, &rows));
    Ok(())
}

fn show_rules(session: &Session, settings: &Settings) -> Result<(), Failure> {
    let feed = settings.feed;
    session.screen.one(&feed, |_| match feed.on {
        true => format!(
            "a tick comes every {} min while a window or coterie serve is open; coterie budget show says what is left of the day",
            feed.every_minutes
        ),
        false => "no tick comes by itself; coterie tick gives out what waits".to_owned(),
    });
    Ok(())
}

/// A community's id, or either end of it.
fn fits_id(community: &Community, wanted: &str) -> bool {
    ids::part("community", wanted, "coterie feed community list")
        .is_ok_and(|part| ids::fits(community.id, &part))
}
