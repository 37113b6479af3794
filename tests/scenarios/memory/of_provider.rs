//! A provider's model compares meanings where a person has chosen one for it.

use super::{add, look, new};
use domain::{
    Budget, BudgetScope, Command, FaultKind, MemoryFilter, MemoryIndex, MemoryPatch, ModelRole,
    Price, Provider, ProviderKind, Query, Reply, RunState, SettingsPatch, Step, StepKind, Target,
    UsageBy, UsageRow,
};
use serde_json::{Value, json};
use tests::fake_server::{CHAT, FakeServer, Reply as Answer, VECTORS};
use tests::{Stage, connected};

const MODEL: &str = "acme/embed-1";
const PET: &str = "Keeps a tabby that is called Mia";

/// What the server's model understands: words of one line mean the same.
const MEANINGS: [&[&str]; 10] = [
    &["live", "lisbon"],
    &["eat", "peanuts"],
    &["restart", "systemctl"],
    &["meeting", "tuesday"],
    &["instrument", "violin"],
    &["dog", "terrier"],
    &["flight", "fog"],
    &["report", "quarterly"],
    &["pet", "tabby"],
    &["game", "chess"],
];

fn vector(text: &str) -> Vec<f32> {
    let text = text.to_lowercase();
    let of = |words: &&[&str]| f32::from(words.iter().any(|word| text.contains(word)));
    // No text means nothing.
    MEANINGS.iter().map(of).chain([0.3]).collect()
}

fn answer(question: &Value) -> Option<Answer> {
    let texts = question["input"].as_array()?;
    let vectors = texts.iter().enumerate().map(|(index, text)| {
        json!({"index": index, "embedding": vector(text.as_str().unwrap_or_default())})
    });
    let tokens = texts.len() * 10;
    let data: Vec<Value> = vectors.collect();
    Some(Answer::json(&json!({"data": data, "usage": {"prompt_tokens": tokens}})))
}

/// A text of more than a hundred letters is too long for it.
fn answer_to_short(question: &Value) -> Option<Answer> {
    let is_long = |text: &Value| text.as_str().is_some_and(|text| text.len() > 100);
    if question["input"].as_array()?.iter().any(is_long) {
        let message = "This model's maximum context length is 25 tokens.";
        let error = json!({"error": {"message": message, "code": "context_length_exceeded"}});
        return Some(Answer::refusal("400 Bad Request", &error));
    }
    answer(question)
}

/// It fails over some text.
fn answer_to_clean(question: &Value) -> Option<Answer> {
    if question["input"].to_string().contains("poison") {
        let error = json!({"error": {"message": "json: unsupported value: NaN"}});
        return Some(Answer::refusal("500 Internal Server Error", &error));
    }
    answer(question)
}

/// It takes no more than two at a time.
fn answer_to_two(question: &Value) -> Option<Answer> {
    if question["input"].as_array()?.len() > 2 {
        let error =
            json!({"error": {"message": "batch size is invalid, it should not be larger than 2"}});
        return Some(Answer::refusal("400 Bad Request", &error));
    }
    answer(question)
}

/// It fails.
fn down(question: &Value) -> Option<Answer> {
    question["input"].as_array()?;
    let error = json!({"error": {"message": "overloaded"}});
    Some(Answer::refusal("500 Internal Server Error", &error))
}

async fn chosen(server: &FakeServer) -> Stage {
    server.refuses(answer);
    let stage = connected(server).await;
    stage.do_(choose()).await;
    stage
}

fn choose() -> Command {
    Command::UseModel { role: ModelRole::Embedding, model: MODEL.into() }
}

async fn index(stage: &Stage) -> MemoryIndex {
    match stage.query(Query::MemoryIndex).await {
        Ok(Reply::MemoryIndex(index)) => index,
        other => panic!("no index: {other:?}"),
    }
}

