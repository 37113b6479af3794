//! Communities that are put away, and brought back.

use super::out_of_sight::found;
use super::shares::{ada_may_post, posting};
use super::{comment, community, feed, item, post, queue, thoughtful, thread, tick};
use domain::{
    Became, CatchUp, Command, CommunityId, CommunityPatch, Fault, FaultKind, FeedEventState,
    FeedFilter, FeedItem, Moderation, Outcome, PostView, Query, Reason, Reply, RunState,
    SchedulePlan, ScheduleView, ScheduledWork, SourcePlan, SourceView, Watches,
};
use llm::scripted::{Beat, Gate, Scripted};
use std::fs;
use std::time::Duration;
use tests::{Stage, says, stage};

async fn archive(stage: &Stage, community: CommunityId, archived: bool) {
    let patch = CommunityPatch { archived: Some(archived), ..CommunityPatch::default() };
    stage.do_(Command::EditCommunity { community, patch }).await;
}

async fn posts_of(stage: &Stage, community: CommunityId) -> Vec<PostView> {
    let filter = FeedFilter { community: Some(community), ..FeedFilter::default() };
    let query = Query::Feed { filter, before: None, limit: 50 };
    match stage.query(query).await {
        Ok(Reply::Posts(posts)) => posts,
        other => panic!("no posts: {other:?}"),
    }
}

async fn refused(stage: &Stage, command: Command) -> Fault {
    stage.command(command).await.expect_err("nothing is written there")
}

#[tokio::test]
async fn what_is_put_away_is_out_of_the_way_and_still_read_and_found() {
    let stage = stage().model(says("Yes, it is.")).open().await;
    let garden = community(&stage, "Garden", "", &["Bo"]).await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let ferns = post(&stage, garden.id, "Xylophones for sale").await;
    let plans = post(&stage, square.id, "A plan").await;
    tick(&stage).await;
    archive(&stage, garden.id, true).await;
    let all = feed(&stage).await;
    assert_eq!(all.iter().map(item).collect::<Vec<_>>(), [item(&plans)]);
    let there = posts_of(&stage, garden.id).await;
    assert_eq!(there.iter().map(item).collect::<Vec<_>>(), [item(&ferns)]);
    assert_eq!(thread(&stage, &ferns).await.comments.len(), 1);
    assert_eq!(found(&stage, "xylophones").await, [item(&ferns)]);
    archive(&stage, garden.id, false).await;
    assert_eq!(feed(&stage).await.len(), 2);
}

#[tokio::test]
async fn nobody_writes_where_it_is_put_away_and_everybody_is_told_how_to_bring_it_back() {
    let stage = stage().model(says("Yes, it is.")).open().await;
    let garden = community(&stage, "Garden", "", &["Bo"]).await;
    let view = post(&stage, garden.id, "Who grows ferns?").await;
    tick(&stage).await;
    let (to, group) = (item(&view), view.post.group);
    let agent = stage.agent("Bo").await.id;
    let react = |on| Command::React { item: to, sign: "👍".into(), on };
    stage.do_(react(true)).await;
    archive(&stage, garden.id, true).await;
    let text = || "One more".to_owned();
    for command in [
        Command::WritePost { community: garden.id, text: text() },
        Command::AskForPost { community: garden.id, agent },
        Command::Comment { to, text: text() },
        Command::SpeakNow { group, agent },
        react(true),
        react(false),
    ] {
        let fault = refused(&stage, command).await;
        let archived = FaultKind::CommunityArchived { name: "Garden".into() };
        assert_eq!(fault.kind.as_deref(), Some(&archived));
        assert!(fault.message.contains("Garden is archived"), "{fault:?}");
        assert!(fault.fix.contains("community edit \"Garden\" --restore"), "{fault:?}");
    }
    // Order is kept there as ever.
    super::moderate(&stage, to, Moderation::Hide, None).await;
    archive(&stage, garden.id, false).await;
    comment(&stage, to, "One more").await;
}

async fn decided(stage: &Stage, view: &PostView) -> (Option<FeedEventState>, Vec<String>) {
    let FeedItem { event, .. } = thread(stage, view).await.view.item.expect("it is written");
    (event, stage.decisions(view.post.group).await)
}

#[tokio::test]
async fn what_waits_is_given_to_nobody_while_it_is_put_away_and_why_is_on_record() {
    let stage = stage().model(thoughtful()).open().await;
    let garden = community(&stage, "Garden", "", &["Bo"]).await;
    let view = post(&stage, garden.id, "Who grows ferns?").await;
    archive(&stage, garden.id, true).await;
    assert_eq!(tick(&stage).await.woken, 0);
    let told = (Some(FeedEventState::Done), vec!["Bo pass archived".to_owned()]);
    assert_eq!(decided(&stage, &view).await, told);
    // What is said then begins anew.
    archive(&stage, garden.id, false).await;
    assert_eq!(tick(&stage).await.events, 0);
    comment(&stage, item(&view), "What is the plan?").await;
    assert_eq!(tick(&stage).await.woken, 1);
}

/// Bo's first answer waits at the gate.
fn held(gate: &Gate) -> Scripted {
    let gate = gate.clone();
    Scripted::from_fn(move |_, n| {
        let words = Beat::Text(format!("That is thought {n}."));
        if n == 1 { vec![Beat::Gate(gate.clone()), words] } else { vec![words] }
    })
}

