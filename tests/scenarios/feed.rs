//! Posts in communities, and the agents that answer them.

mod ahead;
mod archived;
mod communities;
mod failed;
mod filtered;
mod no_room;
mod out_of_sight;
mod own_voice;
mod room;
mod shares;
mod silences;

use domain::{
    Author, Command, Community, CommunityId, FaultCode, FaultKind, FeedDay, FeedFilter, FeedQueue,
    FeedRules, LeftOf, Message, MessageId, Moderation, Outcome, PostView, Query, Reason, Reply,
    RequestId, RunState, SettingsPatch, Thread, Ticked, Verdict,
};
use llm::scripted::{Beat, Scripted};
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;
use tests::{Stage, in_files, says, speaker, stage, thought};
use uuid::Uuid;

async fn community(stage: &Stage, name: &str, rules: &str, members: &[&str]) -> Community {
    let members = stage.ids(members).await;
    let command = Command::NewCommunity { name: name.into(), rules: rules.into(), members };
    match stage.do_(command).await {
        Reply::Community(community) => community,
        other => panic!("no community: {other:?}"),
    }
}

async fn post(stage: &Stage, community: CommunityId, text: &str) -> PostView {
    match stage.do_(Command::WritePost { community, text: text.into() }).await {
        Reply::Post(view) => *view,
        other => panic!("no post: {other:?}"),
    }
}

async fn comment(stage: &Stage, to: MessageId, text: &str) -> Message {
    match stage.do_(Command::Comment { to, text: text.into() }).await {
        Reply::Message(message) => message,
        other => panic!("no comment: {other:?}"),
    }
}

async fn queue(stage: &Stage) -> FeedQueue {
    match stage.query(Query::FeedQueue).await {
        Ok(Reply::FeedQueue(queue)) => queue,
        other => panic!("no queue: {other:?}"),
    }
}

async fn answered(stage: &Stage) {
    stage.until(async |stage: &Stage| queue(stage).await.answers_to_come == 0).await;
}

/// Gives out what waits, and returns when it has been answered.
async fn tick(stage: &Stage) -> Ticked {
    let ticked = match stage.do_(Command::Tick).await {
        Reply::Ticked(ticked) => ticked,
        other => panic!("not ticked: {other:?}"),
    };
    answered(stage).await;
    ticked
}

async fn thread(stage: &Stage, view: &PostView) -> Thread {
    match stage.query(Query::Thread { post: view.post.group }).await {
        Ok(Reply::Thread(thread)) => *thread,
        other => panic!("no thread: {other:?}"),
    }
}

async fn feed(stage: &Stage) -> Vec<PostView> {
    match stage.query(Query::Feed { filter: FeedFilter::default(), before: None, limit: 50 }).await
    {
        Ok(Reply::Posts(posts)) => posts,
        other => panic!("no posts: {other:?}"),
    }
}

fn item(view: &PostView) -> MessageId {
    view.post.message.expect("it is written")
}

async fn rules(stage: &Stage, feed: FeedRules) {
    let patch = SettingsPatch { feed: Some(feed), ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
}

/// What its agent says: who speaks, and a thought that nobody else has.
fn thoughtful() -> Scripted {
    Scripted::from_fn(|request, n| vec![Beat::Text(format!("{} {}", thought(n), speaker(request)))])
}

#[tokio::test]
async fn a_post_is_answered_at_the_next_tick_by_those_it_concerns() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "Be brief.", &[]).await;
    let view = post(&stage, square.id, "Which risks do you see in these numbers?").await;
    assert_eq!((view.comments, queue(&stage).await.waiting), (0, 1), "nobody comes by themselves");

    let ticked = tick(&stage).await;
    assert_eq!(ticked, Ticked { events: 1, woken: 2, failed: 0, without_room: 0, out_of_quota: 0 });
    let told = stage.transcript(view.post.group).await;
    assert_eq!(told.len(), 3, "{told:?}");
    let decisions = stage.decisions(view.post.group).await;
    assert!(decisions.contains(&"Bo speak interested".to_owned()), "{decisions:?}");
    assert!(decisions.contains(&"Ines speak interested".to_owned()), "{decisions:?}");
    assert!(decisions.contains(&"Otto pass not_interested".to_owned()), "{decisions:?}");
    let threads = thread(&stage, &view).await;
    for comment in &threads.comments {
        assert_eq!(comment.message.parent, Some(item(&view)));
        assert_eq!(comment.message.chain_depth, 1);
        let run = stage.run(comment.message.run.expect("a run wrote it")).await;
        assert_eq!(run.run.cause.message, item(&view));
        assert!(matches!(run.run.cause.reason, Reason::Interested { .. }));
        assert!(run.context.system_prompt.contains("Be brief."), "the rules are read");
    }
    let groups = stage.overview().await.groups;
    assert!(groups.iter().all(|one| one.group.id != view.post.group), "no conversation");
    assert_eq!((threads.view.comments, threads.view.unread), (2, 2));
}

