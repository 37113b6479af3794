//! What servers want a person to enter or to look at, in the middle of a use.

use super::{does, edit, last_said, put, servers, with};
use crate::questions::{answer, asked, given, questions};
use domain::{
    AgentState, Asks, Command, Consent, Field, Given, GroupId, McpPatch, McpSetup, Question,
    QuestionAnswer, QuestionState, Takes, Target,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tests::Stage;
use tests::mcp_server::{everything, obedient};

const FORM: &str = "trigger-elicitation-request";

/// Ada uses this tool of the server, which the person allows; gives what is asked then.
pub(super) async fn using(
    setup: McpSetup,
    tool: &'static str,
    arguments: Value,
) -> (Stage, GroupId, Question) {
    let name: &'static str = format!("things__{tool}").leak();
    let stage = with(does(name, arguments)).open().await;
    put(&stage, setup, &[]).await.expect("it is set up");
    // One that is told what we can answer has more tools.
    stage.until(async |stage: &Stage| has(stage, tool).await).await;
    let ada = stage.direct("Ada").await;
    let question = used_again(&stage, ada).await;
    (stage, ada, question)
}

pub(super) async fn has(stage: &Stage, tool: &str) -> bool {
    let servers = servers(stage).await;
    servers.iter().any(|server| server.tools.iter().any(|one| one.name == tool))
}

pub(super) async fn used_again(stage: &Stage, ada: GroupId) -> Question {
    stage.post(ada, "use it, please").await;
    let asked_first = super::asked(stage).await;
    let (call, binding, consent) = (asked_first.call, asked_first.binding, Consent::Once);
    stage.do_(Command::AnswerApproval { call, binding, consent, covers: None }).await;
    let question = asked(stage).await;
    assert_eq!((question.call, question.server.as_deref()), (call, Some("things")));
    question
}

fn fields(question: &Question) -> BTreeMap<&str, &Field> {
    match &question.asks {
        Asks::Form { fields } => fields.iter().map(|field| (field.name.as_str(), field)).collect(),
        other => panic!("no form: {other:?}"),
    }
}

#[tokio::test]
async fn a_form_of_a_server_is_filled_in_by_a_person() {
    let Some(setup) = everything("things") else { return };
    let (stage, ada, question) = using(setup, FORM, json!({})).await;
    assert_eq!(question.text, "Please provide inputs for the following fields:");
    assert_eq!(stage.agent("Ada").await.state, AgentState::WaitingApproval);
    let all = fields(&question);
    let said: Vec<String> =
        all.values().map(|one| format!("{}: {}", one.name, one.takes)).collect();
    for expected in [
        "birthdate: a date such as 2026-01-31",
        "check: yes or no",
        "email: an e-mail address",
        "integer: a whole number, 1 to 100",
        "legacyTitledEnum: one of these: pet-1 (Cats), pet-2 (Dogs), pet-3 (Birds), pet-4 (Fish), pet-5 (Reptiles)",
        "name: text",
        "titledMultipleSelectEnum: some of these, 1 to 3: fish-1 (Tuna), fish-2 (Salmon), fish-3 (Trout)",
    ] {
        assert!(said.iter().any(|one| one == expected), "{expected}: {said:?}");
    }
    assert_eq!((all["name"].required, all["email"].required), (true, false));
    assert_eq!(all["integer"].default, Some(json!("42")));
    let titled = &all["legacyTitledEnum"].takes;
    assert!(
        matches!(titled, Takes::Choice { options, .. } if options[0].title.as_deref() == Some("Cats"))
    );

    for bad in [json!({}), json!({"name": "Ada", "email": "nobody"}), json!({"name": 3})] {
        answer(&stage, &question, given(bad)).await.expect_err("it is checked before it is sent");
    }
    let filled =
        json!({"name": "Ada Lovelace", "email": "ada@example.org", "integer": "7", "check": true});
    answer(&stage, &question, given(filled)).await.expect("in time");
    stage.quiet().await;
    let told = last_said(&stage, ada).await;
    for expected in ["Name: Ada Lovelace", "Email: ada@example.org", "Favorite Integer: 7", "3.14"]
    {
        assert!(told.contains(expected), "{told}");
    }
    stage.workspace.close().await;
}

#[tokio::test]
async fn no_is_one_thing_and_no_answer_another() {
    let Some(setup) = everything("things") else { return };
    let (stage, ada, question) = using(setup, FORM, json!({})).await;
    answer(&stage, &question, QuestionAnswer::Declined).await.expect("in time");
    stage.quiet().await;
    assert!(last_said(&stage, ada).await.contains("User declined"));
    let question = used_again(&stage, ada).await;
    answer(&stage, &question, QuestionAnswer::Dismissed).await.expect("in time");
    stage.quiet().await;
    assert!(last_said(&stage, ada).await.contains("User cancelled"));

    // What is said in the conversation goes to no server.
    let question = used_again(&stage, ada).await;
    stage.post(ada, "my name is Ada").await;
    assert_eq!(asked(&stage).await, question);
    answer(&stage, &question, QuestionAnswer::Dismissed).await.expect("in time");
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_page_is_named_by_where_it_really_leads() {
    let Some(setup) = everything("things") else { return };
    let url = "https://bank.example@evil.example/login?a=b";
    let arguments = json!({"url": url, "message": "Sign in there."});
    let (stage, ada, question) = using(setup, "trigger-url-elicitation", arguments).await;
    let page = Asks::Page { url: url.into(), host: "evil.example".into() };
    assert_eq!((question.text.as_str(), &question.asks), ("Sign in there.", &page));
    answer(&stage, &question, given(json!({}))).await.expect("in time");
    stage.quiet().await;
    assert!(last_said(&stage, ada).await.contains("completed the URL elicitation"));
    stage.workspace.close().await;
}

/// What a form holds by itself is the person's to keep or to clear.
#[tokio::test]
async fn a_server_is_sent_what_the_person_left_in_its_form_and_nothing_else() {
    let amount = json!({"type": "integer", "default": 5000});
    let properties = json!({"name": {"type": "string"}, "amount": amount});
    let arguments = json!({"schema": {"type": "object", "properties": properties}});
    let setup = obedient("things", &["plain"]);
    let (stage, ada, question) = using(setup, "form", arguments).await;
    answer(&stage, &question, given(json!({"name": "Ada"}))).await.expect("in time");
    stage.quiet().await;
    let told = last_said(&stage, ada).await;
    assert!(told.contains(r#""content": {"amount": 5000, "name": "Ada"}"#), "{told}");
    let question = used_again(&stage, ada).await;
    let cleared = given(json!({"name": "Ada", "amount": null}));
    answer(&stage, &question, cleared).await.expect("in time");
    stage.quiet().await;
    let told = last_said(&stage, ada).await;
    assert!(told.contains(r#""content": {"name": "Ada"}"#), "{told}");
    stage.workspace.close().await;
}

#[tokio::test]
async fn what_sounds_like_a_secret_is_warned_of_and_lies_on_no_disk() {
    const ENTERED: &str = "correct-horse-battery";
    let property = json!({"type": "string", "title": "Password"});
    let properties = json!({"value": property, "name": {"type": "string"}});
    let schema = json!({"type": "object", "properties": properties});
    let arguments = json!({"schema": schema});
    let (stage, ada, question) = using(obedient("things", &["plain"]), "form", arguments).await;
    let all = fields(&question);
    assert_eq!((all["value"].sounds_secret, all["name"].sounds_secret), (true, false));
    let filled = given(json!({"value": ENTERED, "name": "Ada"}));
    answer(&stage, &question, filled).await.expect("in time");
    stage.quiet().await;
    assert!(last_said(&stage, ada).await.contains(ENTERED), "the server has it");
    let kept = questions(&stage).await.remove(0).given;
    let values = [("name", json!("Ada")), ("value", json!("(not kept)"))];
    let values = values.map(|(name, value)| (name.to_owned(), value)).into();
    assert_eq!(kept, Some(Given::Values { values }));
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_question_of_a_server_ends_with_the_use_that_it_is_about() {
    let setup = obedient("things", &["plain"]);
    let (stage, ada, question) = using(setup, "form", json!({})).await;
    stage.do_(Command::Stop { target: Target::Group(ada) }).await;
    stage.quiet().await;
    let late = answer(&stage, &question, given(json!({"name": "Ada"}))).await;
    late.expect_err("the turn has ended");
    assert_eq!(questions(&stage).await[0].state, QuestionState::Withdrawn);

    // The server is gone.
    used_again(&stage, ada).await;
    edit(&stage, McpPatch { on: Some(false), ..McpPatch::default() }).await;
    stage.quiet().await;
    assert_eq!(stage.overview().await.questions, []);
    let told = last_said(&stage, ada).await;
    assert!(told.starts_with("Ada: stopped while it ran: it may or may not have"), "{told}");

    // It does not outlive the process: the server does not either.
    edit(&stage, McpPatch { on: Some(true), ..McpPatch::default() }).await;
    used_again(&stage, ada).await;
    let stage = stage.crash(does("things__form", json!({}))).await;
    assert_eq!(stage.overview().await.questions, []);
    assert_eq!(questions(&stage).await[0].state, QuestionState::Withdrawn);
    stage.workspace.close().await;
}
