//! One life: writes what is still to be written, ticks until nothing waits, and is
//! killed somewhere on the way.
//!
//! `crash-feed-child FOLDER FAILPOINT HITS`. Says `ack N` once post N is answered.
#![expect(clippy::print_stdout, reason = "the parent listens")]

#[path = "../asks.rs"]
mod asks;
mod plan;

use asks::{
    Outcome, ask, new_id, order, resume_what_was_interrupted, tell_end, tell_events, use_script,
};
use domain::{
    Budget, BudgetScope, Command, CommunityId, FeedQueue, FeedRules, FromOwner, Query, Reply,
    SettingsPatch,
};
use door::Door;
use futures::StreamExt;
use llm::ModelRequest;
use llm::scripted::{Beat, Scripted};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tests::{die_at, open_alone, serves, thought};
use workspace::SystemClock;

/// Far longer than all of it takes.
const LIFE: Duration = Duration::from_secs(90);

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().expect("FOLDER FAILPOINT HITS");
    let folder = PathBuf::from(word());
    let (failpoint, hits) = (word(), word().parse().expect("a number"));
    die_at(&failpoint, hits);
    let lived = tokio::time::timeout(LIFE, live(folder)).await;
    tell_end(lived.unwrap_or_else(|_| Err("it comes to no end".into())))
}

async fn live(folder: PathBuf) -> Outcome<()> {
    let prompts = folder.join("prompts");
    fs::create_dir_all(&prompts).map_err(|error| error.to_string())?;
    fs::write(prompts.join("reply-to-post.md"), plan::many_words())
        .map_err(|error| error.to_string())?;
    let model = serves(Arc::new(Scripted::from_fn(answer)));
    let opened = open_alone(folder, Arc::new(SystemClock), model, Vec::new());
    let door = opened.await.map_err(|fault| fault.to_string())?;
    tell_events(&door);
    set_up(&door).await?;
    for n in 0..plan::POSTS {
        let community = CommunityId(plan::community().0);
        let command = Command::WritePost { community, text: plan::text(n) };
        order(&door, plan::request(n), command).await?;
        println!("ack {n}");
    }
    loop {
        let ticked = match order(&door, new_id(), Command::Tick).await? {
            Reply::Ticked(ticked) => ticked,
            other => return Err(format!("not ticked: {other:?}")),
        };
        answered(&door).await?;
        if queue(&door).await?.waiting == 0 {
            break;
        }
        // All that there was room for has been tried.
        if ticked.events == 0 && ticked.without_room > 0 {
            limit(&door, None).await?;
        }
    }
    door.close().await;
    Ok(())
}

async fn limit(door: &Door, tokens: Option<i64>) -> Outcome<()> {
    let budget = Budget { scope: BudgetScope::Feed, tokens, microusd: None };
    order(door, new_id(), Command::SetBudget { budget }).await.map(drop)
}

/// Whether a life before this one has said what the feed may use.
async fn is_limited(door: &Door) -> Outcome<bool> {
    match ask(door, Query::Budgets).await? {
        Reply::Budgets(all) => {
            Ok(all.iter().any(|one| one.set && one.budget.scope == BudgetScope::Feed))
        }
        other => Err(format!("no budgets: {other:?}")),
    }
}

/// Speaks to somebody each time, in words that nobody has used.
fn answer(request: &ModelRequest, n: usize) -> Vec<Beat> {
    let mut hasher = DefaultHasher::new();
    request.turns.iter().for_each(|turn| turn.content.hash(&mut hasher));
    let at = usize::try_from(hasher.finish() % 1_000_000).expect("a small number");
    let text = match at % 5 {
        0 => "[pass]".to_owned(),
        1 => format!("{{\"text\": \"@Ada @Bo {} {at} {n}\"}}", thought(at)),
        _ => format!("@Otto @Ines {} {at} {n}", thought(at)),
    };
    vec![Beat::Text(text)]
}

async fn set_up(door: &Door) -> Outcome<()> {
    use_script(door).await?;
    let rules = FeedRules { per_hour: plan::PER_HOUR, ..FeedRules::default() };
    let patch = SettingsPatch { feed: Some(rules), ..SettingsPatch::default() };
    order(door, new_id(), Command::ChangeSettings { patch }).await?;
    let community =
        Command::NewCommunity { name: "Square".into(), rules: String::new(), members: Vec::new() };
    order(door, plan::community(), community).await?;
    if !is_limited(door).await? {
        limit(door, Some(plan::FIRST_TOKENS)).await?;
    }
    resume_what_was_interrupted(door).await
}

async fn answered(door: &Door) -> Outcome<()> {
    let mut events = door.events(None);
    while queue(door).await?.answers_to_come > 0 {
        match events.next().await {
            Some(FromOwner::Event(_) | FromOwner::Resync { .. } | FromOwner::Answer(_)) => {}
            None => return Err("the events ended".into()),
        }
    }
    Ok(())
}

async fn queue(door: &Door) -> Outcome<FeedQueue> {
    match ask(door, Query::FeedQueue).await? {
        Reply::FeedQueue(queue) => Ok(queue),
        other => Err(format!("no queue: {other:?}")),
    }
}