#[tokio::test]
async fn what_an_agent_is_to_do_stands_behind_the_thread() {
    let stage = stage().model(says("It holds.")).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    post(&stage, square.id, "Is this claim true?").await;
    tick(&stage).await;
    let request = stage.model.requests().pop().expect("somebody was asked");
    let last = &request.turns.last().expect("it was told something").content;
    assert!(last.contains("User: Is this claim true?"), "{last}");
    assert!(last.contains("Write your comment on the post of User, as Bo"), "{last}");
    assert!(!last.contains("{{") && !request.turns[0].content.contains("{%"));
}

#[tokio::test]
async fn whom_a_person_names_answers_at_once_and_only_once() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Ada"]).await;
    let view = post(&stage, square.id, "@Otto when does the ferry leave?").await;
    answered(&stage).await;
    assert_eq!(stage.transcript(view.post.group).await.len(), 2, "no tick was needed");
    let first = stage.decisions(view.post.group).await;
    assert_eq!(first, ["Otto speak mentioned"]);
    tick(&stage).await;
    let runs = stage.runs().await;
    let by_otto = runs.iter().filter(|run| run.cause.reason == Reason::Mentioned).count();
    assert_eq!(by_otto, 1);
}

#[tokio::test]
async fn writing_twice_is_writing_once() {
    let stage = stage().open().await;
    let square = community(&stage, "Square", "", &[]).await.id;
    let id = RequestId(Uuid::now_v7());
    for _ in 0..2 {
        let command = Command::WritePost { community: square, text: "Once.".into() };
        stage.send(id, command).await.expect("it is taken");
    }
    let again = stage.reopen().await;
    let command = Command::WritePost { community: square, text: "Once.".into() };
    again.send(id, command).await.expect("it is taken");
    assert_eq!(feed(&again).await.len(), 1);
    assert_eq!(queue(&again).await.waiting, 1);
}

#[tokio::test]
async fn a_name_is_had_by_one_community() {
    let stage = stage().open().await;
    community(&stage, "Square", "", &[]).await;
    let (rules, members) = (String::new(), Vec::new());
    let again = Command::NewCommunity { name: "square".into(), rules, members };
    let fault = stage.command(again).await.expect_err("the name is taken");
    assert_eq!(fault.message, "there is a community called square already");
}

#[tokio::test]
async fn an_agent_that_is_answered_answers_and_chains_end() {
    let stage = stage().model(thoughtful()).open().await;
    rules(&stage, FeedRules { rest_minutes: 0, ..FeedRules::default() }).await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "Is this plan any good?").await;
    tick(&stage).await;
    let first = thread(&stage, &view).await.comments[0].message.clone();
    comment(&stage, first.id, "And why?").await;
    tick(&stage).await;
    let all = thread(&stage, &view).await.comments;
    assert_eq!(all.len(), 3);
    assert_eq!(all[2].message.parent, Some(all[1].message.id));
    let decisions = stage.decisions(view.post.group).await;
    assert!(decisions.contains(&"Bo speak replied_to".to_owned()), "{decisions:?}");
}

