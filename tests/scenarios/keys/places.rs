//! Where keys lie, and how they come and go.

use super::*;
use domain::{FaultCode, FromOwner, KeyHome, KeyPlace, SealedFile, Update};
use futures::StreamExt;

#[tokio::test]
async fn a_key_is_kept_in_the_keyring_and_told_by_its_end() {
    let stage = asking_acme(Keyed::saying("yes"), KeyParts::in_memory()).await;
    let mut events = stage.events();
    let keys = told(stage.command(set("provider/acme", &format!("{ACME}\n"))).await);

    let [kept] = &keys.keys[..] else { panic!("{keys:?}") };
    assert_eq!((kept.name.as_str(), &kept.place), ("provider/acme", &KeyPlace::Keyring));
    assert_eq!((kept.ends_with.as_deref(), kept.used_ms), (Some("cdef"), None));
    assert_eq!(kept.used_by, ["acme"]);
    assert_eq!(stage.overview().await.keys, keys);
    let Some(FromOwner::Event(event)) = events.next().await else { panic!("nothing is told") };
    assert_eq!(event.update, Update::Keys { keys });
}

#[tokio::test]
async fn a_provider_is_asked_with_its_key_and_the_use_is_noted() {
    let models = Keyed::saying("yes");
    let stage = asking_acme(models.clone(), KeyParts::in_memory()).await;
    stage.do_(set("provider/acme", ACME)).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "tea?").await;
    assert_eq!(stage.transcript(ada).await, ["you: tea?", "Ada: yes"]);
    assert_eq!(models.came_with(), [Some(ACME.to_owned())]);
    assert!(key(&stage, "provider/acme").await.unwrap().used_ms.is_some());

    stage.do_(set("provider/acme", "acme-the-next-one-of-all")).await;
    stage.say(ada, "and now?").await;
    assert_eq!(models.came_with()[1].as_deref(), Some("acme-the-next-one-of-all"));
}

#[tokio::test]
async fn the_key_of_a_provider_that_had_none_is_used_at_once() {
    let stage = tests::stage().without_model().models(Keyed::saying("yes")).open().await;
    stage.do_(Command::save_provider(acme())).await;
    stage.do_(set("provider/acme", ACME)).await;
    let providers = stage.overview().await.providers;
    let acme = providers.iter().find(|provider| provider.name == "acme").unwrap();
    assert_eq!(acme.key.as_deref(), Some("provider/acme"));
    assert_eq!(key(&stage, "provider/acme").await.unwrap().used_by, ["acme"]);
}

#[tokio::test]
async fn a_providers_own_key_goes_with_it_and_one_of_another_name_stays() {
    let stage = asking_acme(Keyed::saying("yes"), KeyParts::in_memory()).await;
    stage.do_(set("provider/acme", ACME)).await;
    stage.do_(set("mine", "a-key-that-is-for-something-else")).await;
    // Its key is in a variable from now on.
    let provider = Provider { key_env: Some("ACME_KEY".into()), ..acme() };
    stage.do_(Command::save_provider(provider)).await;
    assert_eq!(key(&stage, "provider/acme").await, None);

    let provider = Provider { key: Some("mine".into()), ..acme() };
    stage.do_(Command::save_provider(provider)).await;
    stage.do_(set("provider/acme", ACME)).await;
    stage.do_(Command::RemoveProvider { provider: "acme".into() }).await;
    assert_eq!(key(&stage, "provider/acme").await, None);
    assert_eq!(key(&stage, "mine").await.unwrap().used_by, [""; 0]);
}

#[tokio::test]
async fn a_variable_is_a_place_too_and_nothing_of_it_is_kept() {
    let parts = with_variable("ACME_KEY", ACME);
    let models = Keyed::saying("yes");
    let stage = asking_acme(models.clone(), parts).await;
    let provider = Provider { key_env: Some("ACME_KEY".into()), ..acme() };
    stage.do_(Command::save_provider(provider)).await;
    let in_variable = KeyPlace::Variable { variable: "ACME_KEY".into() };
    let listed = key(&stage, "provider/acme").await.unwrap();
    assert_eq!((listed.place, listed.ends_with.as_deref()), (in_variable.clone(), Some("cdef")));
    let refused = stage.command(remove("provider/acme")).await.unwrap_err();
    assert_eq!(refused.code, FaultCode::Refused, "{refused}");

    let (name, variable) = ("provider/acme".to_owned(), "ACME_KEY".to_owned());
    stage.do_(Command::UseVariable { name, variable }).await;
    stage.say(stage.direct("Ada").await, "tea?").await;
    assert_eq!(models.came_with(), [Some(ACME.to_owned())]);
    let listed = key(&stage, "provider/acme").await.unwrap();
    assert!(listed.place == in_variable && listed.used_ms.is_some(), "{listed:?}");
    stage.do_(remove("provider/acme")).await;
}

fn remove(name: &str) -> Command {
    Command::RemoveKey { name: name.into(), forget: false }
}

