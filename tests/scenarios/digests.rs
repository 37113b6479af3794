//! What agents tell of what happened, and where its links lead.

use domain::{
    Body, Command, CommunityId, GroupId, GroupPatch, MemoryKind, MemoryScope, Message, Moderation,
    NewMemory, Notice, PostView, Query, Reason, Reply, Run, RunDetail, TurnPolicy,
};
use llm::scripted::{Beat, Scripted};
use llm::{ModelFault, ModelRequest, Trouble};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tests::{Stage, speaker, stage};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// Whether somebody is to tell what happened.
fn asks_for_digest(request: &ModelRequest) -> bool {
    request.turns.last().is_some_and(|turn| turn.content.contains("was away. This is the record"))
}

/// Whoever is asked for a digest says this; Otto's model fails, and everybody else found
/// the leak.
fn telling(digest: &'static str) -> Scripted {
    Scripted::from_fn(move |request, _| {
        if asks_for_digest(request) {
            return vec![Beat::Text(digest.to_owned())];
        }
        match speaker(request).as_str() {
            "Otto" => vec![Beat::Fail(ModelFault::new(
                Trouble::Refused,
                "the test's model failed",
                "nothing to do, it is a test",
            ))],
            _ => vec![Beat::Text("I found the leak.".to_owned())],
        }
    })
}

/// The lines that Ada is given to tell of, and what stands in her chat of it.
async fn digest(stage: &Stage) -> (Vec<String>, String, RunDetail) {
    stage.clock.advance(HOUR);
    let ada = stage.agent("Ada").await.id;
    stage.do_(Command::AskForDigest { agent: ada }).await;
    stage.quiet().await;
    let asked = stage.model.requests().into_iter().rfind(asks_for_digest).expect("it was asked");
    let task = &asked.turns.last().expect("something").content;
    let record = task.split("\n\n").nth(1).expect("a record").lines();
    let messages = stage.messages(stage.direct("Ada").await).await;
    let said = messages.iter().rev().find_map(|message| match &message.body {
        Body::Text { text, .. } => Some(text.clone()),
        Body::Notice { .. } => None,
    });
    let is_digest = |run: &Run| run.agent == ada && run.cause.reason == Reason::AskedForDigest;
    let run: Run = stage.runs().await.into_iter().rfind(is_digest).expect("a run");
    (record.map(str::to_owned).collect(), said.expect("it told"), stage.run(run.id).await)
}

/// What a link leads to is there.
async fn is_there(stage: &Stage, link: &str) -> bool {
    let (is, id) =
        link.strip_prefix("coterie://").expect("is there").split_once('/').expect("is there");
    let query = match is {
        "group" => {
            let group: GroupId = id.parse().expect("is there");
            Query::Messages { group, before: None, limit: 1 }
        }
        "message" => Query::Message { message: id.parse().expect("is there") },
        "run" => Query::Run { run: id.parse().expect("is there") },
        "memory" => Query::Memory { memory: id.parse().expect("is there") },
        other => panic!("what is {other}?"),
    };
    stage.query(query).await.is_ok()
}