#[tokio::test]
async fn what_is_hidden_is_read_by_nobody_and_shown_again() {
    let stage = stage().model(says("Yes, it is.")).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "Is this plan any good?").await;
    let secret = comment(&stage, item(&view), "See page 4711 of it.").await;
    moderate(&stage, secret.id, Moderation::Hide, Some("private")).await;
    tick(&stage).await;
    for request in stage.model.requests() {
        assert!(request.turns.iter().all(|turn| !turn.content.contains("4711")));
    }
    let told = thread(&stage, &view).await;
    assert!(told.comments[0].hidden);
    assert_eq!(told.moderated[0].why.as_deref(), Some("private"));
    moderate(&stage, secret.id, Moderation::Show, None).await;
    assert!(!thread(&stage, &view).await.comments[0].hidden);
}

#[tokio::test]
async fn nobody_answers_or_reacts_to_what_is_removed() {
    let stage = stage().open().await;
    let square = community(&stage, "Square", "", &[]).await;
    let view = post(&stage, square.id, "Xylophones for sale").await;
    moderate(&stage, item(&view), Moderation::Remove, None).await;
    let to = item(&view);
    let react = Command::React { item: to, sign: "👍".into(), on: true };
    let comment = Command::Comment { to, text: "How much?".into() };
    for command in [react, comment] {
        let fault = stage.command(command).await.expect_err("its words are gone");
        assert_eq!(fault.kind.as_deref(), Some(&FaultKind::FeedItemRemoved));
    }
}

#[tokio::test]
async fn nothing_is_decided_while_everything_or_the_only_one_is_paused() {
    let stage = stage().model(says("Yes, it is.")).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "What grows in the shade?").await;
    stage.do_(Command::PauseAll).await;
    let fault = stage.command(Command::Tick).await.expect_err("everything is paused");
    assert_eq!(fault.kind.as_deref(), Some(&FaultKind::AllPaused));
    assert_eq!(queue(&stage).await.waiting, 1, "nothing is lost");
    assert_eq!(stage.decisions(view.post.group).await, [""; 0]);
    stage.do_(Command::ResumeAll).await;

    let bo = stage.agent("Bo").await.id;
    stage.do_(Command::PauseAgent { agent: bo }).await;
    stage.do_(Command::Tick).await;
    assert_eq!(stage.decisions(view.post.group).await, ["Bo wait paused"]);
    stage.do_(Command::ResumeAgent { agent: bo }).await;
    answered(&stage).await;
    assert_eq!(thread(&stage, &view).await.comments.len(), 1, "it is answered afterwards");
}

#[tokio::test]
async fn what_is_not_given_out_yet_waits_when_everything_is_paused_meanwhile() {
    let stage = stage().model(says("Yes, it is.")).open().await;
    rules(&stage, FeedRules { per_hour: 50, ..FeedRules::default() }).await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    for n in 0..40 {
        post(&stage, square.id, &format!("What grows in the shade of oak {n}?")).await;
    }
    let (ticked, _) = tokio::join!(stage.command(Command::Tick), stage.command(Command::PauseAll));
    let Ok(Reply::Ticked(Ticked { events, .. })) = ticked else { panic!("{ticked:?}") };
    let waiting = queue(&stage).await.waiting;
    assert!(events < 40 && waiting == 40 - events, "{events} given out, {waiting} wait");
    stage.do_(Command::ResumeAll).await;
    assert_eq!(tick(&stage).await.events, waiting);
}

#[tokio::test]
async fn how_much_is_left_of_what_may_be_is_told() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "Which risks do you see in these numbers?").await;
    let bo = stage.agent("Bo").await.id;
    let of_bo = async |stage: &Stage| {
        let quotas = queue(stage).await.quotas.into_iter();
        quotas.filter(|quota| quota.agent == bo).map(|quota| quota.answers).next()
    };
    assert_eq!(thread(&stage, &view).await.answers, LeftOf { left: 10, of: 10 });
    assert_eq!(of_bo(&stage).await, Some(LeftOf { left: 12, of: 12 }));
    tick(&stage).await;
    let told = thread(&stage, &view).await;
    assert_eq!(told.answers, LeftOf { left: 9, of: 10 });
    let item = told.view.item.expect("it is written");
    assert_eq!(item.answers, LeftOf { left: 1, of: 2 });
    assert_eq!(of_bo(&stage).await, Some(LeftOf { left: 11, of: 12 }));
}

