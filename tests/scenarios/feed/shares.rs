//! Who has how much of the feed: nobody nearly all of it, and nobody more than their quota.

use super::*;
use domain::{AgentId, FeedEventState, FeedItem};
use llm::{Role, ToolCallDelta};
use std::path::Path;

const HOUR: Duration = Duration::from_secs(60 * 60);

fn quota_of(queue: &FeedQueue, agent: AgentId) -> Option<LeftOf> {
    let mut quotas = queue.quotas.iter().filter(|quota| quota.agent == agent);
    quotas.next().map(|quota| quota.answers)
}

/// Who was given an answer, and how often.
async fn spoke(stage: &Stage, views: &[PostView]) -> BTreeMap<String, u32> {
    let mut spoke = BTreeMap::new();
    for view in views {
        for decision in stage.decisions(view.post.group).await {
            if let Some((name, _)) = decision.split_once(" speak ") {
                *spoke.entry(name.to_owned()).or_insert(0) += 1;
            }
        }
    }
    spoke
}

#[tokio::test]
async fn posts_that_concern_nobody_are_shared_by_all_within_one_tick() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &[]).await;
    let agents = u32::try_from(stage.everybody().await.len()).expect("a few");
    let mut views = Vec::new();
    for n in 0..(4 * agents) {
        views.push(post(&stage, square.id, &format!("Xylophone {n} for sale")).await);
    }
    let ticked = tick(&stage).await;
    assert_eq!((ticked.events, ticked.woken), (4 * agents, 4 * agents));
    let spoke = spoke(&stage, &views).await;
    assert_eq!(spoke.len(), agents as usize, "{spoke:?}");
    assert!(spoke.values().all(|times| *times == 4), "{spoke:?}");
}

#[tokio::test]
async fn who_is_paused_leaves_a_post_to_whoever_is_awake_and_as_interested() {
    let stage = stage().model(thoughtful()).open().await;
    rules(&stage, FeedRules { answers_per_item: 1, ..FeedRules::default() }).await;
    let square = community(&stage, "Square", "", &["Bo", "Ines"]).await;
    for (paused, awake) in [("Bo", "Ines"), ("Ines", "Bo")] {
        let agent = stage.agent(paused).await.id;
        stage.do_(Command::PauseAgent { agent }).await;
        let view = post(&stage, square.id, "Which risks do you see in these numbers?").await;
        tick(&stage).await;
        let decisions = stage.decisions(view.post.group).await;
        let expected = format!("{awake} speak interested");
        assert!(decisions.contains(&expected), "{decisions:?}");
        assert_eq!(thread(&stage, &view).await.comments.len(), 1);
        let left = quota_of(&queue(&stage).await, agent);
        stage.do_(Command::ResumeAgent { agent }).await;
        assert_eq!(quota_of(&queue(&stage).await, agent), left);
    }
    let queue = queue(&stage).await;
    for name in ["Bo", "Ines"] {
        let left = quota_of(&queue, stage.agent(name).await.id);
        assert_eq!(left, Some(LeftOf { left: 11, of: 12 }), "{name} answered once");
    }
}

