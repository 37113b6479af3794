//! One life: says something, backs it up, has another workspace take that in, says more, and
//! has the backup put in place.
//!
//! `crash-backup-child FOLDER FAILPOINT HITS`.
#![expect(clippy::print_stdout, reason = "the parent listens")]

#[path = "../asks.rs"]
#[expect(dead_code, reason = "the other children use the rest")]
mod asks;

use asks::{Outcome, order, overview, tell_end};
use domain::{Command, RequestId};
use door::Door;
use llm::scripted::Scripted;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tests::{TestClock, die_at, open_alone, serves};
use uuid::Uuid;

/// Far longer than all of it takes.
const LIFE: Duration = Duration::from_secs(90);

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().expect("FOLDER FAILPOINT HITS");
    let folder = PathBuf::from(word());
    let (failpoint, hits) = (word(), word().parse().expect("a number"));
    die_at(&failpoint, hits);
    let lived = tokio::time::timeout(LIFE, live(&folder)).await;
    tell_end(lived.unwrap_or_else(|_| Err("it comes to no end".into())))
}

async fn live(folder: &Path) -> Outcome<()> {
    let backup = folder.join("all.coterie");
    let path = backup.display().to_string();
    let (data, beside) = (folder.join("data"), folder.join("beside"));
    if !data.exists() {
        std::fs::create_dir_all(data.join("souls")).map_err(|error| error.to_string())?;
        let kim = "---\nname: Kim\n---\nYou grow tea.\n";
        std::fs::write(data.join("souls/kim.md"), kim).map_err(|error| error.to_string())?;
    }
    let door = open(&data).await?;
    // In a life after it was put in place there is nothing more to say.
    let is_restored = folder.join("data/replaced").exists();
    if !is_restored {
        say(&door, 1, "one").await?;
        if !backup.exists() {
            order(&door, request(2), Command::BackUp { path: path.clone() }).await?;
        }
        let other = open(&beside).await?;
        let take_in = Command::TakeIn {
            path: path.clone(),
            vouched: false,
            preview: false,
            looked_through: None,
        };
        order(&other, request(5), take_in).await?;
        other.close().await;
        say(&door, 3, "two").await?;
        order(&door, request(4), Command::Restore { path }).await?;
    }
    door.close().await;
    let door = open(&data).await?;
    let rests = overview(&door).await?.settings.all_paused;
    door.close().await;
    if rests { Ok(()) } else { Err("what was restored goes on unasked".into()) }
}

async fn open(data: &Path) -> Outcome<Door> {
    let model = serves(Arc::new(Scripted::saying("yes")));
    let clock = Arc::new(TestClock::default());
    let opened = open_alone(data.to_owned(), clock, model, Vec::new()).await;
    opened.map_err(|fault| fault.to_string())
}

/// With nobody set up who could answer.
async fn say(door: &Door, n: u128, text: &str) -> Outcome<()> {
    let groups = overview(door).await?.groups;
    let group = groups.first().ok_or("there is no group")?.group.id;
    let text = text.to_owned();
    let post = Command::Post { group, text, reply_to: None, attachments: Vec::new() };
    order(door, request(n), post).await?;
    Ok(())
}

fn request(n: u128) -> RequestId {
    RequestId(Uuid::from_u128(0xbac0_0000 + n))
}
