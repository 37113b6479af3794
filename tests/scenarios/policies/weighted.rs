//! `weighted`: one is drawn, and the lot can be drawn again.

use super::*;
use domain::{Reason, RequestId, Verdict};
use uuid::Uuid;

async fn talks(stage: &Stage, group: GroupId, name: &str, share: u8) {
    let patch = MemberPatch { talkativeness: Some(share), ..MemberPatch::default() };
    change_member(stage, group, name, patch).await;
}

/// A workspace with three that talk differently much.
async fn three() -> (Stage, GroupId) {
    let stage = stage().model(has_thoughts()).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::Weighted).await;
    for (name, share) in [("Ada", 20), ("Bo", 100), ("Otto", 60)] {
        talks(&stage, group, name, share).await;
    }
    (stage, group)
}

/// Posts under this id; gives what was decided, in the members' order.
async fn post(stage: &Stage, group: GroupId, id: u128) -> Vec<(Verdict, Reason)> {
    let id = Uuid::from_u128(id);
    let text = format!("question {id}");
    let post = Command::Post { group, text, reply_to: None, attachments: Vec::new() };
    stage.send(RequestId(id), post).await.expect("it can be posted");
    stage.quiet().await;
    let decisions = decided(stage, group, Some(MessageId(id))).await;
    decisions.into_iter().map(|decision| (decision.verdict, decision.reason)).collect()
}

#[tokio::test]
async fn one_is_drawn_and_the_decisions_hold_the_lot() {
    let (stage, group) = three().await;
    for id in 1..=12 {
        let decided = post(&stage, group, id).await;
        let mut end = 0;
        for ((verdict, reason), share) in decided.into_iter().zip([20, 100, 60]) {
            let start = end;
            end += share;
            match reason {
                Reason::Drawn { weight, of, roll } => {
                    assert_eq!((verdict, weight, of), (Verdict::Speak, share, 180));
                    assert!((start..end).contains(&roll), "{roll} in {start}..{end}");
                }
                Reason::NotDrawn { weight, of, roll } => {
                    assert_eq!((verdict, weight, of), (Verdict::Pass, share, 180));
                    assert!(!(start..end).contains(&roll), "{roll} in {start}..{end}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(speakers(&stage, group).await.len(), 24, "one answer each");
}

#[tokio::test]
async fn the_same_message_draws_the_same_lot_in_another_workspace_and_after_a_restart() {
    let (one, group) = three().await;
    let (other, group_there) = three().await;
    for id in [5, 6, 0x0199_0000_0000_7000_8000_0000_0000_0001] {
        assert_eq!(post(&one, group, id).await, post(&other, group_there, id).await);
    }
    let before = decided(&one, group, None).await;
    let one = one.reopen().await;
    assert_eq!(decided(&one, group, None).await, before);
    for id in [8, 9] {
        assert_eq!(post(&one, group, id).await, post(&other, group_there, id).await);
    }
}

#[tokio::test]
async fn who_is_at_0_speaks_only_when_mentioned() {
    let stage = stage().model(has_thoughts()).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Weighted).await;
    talks(&stage, group, "Ada", 0).await;
    talks(&stage, group, "Bo", 100).await;
    for n in 0..8 {
        stage.say(group, &format!("question {n}")).await;
    }
    assert!(!speakers(&stage, group).await.contains(&"Ada".to_owned()));
    stage.say(group, "@Ada, and you?").await;
    assert_eq!(speakers(&stage, group).await.last().map(String::as_str), Some("Ada"));
    talks(&stage, group, "Bo", 0).await;
    let nobody = stage.say(group, "anybody?").await;
    let nothing = Reason::NotDrawn { weight: 0, of: 0, roll: 0 };
    let reasons = decided(&stage, group, Some(nobody.id)).await;
    assert!(reasons.iter().all(|decision| decision.reason == nothing), "{reasons:?}");
}

#[tokio::test]
async fn without_a_setting_of_its_own_a_member_is_as_talkative_as_its_soul() {
    let stage = stage()
        .model(has_thoughts())
        .before(|data| {
            std::fs::create_dir_all(data.join("souls")).unwrap();
            let soul = "---\nname: Hush\ntalkativeness: 7\n---\nYou are quiet.\n";
            std::fs::write(data.join("souls/hush.md"), soul).unwrap();
        })
        .open()
        .await;
    if !stage.overview().await.agents.iter().any(|agent| agent.name == "Hush") {
        let soul = "hush".into();
        stage.do_(Command::NewAgent { soul, name: None, model: None, parent: None }).await;
    }
    if !stage.overview().await.agents.iter().any(|agent| agent.name == "Plain") {
        let text = "You say what you think.\n".into();
        stage.do_(Command::SaveSoul { soul: "plain".into(), text, base_hash: None }).await;
        let (soul, name) = ("plain".into(), Some("Plain".into()));
        stage.do_(Command::NewAgent { soul, name, model: None, parent: None }).await;
    }
    let group = stage.group(&["Hush", "Plain"], TurnPolicy::Weighted).await;
    let weights = post(&stage, group, 1).await.into_iter().map(|(_, reason)| match reason {
        Reason::Drawn { weight, of, .. } | Reason::NotDrawn { weight, of, .. } => (weight, of),
        other => panic!("{other:?}"),
    });
    assert_eq!(weights.collect::<Vec<_>>(), [(7, 57), (50, 57)]);
}

#[tokio::test]
async fn talkativeness_goes_from_0_to_100() {
    let stage = stage().open().await;
    let group = stage.group(&["Ada"], TurnPolicy::Weighted).await;
    let agent = stage.agent("Ada").await.id;
    let patch = MemberPatch { talkativeness: Some(101), ..MemberPatch::default() };
    let fault = stage.command(Command::EditMember { group, agent, patch }).await.unwrap_err();
    assert_eq!(fault.code, domain::FaultCode::BadInput);
}
