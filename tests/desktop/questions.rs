//! What agents and servers want to know: asked and answered in the window.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::id;
use serde_json::json;
use tests::mcp_server::obedient;

#[tokio::test]
async fn a_question_of_an_agent_is_answered_in_its_line_in_the_conversation_and_under_approvals() {
    let choices = json!(["green", "black", "white"]);
    let arguments = json!({"question": "Which tea shall it be?", "choices": choices});
    let machine = Machine::seeded(seed().asking("make tea", arguments)).await;
    let window = machine.open_window().await;
    window.say("Please make tea").await;
    window.see_text(&id("question-text"), "Which tea shall it be?").await;
    window.see_text(&id("streaming"), "Ada waits for your answer").await;
    window.see_text(&id("approvals-badge"), "1").await;
    // What is being written is not interrupted.
    let focused = "return document.activeElement.tagName;";
    assert_eq!(window.run(focused, &[]).await, "TEXTAREA");
    window.see(&format!("{}:disabled", id("question-send"))).await;
    window.keep_picture("question-card").await;
    window.click("[data-name=answer] [data-value=black]").await;
    window.click(&id("question-send")).await;
    window.see_message("Ada: Now I know.").await;
    window.see_gone(&id("approvals-badge")).await;

    window.say("Please make tea again").await;
    window.see(&id("question-card")).await;
    window.click(&id("rail-approvals")).await;
    window.see_text(&id("question-text"), "Which tea shall it be?").await;
    window.click(&id("question-decline")).await;
    window.see(&id("question-row[data-state=declined]")).await;
    window.see_text(&id("question-row[data-state=answered]"), "black").await;
    window.keep_picture("questions").await;
}

#[tokio::test]
async fn a_form_of_a_server_names_it_and_warns_of_what_sounds_like_a_secret() {
    let text = json!({"type": "string"});
    let password = json!({"type": "string", "title": "Password"});
    let size =
        json!({"type": "string", "enum": ["small", "large"], "enumNames": ["Small", "Large"]});
    let cups = json!({"type": "integer", "minimum": 1, "maximum": 9, "default": 2});
    let fields = json!({"name": text, "cups": cups, "size": size, "word": password});
    let schema = json!({"type": "object", "properties": fields, "required": ["name", "size"]});
    let seed = seed()
        .using("fill it in", "things__form", json!({ "schema": schema }))
        .answer("\"name\"", "It is filled in.")
        .server(obedient("things", &["plain"]));
    let machine = Machine::seeded(seed).await.with_keyring().await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-servers")).await;
    window.see(&id("server-row[data-state=ready]")).await;
    window.click(&id("rail-conversations")).await;
    window.say("Please fill it in").await;
    window.click(&id("approval-once")).await;
    window.see_text(&id("question-card"), "The server things").await;
    window.see_text(&id("question-careful"), "password").await;
    window.write("[data-name=name][data-testid=question-field]", "Ada").await;
    window.click("[data-name=size] [data-value=large]").await;
    window.keep_picture("question-form").await;
    window.click(&id("question-send")).await;
    window.see_message("Ada: It is filled in.").await;
    window.see_gone(&id("question-card")).await;
}
