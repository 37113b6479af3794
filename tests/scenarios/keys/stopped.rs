//! Agents whose key cannot be had: they say so once, and go on when it can.

use super::*;
use domain::{AgentState, Body, Fault, FaultCode, GroupId, Message, Notice, TurnPolicy};
use std::sync::atomic::{AtomicBool, Ordering};
use workspace::Redactor;

/// Ada and Bo are asked something twice, and both cannot answer.
async fn both_stop(stage: &Stage, why: &str) -> GroupId {
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
    stage.say(group, "tea?").await;
    stage.say(group, "or coffee?").await;
    for name in ["Ada", "Bo"] {
        let agent = stage.agent(name).await;
        let problem = agent.problem.unwrap_or_else(|| panic!("{name} has no problem"));
        assert_eq!((agent.state, problem.code), (AgentState::Error, FaultCode::Key), "{problem}");
        assert!(problem.message.contains(why) && !problem.fix.is_empty(), "{problem}");
    }
    let told = stage.transcript(group).await;
    let notices = told.iter().filter(|line| *line == "<run_failed>").count();
    assert_eq!(notices, 2, "each says it once: {told:?}");
    group
}

/// Both answered what had waited, and nobody asked them to.
async fn both_went_on(stage: &Stage, group: GroupId) {
    stage.quiet().await;
    let told = stage.transcript(group).await;
    for name in ["Ada", "Bo"] {
        assert_eq!(stage.agent(name).await.state, AgentState::Idle);
        assert!(told.contains(&format!("{name}: yes")), "{told:?}");
    }
}

#[tokio::test]
async fn who_lacks_a_key_says_so_once_and_goes_on_when_it_is_there() {
    let stage = asking_acme(Keyed::saying("yes"), KeyParts::in_memory()).await;
    let group = both_stop(&stage, "provider/acme is not kept anywhere").await;
    stage.do_(set("provider/acme", ACME)).await;
    both_went_on(&stage, group).await;
}

/// A fallback that wants a key of its own.
async fn with_beta_to_fall_back_to(stage: &Stage) {
    let key = Some("provider/beta".to_owned());
    let base_url = Some("https://beta.example/v1".to_owned());
    let beta = Provider { name: "beta".into(), key, base_url, ..acme() };
    stage.do_(Command::save_provider(beta)).await;
    let model = "beta/m".to_owned();
    stage.do_(Command::UseModel { role: ModelRole::Fallback, model }).await;
}

#[tokio::test]
async fn who_could_ask_either_of_two_names_both_and_goes_on_with_the_first_key_that_comes() {
    for key in ["provider/acme", "provider/beta"] {
        let stage = asking_acme(Keyed::saying("yes"), KeyParts::in_memory()).await;
        with_beta_to_fall_back_to(&stage).await;
        let group = both_stop(&stage, "provider/acme is not kept anywhere").await;
        let problem = stage.agent("Ada").await.problem.expect("it stopped");
        assert!(problem.message.contains("provider/beta is not kept anywhere"), "{problem}");
        assert!(problem.fix.contains("coterie key set provider/beta"), "{problem}");
        stage.do_(set(key, ACME)).await;
        both_went_on(&stage, group).await;
    }
}

#[tokio::test]
async fn who_could_fall_back_to_a_key_in_a_locked_keyring_goes_on_when_it_is_found_open() {
    let locked = Arc::new(AtomicBool::new(false));
    let keyring = secrets::Keyring::in_memory_locked_while(locked.clone());
    let parts = KeyParts { keyring, ..KeyParts::in_memory() };
    let stage = asking_acme(Keyed::saying("yes"), parts).await;
    with_beta_to_fall_back_to(&stage).await;
    stage.do_(set("provider/beta", ACME)).await;
    let stage = stage.reopen().await;
    locked.store(true, Ordering::SeqCst);
    let group = both_stop(&stage, "is locked").await;
    locked.store(false, Ordering::SeqCst);
    assert_eq!(keys_checked(&stage).await.keyring, None);
    both_went_on(&stage, group).await;
}

