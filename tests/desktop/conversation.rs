//! Writing, being answered, stopping, waiting.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::{agent, id, key, member};
use serde_json::json;

/// Remembers every text that the row being written shows.
const WATCH: &str = "window.shown = [];
    const look = () => {
        const body = document.querySelector('[data-testid=streaming] [data-testid=body]');
        const text = body?.innerText.trim();
        if (text && window.shown.at(-1) !== text) window.shown.push(text);
    };
    new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true})";

#[tokio::test]
async fn an_answer_is_seen_while_it_is_written() {
    let words = "One two three four five six seven eight nine ten";
    let machine = Machine::seeded(seed().slow_answer("count", words, 100)).await;
    let window = machine.open_window().await;
    window.see(&id("welcome")).await;
    window.run(WATCH, &[]).await;
    window.say("Please count").await;
    window.see_message(&format!("Ada: {words}")).await;
    window.see_gone(&id("streaming")).await;
    assert_eq!(window.messages().await, ["user: Please count".to_owned(), format!("Ada: {words}")]);

    let shown = window.run("return window.shown", &[]).await;
    let shown: Vec<String> = serde_json::from_value(shown).unwrap();
    let partly = |text: &&String| words.starts_with(text.as_str()) && text.len() < words.len();
    assert!(shown.iter().filter(partly).count() > 2, "it came at once: {shown:?}");

    window.see_text(&id("receipt-model"), "play").await;
    window.click(&id("quiet-line button")).await;
    window.see_text(&id("quiet-reasons"), "Bo").await;
    window.keep_picture("conversation").await;
}

#[tokio::test]
async fn a_message_waits_while_an_answer_is_written_and_goes_when_it_is_stopped() {
    let seed = seed().endless_answer("dig", "I dig and").answer("tea", "Tea it is.");
    let machine = Machine::seeded(seed).await;
    let window = machine.open_window().await;
    window.say("Please dig").await;
    window.see_text(&id("streaming"), "I dig and").await;
    window.say("And tea").await;
    window.see_text(&id("queued"), "And tea").await;
    window.keep_picture("queue").await;
    window.click(&id("stop")).await;
    window.see_message("Ada: Tea it is.").await;
    window.see_gone(&id("queue")).await;
    window.see(&id("cut-short")).await;
    assert_eq!(
        window.messages().await,
        ["user: Please dig", "Ada: I dig and", "user: And tea", "Ada: Tea it is."]
    );
}

#[tokio::test]
async fn escape_stops_what_is_being_written() {
    let machine = Machine::seeded(seed().endless_answer("dig", "I dig and")).await;
    let window = machine.open_window().await;
    window.say("Please dig").await;
    window.see_text(&id("streaming"), "I dig and").await;
    window.press(&[key::ESCAPE]).await;
    window.see(&id("cut-short")).await;
    window.see_gone(&id("streaming")).await;
}

/// The Enter that takes a word from an input method's list is no Enter of the
/// person's: WebKit marks it with key code 229, after the composition's end.
#[tokio::test]
async fn an_enter_that_ends_a_composition_sends_nothing() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.write(&id("composer"), "你好").await;
    let compose = "const area = document.querySelector('[data-testid=composer]');
        const say = (kind, more) => area.dispatchEvent(new kind.of(kind.name, {bubbles: true, cancelable: true, ...more}));
        const composition = (name) => ({of: CompositionEvent, name});
        const enter = {of: KeyboardEvent, name: 'keydown'};
        say(composition('compositionstart'), {});
        say(enter, {key: 'Enter', isComposing: true, keyCode: 229});
        say(composition('compositionend'), {data: '你好'});
        say(enter, {key: 'Enter', keyCode: 229});
        return area.value";
    assert_eq!(window.run(compose, &[]).await, json!("你好"));
    window.press(&[key::END]).await;
    window.write(&id("composer"), &key::ENTER.to_string()).await;
    window.see_message("Ada: Ada is here.").await;
    assert_eq!(window.messages().await, ["user: 你好", "Ada: Ada is here."]);
}

#[tokio::test]
async fn why_somebody_stayed_silent_can_be_asked_in_the_window() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.drag(&agent("Ines"), &agent("Otto")).await;
    window.see(&member("Ines")).await;
    window.say("@Ines what do the numbers say?").await;
    window.see_message("Ines: Ines is here.").await;
    window.see_text(&id("quiet-line"), "Otto stayed silent: not mentioned").await;
    window.click(&id("quiet-line button")).await;
    let decisions = id("decisions li > span");
    window.see_text(&decisions, "nobody was addressed").await;
    assert_eq!(
        window.texts(&id("decisions > p")).await,
        ["About your message", "About Ines’s reply"]
    );
    assert_eq!(
        window.texts(&decisions).await,
        [
            "Ines speaks: mentioned",
            "Otto stays silent: not mentioned",
            "Otto stays silent: nobody was addressed"
        ]
    );
    window.keep_picture("silence").await;

    window.say("And you?").await;
    window.see_message("Otto: Otto is here.").await;
    window.see_text(&id("quiet-line"), "Ines stayed silent: nobody mentioned").await;
}

#[tokio::test]
async fn a_mention_is_completed_and_decides_who_answers() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.write(&id("composer"), "@B").await;
    window.see_text(&id("mention-option"), "Bo").await;
    window.write(&id("composer"), &format!("{}what now?", key::ENTER)).await;
    window.press(&[key::ENTER]).await;
    window.see_message("Bo: Bo is here.").await;
    assert_eq!(window.messages().await, ["user: @Bo what now?", "Bo: Bo is here."]);
}