#[tokio::test]
async fn without_a_keyring_a_person_chooses_a_sealed_file_that_is_locked_at_the_next_start() {
    let stage = asking_acme(Keyed::saying("yes"), without_keyring()).await;
    let refused = stage.command(set("provider/acme", ACME)).await.unwrap_err();
    assert_eq!(refused.code, FaultCode::Key);
    assert!(refused.fix.contains("sealed with a passphrase"), "{refused}");
    assert!(keys(&stage).await.keyring.is_some() && keys(&stage).await.keys.is_empty());

    let weak = Command::SealKeys { passphrase: Secret::new("short") };
    assert_eq!(stage.command(weak).await.unwrap_err().code, FaultCode::BadInput);
    assert_eq!(told(stage.command(seal()).await).sealed, SealedFile::Open);
    assert_eq!(stage.command(seal()).await.unwrap_err().code, FaultCode::Conflict);
    let kept = told(stage.command(set("provider/acme", ACME)).await);
    assert_eq!((&kept.keys[0].place, kept.home), (&KeyPlace::Sealed, KeyHome::Sealed));

    let stage = stage.reopen().await;
    assert_eq!(keys(&stage).await.sealed, SealedFile::Locked);
    let wrong = stage.command(unlock("other words of some length")).await.unwrap_err();
    assert_eq!(wrong.code, FaultCode::BadInput, "{wrong}");
    assert_eq!(told(stage.command(unlock(PASSPHRASE)).await).sealed, SealedFile::Open);
    assert_eq!(told(stage.command(Command::LockKeys).await).sealed, SealedFile::Locked);

    let (old, new) = (Secret::new(PASSPHRASE), Secret::new("five other words, much longer"));
    stage.do_(Command::ChangePassphrase { old, new }).await;
    let stage = stage.reopen().await;
    assert!(stage.command(unlock(PASSPHRASE)).await.is_err());
    stage.do_(unlock("five other words, much longer")).await;
}

#[tokio::test]
async fn a_copy_of_the_data_directory_reads_its_keys_and_is_given_places_of_its_own() {
    let stage = asking_acme(Keyed::saying("yes"), KeyParts::in_memory()).await;
    stage.do_(set("provider/acme", ACME)).await;
    assert_eq!(keys(&stage).await.lent, 0);
    let copy = stage.crash(Scripted::saying("yes")).await;
    assert_eq!(keys(&copy).await.lent, 1);
    let checked = keys_checked(&copy).await;
    assert_eq!((checked.lent, &checked.keys[0].place), (0, &KeyPlace::Keyring));
    // And again: what is moved there from the copy is the copy's.
    let second = copy.crash(Scripted::saying("yes")).await;
    let ada = second.direct("Ada").await;
    second.say(ada, "tea?").await;
    assert_eq!(keys(&second).await.lent, 0, "its turn has read it");
    second.workspace.close().await;
}

#[tokio::test]
async fn keys_move_from_one_place_to_the_other_and_back() {
    let stage = asking_acme(Keyed::saying("yes"), KeyParts::in_memory()).await;
    stage.do_(set("provider/acme", ACME)).await;
    let sealed = told(stage.command(seal()).await);
    assert_eq!((sealed.home, sealed.to_be_moved), (KeyHome::Sealed, 1));
    let moved = told(stage.command(Command::MoveKeys { to: KeyHome::Sealed }).await);
    assert_eq!((moved.to_be_moved, &moved.keys[0].place), (0, &KeyPlace::Sealed));
    let back = told(stage.command(Command::MoveKeys { to: KeyHome::Keyring }).await);
    assert_eq!((back.sealed, &back.keys[0].place), (SealedFile::Absent, &KeyPlace::Keyring));
}

#[tokio::test]
async fn a_command_with_a_key_that_is_sent_again_is_done_once() {
    let stage = asking_acme(Keyed::saying("yes"), KeyParts::in_memory()).await;
    let id = domain::RequestId(uuid::Uuid::now_v7());
    let first = told(stage.send(id, set("provider/acme", ACME)).await);
    let again = told(stage.send(id, set("provider/acme", "something else altogether")).await);
    assert_eq!(first, again);
}

#[tokio::test]
async fn a_workspace_whose_list_of_keys_is_damaged_opens_and_goes_on_when_a_key_is_set_again() {
    let stage = asking_acme(Keyed::saying("yes"), KeyParts::in_memory()).await;
    stage.do_(set("provider/acme", ACME)).await;
    let list = stage.data().join("secrets.json");
    let damaged = "{\"version\":1,";
    std::fs::write(&list, damaged).expect("a list");
    let stage = stage.reopen().await;
    let fault = keys(&stage).await.list.expect("it says so");
    assert!(fault.message.starts_with("the list of keys, "), "{fault}");
    assert!(fault.fix.contains("enter the keys again"), "{fault}");
    let checked = keys_checked(&stage).await.list;
    assert_eq!(checked, Some(fault.clone()), "looking changes nothing");
    let ada = stage.direct("Ada").await;
    stage.say(ada, "tea?").await;
    let problem = stage.agent("Ada").await.problem.expect("it has no key");
    assert_eq!((problem.code, problem.fix), (FaultCode::Key, fault.fix));
    let text = |path: &std::path::Path| std::fs::read_to_string(path).expect("a list");
    assert_eq!(text(&list), damaged, "the file is untouched");

    stage.do_(set("provider/acme", ACME)).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await.last().map(String::as_str), Some("Ada: yes"));
    assert_eq!(keys(&stage).await.list, None);
    assert_eq!(text(&list.with_file_name("secrets.json.damaged")), damaged);
}