async fn embedded(stage: &Stage) {
    let all = async |stage: &Stage| {
        let index = index(stage).await;
        index.meaning == index.memories && index.memories > 0
    };
    stage.until(all).await;
}

async fn usage(stage: &Stage, by: UsageBy) -> Vec<UsageRow> {
    match stage.query(Query::Usage { by, since_ms: 0 }).await {
        Ok(Reply::Usage(rows)) => rows,
        other => panic!("no usage: {other:?}"),
    }
}

async fn found(stage: &Stage) -> (Vec<String>, Option<String>) {
    let found = look(stage, "which pet?", MemoryFilter::default()).await;
    let texts = found.hits.into_iter().map(|hit| hit.memory.text);
    (texts.take(1).collect(), found.words_only)
}

fn asked_for_passages(server: &FakeServer, text: &str) -> usize {
    let requests = server.requests();
    let of = |request: &&tests::fake_server::Request| {
        request.line == VECTORS && request.json()["input"].to_string().contains(text)
    };
    requests.iter().filter(of).count()
}

#[tokio::test]
async fn it_finds_what_says_the_same_and_is_paid_for_by_nobodys_run() {
    let server = FakeServer::start().await;
    let stage = chosen(&server).await;
    for text in [PET, "Plays chess on Sundays"] {
        add(&stage, new(text)).await;
    }
    embedded(&stage).await;
    assert_eq!(found(&stage).await, (vec![PET.to_owned()], None), "no word in common");
    assert!(index(&stage).await.model.starts_with(MODEL));
    let rows = usage(&stage, UsageBy::Model).await;
    let row = rows.iter().find(|row| row.key == MODEL).expect("is on record");
    let sent: usize = server.requests().iter().filter(|request| request.line == VECTORS).count();
    assert_eq!((row.calls as usize, row.cost_microusd), (sent, None), "no price is known");
    assert!(row.input_tokens >= 190, "what it was tried with counts too: {row:?}");
    assert!(usage(&stage, UsageBy::Agent).await.iter().all(|row| row.calls == 0));
    assert_eq!(usage(&stage, UsageBy::Day).await.len(), 1);
}

