//! Two machines that began as one: what was said on the other since comes in, and what is
//! otherwise here is told as what it is.

use super::rights::lives_in;
use super::{Backup, counts, memories, nobody_acts, put, read};
use crate::memory::{add, done, new};
use domain::{
    Body, Command, MemoryPatch, MemoryScope, MemoryState, NewMemory, Notice, StaysOutWhy, TakenIn,
    TakenKind, TurnPolicy,
};
use std::time::Duration;
use tests::{Stage, says, stage};
use workspace::Places;

const LATER: Duration = Duration::from_secs(3_600);

/// Another machine that begins with all that is here.
pub(super) async fn second(first: &Stage) -> Stage {
    let backup = Backup::of(first).await;
    let from = backup.file.display().to_string();
    let setting = stage().model(says("Here as well.")).before(move |data| {
        workspace::restore_unopened(&Places::bare(data.to_owned()), &from).expect("it is whole");
    });
    let second = setting.open().await;
    second.do_(Command::ResumeAll).await;
    second.clock.advance(LATER);
    second
}

pub(super) fn count(told: &TakenIn, what: TakenKind) -> [u32; 3] {
    let counts = counts(told);
    counts.into_iter().find(|(kind, _)| *kind == what).map_or([0; 3], |(_, count)| count)
}

pub(super) fn stays_out(told: &TakenIn, what: TakenKind) -> Vec<(StaysOutWhy, u32, Vec<&str>)> {
    let of_kind = told.stays_out.iter().filter(|one| one.what == what);
    let plain = of_kind
        .map(|one| (one.why, one.things, one.names.iter().map(String::as_str).collect::<Vec<_>>()));
    plain.collect()
}

async fn edit(stage: &Stage, memory: domain::MemoryId, text: &str) {
    let patch = MemoryPatch { text: Some(text.into()), ..MemoryPatch::default() };
    done(stage, Command::EditMemory { memory, patch }).await;
}

async fn texts(stage: &Stage) -> Vec<String> {
    let mut texts: Vec<String> = memories(stage).await.into_iter().map(|one| one.text).collect();
    texts.sort();
    texts
}

#[tokio::test]
async fn what_was_said_there_since_comes_in_after_what_is_here() {
    let here = stage().model(says("Yes.")).open().await;
    let group = here.group(&["Ada"], TurnPolicy::Broadcast).await;
    here.say(group, "Is the kettle on?").await;
    let there = second(&here).await;
    there.say(group, "And the oven?").await;
    // One of them is put otherwise, so that the earlier one stands aside.
    let asked = there.say(group, "And the lihgt?").await;
    let text = "And the light?".to_owned();
    there.do_(Command::EditMessage { message: asked.id, text, attachments: Vec::new() }).await;
    there.quiet().await;
    let backup = Backup::of(&there).await;
    let requests = here.model.requests().len();

    let would = backup.previewed(&here).await;
    let told = backup.taken_in(&here).await;
    assert_eq!(counts(&would), counts(&told));
    let [new, known, left_out] = count(&told, TakenKind::Message);
    assert_eq!((new, left_out), (6, 0), "{told:?}");
    assert!(known >= 2, "{told:?}");
    assert_eq!(here.transcript(group).await, there.transcript(group).await);
    let last = here.messages(group).await.last().expect("one").seq;
    let view = here.view(group).await;
    assert!(view.members.iter().all(|member| member.cursor >= last), "all of it is read");
    here.quiet().await;
    here.do_(Command::Tick).await;
    here.quiet().await;
    assert_eq!(here.model.requests().len(), requests, "nobody answers it");
    let again = backup.taken_in(&here).await;
    assert_eq!(count(&again, TakenKind::Message), [0, known + 6, 0]);
    here.say(group, "All of it?").await;
    assert_eq!(here.transcript(group).await.last().expect("one"), "Ada: Yes.");
}

#[tokio::test]
async fn what_went_on_in_both_places_is_left_out_and_said_so() {
    let here = stage().model(says("Yes.")).open().await;
    let group = here.group(&["Ada"], TurnPolicy::Broadcast).await;
    here.say(group, "Is the kettle on?").await;
    put(&here, "skills/brewing/SKILL.md", "---\nname: brewing\ndescription: Tea.\n---\nBoil.\n");
    let there = second(&here).await;
    there.say(group, "And the oven?").await;
    put(&there, "skills/brewing/SKILL.md", "---\nname: brewing\ndescription: Tea.\n---\nSteep.\n");
    let backup = Backup::of(&there).await;
    here.say(group, "And the light?").await;
    let said = here.transcript(group).await;
    let name = here.view(group).await.group.name;

    let told = backup.taken_in(&here).await;
    assert_eq!(here.transcript(group).await, said);
    assert_eq!(
        stays_out(&told, TakenKind::Message),
        [(StaysOutWhy::WentOn, 2, vec![name.as_str()])]
    );
    assert_eq!(
        stays_out(&told, TakenKind::File),
        [(StaysOutWhy::NameTaken, 1, vec!["skills/brewing"])]
    );
    assert!(read(&here, "skills/brewing/SKILL.md").contains("Boil."));
}