#[tokio::test]
async fn who_lacks_a_variable_goes_on_at_the_next_start_if_it_is_set_then() {
    let is_set = Arc::new(AtomicBool::new(false));
    let now = is_set.clone();
    let value = move |name: &str| name == "ACME_KEY" && now.load(Ordering::SeqCst);
    let environment = move |name: &str| value(name).then(|| ACME.to_owned());
    let parts = KeyParts { environment: Arc::new(environment), ..KeyParts::in_memory() };
    let stage = asking_acme(Keyed::saying("yes"), parts).await;
    let provider = Provider { key_env: Some("ACME_KEY".into()), ..acme() };
    stage.do_(Command::save_provider(provider)).await;
    let group = both_stop(&stage, "$ACME_KEY, which is not set").await;
    let stage = stage.reopen().await;
    assert_eq!(stage.agent("Ada").await.state, AgentState::Error, "it is still not set");
    is_set.store(true, Ordering::SeqCst);
    let stage = stage.reopen().await;
    both_went_on(&stage, group).await;
}

/// Serves without a key.
async fn with_a_model_of_ones_own(stage: &Stage) -> String {
    let here = Provider { name: "here".into(), kind: ProviderKind::Scripted, ..acme() };
    stage.do_(Command::save_provider(here)).await;
    "here/m".to_owned()
}

#[tokio::test]
async fn who_lacks_a_key_goes_on_when_another_model_is_the_default() {
    let stage = asking_acme(Keyed::saying("yes"), KeyParts::in_memory()).await;
    let group = both_stop(&stage, "provider/acme is not kept anywhere").await;
    let model = with_a_model_of_ones_own(&stage).await;
    stage.do_(Command::UseModel { role: ModelRole::Fast, model: model.clone() }).await;
    assert_eq!(stage.agent("Ada").await.state, AgentState::Error, "it still asks acme");
    stage.do_(Command::UseModel { role: ModelRole::Default, model }).await;
    both_went_on(&stage, group).await;
}

#[tokio::test]
async fn where_another_model_stands_in_for_want_of_a_key_the_group_hears_it_once() {
    let mut stage = asking_acme(Keyed::saying("yes"), KeyParts::in_memory()).await;
    let model = with_a_model_of_ones_own(&stage).await;
    stage.do_(Command::UseModel { role: ModelRole::Fallback, model: model.clone() }).await;
    let ada = stage.direct("Ada").await;
    for text in ["tea?", "coffee?"] {
        stage.say(ada, text).await;
        stage = stage.reopen().await;
    }
    stage.do_(set("provider/acme", ACME)).await;
    stage.say(ada, "water?").await;
    let said = stage.transcript(ada).await;
    assert_eq!(said.iter().filter(|line| *line == "Ada: yes").count(), 3, "{said:?}");
    let messages = stage.messages(ada).await;
    let told: Vec<_> = messages.iter().filter_map(stood_in).collect();
    let [(of, by, fault)] = told[..] else { panic!("told not once: {said:?}") };
    assert_eq!((of, by), ("acme/m", model.as_str()));
    assert!(fault.message.contains("provider/acme is not kept anywhere"), "{fault}");
    assert!(fault.code == FaultCode::Key && !fault.fix.is_empty(), "{fault}");

    // The model has answered since.
    stage.do_(Command::RemoveKey { name: "provider/acme".into(), forget: false }).await;
    stage.say(ada, "milk?").await;
    let messages = stage.messages(ada).await;
    assert_eq!(messages.iter().filter_map(stood_in).count(), 2);
}

fn stood_in(message: &Message) -> Option<(&str, &str, &Fault)> {
    match &message.body {
        Body::Notice { notice: Notice::StoodIn { model, by, fault, .. } } => {
            Some((model, by, fault))
        }
        _ => None,
    }
}

#[tokio::test]
async fn who_lacks_a_key_goes_on_alone_with_a_model_of_its_own() {
    let stage = asking_acme(Keyed::saying("yes"), KeyParts::in_memory()).await;
    let group = both_stop(&stage, "provider/acme is not kept anywhere").await;
    let model = with_a_model_of_ones_own(&stage).await;
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::SetAgentModel { agent, model: Some(model.clone()) }).await;
    stage.quiet().await;
    assert_eq!(stage.agent("Ada").await.state, AgentState::Idle);
    assert_eq!(stage.agent("Bo").await.state, AgentState::Error);
    stage.do_(Command::UseModel { role: ModelRole::Default, model }).await;
    both_went_on(&stage, group).await;
}