#[tokio::test(start_paused = true)]
async fn everything_that_a_digest_is_told_of_has_a_link_that_leads_there() {
    let stage = stage().model(telling("Nothing of it matters.")).open().await;
    let group = stage.group(&["Bo", "Otto", "Ada"], TurnPolicy::Mention).await;
    stage.say(group, "@Bo @Otto where does it leak?").await;
    let (name, rules, members) =
        ("Square".to_owned(), String::new(), stage.ids(&["Ines", "Ada"]).await);
    let square = match stage.do_(Command::NewCommunity { name, rules, members }).await {
        Reply::Community(community) => community.id,
        other => panic!("no community: {other:?}"),
    };
    stage.do_(Command::WritePost { community: square, text: "What of the roof?".into() }).await;
    stage.do_(Command::Tick).await;
    stage
        .until(async |stage: &Stage| match stage.query(Query::FeedQueue).await {
            Ok(Reply::FeedQueue(queue)) => queue.answers_to_come == 0,
            other => panic!("no queue: {other:?}"),
        })
        .await;
    let memory = NewMemory {
        kind: MemoryKind::Fact,
        scope: MemoryScope::User,
        text: "The pipe is of copper.".into(),
        statement: None,
        tags: Vec::new(),
        importance: None,
        valid_from_ms: None,
        valid_to_ms: None,
    };
    stage.do_(Command::AddMemory { memory }).await;

    let (record, _, run) = digest(&stage).await;
    let kinds: Vec<&str> =
        run.context.links.iter().filter_map(|link| link.split('/').nth(2)).collect();
    assert_eq!(
        kinds,
        ["group", "message", "message", "group", "message", "message", "run", "memory"],
        "{record:?}"
    );
    for (line, n) in record.iter().zip(1..) {
        assert!(line.starts_with(&format!("[{n}] ")), "{record:?}");
    }
    for link in &run.context.links {
        assert!(is_there(&stage, link).await, "{link}");
    }
}

#[tokio::test(start_paused = true)]
async fn numbers_in_a_digest_become_links_and_no_other_link_stands_there() {
    let told = "Bo found it [3], in [1]. See [99] and [the run](coterie://run/none).";
    let stage = stage().model(telling(told)).open().await;
    let group = stage.group(&["Bo", "Ada"], TurnPolicy::Mention).await;
    stage.say(group, "@Bo where does it leak?").await;
    let found = stage.messages(group).await.pop().expect("an answer").id;

    let (_, said, _) = digest(&stage).await;
    let expected = format!(
        "Bo found it [[3]](coterie://message/{found}), in [[1]](coterie://group/{group}). \
         See [99] and [the run]."
    );
    assert_eq!(said, expected);
}

async fn community(stage: &Stage, name: &str, members: &[&str]) -> CommunityId {
    let (rules, members) = (String::new(), stage.ids(members).await);
    match stage.do_(Command::NewCommunity { name: name.into(), rules, members }).await {
        Reply::Community(community) => community.id,
        other => panic!("no community: {other:?}"),
    }
}

async fn post(stage: &Stage, community: CommunityId, text: &str) -> PostView {
    match stage.do_(Command::WritePost { community, text: text.into() }).await {
        Reply::Post(view) => *view,
        other => panic!("no post: {other:?}"),
    }
}