#[tokio::test]
async fn the_later_words_of_a_memory_count_and_others_are_left_out() {
    let here = stage().open().await;
    let [tea, cup] = ["Likes tea", "The cup is blue"].map(new);
    let (tea, cup) = (add(&here, tea).await.id, add(&here, cup).await.id);
    let there = second(&here).await;
    edit(&there, tea, "Likes green tea").await;
    edit(&there, cup, "The cup is green").await;
    let backup = Backup::of(&there).await;
    here.clock.advance(LATER + LATER);
    edit(&here, cup, "The cup is red").await;

    let told = backup.taken_in(&here).await;
    assert_eq!(count(&told, TakenKind::Memory), [0, 0, 2], "nobody vouches: {told:?}");
    assert_eq!(texts(&here).await, ["Likes tea", "The cup is red"]);
    let told = backup.vouched_for(&here).await;
    assert_eq!(count(&told, TakenKind::Memory), [1, 0, 1], "{told:?}");
    assert_eq!(told.gave_way[0].was, "Likes tea");
    assert_eq!(
        stays_out(&told, TakenKind::Memory),
        [(StaysOutWhy::OtherWords, 1, vec!["The cup is green"])]
    );
    assert_eq!(texts(&here).await, ["Likes green tea", "The cup is red"]);
    assert_eq!(count(&backup.vouched_for(&here).await, TakenKind::Memory), [0, 1, 1]);
}

#[tokio::test]
async fn an_older_word_does_not_end_a_later_one_even_of_a_vouched_workspace() {
    let there = stage().open().await;
    add(&there, lives_in("Bergen")).await;
    let backup = Backup::of(&there).await;
    let here = stage().open().await;
    here.clock.advance(LATER);
    let turin = add(&here, lives_in("Turin")).await.id;
    let told = backup.vouched_for(&here).await;
    assert!(told.gave_way.is_empty(), "{told:?}");
    let all = memories(&here).await;
    let stands = |text: &str| all.iter().find(|one| one.text == text).expect("it is there");
    let turin = (stands("Lives in Turin"), turin);
    assert_eq!((turin.0.state, turin.0.id), (MemoryState::Current, turin.1));
    assert_eq!(stands("Lives in Bergen").valid_to_ms, Some(turin.0.created_at_ms));
}

#[tokio::test]
async fn what_is_pinned_ends_only_when_the_person_says_so() {
    let here = stage().open().await;
    let turin = add(&here, lives_in("Turin")).await.id;
    done(&here, Command::PinMemory { memory: turin, pinned: true }).await;
    let there = stage().open().await;
    there.clock.advance(LATER);
    add(&there, lives_in("Bergen")).await;
    let backup = Backup::of(&there).await;
    here.clock.advance(LATER + LATER);
    backup.vouched_for(&here).await;
    let all = memories(&here).await;
    let stands = |text: &str| all.iter().find(|one| one.text == text).expect("it is there");
    assert!(stands("Lives in Turin").pinned);
    assert_eq!(stands("Lives in Bergen").state, MemoryState::Contested(turin));

    // Unpinned, the later word counts, and what gave way is told.
    let other = stage().open().await;
    add(&other, lives_in("Turin")).await;
    other.clock.advance(LATER + LATER);
    let told = backup.vouched_for(&other).await;
    assert_eq!(told.gave_way[0].was, "Lives in Turin");
}

#[tokio::test]
async fn a_memory_of_a_group_in_which_nothing_was_said_comes_with_it() {
    let there = stage().open().await;
    let group = there.group(&["Ada"], TurnPolicy::Broadcast).await;
    let scope = MemoryScope::Group(group);
    add(&there, NewMemory { scope, ..new("The kettle is blue") }).await;
    let backup = Backup::of(&there).await;
    let here = stage().open().await;
    let told = backup.taken_in(&here).await;
    assert_eq!(count(&told, TakenKind::Memory), [1, 0, 0], "{told:?}");
    assert_eq!(memories(&here).await[0].scope, scope);
    assert!(here.messages(group).await.iter().all(|one| one.text().is_none()));
    nobody_acts(&here).await;
}

#[tokio::test]
async fn a_notice_of_a_changed_soul_points_to_no_version_here() {
    let there = stage().model(says("Yes.")).open().await;
    let ada = there.direct("Ada").await;
    there.say(ada, "Is the kettle on?").await;
    put(&there, "souls/ada.md", "---\nname: Ada\n---\nYou always offer a biscuit.\n");
    let versions = async |stage: &Stage| -> Vec<i64> {
        let said = stage.messages(ada).await.into_iter();
        let version = said.filter_map(|one| match one.body {
            Body::Notice { notice: Notice::SoulChanged { version, .. } } => Some(version),
            _ => None,
        });
        version.collect()
    };
    there.until(async |stage: &Stage| !versions(stage).await.is_empty()).await;
    let backup = Backup::of(&there).await;
    let here = stage().open().await;
    backup.taken_in(&here).await;
    assert_eq!(versions(&here).await, [0]);
}
