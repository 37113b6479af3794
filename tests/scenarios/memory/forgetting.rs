//! What is forgotten is in no file of the workspace any more.

use super::{add, detail, done, list, look, new, stating};
use domain::{
    Command, MemoryFilter, MemoryKind, MemoryPatch, NewMemory, Query, Reply, Standing, StepKind,
};
use llm::scripted::{Beat, Scripted};
use llm::{ModelRequest, Role, ToolCallDelta};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tests::{Stage, found_by, in_files, stage};

const SECRET: &str = "The safe opens with \"zanzibar\".";

/// Saves it, finds it, or says nothing of it, as the newest words want it.
fn keeper() -> Scripted {
    Scripted::from_fn(|request, _| {
        let wants = |word: &str| asked(request).contains(word);
        let done = request.turns.last().is_some_and(|turn| turn.role == Role::Tool);
        let call = |name: &str, arguments: Value| {
            let (id, name) = ("c1".to_owned(), Some(name.to_owned()));
            let thought = Beat::Reasoning(format!("So: {SECRET} SO: {}", SECRET.to_uppercase()));
            let call = ToolCallDelta { id, name, arguments: arguments.to_string() };
            vec![thought, Beat::Text("Now.".into()), Beat::ToolCall(call)]
        };
        match done {
            false if wants("Keep") => call("memory_save", json!({"text": SECRET.to_uppercase()})),
            false if wants("Find") => call("memory_search", json!({"query": "safe opens"})),
            _ => vec![Beat::Text("Done.".into())],
        }
    })
}

fn asked(request: &ModelRequest) -> &str {
    request.turns.iter().rfind(|turn| turn.role == Role::User).map_or("", |turn| &turn.content)
}

async fn open() -> Stage {
    let prepare = |data: &Path| {
        let soul = "---\nname: Ada\ntools: [\"*\"]\n---\nYou help.\n";
        std::fs::create_dir_all(data.join("souls")).expect("a folder");
        std::fs::write(data.join("souls/ada.md"), soul).expect("a soul");
    };
    stage().before(prepare).model(keeper()).open().await
}

#[tokio::test]
async fn what_agents_saved_found_and_read_is_in_no_file_when_it_is_forgotten() {
    let stage = open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Keep what opens it.").await;
    let found = look(&stage, "zanzibar", MemoryFilter::default()).await;
    let memory = found.hits[0].memory.id;
    let patch = MemoryPatch {
        text: Some(SECRET.into()),
        tags: Some(vec!["zanzibars".into()]),
        ..MemoryPatch::default()
    };
    done(&stage, Command::EditMemory { memory, patch }).await;
    let patch = MemoryPatch { text: Some(format!("{SECRET} Twice.")), ..MemoryPatch::default() };
    stage.say(ada, "Find what opens it.").await;
    stage.say(ada, "How does the safe open?").await;
    done(&stage, Command::EditMemory { memory, patch }).await;
    stage.say(ada, "And how does the safe open now?").await;
    assert!(found_by(&stage, "zanzibar").await > 0);
    assert!(!in_files(stage.data(), "zanzibar").is_empty());

    done(&stage, Command::ForgetMemory { memory }).await;
    assert_eq!(in_files(stage.data(), "zanzibar"), [""; 0]);
    assert_eq!(found_by(&stage, "zanzibar").await, 0);

    // What was done stays on record, and the agent goes on.
    let mut used = Vec::new();
    for run in stage.runs().await {
        let detail = stage.run(run.id).await;
        used.extend(detail.steps.into_iter().filter_map(|step| match step.kind {
            StepKind::ToolProposed { tool, arguments, .. } => Some((tool, arguments)),
            _ => None,
        }));
    }
    used.sort();
    let expected = [
        ("memory_save".to_owned(), r#"{"text":"(forgotten)"}"#.to_owned()),
        ("memory_search".to_owned(), r#"{"query":"safe opens"}"#.to_owned()),
    ];
    assert_eq!(used, expected);
    stage.say(ada, "Go on.").await;
    assert_eq!(stage.transcript(ada).await.last().map(String::as_str), Some("Ada: Done."));
    let sent = stage.model.requests().pop().expect("it was asked");
    assert!(!format!("{sent:?}").to_lowercase().contains("zanzibar"), "{sent:?}");
}

#[tokio::test]
async fn what_was_said_before_in_the_same_words_is_forgotten_with_it_however_long_ago() {
    let stage = stage().open().await;
    let (kyiv, cold) = ("I live in Kyiv", "At home in Kyiv, where winters are cold and long");
    add(&stage, NewMemory { text: cold.into(), ..stating("lives in", "Kyiv") }).await;
    let mut last = None;
    for text in
        ["I live in Oslo", kyiv, "I live in Rome", "I live in Oslo", "The user lives in Kyiv"]
    {
        stage.clock.advance(Duration::from_secs(60));
        last = Some(add(&stage, new(text)).await.id);
    }
    let memory = last.expect("something was said");
    done(&stage, Command::ForgetMemory { memory }).await;
    let filter = MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() };
    let mut left = list(&stage, filter).await;
    left.sort();
    // What somebody said beside it is theirs to forget.
    assert_eq!(left, ["", "", cold, "I live in Oslo", "I live in Oslo", "I live in Rome"]);
    assert_eq!(in_files(stage.data(), kyiv), [""; 0]);
}

#[tokio::test]
async fn what_was_said_and_what_is_like_it_stays() {
    let stage = open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "The parrot is called Kiki.").await;
    let kiki = add(&stage, new("The parrot is called Kiki.")).await.id;
    add(&stage, new("The parrot is called Kiki. It is green.")).await;
    stage.say(ada, "Find the name of the parrot.").await;
    done(&stage, Command::ForgetMemory { memory: kiki }).await;
    assert!(stage.transcript(ada).await.contains(&"you: The parrot is called Kiki.".to_owned()));
    let left = ["The parrot is called Kiki. It is green."];
    assert_eq!(list(&stage, MemoryFilter::default()).await, left);
    for run in stage.runs().await {
        let Ok(Reply::SentRequest(sent)) =
            stage.query(Query::SentRequest { run: run.id, n: 1 }).await
        else {
            panic!("nothing was sent")
        };
        let heard =
            sent.turns.iter().any(|turn| turn.content.contains("The parrot is called Kiki."));
        assert!(heard, "{sent:?}");
    }
}

