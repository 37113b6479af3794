//! What an agent keeps of the person in one sentence is compared thing by thing.

use super::across::{kept, open};
use super::parting::{changed, holding, written};
use super::{detail, look};
use domain::{Command, MemoryFilter, StepKind, Trust};

#[tokio::test]
async fn each_thing_that_an_agent_keeps_gives_way_by_itself() {
    for (saved, said, expected) in [
        (
            "The user lives in Oslo and works at Nordbank",
            "I live in Bergen",
            &["I live in Bergen", "The user works at Nordbank"][..],
        ),
        (
            "User likes tea, coffee and jazz",
            "I don't like coffee",
            &["I don't like coffee", "User likes jazz", "User likes tea"],
        ),
        ("用户住在杭州，在百度工作", "我搬到上海了", &["我搬到上海了", "用户在百度工作"]),
        (
            "The user lives in Oslo. Bo repairs the boiler.",
            "I moved to Bergen",
            &["Bo repairs the boiler", "I moved to Bergen"],
        ),
    ] {
        let (stage, ada) = open().await;
        kept(&stage, ada, saved).await;
        written(&stage, said).await;
        assert_eq!(holding(&stage).await, expected, "{saved}");
    }
}

#[tokio::test]
async fn what_an_agent_keeps_beside_what_a_person_said_waits_alone() {
    let (stage, ada) = open().await;
    written(&stage, "I live in Bergen").await;
    kept(&stage, ada, "The user lives in Oslo and works at Nordbank").await;
    assert_eq!(holding(&stage).await, ["I live in Bergen", "The user works at Nordbank"]);
}

#[tokio::test]
async fn who_forgets_one_of_several_things_that_an_agent_kept_leaves_none_of_its_words() {
    let (stage, ada) = open().await;
    kept(&stage, ada, "User likes tea, coffee and jazz").await;
    let hit = look(&stage, "coffee", MemoryFilter::default()).await.hits.remove(0).memory;
    assert_eq!((hit.text.as_str(), hit.trust), ("User likes coffee", Trust::Agent));
    let run = hit.source.run.expect("an agent kept it");
    changed(&stage, Command::ForgetMemory { memory: hit.id }).await;
    assert_eq!(detail(&stage, hit.id).await.memory.text, "");
    for step in stage.run(run).await.steps {
        if let StepKind::ToolProposed { arguments, .. } = step.kind {
            assert!(!arguments.contains("coffee"), "{arguments}");
        }
    }
    assert_eq!(holding(&stage).await, ["User likes jazz", "User likes tea"]);
}