#[tokio::test]
async fn what_is_removed_is_gone_and_leaves_a_trace() {
    let stage = stage().open().await;
    let square = community(&stage, "Square", "", &[]).await;
    let view = post(&stage, square.id, "Xylophones for sale").await;
    moderate(&stage, item(&view), Moderation::Remove, Some("no adverts")).await;
    let told = thread(&stage, &view).await;
    assert_eq!(told.view.item.and_then(|item| item.message.text().map(str::to_owned)), None);
    assert_eq!(told.moderated[0].how, Moderation::Remove);
    assert_eq!(tick(&stage).await.woken, 0, "nobody answers it");
    assert_eq!(out_of_sight::found(&stage, "xylophones").await, []);
}

#[tokio::test]
async fn what_is_removed_after_it_was_answered_is_in_no_file() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &[]).await;
    let view = post(&stage, square.id, "Xylophones for sale").await;
    tick(&stage).await;
    assert_eq!(thread(&stage, &view).await.comments.len(), 1, "it was answered");
    assert!(!in_files(stage.data(), "xylophones").is_empty());
    moderate(&stage, item(&view), Moderation::Remove, None).await;
    assert_eq!(in_files(stage.data(), "xylophones"), [""; 0]);
}

#[tokio::test]
async fn nobody_comments_on_a_locked_post() {
    let stage = stage().open().await;
    let square = community(&stage, "Square", "", &[]).await;
    let view = post(&stage, square.id, "A plan").await;
    moderate(&stage, item(&view), Moderation::Lock, None).await;
    let to = item(&view);
    let refused = stage.command(Command::Comment { to, text: "But".into() }).await;
    assert_eq!(refused.expect_err("it is locked").code, FaultCode::Refused);
    assert_eq!(tick(&stage).await.woken, 0);
    let decisions = stage.decisions(view.post.group).await;
    assert!(decisions.contains(&"Ada pass thread_locked".to_owned()), "{decisions:?}");
    moderate(&stage, item(&view), Moderation::Unlock, None).await;
    comment(&stage, to, "But").await;
}

async fn moderate(stage: &Stage, item: MessageId, how: Moderation, why: Option<&str>) {
    stage.do_(Command::Moderate { item, how, why: why.map(Into::into) }).await;
}

#[tokio::test]
async fn people_read_words_whatever_the_model_packs_them_into() {
    let json = "```json\n{\"text\": \"Count them first.\", \"reaction\": \"👍\"}\n```";
    let stage = stage().model(says(json)).open().await;
    let square = community(&stage, "Square", "", &["Ines"]).await;
    let view = post(&stage, square.id, "What do the numbers say?").await;
    tick(&stage).await;
    let told = thread(&stage, &view).await;
    assert_eq!(told.comments[0].message.text(), Some("Count them first."));
    let signs: Vec<_> = told
        .view
        .item
        .iter()
        .flat_map(|item| &item.reactions)
        .map(|one| one.sign.as_str())
        .collect();
    assert_eq!(signs, ["👍"]);
}

#[tokio::test]
async fn what_cannot_be_read_as_words_is_shown_to_nobody() {
    let stage = stage().model(says("{\"verdict\": {\"score\": 3}}")).open().await;
    let square = community(&stage, "Square", "", &["Ines"]).await;
    let view = post(&stage, square.id, "What do the numbers say?").await;
    tick(&stage).await;
    assert_eq!(thread(&stage, &view).await.comments, []);
    let runs = stage.runs().await;
    assert_eq!(runs[0].outcome, Some(Outcome::Silent { reason: Reason::Unreadable }));
    assert_eq!(runs[0].state, RunState::Settled);
}

#[tokio::test]
async fn a_template_of_ones_own_holds_from_the_next_turn_on() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let folder = stage.data().join("prompts");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("reply-to-post.md");
    fs::write(&file, "Rhyme on {{ item }}, {{ name }}.").expect("a file");
    post(&stage, square.id, "Any plans?").await;
    tick(&stage).await;
    let last = |stage: &Stage| {
        let request = stage.model.requests().pop().expect("somebody was asked");
        request.turns.last().expect("it was told something").content.clone()
    };
    assert!(last(&stage).contains("Rhyme on Any plans?, Bo."), "{}", last(&stage));

    fs::write(&file, "Rhyme on {{ itme }}.").expect("a file");
    let problems = queue(&stage).await.problems;
    assert!(problems[0].contains("it speaks of itme, which is not given"), "{problems:?}");
    post(&stage, square.id, "Other plans?").await;
    tick(&stage).await;
    assert!(last(&stage).contains("Write your comment on the post of User, as Bo"));
}