#[tokio::test]
async fn who_meets_a_locked_file_goes_on_when_it_is_unlocked() {
    let stage = asking_acme(Keyed::saying("yes"), without_keyring()).await;
    stage.do_(seal()).await;
    stage.do_(set("provider/acme", ACME)).await;
    let stage = stage.reopen().await;
    let group = both_stop(&stage, "the sealed file is locked").await;
    stage.do_(unlock(PASSPHRASE)).await;
    both_went_on(&stage, group).await;
}

#[tokio::test]
async fn a_passphrase_that_was_handed_in_is_used_when_a_key_is_needed() {
    let parts = KeyParts { passphrase: Some(Secret::new(PASSPHRASE)), ..without_keyring() };
    let stage = asking_acme(Keyed::saying("yes"), parts).await;
    stage.do_(seal()).await;
    stage.do_(set("provider/acme", ACME)).await;
    let stage = stage.reopen().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "tea?").await;
    assert_eq!(stage.transcript(ada).await, ["you: tea?", "Ada: yes"]);

    stage.do_(Command::LockKeys).await;
    stage.say(ada, "and now?").await;
    assert_eq!(stage.agent("Ada").await.state, AgentState::Error, "locked is locked");
}

#[tokio::test]
async fn who_meets_a_locked_keyring_goes_on_when_it_is_found_open() {
    let locked = Arc::new(AtomicBool::new(false));
    let keyring = secrets::Keyring::in_memory_locked_while(locked.clone());
    let parts = KeyParts { keyring, redactor: Redactor::default(), ..KeyParts::in_memory() };
    let stage = asking_acme(Keyed::saying("yes"), parts).await;
    stage.do_(set("provider/acme", ACME)).await;
    let stage = stage.reopen().await;
    locked.store(true, Ordering::SeqCst);
    let group = both_stop(&stage, "is locked").await;
    assert!(keys(&stage).await.keyring.is_some_and(|fault| fault.code == FaultCode::Key));
    let refused = stage.command(set("provider/acme", "another one of mine")).await;
    assert_eq!(refused.unwrap_err().code, FaultCode::Key);

    locked.store(false, Ordering::SeqCst);
    assert_eq!(keys_checked(&stage).await.keyring, None);
    both_went_on(&stage, group).await;
}

#[tokio::test]
async fn one_who_finds_the_keyring_open_brings_the_others_back() {
    let locked = Arc::new(AtomicBool::new(false));
    let keyring = secrets::Keyring::in_memory_locked_while(locked.clone());
    let parts = KeyParts { keyring, ..KeyParts::in_memory() };
    let stage = asking_acme(Keyed::saying("yes"), parts).await;
    stage.do_(set("provider/acme", ACME)).await;
    let stage = stage.reopen().await;
    locked.store(true, Ordering::SeqCst);
    let group = both_stop(&stage, "is locked").await;

    locked.store(false, Ordering::SeqCst);
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::ResumeAgent { agent }).await;
    both_went_on(&stage, group).await;
}

#[tokio::test]
async fn a_removed_provider_whose_key_cannot_be_reached_leaves_it_on_the_list() {
    let locked = Arc::new(AtomicBool::new(false));
    let keyring = secrets::Keyring::in_memory_locked_while(locked.clone());
    let parts = KeyParts { keyring, ..KeyParts::in_memory() };
    let stage = asking_acme(Keyed::saying("yes"), parts).await;
    stage.do_(set("provider/acme", ACME)).await;
    locked.store(true, Ordering::SeqCst);
    stage.do_(Command::RemoveProvider { provider: "acme".into() }).await;
    assert_eq!(key(&stage, "provider/acme").await.unwrap().used_by, [""; 0]);

    let remove = |forget| Command::RemoveKey { name: "provider/acme".into(), forget };
    assert_eq!(stage.command(remove(false)).await.unwrap_err().code, FaultCode::Key);
    stage.do_(remove(true)).await;
    assert_eq!(key(&stage, "provider/acme").await, None);
}