#[tokio::test]
async fn who_answers_where_it_is_put_away_is_stopped_and_what_is_owed_there_is_over() {
    let gate = Gate::new();
    let stage = stage().model(held(&gate)).open().await;
    let garden = community(&stage, "Garden", "", &[]).await;
    let view = post(&stage, garden.id, "@Bo who grows ferns?").await;
    stage.model.asked(1).await;
    let owed = post(&stage, garden.id, "@Bo and who grows moss?").await;
    archive(&stage, garden.id, true).await;
    let is_over = async |stage: &Stage| stage.runs().await[0].state != RunState::Running;
    stage.until(is_over).await;
    gate.open();
    let [run] = &stage.runs().await[..] else { panic!("one run") };
    assert_eq!(run.state, RunState::Stopped);
    assert_eq!(run.outcome, Some(Outcome::Silent { reason: Reason::Archived }));
    assert_eq!(stage.decisions(owed.post.group).await.pop().as_deref(), Some("Bo pass archived"));
    archive(&stage, garden.id, false).await;
    stage.quiet().await;
    assert_eq!(stage.model.requests().len(), 1);
    assert_eq!(thread(&stage, &view).await.comments.len(), 0);
    assert_eq!(queue(&stage).await.answers_to_come, 0);
}

#[tokio::test]
async fn an_agent_that_wants_to_write_where_it_is_put_away_is_told_so() {
    let stage = stage().before(ada_may_post).model(posting()).open().await;
    let square = community(&stage, "Square", "", &["Ada"]).await;
    archive(&stage, square.id, true).await;
    let direct = stage.direct("Ada").await;
    stage.say(direct, "write something").await;
    let said = stage.transcript(direct).await.pop().expect("it was told");
    assert!(said.contains("the community Square is archived"), "{said}");
    assert_eq!(posts_of(&stage, square.id).await.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_post_that_is_due_where_it_is_put_away_is_skipped_and_holds_nothing_up() {
    let stage = stage().model(says("Water the ferns.")).open().await;
    let garden = community(&stage, "Garden", "", &[]).await.id;
    let agent = stage.agent("Ada").await.id;
    let text = || "What is due?".to_owned();
    let group = stage.direct("Ada").await;
    let mut made = Vec::new();
    for work in [
        ScheduledWork::Post { community: garden, text: text() },
        ScheduledWork::Say { group, text: text() },
    ] {
        let (words, zone) = ("every hour".into(), "UTC".into());
        let plan = SchedulePlan { agent, work, words, zone, hours: None, catch_up: CatchUp::Skip };
        match stage.do_(Command::NewSchedule { plan }).await {
            Reply::Schedule(schedule) => made.push(schedule.id),
            other => panic!("no schedule: {other:?}"),
        }
    }
    archive(&stage, garden, true).await;
    stage.clock.advance(Duration::from_secs(60 * 60));
    let views = async |stage: &Stage| match stage.query(Query::Schedules).await {
        Ok(Reply::Schedules(all)) => all,
        other => panic!("no schedules: {other:?}"),
    };
    let has_been = |view: &ScheduleView| !view.lately.is_empty();
    stage.until(async |stage: &Stage| views(stage).await.iter().all(has_been)).await;
    stage.quiet().await;
    let all = views(&stage).await;
    let became = |at: usize| {
        let view = all.iter().find(|view| view.schedule.id == made[at]).expect("it is there");
        view.lately[0].time.became.clone()
    };
    assert_eq!(became(0), Became::Skipped { why: Reason::Archived });
    assert!(matches!(became(1), Became::Given { .. }), "{:?}", became(1));
    let fault = refused(&stage, Command::RunSchedule { schedule: made[0] }).await;
    assert!(fault.message.contains("Garden is archived"), "{fault:?}");
}

#[tokio::test]
async fn what_a_source_has_to_tell_where_it_is_put_away_waits_and_says_why() {
    let watched = tempfile::tempdir().expect("a temporary folder");
    let folder = watched.path().canonicalize().expect("it is there");
    let stage = stage().model(says("I will read it.")).open().await;
    let garden = community(&stage, "Garden", "", &["Bo"]).await.id;
    let watches = Watches::Files { folder: folder.display().to_string() };
    let plan = SourcePlan { name: "Watch".into(), community: garden, watches, per_hour: 6 };
    stage.do_(Command::NewSource { plan }).await;
    archive(&stage, garden, true).await;
    fs::write(folder.join("new.md"), "something").expect("it can be written");
    tick(&stage).await;
    let sources = async |stage: &Stage| match stage.query(Query::Sources).await {
        Ok(Reply::Sources(all)) => all,
        other => panic!("no sources: {other:?}"),
    };
    let [SourceView { problem: Some(problem), .. }] = &sources(&stage).await[..] else {
        panic!("one source, with what hinders it")
    };
    assert!(problem.message.contains("Garden is archived"), "{problem:?}");
    assert_eq!(posts_of(&stage, garden).await.len(), 0);
    // It is told as soon as somebody may read it, without any tick.
    archive(&stage, garden, false).await;
    stage.until(async |stage: &Stage| !feed(stage).await.is_empty()).await;
    stage.until(async |stage: &Stage| sources(stage).await[0].problem.is_none()).await;
}