#[tokio::test]
async fn an_agent_that_is_asked_for_a_post_writes_one_that_others_answer() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &[]).await;
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::AskForPost { community: square.id, agent }).await;
    answered(&stage).await;
    let posts = feed(&stage).await;
    assert_eq!(posts.len(), 1);
    let first = posts[0].item.as_ref().expect("it is written");
    assert_eq!(first.message.author, Author::Agent(agent));
    assert!(first.message.run.is_some());
    tick(&stage).await;
    let told = thread(&stage, &posts[0]).await;
    assert_eq!(told.comments.len(), 1, "it is given to somebody");
    assert_eq!(told.comments[0].message.chain_depth, 2);
}

#[tokio::test]
async fn what_is_seen_is_not_new_and_reactions_are_counted_once() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "A plan").await;
    tick(&stage).await;
    let comment = thread(&stage, &view).await.comments[0].message.clone();
    assert_eq!(feed(&stage).await[0].unread, 1);
    stage.do_(Command::MarkRead { group: view.post.group, seq: comment.seq }).await;
    assert_eq!(feed(&stage).await[0].unread, 0);
    let react = |sign: &str, on| Command::React { item: comment.id, sign: sign.into(), on };
    stage.do_(react("👏", true)).await;
    stage.do_(react("👏", true)).await;
    assert_eq!(thread(&stage, &view).await.comments[0].reactions.len(), 1);
    stage.do_(react("👏", false)).await;
    assert_eq!(thread(&stage, &view).await.comments[0].reactions, []);
    assert!(stage.command(react("{ }", true)).await.is_err());
}

/// Names everybody in each answer, and never says the same twice.
fn never_silent() -> Scripted {
    Scripted::from_fn(|_, n| {
        let words = format!("@Ada @Bo @Ines @Otto {} {n}", thought(n));
        vec![Beat::Text(words)]
    })
}

#[tokio::test]
async fn agents_that_answer_everything_fall_quiet() {
    let stage = stage().model(never_silent()).open().await;
    let most =
        FeedRules { rest_minutes: 0, per_hour: 20, answers_per_item: 50, ..FeedRules::default() };
    rules(&stage, most).await;
    let square = community(&stage, "Square", "", &[]).await;
    let mut views = Vec::new();
    for n in 0..4 {
        views.push(post(&stage, square.id, &format!("Post {n} about plans and numbers")).await);
    }
    let mut ticks = 0;
    while queue(&stage).await.waiting > 0 {
        tick(&stage).await;
        ticks += 1;
        assert!(ticks < 20, "it goes on and on");
    }
    let mut given = BTreeMap::new();
    for view in &views {
        let all = thread(&stage, view).await.comments;
        assert!(!all.is_empty() && all.len() <= 10, "{} comments", all.len());
        assert!(all.iter().all(|comment| comment.message.chain_depth <= 3));
        let query = Query::Decisions { group: view.post.group, message: None, limit: 500 };
        let Ok(Reply::Decisions(decisions)) = stage.query(query).await else { panic!("none") };
        for decision in decisions.iter().filter(|one| one.verdict == Verdict::Speak) {
            *given.entry(decision.agent).or_insert(0) += 1;
        }
    }
    assert!(given.values().all(|given| *given <= 20), "{given:?}");
    let runs = stage.runs().await;
    assert!(runs.iter().all(|run| run.state == RunState::Settled));
}

/// `1 Bo: 0 1 1 0`: on the first day Bo wrote no post and one comment, and was given one
/// item and refused none.
async fn activity(stage: &Stage, community: Option<CommunityId>, since_ms: i64) -> Vec<String> {
    let names = stage.everybody().await;
    let name = |who: Author| match who {
        Author::Agent(id) => names.iter().find(|one| one.id == id).expect("there").name.clone(),
        other => format!("{other:?}"),
    };
    let rows = match stage.query(Query::FeedActivity { community, since_ms }).await {
        Ok(Reply::FeedActivity(rows)) => rows,
        other => panic!("no activity: {other:?}"),
    };
    let mut days: Vec<&str> = rows.iter().map(|row| row.day.as_str()).collect();
    days.dedup();
    assert!(days.is_sorted(), "{days:?}");
    let mut told = Vec::new();
    for row in &rows {
        let nth = days.iter().position(|day| *day == row.day).expect("one of them") + 1;
        let FeedDay { posts, comments, given, refused, .. } = row;
        told.push(format!("{nth} {}: {posts} {comments} {given} {refused}", name(row.who)));
    }
    told.sort();
    told
}

