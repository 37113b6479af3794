//! What contradicts something here waits and is counted, and who vouches for it later has it
//! judged as if it came only then.

use super::rights::lives_in;
use super::{Backup, memories};
use crate::memory::{add, done};
use domain::{Command, Memory, MemoryState, Trust};
use std::time::Duration;
use tests::{Stage, stage};

const LATER: Duration = Duration::from_secs(3_600);

/// Says where the person lives, so much later than the workspaces begin.
async fn said(town: &str, later: u32) -> Stage {
    let stage = stage().open().await;
    stage.clock.advance(LATER * later);
    add(&stage, lives_in(town)).await;
    stage
}

async fn stands(stage: &Stage, text: &str) -> Memory {
    let found = memories(stage).await.into_iter().find(|one| one.text == text);
    found.expect("it is there")
}

#[tokio::test]
async fn the_later_word_that_waited_holds_once_somebody_vouches_for_it() {
    let backup = Backup::of(&said("Bergen", 1).await).await;
    let here = said("Turin", 0).await;
    here.clock.advance(LATER + LATER);
    let would = backup.previewed(&here).await;
    let told = backup.taken_in(&here).await;
    assert_eq!([&would, &told].map(|told| (told.contested, told.vouched)), [(1, 0); 2]);
    assert_eq!(backup.taken_in(&here).await.contested, 1, "it waits still");
    let turin = stands(&here, "Lives in Turin").await;
    assert_eq!(stands(&here, "Lives in Bergen").await.state, MemoryState::Contested(turin.id));

    let would = backup.asked(&here, true, true).await.expect("it could come in");
    let told = backup.vouched_for(&here).await;
    for told in [&would, &told] {
        assert_eq!((told.contested, told.vouched), (0, 1));
        let gave_way: Vec<_> =
            told.gave_way.iter().map(|one| (&one.was[..], &one.now[..])).collect();
        assert_eq!(gave_way, [("Lives in Turin", "Lives in Bergen")]);
    }
    let bergen = stands(&here, "Lives in Bergen").await;
    assert_eq!((bergen.state, bergen.trust), (MemoryState::Current, Trust::Person));
    let turin = stands(&here, "Lives in Turin").await;
    assert_eq!(turin.state, MemoryState::Superseded(bergen.id));
    let again = backup.vouched_for(&here).await;
    assert_eq!((again.contested, again.vouched, again.gave_way.len()), (0, 0, 0));
}

#[tokio::test]
async fn the_earlier_word_that_waited_ends_nothing_when_somebody_vouches_for_it() {
    let backup = Backup::of(&said("Bergen", 0).await).await;
    let here = said("Turin", 1).await;
    assert_eq!(backup.taken_in(&here).await.contested, 1);
    let told = backup.vouched_for(&here).await;
    assert_eq!((told.contested, told.vouched, told.gave_way.len()), (0, 1, 0), "{told:?}");
    let turin = stands(&here, "Lives in Turin").await;
    assert_eq!(turin.state, MemoryState::Current);
    let bergen = stands(&here, "Lives in Bergen").await;
    assert_eq!((bergen.trust, bergen.valid_to_ms), (Trust::Person, Some(turin.created_at_ms)));
}

#[tokio::test]
async fn what_is_pinned_goes_on_holding_when_somebody_vouches_for_what_waits_against_it() {
    let backup = Backup::of(&said("Bergen", 1).await).await;
    let here = said("Turin", 0).await;
    here.clock.advance(LATER + LATER);
    let memory = stands(&here, "Lives in Turin").await.id;
    done(&here, Command::PinMemory { memory, pinned: true }).await;
    backup.taken_in(&here).await;
    let told = backup.vouched_for(&here).await;
    assert_eq!((told.contested, told.vouched, told.gave_way.len()), (1, 1, 0), "{told:?}");
    let turin = stands(&here, "Lives in Turin").await;
    assert_eq!((turin.state, turin.pinned), (MemoryState::Current, true));
    let bergen = stands(&here, "Lives in Bergen").await;
    assert_eq!((bergen.state, bergen.trust), (MemoryState::Contested(memory), Trust::Person));
}