async fn tick(stage: &Stage) {
    stage.do_(Command::Tick).await;
    stage
        .until(async |stage: &Stage| match stage.query(Query::FeedQueue).await {
            Ok(Reply::FeedQueue(queue)) => queue.answers_to_come == 0,
            other => panic!("no queue: {other:?}"),
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn what_is_out_of_sight_is_in_no_digest() {
    let stage = stage().model(telling("Nothing of it matters.")).open().await;
    let square = community(&stage, "Square", &["Ines", "Ada"]).await;
    let hidden = post(&stage, square, "What of the rats?").await;
    let removed = post(&stage, square, "What of the mice?").await;
    let seen = post(&stage, square, "What of the roof?").await;
    tick(&stage).await;
    let to = seen.post.message.expect("it is written");
    let comment = match stage.do_(Command::Comment { to, text: "Of the owls?".into() }).await {
        Reply::Message(message) => message.id,
        other => panic!("no comment: {other:?}"),
    };
    for (item, how) in [
        (hidden.post.message.expect("it is written"), Moderation::Hide),
        (removed.post.message.expect("it is written"), Moderation::Remove),
        (comment, Moderation::Hide),
    ] {
        stage.do_(Command::Moderate { item, how, why: None }).await;
    }

    let (record, ..) = digest(&stage).await;
    let record = record.join("\n");
    assert!(record.contains("What of the roof?"), "{record}");
    for gone in ["rats", "mice", "owls", "…"] {
        assert!(!record.contains(gone), "{gone}: {record}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_digest_tells_only_what_its_agent_may_read() {
    let stage = stage().model(telling("Nothing of it matters.")).open().await;
    let of_others = stage.group(&["Bo", "Otto"], TurnPolicy::Broadcast).await;
    stage.say(of_others, "Where are the rats?").await;
    let direct = stage.direct("Bo").await;
    stage.say(direct, "Where are the mice?").await;
    let private = community(&stage, "Private", &["Ines"]).await;
    post(&stage, private, "Where are the owls?").await;
    let own = stage.group(&["Bo", "Ada"], TurnPolicy::Mention).await;
    stage.say(own, "@Bo where does it leak?").await;
    tick(&stage).await;

    let (record, ..) = digest(&stage).await;
    let record = record.join("\n");
    assert!(record.contains("where does it leak?"), "{record}");
    for theirs in ["rats", "mice", "owls", "could not answer"] {
        assert!(!record.contains(theirs), "{theirs}: {record}");
    }
}

/// The newest with their words, more by their names, and of the rest that they are there.
#[tokio::test(start_paused = true)]
async fn what_is_too_much_for_a_digest_is_named_or_counted() {
    let stage = stage().model(telling("So much.")).open().await;
    let mut groups = Vec::new();
    for n in 0..70 {
        // So that nobody has had enough turns for an hour.
        stage.clock.advance(2 * HOUR / 70);
        let group = stage.group(&["Ada"], TurnPolicy::DefaultResponder).await;
        let patch = GroupPatch { name: Some(format!("Room {n}")), ..GroupPatch::default() };
        stage.do_(Command::EditGroup { group, patch }).await;
        stage.say(group, "Anything?").await;
        groups.push(group);
    }
    let (record, _, detail) = digest(&stage).await;
    let rooms = record.iter().filter(|line| line.contains("In the group Room")).count();
    let words = record.iter().filter(|line| line.contains("I found the leak.")).count();
    assert_eq!((rooms, words), (26 + 40, 26), "{record:?}");
    assert!(record[0].contains("Room 69, 2 messages"), "{record:?}");
    let more = record.last().expect("a line");
    assert!(
        more.ends_with("And 4 more conversations and threads with news, which are not shown here"),
        "{more}"
    );
    let links = &detail.context.links;
    assert_eq!(links.last(), Some(&format!("coterie://group/{}", groups[3])));
}

#[tokio::test(start_paused = true)]
async fn a_digest_that_fails_leaves_its_time_to_the_next() {
    let fails = Arc::new(AtomicBool::new(true));
    let asked = fails.clone();
    let model = Scripted::from_fn(move |_, _| match asked.load(Ordering::Relaxed) {
        true => vec![Beat::Fail(ModelFault::new(
            Trouble::Refused,
            "the test's model failed",
            "nothing to do, it is a test",
        ))],
        false => vec![Beat::Text("All is quiet.".to_owned())],
    });
    let stage = stage().model(model).open().await;
    let ada = stage.agent("Ada").await.id;
    for goes_wrong in [false, true, true, false] {
        fails.store(goes_wrong, Ordering::Relaxed);
        stage.clock.advance(HOUR);
        stage.do_(Command::AskForDigest { agent: ada }).await;
        stage.quiet().await;
    }
    let messages = stage.messages(stage.direct("Ada").await).await;
    let asked = |message: &Message| match message.body {
        Body::Notice { notice: Notice::AskedForDigest { since_ms, .. } } => {
            Some((since_ms, message.at_ms))
        }
        Body::Notice { .. } | Body::Text { .. } => None,
    };
    let asked: Vec<(i64, i64)> = messages.iter().filter_map(asked).collect();
    let [(_, told_at), (failing, _), (after_it, _), (last, _)] = asked[..] else {
        panic!("{asked:?}")
    };
    assert_eq!((failing, after_it, last), (told_at, told_at, told_at), "{asked:?}");
}