/// Ada writes posts of her own in her chat, as long as she may; all else she answers.
pub(super) fn posting() -> Scripted {
    Scripted::from_fn(|request, n| {
        let last = request.turns.last().expect("it is asked");
        if last.role == Role::User && last.content.contains("write something") {
            let arguments = format!(r#"{{"community": "Square", "text": "{}"}}"#, thought(n));
            let (id, name) = ("c".to_owned(), Some("post".to_owned()));
            return vec![Beat::ToolCall(ToolCallDelta { id, name, arguments })];
        }
        match last.role {
            Role::Tool => vec![Beat::Text(last.content.clone())],
            Role::User | Role::Assistant | Role::System => {
                vec![Beat::Text(format!("{} {n}", thought(n)))]
            }
        }
    })
}

pub(super) fn ada_may_post(data: &Path) {
    let soul = "---\nname: Ada\ntools: [post]\ninterests: [ferns]\n---\nYou help.\n";
    fs::create_dir_all(data.join("souls")).expect("a folder");
    fs::write(data.join("souls/ada.md"), soul).expect("a soul");
}

#[tokio::test]
async fn what_an_agent_writes_unasked_and_what_it_answers_is_one_quota() {
    let stage = stage().before(ada_may_post).model(posting()).open().await;
    rules(&stage, FeedRules { per_hour: 2, rest_minutes: 0, ..FeedRules::default() }).await;
    let square = community(&stage, "Square", "", &["Ada"]).await;
    let ada = stage.agent("Ada").await.id;
    let direct = stage.direct("Ada").await;
    stage.say(direct, "write something").await;
    assert_eq!(quota_of(&queue(&stage).await, ada), Some(LeftOf { left: 1, of: 2 }));
    tick(&stage).await;

    post(&stage, square.id, "Who grows ferns?").await;
    tick(&stage).await;
    assert_eq!(quota_of(&queue(&stage).await, ada), Some(LeftOf { left: 0, of: 2 }));
    stage.say(direct, "write something more").await;
    let said = stage.transcript(direct).await.pop().expect("it was told");
    assert!(said.contains("2 things an hour are the most in the feed"), "{said}");
    let refused = post(&stage, square.id, "Which ferns are they?").await;
    tick(&stage).await;
    assert_eq!(stage.decisions(refused.post.group).await, ["Ada wait feed_quota"]);
    let again = tick(&stage).await;
    assert_eq!((again.events, again.woken, again.out_of_quota), (0, 0, 1));
    assert_eq!(stage.decisions(refused.post.group).await.len(), 1, "it is said once");

    // What it wrote itself was given to nobody, and takes nobody's answer.
    let told = activity(&stage, None, 0).await;
    assert!(told.contains(&"1 Ada: 1 1 1 0".to_owned()), "{told:?}");
    let own = feed(&stage)
        .await
        .into_iter()
        .find_map(|view| view.item.filter(|item| item.message.author == Author::Agent(ada)));
    assert_eq!(own.map(|item| item.answers), Some(LeftOf { left: 2, of: 2 }));

    // What a person wrote waits for the next hour.
    stage.clock.advance(HOUR);
    assert_eq!(tick(&stage).await.woken, 1);
    let decided = stage.decisions(refused.post.group).await;
    assert_eq!(decided[..2], ["Ada wait feed_quota", "Ada speak interested"]);
}

/// Nobody else waits for them.
#[tokio::test]
async fn who_may_answer_now_does_where_another_has_to_wait() {
    let stage = stage().model(thoughtful()).open().await;
    rules(&stage, FeedRules { per_hour: 1, rest_minutes: 0, ..FeedRules::default() }).await;
    let square = community(&stage, "Square", "", &["Ada", "Bo"]).await;
    post(&stage, square.id, "@Ada one?").await;
    answered(&stage).await;
    let both = post(&stage, square.id, "@Ada @Bo two?").await;
    answered(&stage).await;
    let says = async |name: &str| {
        let said = stage.transcript(both.post.group).await;
        said.iter().filter(|line| line.starts_with(name)).count()
    };
    assert_eq!((says("Ada:").await, says("Bo:").await), (0, 1));
    tick(&stage).await;
    assert_eq!((says("Ada:").await, says("Bo:").await), (0, 1));
    stage.clock.advance(HOUR);
    tick(&stage).await;
    assert_eq!((says("Ada:").await, says("Bo:").await), (1, 1));
}

#[tokio::test]
async fn what_a_person_adds_while_its_only_reader_rests_is_answered_afterwards() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Ada"]).await;
    let view = post(&stage, square.id, "Which risks do you see in these numbers?").await;
    tick(&stage).await;
    let more = comment(&stage, item(&view), "And in the next ones?").await;
    assert_eq!(tick(&stage).await.out_of_quota, 1);
    stage.clock.advance(HOUR);
    tick(&stage).await;
    let comments = thread(&stage, &view).await.comments;
    let below = comments.iter().filter(|one| one.message.parent == Some(more.id));
    let decided = stage.decisions(view.post.group).await;
    assert!(decided.contains(&"Ada wait cooling_down".to_owned()), "{decided:?}");
    assert_eq!(
        below.count(),
        usize::from(decided.last().is_some_and(|last| last.contains("speak")))
    );
}

#[tokio::test]
async fn whom_a_person_names_is_given_it_in_the_next_hour() {
    let stage = stage().model(thoughtful()).open().await;
    rules(&stage, FeedRules { per_hour: 1, rest_minutes: 0, ..FeedRules::default() }).await;
    let square = community(&stage, "Square", "", &["Ada", "Bo"]).await;
    post(&stage, square.id, "@Ada one?").await;
    answered(&stage).await;
    let second = post(&stage, square.id, "@Ada two?").await;
    assert_eq!(tick(&stage).await.out_of_quota, 1);
    let says = async || {
        let said = stage.transcript(second.post.group).await;
        said.iter().filter(|line| line.starts_with("Ada: ")).count()
    };
    assert_eq!(says().await, 0);
    stage.clock.advance(HOUR);
    tick(&stage).await;
    assert_eq!(says().await, 1);
}

