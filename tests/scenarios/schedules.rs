//! What agents are given at set times, by themselves.

mod busy;

use domain::{
    ActiveHours, AgentState, Became, Body, BudgetScope, CatchUp, Command, FaultCode, FaultKind,
    FeedFilter, GroupId, Message, Notice, Outcome, Participant, Query, Reason, Reply, RequestId,
    Schedule, ScheduleId, SchedulePlan, ScheduleView, ScheduledWork, Times,
};
use llm::scripted::{Beat, Scripted};
use std::time::Duration;
use tests::{Stage, says, says_nothing, stage, thought};
use uuid::Uuid;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

async fn plan(stage: &Stage, agent: &str, words: &str, work: ScheduledWork) -> SchedulePlan {
    let agent = stage.agent(agent).await.id;
    let (words, zone) = (words.into(), "UTC".into());
    SchedulePlan { agent, work, words, zone, hours: None, catch_up: CatchUp::Once }
}

fn say(group: GroupId, text: &str) -> ScheduledWork {
    ScheduledWork::Say { group, text: text.into() }
}

async fn made(stage: &Stage, plan: SchedulePlan) -> Schedule {
    match stage.do_(Command::NewSchedule { plan }).await {
        Reply::Schedule(schedule) => *schedule,
        other => panic!("no schedule: {other:?}"),
    }
}

async fn schedules(stage: &Stage) -> Vec<ScheduleView> {
    match stage.query(Query::Schedules).await {
        Ok(Reply::Schedules(all)) => all,
        other => panic!("no schedules: {other:?}"),
    }
}

async fn view(stage: &Stage, id: ScheduleId) -> ScheduleView {
    let all = schedules(stage).await;
    all.into_iter().find(|view| view.schedule.id == id).expect("it is there")
}

/// What became of the times, the oldest first.
async fn became(stage: &Stage, id: ScheduleId) -> Vec<String> {
    let lately = view(stage, id).await.lately;
    let told = lately.iter().rev().map(|one| match &one.time.became {
        Became::Given { .. } => "given".to_owned(),
        Became::Missed { times } => format!("missed {times}"),
        Became::Skipped { why } => format!("skipped {why:?}"),
    });
    told.collect()
}

/// Until so many of its times have become something.
async fn times(stage: &Stage, id: ScheduleId, count: usize) -> Vec<String> {
    stage.until(async |stage: &Stage| became(stage, id).await.len() >= count).await;
    stage.quiet().await;
    became(stage, id).await
}

fn told(messages: &[Message]) -> Vec<String> {
    let words = messages.iter().map(|message| match &message.body {
        Body::Text { text, .. } => text.clone(),
        Body::Notice { notice: Notice::Scheduled { text, .. } } => format!("[{text}]"),
        Body::Notice { notice } => format!("{notice:?}"),
    });
    words.collect()
}

#[tokio::test(start_paused = true)]
async fn what_is_said_at_its_time_is_answered_and_comes_again() {
    let stage = stage().model(says("Water the ferns.")).open().await;
    let group = stage.direct("Ada").await;
    let plan = plan(&stage, "Ada", "every 2 hours", say(group, "What is due?")).await;
    let schedule = made(&stage, plan).await;
    assert_eq!(schedule.made_by, Participant::User);
    assert!(stage.messages(group).await.is_empty(), "not before its time");

    stage.clock.advance(2 * HOUR);
    assert_eq!(times(&stage, schedule.id, 1).await, ["given"]);
    let messages = stage.messages(group).await;
    assert_eq!(told(&messages), ["[What is due?]", "Water the ferns."]);
    let run = stage.run(messages[1].run.expect("a run wrote it")).await.run;
    assert_eq!(run.cause.reason, Reason::Scheduled);
    let request = stage.model.requests().pop().expect("it was asked");
    let last = request.turns.last().expect("something").content.clone();
    assert!(last.contains("By schedule: What is due?"), "{last}");

    let stands = view(&stage, schedule.id).await;
    assert_eq!(stands.schedule.next_ms, schedule.next_ms.map(|next| next + 7_200_000));
    assert_eq!(stands.next.len(), 3);
    assert!(matches!(stands.lately[0].outcome, Some(Outcome::Replied { .. })));
    assert_eq!(stands.lately[0].run, Some(run.id));
    stage.clock.advance(2 * HOUR);
    assert_eq!(times(&stage, schedule.id, 2).await, ["given", "given"]);
}

