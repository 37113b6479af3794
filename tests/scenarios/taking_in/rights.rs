//! What somebody might do elsewhere they may not do here, and what was known there is no news.

use super::{Backup, community, feed, memories, nobody_acts, put};
use crate::memory::{add, new};
use domain::{
    Author, Command, MemoryState, NewMemory, Pass, PassRights, Query, Reply, SourcePlan, Statement,
    Trust, Wanted, Watches,
};
use tests::{Stage, says, stage};

pub(super) fn lives_in(town: &str) -> NewMemory {
    let statement =
        Statement { subject: "user".into(), attribute: "lives in".into(), value: town.into() };
    NewMemory { statement: Some(statement), ..new(&format!("Lives in {town}")) }
}

async fn passes(stage: &Stage) -> Vec<Pass> {
    match stage.query(Query::Passes).await {
        Ok(Reply::Passes(passes)) => passes,
        other => panic!("no passes: {other:?}"),
    }
}

#[tokio::test]
async fn a_program_keeps_its_name_for_what_it_said_and_may_do_nothing_here() {
    let there = stage().model(says("Good to know.")).open().await;
    let ada = there.direct("Ada").await;
    let rights = PassRights {
        name: "claude".into(),
        reads: vec![ada],
        says: vec![ada],
        memory: Vec::new(),
        says_per_hour: 30,
    };
    there.do_(Command::PutPass { rights }).await;
    let says = |text: &str| Command::FromOutside {
        pass: "claude".into(),
        wanted: Wanted::Say { group: ada.to_string(), text: text.into() },
    };
    there.do_(says("The build is green")).await;
    there.quiet().await;
    there.do_(Command::PauseAll).await;
    let backup = Backup::of(&there).await;

    let here = stage().open().await;
    let settings = here.overview().await.settings;
    backup.taken_in(&here).await;
    assert_eq!(here.overview().await.settings, settings);
    let said = here.messages(ada).await;
    let all = passes(&here).await;
    let [pass] = &all[..] else { panic!("one name: {all:?}") };
    assert_eq!((said[0].author, &pass.rights.name[..]), (Author::Outside(pass.id), "claude"));
    assert!(pass.revoked_ms.is_some() && pass.rights.reads.is_empty(), "{pass:?}");
    here.command(says("And red")).await.expect_err("it has no pass here");
    nobody_acts(&here).await;
}

#[tokio::test]
async fn what_contradicts_something_here_waits_and_is_told_nobody() {
    let there = stage().open().await;
    add(&there, lives_in("Porto")).await;
    let backup = Backup::of(&there).await;

    let here = stage().open().await;
    let community = community(&here, "Square").await.id;
    let watches = Watches::Contradictions;
    let plan = SourcePlan { name: "Watch".into(), community, watches, per_hour: 6 };
    here.do_(Command::NewSource { plan }).await;
    let lisbon = add(&here, lives_in("Lisbon")).await;
    backup.taken_in(&here).await;
    let all = memories(&here).await;
    let porto = all.iter().find(|one| one.text == "Lives in Porto").expect("it came");
    let stands = (porto.trust, porto.state);
    assert_eq!(stands, (Trust::Untrusted, MemoryState::Contested(lisbon.id)));

    // What happens next is news, and all that is told.
    let faro = serde_json::to_string(&lives_in("Faro")).expect("it is plain data");
    put(&here, "faro.jsonl", &faro);
    let path = here.data().join("faro.jsonl").display().to_string();
    let (format, scope, vouched, preview) = (None, None, false, false);
    here.do_(Command::ImportMemories { path, format, scope, vouched, preview }).await;
    here.until(async |stage: &Stage| !feed(stage).await.is_empty()).await;
    let posts = feed(&here).await;
    let [post] = &posts[..] else { panic!("one post: {posts:?}") };
    let told = here.transcript(post.post.group).await.join("\n");
    assert!(told.contains("Faro") && !told.contains("Porto"), "{told}");
}