#[tokio::test]
async fn a_model_that_was_chosen_before_knows_what_it_knew() {
    let server = FakeServer::start().await;
    let stage = chosen(&server).await;
    add(&stage, new(PET)).await;
    embedded(&stage).await;
    let stage = stage.reopen().await;
    embedded(&stage).await;
    assert_eq!(found(&stage).await, (vec![PET.to_owned()], None));
    let role = ModelRole::Embedding;
    let patch = SettingsPatch { no_model_for: Some(role), ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    assert!(!index(&stage).await.model.starts_with(MODEL), "the one that ships");
    stage.do_(Command::UseModel { role, model: MODEL.into() }).await;
    embedded(&stage).await;
    assert_eq!(found(&stage).await, (vec![PET.to_owned()], None));
    assert_eq!(asked_for_passages(&server, PET), 1, "its vector was kept");
    assert_eq!(index(&stage).await.made_again, None, "nothing was damaged");
}

#[tokio::test]
async fn while_it_does_not_answer_words_alone_are_compared_and_everybody_is_told() {
    let server = FakeServer::start().await;
    let stage = chosen(&server).await;
    server.refuses(down);
    add(&stage, new(PET)).await;
    let stuck = async |stage: &Stage| index(stage).await.words_only.is_some();
    stage.until(stuck).await;
    let words = look(&stage, "tabby", MemoryFilter::default()).await;
    assert_eq!(words.hits.len(), 1);
    let why = words.words_only.expect("is told");
    assert!(why.contains("acme"), "{why}");
    // Whoever mends a provider need not wait.
    server.refuses(answer);
    let Ok(Reply::Overview(overview)) = stage.query(Query::Overview).await else { panic!() };
    let provider = overview.providers.into_iter().find(|one| one.name == "acme").expect("is there");
    stage.do_(Command::save_provider(provider)).await;
    embedded(&stage).await;
    assert_eq!(found(&stage).await, (vec![PET.to_owned()], None));
}

#[tokio::test]
async fn a_turn_is_reminded_of_what_says_the_same_on_this_models_scale_and_of_nothing_else() {
    let server = FakeServer::start().await;
    let stage = chosen(&server).await;
    let chess = "Plays chess on Sundays";
    for text in [PET, chess] {
        add(&stage, new(text)).await;
    }
    embedded(&stage).await;
    let ada = stage.direct("Ada").await;
    server.answer(Answer::saying("Gladly."));
    stage.say(ada, "Shall we have a game?").await;
    let mut asked = server.requests().into_iter().filter(|request| request.line == CHAT);
    let asked = asked.next().expect("the model was asked").json().to_string();
    assert!(asked.contains(chess) && !asked.contains(PET), "{asked}");
}

/// What is looked for in memory is asked of a server that says nothing: the turn ends
/// without what would have been found by words alone.
#[tokio::test]
async fn who_is_stopped_does_not_wait_for_what_it_is_reminded_of() {
    let server = FakeServer::start().await;
    let stage = chosen(&server).await;
    add(&stage, new(PET)).await;
    embedded(&stage).await;
    server.refuses(|question| question["input"].is_array().then(Answer::nothing));
    let ada = stage.direct("Ada").await;
    let before = server.requests().len();
    stage.post(ada, "Keeps Mia a tabby?").await;
    assert_eq!(server.asked(before + 1).await.line, VECTORS);
    stage.do_(Command::Stop { target: Target::Group(ada) }).await;
    stage.quiet().await;
    let run = stage.runs().await.pop().expect("it had begun");
    assert_eq!(run.state, RunState::Stopped);
    let steps = stage.run(run.id).await.steps;
    let was_reminded = |step: &Step| matches!(step.kind, StepKind::Recalled { .. });
    assert!(!steps.iter().any(was_reminded), "it was waited for: {steps:#?}");
}

#[tokio::test]
async fn it_is_not_asked_for_more_money_than_may_be_spent_in_a_day() {
    let server = FakeServer::start().await;
    let stage = chosen(&server).await;
    let price = Price {
        model: MODEL.into(),
        input_microusd: 1_000_000,
        cached_microusd: None,
        cache_write_microusd: None,
        output_microusd: 0,
        as_of: None,
        by_provider: false,
    };
    let patch = SettingsPatch { price: Some(price.into()), ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    let day = |microusd| Budget { scope: BudgetScope::Day, tokens: Some(0), microusd };
    stage.do_(Command::SetBudget { budget: day(Some(20)) }).await;
    add(&stage, new(PET)).await;
    // Its tokens are no agent's, and count for none.
    embedded(&stage).await;
    assert_eq!(found(&stage).await, (vec![PET.to_owned()], None), "ten millionths each time");
    let (_, why) = found(&stage).await;
    let why = why.expect("is told");
    assert!(why.contains("may spend today is used up"), "{why}");
    let row = usage(&stage, UsageBy::Model).await.swap_remove(0);
    assert_eq!((row.key.as_str(), row.cost_microusd), (MODEL, Some(20)));
}

#[tokio::test]
async fn a_text_that_is_too_long_for_it_is_known_by_its_beginning() {
    let server = FakeServer::start().await;
    let stage = chosen(&server).await;
    server.refuses(answer_to_short);
    add(&stage, new(PET)).await;
    let long = format!("Her terrier {}", "runs and runs ".repeat(40));
    add(&stage, new(&long)).await;
    embedded(&stage).await;
    let dog = look(&stage, "the dog", MemoryFilter::default()).await;
    assert_eq!((&dog.hits[0].memory.text, dog.words_only), (&long.trim().to_owned(), None));
}

#[tokio::test]
async fn a_text_that_it_cannot_take_is_left_out_and_keeps_nothing_else_from_being_found() {
    let server = FakeServer::start().await;
    let stage = chosen(&server).await;
    server.refuses(answer_to_clean);
    let poison = "A bottle of poison stands in the cellar";
    for text in [PET, poison, "Plays chess on Sundays", "Her terrier runs"] {
        add(&stage, new(text)).await;
    }
    let rest = async |stage: &Stage| {
        let MemoryIndex { meaning, left_out, .. } = index(stage).await;
        (meaning, left_out) == (3, 1)
    };
    stage.until(rest).await;
    assert_eq!(found(&stage).await, (vec![PET.to_owned()], None));
    let words = look(&stage, "the cellar", MemoryFilter::default()).await;
    assert_eq!(words.hits[0].memory.text, poison, "is found by its words");
    // In other words it is tried again.
    let text = Some("A bottle of wine stands in the cellar".to_owned());
    let (memory, patch) = (words.hits[0].memory.id, MemoryPatch { text, ..MemoryPatch::default() });
    stage.do_(Command::EditMemory { memory, patch }).await;
    embedded(&stage).await;
    assert_eq!(index(&stage).await.left_out, 0);
}

#[tokio::test]
async fn one_that_takes_few_at_a_time_is_asked_for_few() {
    let server = FakeServer::start().await;
    let stage = chosen(&server).await;
    server.refuses(answer_to_two);
    for n in 0..9 {
        add(&stage, new(&format!("Plays chess on day {n}"))).await;
    }
    add(&stage, new(PET)).await;
    embedded(&stage).await;
    assert_eq!(found(&stage).await, (vec![PET.to_owned()], None));
}

#[tokio::test]
async fn who_looks_for_something_waits_for_nothing_that_is_embedded_in_the_background() {
    let server = FakeServer::start().await;
    let stage = chosen(&server).await;
    add(&stage, new(PET)).await;
    embedded(&stage).await;
    server.refuses(silent_of_chess);
    let next = server.requests().len() + 1;
    add(&stage, new("Plays chess on Sundays")).await;
    assert!(server.asked(next).await.json()["input"].to_string().contains("chess"));
    assert_eq!(found(&stage).await, (vec![PET.to_owned()], None));
}

/// It never answers for one text.
fn silent_of_chess(question: &Value) -> Option<Answer> {
    match question["input"].to_string().contains("chess") {
        true => Some(Answer::json(&json!({"data": []})).silent_before("{")),
        false => answer(question),
    }
}

#[tokio::test]
async fn what_makes_no_vectors_is_not_chosen() {
    let server = FakeServer::start().await;
    let stage = connected(&server).await;
    let provider = |name: &str, kind| Provider {
        name: name.into(),
        kind,
        base_url: Some(server.base_url()),
        key_env: None,
        key: None,
        models: Vec::new(),
    };
    stage.do_(Command::save_provider(provider("claude", ProviderKind::Anthropic))).await;
    let refused = async |model: &str| {
        let (role, model) = (ModelRole::Embedding, model.to_owned());
        stage.command(Command::UseModel { role, model }).await.expect_err("is refused")
    };
    let fault = refused("claude/opus").await;
    let model = "claude/opus".to_owned();
    assert_eq!(fault.kind.as_deref(), Some(&FaultKind::ModelMakesNoVectors { model }));
    let fault = refused("nobody/x").await;
    assert_eq!(fault.message, "there is no provider called nobody");
    // It answers in words only.
    let fault = refused(MODEL).await;
    assert!(fault.message.contains("acme"), "{fault}");
    // The same for every text.
    let same = json!({"data": vec![json!({"embedding": [1, 1]}); 8]});
    server.always(VECTORS, Answer::json(&same));
    let fault = refused(MODEL).await;
    assert!(fault.message.contains("do not tell texts apart"), "{fault}");
    let Ok(Reply::Overview(overview)) = stage.query(Query::Overview).await else { panic!() };
    assert_eq!(overview.settings.models.embedding, None);
}
