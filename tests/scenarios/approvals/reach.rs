//! How far a permission goes where what was asked about holds a `*`.

use super::*;
use store::table::grants as stored;

fn writes(path: &str) -> Scripted {
    does("write_file", json!({"path": path, "content": "tea"}))
}

/// Ada has asked to write a file whose name is a star, and may always do that.
async fn may_write_a_star(counter: &Counter) -> (Stage, GroupId) {
    let stage = open(writes("*"), counter).await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "write it down").await;
    let question = asked(&stage).await;
    assert_eq!(question.like, None, "nobody could tell it from this one");
    answer(&stage, &question, Consent::Always, None).await.expect("in time");
    stage.quiet().await;
    (stage, ada)
}

#[tokio::test]
async fn what_is_allowed_of_one_target_is_for_no_other_whatever_signs_it_holds() {
    let (stage, ada) = may_write_a_star(&Counter::risky()).await;
    let file = stage.data().canonicalize().expect("a folder").join("desk/*");
    let [grant] = &grants(&stage).await[..] else { panic!("one grant") };
    assert_eq!(grant.covers, Covers::Same { target: file.display().to_string() });
    assert!(file.exists());

    let stage = stage.reopen_with(Some(writes("other.md"))).await;
    stage.post(ada, "and another").await;
    let question = asked(&stage).await;
    assert!(question.target.is_some_and(|target| target.ends_with("/other.md")));
    assert!(!stage.data().join("desk/other.md").exists());
}

#[tokio::test]
async fn what_an_earlier_coterie_allowed_of_one_target_is_for_that_one_alone() {
    let (stage, ada) = may_write_a_star(&Counter::risky()).await;
    let [given] = &grants(&stage).await[..] else { panic!("one grant") };
    let Covers::Same { target } = given.covers.clone() else { panic!("{given:?}") };
    // As it was kept before.
    let old = Grant { covers: Covers::Target { pattern: target }, ..given.clone() };
    // A pattern that a person chose is none of these.
    let chosen = Grant {
        id: domain::GrantId(ada.0),
        covers: Covers::Target { pattern: "/chosen/*".into() },
        ..given.clone()
    };
    let expected = [chosen.clone(), given.clone()];
    let stage = stage
        .reopen_changed(move |write| {
            stored::put(write, &old)?;
            stored::put(write, &chosen)
        })
        .await;
    let mut now = grants(&stage).await;
    now.sort_by_key(|grant| grant.id != domain::GrantId(ada.0));
    assert_eq!(now, expected);
}