#[tokio::test(start_paused = true)]
async fn once_is_over_after_it() {
    let stage = stage().model(says("Yes.")).open().await;
    let group = stage.direct("Ada").await;
    let schedule =
        made(&stage, plan(&stage, "Ada", "in 20 minutes", say(group, "Now?")).await).await;
    stage.clock.advance(20 * MINUTE);
    assert_eq!(times(&stage, schedule.id, 1).await, ["given"]);
    let over = view(&stage, schedule.id).await;
    assert_eq!((over.schedule.next_ms, over.next.len()), (None, 0));
}

#[tokio::test(start_paused = true)]
async fn what_was_missed_is_made_up_for_as_it_was_wished() {
    for (catch_up, expected) in [
        (CatchUp::Skip, vec!["missed 5"]),
        (CatchUp::Once, vec!["missed 4", "given"]),
        (CatchUp::All { most: 2 }, vec!["missed 3", "given", "given"]),
        (CatchUp::All { most: 24 }, vec!["given"; 5]),
    ] {
        let stage = stage().model(says("Done.")).open().await;
        let group = stage.direct("Ada").await;
        let plan = plan(&stage, "Ada", "every hour", say(group, "Look.")).await;
        let schedule = made(&stage, SchedulePlan { catch_up, ..plan }).await;
        // Nobody was there, and five times and a half passed.
        let stage = stage.reopen_after(5 * HOUR + 30 * MINUTE).await;
        assert_eq!(times(&stage, schedule.id, expected.len()).await, expected, "{catch_up:?}");
        let next = view(&stage, schedule.id).await.schedule.next_ms;
        assert_eq!(next, schedule.next_ms.map(|next| next + 5 * 3_600_000));
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_due_where_nobody_answers_is_skipped_and_holds_nothing_up() {
    let stage = stage().model(says("Done.")).open().await;
    let group = stage.direct("Ada").await;
    let away = made(&stage, plan(&stage, "Ada", "every hour", say(group, "Look.")).await).await;
    let other = stage.direct("Bo").await;
    let kept = made(&stage, plan(&stage, "Bo", "every 2 hours", say(other, "Look.")).await).await;
    let archive = |archived| {
        let patch = domain::GroupPatch { archived: Some(archived), ..Default::default() };
        Command::EditGroup { group, patch }
    };
    stage.do_(archive(true)).await;
    stage.clock.advance(2 * HOUR);
    assert_eq!(times(&stage, kept.id, 1).await, ["given"]);
    assert_eq!(became(&stage, away.id).await.pop().as_deref(), Some("skipped Archived"));
    stage.do_(archive(false)).await;
    stage.clock.advance(HOUR);
    stage.until(async |stage: &Stage| became(stage, away.id).await.contains(&"given".into())).await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_given_while_it_or_everybody_is_paused() {
    let stage = stage().model(says("Done.")).open().await;
    let group = stage.direct("Ada").await;
    let schedule = made(&stage, plan(&stage, "Ada", "every hour", say(group, "Look.")).await).await;
    let id = schedule.id;
    stage.do_(Command::PauseSchedule { schedule: id, paused: true }).await;
    stage.clock.advance(3 * HOUR);
    stage.do_(Command::PauseSchedule { schedule: id, paused: false }).await;
    stage.quiet().await;
    assert_eq!(became(&stage, id).await, Vec::<String>::new(), "that is not missed");

    let Reply::Settings(settings) = stage.do_(Command::PauseAll).await else { panic!("none") };
    assert!(settings.all_paused);
    assert_eq!(stage.agent("Ada").await.state, AgentState::Paused);
    stage.clock.advance(2 * HOUR);
    // Longer than the clock is left alone.
    tokio::time::sleep(2 * MINUTE).await;
    assert_eq!(became(&stage, id).await, Vec::<String>::new());
    stage.do_(Command::ResumeAll).await;
    assert_eq!(stage.agent("Ada").await.state, AgentState::Idle);
    assert_eq!(times(&stage, id, 2).await, ["missed 1", "given"]);
}

#[tokio::test(start_paused = true)]
async fn who_rested_before_everybody_did_rests_on() {
    let stage = stage().open().await;
    let otto = stage.agent("Otto").await.id;
    stage.do_(Command::PauseAgent { agent: otto }).await;
    stage.do_(Command::PauseAll).await;
    stage.do_(Command::PauseAll).await;
    stage.do_(Command::ResumeAll).await;
    assert_eq!(stage.agent("Otto").await.state, AgentState::Paused);
    assert_eq!(stage.agent("Bo").await.state, AgentState::Idle);
}

#[tokio::test(start_paused = true)]
async fn who_is_made_while_everybody_rests_rests_with_them() {
    let stage = stage().open().await;
    stage.do_(Command::PauseAll).await;
    stage.new_agent("Cy").await;
    let cy = stage.direct("Cy").await;
    stage.post(cy, "hello").await;
    stage.quiet().await;
    assert_eq!(stage.agent("Cy").await.state, AgentState::Paused);
    assert_eq!(stage.model.requests(), []);
    stage.do_(Command::ResumeAll).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(cy).await, ["you: hello", "Cy: yes"]);
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_with_nothing_to_do_may_say_so_beside_the_marker() {
    let stage = stage().model(says("Nothing to do today.\n\n［pass］")).open().await;
    let beat = plan(&stage, "Ada", "every 30 minutes", ScheduledWork::Heartbeat).await;
    let schedule = made(&stage, beat).await;
    stage.clock.advance(30 * MINUTE);
    assert_eq!(times(&stage, schedule.id, 1).await, ["given"]);
    let lately = view(&stage, schedule.id).await.lately;
    let why = Some("Nothing to do today".to_owned());
    let silent = Outcome::Silent { reason: Reason::ChoseSilence { why } };
    assert_eq!(lately[0].outcome, Some(silent));
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_with_nothing_to_do_is_silent_in_whatever_form_it_says_so() {
    for nothing in ["", "PASS", "Pass.", "(pass)", "HEARTBEAT_OK", r#"{"text": "[pass]"}"#] {
        let stage = stage().model(says(nothing)).open().await;
        let beat = plan(&stage, "Ada", "every 30 minutes", ScheduledWork::Heartbeat).await;
        let schedule = made(&stage, beat).await;
        stage.clock.advance(30 * MINUTE);
        assert_eq!(times(&stage, schedule.id, 1).await, ["given"]);
        let lately = view(&stage, schedule.id).await.lately;
        let silent = Outcome::Silent { reason: Reason::ChoseSilence { why: None } };
        assert_eq!(lately[0].outcome, Some(silent), "{nothing:?}");
        assert_eq!(stage.agent("Ada").await.state, AgentState::Idle, "{nothing:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_with_nothing_to_do_says_nothing() {
    let stage = stage().model(says_nothing()).open().await;
    let beat = plan(&stage, "Ada", "every 30 minutes", ScheduledWork::Heartbeat).await;
    let hours = Some(ActiveHours { from: 0, to: 23 * 60 });
    let schedule = made(&stage, SchedulePlan { hours, ..beat.clone() }).await;
    stage.clock.advance(30 * MINUTE);
    assert_eq!(times(&stage, schedule.id, 1).await, ["given"]);
    let lately = view(&stage, schedule.id).await.lately;
    let silent = Outcome::Silent { reason: Reason::ChoseSilence { why: None } };
    assert_eq!(lately[0].outcome, Some(silent));
    let messages = stage.messages(stage.direct("Ada").await).await;
    assert!(messages.iter().all(|message| matches!(message.body, Body::Notice { .. })));
    let request = stage.model.requests().pop().expect("it was asked");
    assert!(request.turns.last().expect("something").content.contains("this is your heartbeat"));

    let again =
        stage.command(Command::NewSchedule { plan: beat }).await.expect_err("one is enough");
    assert_eq!(again.kind.as_deref(), Some(&FaultKind::HeartbeatThere { name: "Ada".into() }));
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_is_skipped_where_something_else_is_done_or_nothing_is_left() {
    let stage = stage().model(says_nothing()).open().await;
    let beat = plan(&stage, "Ada", "every 30 minutes", ScheduledWork::Heartbeat).await;
    let id = made(&stage, beat).await.id;
    let ada = stage.agent("Ada").await.id;
    stage.do_(Command::PauseAgent { agent: ada }).await;
    stage.clock.advance(30 * MINUTE);
    times(&stage, id, 1).await;
    stage.do_(Command::ResumeAgent { agent: ada }).await;
    let nothing = domain::Budget { scope: BudgetScope::Feed, tokens: Some(0), microusd: Some(0) };
    stage.do_(Command::SetBudget { budget: nothing }).await;
    stage.clock.advance(30 * MINUTE);
    let expected = ["skipped Paused", "skipped OverBudget { scope: Feed }"];
    assert_eq!(times(&stage, id, 2).await, expected);
    assert_eq!(stage.runs().await.len(), 0, "nobody was asked");
}

/// What was given the last time waits there already.
#[tokio::test(start_paused = true)]
async fn nothing_is_given_to_a_group_that_a_budget_has_stopped() {
    let stage = stage().model(says_nothing()).open().await;
    let scope = BudgetScope::Group(stage.direct("Ada").await);
    let limit = async |tokens| {
        let budget = domain::Budget { scope, tokens, microusd: None };
        stage.do_(Command::SetBudget { budget }).await;
        stage.quiet().await;
    };
    limit(Some(0)).await;
    let beat = plan(&stage, "Ada", "every 30 minutes", ScheduledWork::Heartbeat).await;
    let id = made(&stage, beat).await.id;
    stage.clock.advance(30 * MINUTE);
    assert_eq!(times(&stage, id, 1).await, ["given"]);
    stage.quiet().await;
    stage.clock.advance(30 * MINUTE);
    let given = times(&stage, id, 2).await;
    assert_eq!(given[1], format!("skipped OverBudget {{ scope: {scope:?} }}"));
    assert_eq!(stage.model.requests(), []);
    limit(None).await;
    assert_eq!(stage.model.requests().len(), 1, "what waited");
    stage.clock.advance(30 * MINUTE);
    assert_eq!(times(&stage, id, 3).await[2], "given");
}

/// Has a soul's file say this in its front matter.
async fn soul_says(stage: &Stage, soul: &str, lines: &str) {
    let text = format!("---\nname: Ada\n{lines}---\nYou are Ada.\n");
    let Ok(Reply::SoulDetail(detail)) = stage.query(Query::Soul { soul: soul.into() }).await else {
        panic!("no soul")
    };
    let base_hash = detail.soul.file_hash;
    stage.do_(Command::SaveSoul { soul: soul.into(), text, base_hash }).await;
}

/// The schedules, once the soul's file has been followed.
async fn followed(
    stage: &Stage,
    holds: impl Fn(&[ScheduleView]) -> bool + Copy,
) -> Vec<ScheduleView> {
    stage.until(async |stage: &Stage| holds(&schedules(stage).await)).await;
    schedules(stage).await
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_that_a_soul_says_follows_its_file_and_comes_only_with_ticks() {
    let stage = stage().model(says_nothing()).open().await;
    soul_says(&stage, "ada", "heartbeat: 30m\n").await;
    let [only] = &followed(&stage, |all| all.len() == 1).await[..] else { panic!("one") };
    let beat = only.schedule.clone();
    assert_eq!((beat.plan.agent, beat.of_soul), (stage.agent("Ada").await.id, true));
    assert_eq!(beat.plan.work, ScheduledWork::Heartbeat);
    // A file is no leave to spend.
    assert_eq!((beat.next_ms, only.next.len()), (None, 0));
    let on = Command::TurnOnFeed { every_minutes: 60, tokens_a_day: 50_000, microusd_a_day: 9_000 };
    stage.do_(on).await;
    followed(&stage, |all| all[0].schedule.next_ms.is_some()).await;
    stage.clock.advance(30 * MINUTE);
    assert_eq!(times(&stage, beat.id, 1).await, ["given"]);

    let own = SchedulePlan { words: "every 5 minutes".into(), ..beat.plan.clone() };
    for command in [
        Command::EditSchedule { schedule: beat.id, plan: own.clone() },
        Command::RemoveSchedule { schedule: beat.id },
    ] {
        let fault = stage.command(command).await.expect_err("its file says it");
        let said = FaultKind::HeartbeatOfSoul { name: "Ada".into(), soul: "ada".into() };
        assert_eq!((fault.code, fault.kind.as_deref()), (FaultCode::Refused, Some(&said)));
    }

    // Whom a person has paused stays paused, whatever the file says then.
    stage.do_(Command::PauseSchedule { schedule: beat.id, paused: true }).await;
    soul_says(&stage, "ada", "heartbeat:\n  every: 2h\n  hours: 9-17\n").await;
    let hours = Some(ActiveHours { from: 9 * 60, to: 17 * 60 });
    let all = followed(&stage, |all| all[0].schedule.plan.hours == hours).await;
    assert_eq!((all[0].schedule.id, all[0].schedule.paused), (beat.id, true));
    assert!(matches!(all[0].schedule.times, Times::Every { minutes: 120, .. }));

    // What a person makes goes before what the soul says, and the soul's is back after it.
    let made = made(&stage, own).await;
    let all = followed(&stage, |all| all.len() == 1).await;
    assert_eq!((all[0].schedule.id, all[0].schedule.of_soul), (made.id, false));
    stage.do_(Command::RemoveSchedule { schedule: made.id }).await;
    followed(&stage, |all| all.len() == 1 && all[0].schedule.of_soul).await;
    stage.do_(Command::TurnOffFeed).await;
    followed(&stage, |all| all[0].schedule.next_ms.is_none()).await;
    soul_says(&stage, "ada", "").await;
    followed(&stage, |all| all.is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn what_comes_of_schedules_counts_on_what_agents_use_by_themselves() {
    let stage = stage().model(says("Done.")).open().await;
    let group = stage.direct("Ada").await;
    made(&stage, plan(&stage, "Ada", "every hour", say(group, "Look.")).await).await;
    stage.say(group, "Hello").await;
    let spent = async |stage: &Stage| match stage.query(Query::Budgets).await {
        Ok(Reply::Budgets(all)) => {
            let feed = all.iter().find(|one| one.budget.scope == BudgetScope::Feed);
            feed.map_or(0, |feed| feed.spent_tokens)
        }
        other => panic!("no budgets: {other:?}"),
    };
    assert_eq!(spent(&stage).await, 0, "a person asked");
    stage.clock.advance(HOUR);
    stage.until(async |stage: &Stage| spent(stage).await > 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_schedule_has_a_post_written_about_something() {
    let model = Scripted::from_fn(|_, n| vec![Beat::Text(thought(n).to_owned())]);
    let stage = stage().model(model).open().await;
    let (name, rules, members) = ("Square".to_owned(), String::new(), Vec::new());
    let made_one = stage.do_(Command::NewCommunity { name, rules, members }).await;
    let Reply::Community(square) = made_one else { panic!("no community") };
    let work = ScheduledWork::Post { community: square.id, text: "the ferns".into() };
    let schedule = made(&stage, plan(&stage, "Ada", "every hour", work).await).await;
    stage.clock.advance(HOUR);
    times(&stage, schedule.id, 1).await;
    let feed = Query::Feed { filter: FeedFilter::default(), before: None, limit: 10 };
    stage
        .until(async |stage: &Stage| match stage.query(feed.clone()).await {
            Ok(Reply::Posts(posts)) => posts.iter().any(|post| post.item.is_some()),
            other => panic!("no posts: {other:?}"),
        })
        .await;
    let request = stage.model.requests().pop().expect("it was asked");
    let last = &request.turns.last().expect("something").content;
    assert!(last.contains("about this: the ferns"), "{last}");
}

#[tokio::test(start_paused = true)]
async fn a_digest_tells_from_the_record_what_has_happened() {
    let stage = stage().model(says("Bo found the leak (#1).")).open().await;
    let group = stage.group(&["Bo", "Ada"], domain::TurnPolicy::Mention).await;
    stage.say(group, "@Bo where does it leak?").await;
    stage.clock.advance(HOUR);
    let ada = stage.agent("Ada").await.id;
    stage.do_(Command::AskForDigest { agent: ada }).await;
    stage.quiet().await;
    let request = stage.model.requests().pop().expect("it was asked");
    let last = &request.turns.last().expect("something").content;
    assert!(last.contains("[3] Bo: Bo found the leak"), "{last}");
    let direct = stage.direct("Ada").await;
    assert_eq!(told(&stage.messages(direct).await)[1..], ["Bo found the leak (#1)."]);

    // The next tells of what came after it, and that is nothing.
    stage.clock.advance(HOUR);
    stage.do_(Command::AskForDigest { agent: ada }).await;
    stage.quiet().await;
    let request = stage.model.requests().pop().expect("it was asked");
    let last = &request.turns.last().expect("something").content;
    assert!(!last.contains("With Ada"), "{last}");
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_what_to_do() {
    let stage = stage().open().await;
    let group = stage.direct("Ada").await;
    let good = plan(&stage, "Ada", "every hour", say(group, "Look.")).await;
    let refused = async |plan: SchedulePlan| {
        let fault = stage.command(Command::NewSchedule { plan }).await.expect_err("it cannot be");
        (fault.code, fault.kind.map(|kind| *kind))
    };
    let words = "when pigs fly".to_owned();
    let unread = refused(SchedulePlan { words: words.clone(), ..good.clone() }).await;
    assert_eq!(unread, (FaultCode::BadInput, Some(FaultKind::TimesUnread { words })));
    let zone = "Mars/Olympus".to_owned();
    let nowhere = refused(SchedulePlan { zone: zone.clone(), ..good.clone() }).await;
    assert_eq!(nowhere.1, Some(FaultKind::ZoneUnknown { zone }));
    let past = refused(SchedulePlan { words: "2020-01-01 9:00".into(), ..good.clone() }).await;
    assert_eq!(past.1, Some(FaultKind::TimesPast));
    let night = Some(ActiveHours { from: 60, to: 60 });
    assert_eq!(refused(SchedulePlan { hours: night, ..good.clone() }).await.0, FaultCode::BadInput);
    let bo = stage.agent("Bo").await.id;
    let elsewhere = refused(SchedulePlan { agent: bo, ..good.clone() }).await;
    assert!(matches!(elsewhere.1, Some(FaultKind::NotInGroup { .. })), "{elsewhere:?}");
    let mute = refused(SchedulePlan { work: say(group, " "), ..good }).await;
    assert_eq!(mute.1, Some(FaultKind::MessageEmpty));
    assert!(schedules(&stage).await.is_empty());
}

#[tokio::test]
async fn making_it_twice_is_making_it_once_and_it_is_changed_and_removed() {
    let stage = stage().model(says("Done.")).open().await;
    let group = stage.direct("Ada").await;
    let first = plan(&stage, "Ada", "every weekday at 9", say(group, "Look.")).await;
    let id = RequestId(Uuid::now_v7());
    for _ in 0..2 {
        let command = Command::NewSchedule { plan: first.clone() };
        stage.send(id, command).await.expect("it is taken");
    }
    let [only] = &schedules(&stage).await[..] else { panic!("one") };
    let schedule = only.schedule.id;
    let changed =
        SchedulePlan { words: "每天早上9点".into(), zone: "Asia/Shanghai".into(), ..first };
    stage.do_(Command::EditSchedule { schedule, plan: changed }).await;
    let stands = view(&stage, schedule).await.schedule;
    assert!(matches!(&stands.times, Times::Days { days, minute: 540 } if days.len() == 7));
    // At 9 in Shanghai it is 1 in Greenwich.
    assert_eq!(stands.next_ms.map(|next| next.rem_euclid(86_400_000)), Some(3_600_000));

    let Reply::Message(given) = stage.do_(Command::RunSchedule { schedule }).await else {
        panic!("nothing is given")
    };
    stage.quiet().await;
    assert_eq!(given.group, group);
    assert_eq!(told(&stage.messages(group).await), ["[Look.]", "Done."]);
    assert_eq!(view(&stage, schedule).await.schedule.next_ms, stands.next_ms, "beside its times");
    stage.do_(Command::RemoveSchedule { schedule }).await;
    assert!(schedules(&stage).await.is_empty());
}