#[tokio::test]
async fn those_that_it_stands_for_are_forgotten_with_it() {
    let stage = open().await;
    let safe = add(&stage, new(SECRET)).await.id;
    let door = add(&stage, new("So does the door: zanzibar again.")).await.id;
    let text = "Safe and door open with \"zanzibar\".".to_owned();
    done(&stage, Command::MergeMemories { memories: vec![safe, door], text }).await;
    assert!(!in_files(stage.data(), "zanzibar").is_empty());
    done(&stage, Command::ForgetMemory { memory: safe }).await;
    assert_eq!(in_files(stage.data(), "zanzibar"), [""; 0]);
    let undone = stage.command(Command::UndoMemory { memory: door }).await;
    assert!(undone.is_err(), "nothing brings it back: {undone:?}");
}

#[tokio::test]
async fn the_sentence_it_was_noticed_in_leaves_the_episode_too() {
    for said in [
        "My dog is called Zanzibar",
        "I'm allergic to zanzibar",
        "I like Zanzibar",
        "我对zanzibar过敏",
        "我的狗是zanzibar",
    ] {
        let stage = open().await;
        let ada = stage.direct("Ada").await;
        let told = format!("User: It rains. {said}! Where is my coat?\n\nAssistant: There.");
        let episode = NewMemory { kind: MemoryKind::Episode, ..new(&told) };
        let episode = add(&stage, episode).await.id;
        stage.do_(Command::ConsolidateMemories { preview: false }).await;
        let noticed = look(&stage, "zanzibar", MemoryFilter::default()).await.hits;
        let noticed = noticed.iter().find(|hit| hit.memory.kind != MemoryKind::Episode);
        let noticed = noticed.expect("it was noticed").memory.id;
        stage.say(ada, "How is it with the dog?").await;
        assert!(!in_files(stage.data(), "zanzibar").is_empty());
        done(&stage, Command::ForgetMemory { memory: noticed }).await;
        assert_eq!(in_files(stage.data(), "zanzibar"), [""; 0], "{said}");
        let left = "User: It rains. (forgotten)! Where is my coat?\n\nAssistant: There.";
        assert_eq!(detail(&stage, episode).await.memory.text, left);
        stage.do_(Command::ConsolidateMemories { preview: false }).await;
        assert_eq!(list(&stage, MemoryFilter::default()).await, [left], "it is not noticed again");
    }
}