#[tokio::test]
async fn a_thread_that_goes_back_to_another_conversation_says_what_is_left_there() {
    let stage = stage().before(ada_may_post).model(posting()).open().await;
    community(&stage, "Square", "", &["Ada", "Bo"]).await;
    stage.say(stage.direct("Ada").await, "write something").await;
    tick(&stage).await;
    let [view] = &feed(&stage).await[..] else { panic!("one post") };
    let told = thread(&stage, view).await;
    let said = 1 + u32::try_from(told.comments.len()).expect("a few");
    assert!(said > 1, "Bo has answered it");
    assert_eq!(told.answers, LeftOf { left: 10 - said, of: 10 });
}

#[tokio::test]
async fn a_post_that_nobody_has_looked_at_is_new() {
    let stage = stage().model(thoughtful()).open().await;
    let community = community(&stage, "Square", "", &["Otto"]).await.id;
    let agent = stage.agent("Otto").await.id;
    let asked = stage.do_(Command::AskForPost { community, agent }).await;
    let Reply::Post(view) = asked else { panic!("no post: {asked:?}") };
    answered(&stage).await;
    let told = thread(&stage, &view).await;
    let written = told.view.item.expect("it is written").message;
    assert_eq!((told.view.comments, told.view.unread), (0, 1));
    stage.do_(Command::MarkRead { group: written.group, seq: written.seq }).await;
    assert_eq!(feed(&stage).await[0].unread, 0);
    post(&stage, community, "My own").await;
    assert_eq!(feed(&stage).await[0].unread, 0, "one knows what one has written");
}

/// Every item of a thread with what was decided about it.
async fn decided(stage: &Stage, item: &FeedItem) -> (Option<FeedEventState>, Vec<String>) {
    let message = &item.message;
    let query = Query::Decisions { group: message.group, message: Some(message.id), limit: 50 };
    let Ok(Reply::Decisions(decisions)) = stage.query(query).await else { panic!("none") };
    let names = stage.everybody().await;
    let line = |agent: AgentId| names.iter().find(|one| one.id == agent).expect("there");
    let lines = decisions.iter().map(|one| format!("{} {:?}", line(one.agent).name, one.reason));
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    (item.event, lines)
}

#[tokio::test]
async fn whom_an_agent_names_outside_of_the_community_is_told_why_not() {
    let model = Scripted::from_fn(|_, _| vec![Beat::Text("Ask @Bo and @Otto.".to_owned())]);
    let stage = stage().model(model).open().await;
    let square = community(&stage, "Square", "", &["Ada"]).await;
    let view = post(&stage, square.id, "Xylophones for sale").await;
    let before = thread(&stage, &view).await.view.item.expect("it is written");
    assert_eq!(decided(&stage, &before).await, (Some(FeedEventState::Waiting), Vec::new()));
    tick(&stage).await;
    tick(&stage).await;
    let [comment] = &thread(&stage, &view).await.comments[..] else { panic!("one comment") };
    let expected = vec!["Bo NotInCommunity".to_owned(), "Otto NotInCommunity".to_owned()];
    assert_eq!(decided(&stage, comment).await, (Some(FeedEventState::Done), expected));
}

/// Whoever says what it was told to answer.
fn answers_what_is_quoted() -> Scripted {
    Scripted::from_fn(|request, _| {
        let task = request.turns.last().map(|turn| turn.content.clone()).unwrap_or_default();
        let quoted = task.lines().rev().find_map(|line| line.strip_prefix("> "));
        vec![Beat::Text(format!("About “{}”: yes.", quoted.unwrap_or("the post")))]
    })
}

#[tokio::test]
async fn each_comment_is_answered_below_it() {
    let stage = stage().model(answers_what_is_quoted()).open().await;
    rules(&stage, FeedRules { rest_minutes: 0, ..FeedRules::default() }).await;
    let square = community(&stage, "Square", "", &["Ada"]).await;
    let view = post(&stage, square.id, "@Ada ferns?").await;
    answered(&stage).await;
    let shade = comment(&stage, item(&view), "@Ada Why do ferns need shade?").await;
    let cost = comment(&stage, item(&view), "@Ada And what does a fern cost?").await;
    answered(&stage).await;
    let messages = stage.messages(view.post.group).await;
    for (asked, words) in
        [(shade, "Why do ferns need shade?"), (cost, "And what does a fern cost?")]
    {
        let below = messages.iter().filter(|one| one.parent == Some(asked.id));
        let said: Vec<&str> = below.filter_map(Message::text).collect();
        assert_eq!(said, [format!("About “@Ada {words}”: yes.")]);
    }
}