#[tokio::test]
async fn what_was_written_given_and_refused_is_counted_by_day_and_by_whom() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo", "Otto"]).await;
    let garden = community(&stage, "Garden", "", &["Bo"]).await;
    let view = post(&stage, square.id, "Which risks do you see in these numbers?").await;
    assert_eq!(tick(&stage).await.woken, 1);
    let first = ["1 Bo: 0 1 1 0", "1 Otto: 0 0 0 1", "1 User: 1 0 0 0"];
    assert_eq!(activity(&stage, None, 0).await, first);

    let stage = stage.reopen_after(Duration::from_secs(24 * 60 * 60)).await;
    comment(&stage, item(&view), "@Otto and what do you say?").await;
    answered(&stage).await;
    let second = ["2 Otto: 0 1 1 0", "2 User: 0 1 0 0"];
    assert_eq!(activity(&stage, Some(square.id), 0).await, [&first[..], &second].concat());
    let since = thread(&stage, &view).await.view.last_ms - 60_000;
    let today = ["1 Otto: 0 1 1 0", "1 User: 0 1 0 0"];
    assert_eq!(activity(&stage, None, since).await, today);
    assert_eq!(activity(&stage, Some(garden.id), 0).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn ticks_come_by_themselves_only_where_a_person_has_said_what_they_may_cost() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "A plan").await;
    let on = FeedRules { on: true, every_minutes: 1, ..FeedRules::default() };
    rules(&stage, on).await;
    assert!(!stage.overview().await.settings.feed.on, "not without a cap");
    assert_eq!(queue(&stage).await.next_tick_ms, None);
    let turn_on = |tokens_a_day| Command::TurnOnFeed {
        every_minutes: 5,
        tokens_a_day,
        microusd_a_day: 100_000,
    };
    assert!(stage.command(turn_on(0)).await.is_err());
    stage.do_(turn_on(50_000)).await;
    stage.until(async |stage: &Stage| thread(stage, &view).await.view.comments == 1).await;
    let Ok(Reply::Budgets(budgets)) = stage.query(Query::Budgets).await else { panic!("none") };
    let feed = budgets.iter().find(|one| one.budget.scope == domain::BudgetScope::Feed);
    assert_eq!(feed.and_then(|feed| feed.budget.tokens), Some(50_000));
    stage.do_(Command::TurnOffFeed).await;
    assert_eq!(queue(&stage).await.next_tick_ms, None);
}

#[tokio::test]
async fn the_time_to_the_next_tick_goes_on_while_nobody_is_there_and_while_all_is_paused() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "A plan").await;
    let turn_on =
        Command::TurnOnFeed { every_minutes: 30, tokens_a_day: 50_000, microusd_a_day: 100_000 };
    stage.do_(turn_on).await;
    // Nobody is told when it changes.
    let next = async |stage: &Stage, comes: bool| loop {
        match queue(stage).await.next_tick_ms {
            next if next.is_some() == comes => break next,
            _ => tokio::task::yield_now().await,
        }
    };
    let first = next(&stage, true).await;
    stage.do_(Command::PauseAll).await;
    next(&stage, false).await;
    stage.clock.advance(Duration::from_secs(600));
    stage.do_(Command::ResumeAll).await;
    assert_eq!(next(&stage, true).await, first);
    let stage = stage.reopen_after(Duration::from_secs(600)).await;
    assert_eq!(next(&stage, true).await, first);
    assert_eq!(thread(&stage, &view).await.view.comments, 0);
    // What came due meanwhile comes at once.
    let stage = stage.reopen_after(Duration::from_secs(3600)).await;
    stage.until(async |stage: &Stage| thread(stage, &view).await.view.comments == 1).await;
}