#[tokio::test]
async fn what_an_agent_was_refused_to_save_is_gone_too() {
    let model = Scripted::from_fn(|request, _| {
        let done = request.turns.last().is_some_and(|turn| turn.role == Role::Tool);
        let call = |arguments: Value| {
            let (id, name) = ("c1".to_owned(), Some("memory_save".to_owned()));
            vec![Beat::ToolCall(ToolCallDelta { id, name, arguments: arguments.to_string() })]
        };
        match done {
            false if asked(request).contains("Keep") => {
                call(json!({"text": SECRET, "for": "nobody at all"}))
            }
            _ => vec![Beat::Text("Done.".into())],
        }
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    let memory = add(&stage, new(SECRET)).await.id;
    stage.say(ada, "Keep what opens it.").await;
    assert!(!in_files(stage.data(), "zanzibar").is_empty());
    done(&stage, Command::ForgetMemory { memory }).await;
    assert_eq!(in_files(stage.data(), "zanzibar"), [""; 0]);
}

/// What stands below a message of the person about what they want forgotten, when they have gone
/// on to what colour they like best.
async fn told_below(
    stage: &Stage,
    group: domain::GroupId,
    [text, colour]: [&str; 2],
) -> Option<(u32, usize)> {
    stage.clock.advance(Duration::from_secs(60));
    stage.say(group, text).await;
    stage.say(group, &format!("My favourite colour is {colour}.")).await;
    let noticed = format!("The user's favourite colour is {colour}");
    stage
        .until(async |stage: &Stage| list(stage, MemoryFilter::default()).await.contains(&noticed))
        .await;
    let all = stage.messages(group).await.into_iter();
    let mut below = all.skip_while(|one| one.text() != Some(text));
    below.find_map(|one| match one.body {
        domain::Body::Notice { notice: domain::Notice::AskedToForget { found, memories } } => {
            Some((found, memories.len()))
        }
        _ => None,
    })
}

#[tokio::test]
async fn who_tells_an_agent_to_forget_something_is_told_what_says_it_and_that_it_stays() {
    let stage = open().await;
    let ada = stage.direct("Ada").await;
    for text in ["I like coffee", "I live in Leeds", "My name is Kim", "Helen hates long mails"] {
        add(&stage, new(text)).await;
    }
    for (said, expected) in [
        (["Forget that I like coffee", "red"], Some((1, 1))),
        (["忘记我的名字", "blue"], Some((1, 1))),
        (["Please forget where I live.", "green"], Some((1, 1))),
        (["Forget about Helen", "black"], Some((1, 1))),
        (["Forget that I like tea", "white"], Some((0, 0))),
        (["Forget about the mill", "pink"], None),
        (["Forget everything about me", "grey"], Some((5, 5))),
    ] {
        assert_eq!(told_below(&stage, ada, said).await, expected, "{said:?}");
    }
    assert_eq!(list(&stage, MemoryFilter::default()).await.len(), 5, "nothing went by itself");
}

#[tokio::test]
async fn a_secret_that_an_agent_is_to_remember_is_refused_aloud() {
    let stage = open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Remember that my bank password is Tr0ub4dor.").await;
    let is_told = |message: &domain::Message| {
        matches!(message.body, domain::Body::Notice { notice: domain::Notice::SecretNotKept })
    };
    stage.until(async |stage: &Stage| stage.messages(ada).await.iter().any(is_told)).await;
    assert_eq!(list(&stage, MemoryFilter::default()).await, [""; 0]);
}

#[tokio::test]
async fn an_agent_saves_nothing_again_that_was_forgotten_until_it_is_said_anew() {
    let stage = open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Keep what opens it.").await;
    let memory = look(&stage, "zanzibar", MemoryFilter::default()).await.hits[0].memory.id;
    done(&stage, Command::ForgetMemory { memory }).await;
    stage.say(ada, "Keep it, once more.").await;
    assert_eq!(list(&stage, MemoryFilter::default()).await, [""; 0]);
    stage.say(ada, "Keep this: the safe opens with zanzibar.").await;
    let again = list(&stage, MemoryFilter::default()).await;
    assert!(again.contains(&SECRET.to_uppercase()), "{again:?}");
}
