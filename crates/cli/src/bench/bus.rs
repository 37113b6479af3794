//! Durable posts a second, through the whole path of a post: the door, the
//! turn policy, its decision, the commit, the event.
//!
//! The message goes to a group in which nobody is mentioned, so that nothing
//! but posting is measured. Redis appends a text of the same length to a
//! stream, one at a time, in the same run.

use super::redis::{Redis, Sync};
use super::stage::{self, Stage};
use super::{broken, cost, tell};
use crate::screen::{Failure, Screen};
use domain::{GroupId, TurnPolicy};
use door::Durability;
use std::time::Instant;

const TEXT: &str = "The kettle whistles before the tea is ready, and nobody in the house minds.";
const WARM_UP: usize = 500;

/// `slow_disk` is a run in which each sync was made to take longer (`bench/slow_sync.c`).
pub(super) async fn run(screen: &Screen, slow_disk: bool) -> Result<(), Failure> {
    let sync = cost::disk_sync()?;
    tell(screen, "disk_sync", "ms", sync.as_secs_f64() * 1e3, None);
    if slow_disk {
        return synced(screen, "post_slow_fsync_50_senders").await;
    }
    let ours = posts(Durability::Process, 1, 20_000).await?;
    let theirs = redis(screen, Sync::EverySecond, 20_000).await?;
    let name = "redis streams, appendfsync everysec, one by one";
    tell(screen, "post_one_sender", "posts/s", ours, theirs.map(|value| (name, value)));
    let ours = posts(Durability::Process, 50, 20_000).await?;
    tell(screen, "post_50_senders", "posts/s", ours, theirs.map(|value| (name, value)));
    synced(screen, "post_fsync_50_senders").await
}

async fn synced(screen: &Screen, bench: &'static str) -> Result<(), Failure> {
    let ours = posts(Durability::Power, 50, 20_000).await?;
    let theirs = redis(screen, Sync::Always, 2_000).await?;
    let name = "redis streams, appendfsync always, one by one";
    tell(screen, bench, "posts/s", ours, theirs.map(|value| (name, value)));
    Ok(())
}

async fn posts(durability: Durability, senders: usize, count: usize) -> Result<f64, Failure> {
    let stage = Stage::open(durability).await?;
    let agents = stage.overview().await?.agents;
    let group = stage.group(&agents[..1], TurnPolicy::Mention).await?;
    send(&stage, group, senders, WARM_UP).await?;
    let begun = Instant::now();
    send(&stage, group, senders, count).await?;
    let took = begun.elapsed();
    let (there, posted) = (stage.messages(group).await?, WARM_UP + count);
    if there != posted {
        return Err(broken("post", format!("{there} messages are there of {posted}")));
    }
    stage.door.close().await;
    Ok(count as f64 / took.as_secs_f64())
}

async fn send(stage: &Stage, group: GroupId, senders: usize, count: usize) -> Result<(), Failure> {
    let sender = |_| {
        let door = stage.door.clone();
        tokio::spawn(async move {
            for _ in 0..count / senders {
                stage::post(&door, group, TEXT).await?;
            }
            Ok::<_, Failure>(())
        })
    };
    let senders: Vec<_> = (0..senders).map(sender).collect();
    for sender in senders {
        sender.await.map_err(|error| broken("post", error))??;
    }
    Ok(())
}

/// `None` without a Redis to compare to.
async fn redis(screen: &Screen, sync: Sync, count: usize) -> Result<Option<f64>, Failure> {
    let measured = tokio::task::spawn_blocking(move || {
        let Some(mut redis) = Redis::start(sync)? else { return Ok(None) };
        redis.append(TEXT, WARM_UP)?;
        let begun = Instant::now();
        redis.append(TEXT, count)?;
        let took = begun.elapsed();
        let (there, appended) = (redis.length()?, WARM_UP + count);
        if there != appended {
            let wrong = format!("{there} entries are there of {appended}");
            return Err(std::io::Error::other(wrong));
        }
        Ok::<_, std::io::Error>(Some(count as f64 / took.as_secs_f64()))
    });
    let measured = measured.await.map_err(|error| broken("run Redis", error))?;
    let measured = measured.map_err(|error| broken("run Redis", error))?;
    if measured.is_none() {
        screen.aside("there is no redis-server to compare to (Debian: apt install redis-server)");
    }
    Ok(measured)
}
