//! Skills: who is told of them, how they are loaded, what their words may do and what
//! not, and how they come and go.

use crate::approvals::{does, last_said};
use domain::{
    Capabilities, Capability, CheckState, Command, FaultCode, Finding, FromOwner, NeedOf, Query,
    Reply, Skill, SkillDetail, SoulMistake, SoulProblem, Update,
};
use futures::StreamExt;
use llm::scripted::Scripted;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use tests::{Setting, Stage, says, stage};

const TEA: &str = "---\nname: tea\ndescription: Brews tea. Use it when somebody is thirsty.\nallowed-tools: Bash(kettle:*) Read\n---\nBoil water. Pour it on the leaves.\n";

fn write_skill(data: &Path, name: &str, text: &str) {
    let folder = data.join("skills").join(name);
    fs::create_dir_all(folder.join("references")).expect("a folder");
    fs::write(folder.join("SKILL.md"), text).expect("a skill");
    fs::write(folder.join("references/leaves.md"), "Green leaves want 70 degrees.\n")
        .expect("a reference");
}

fn with_tea(front: &'static str) -> Setting {
    stage().before(move |data| {
        fs::create_dir_all(data.join("souls")).expect("a folder");
        let soul = format!("---\nname: Ada\n{front}skills: [tea]\n---\nYou help.\n");
        fs::write(data.join("souls/ada.md"), soul).expect("a soul");
        write_skill(data, "tea", TEA);
    })
}

/// What Ada is told by a tool that she uses after each word of a person.
async fn told(setting: Setting, arguments: Value) -> (Stage, String) {
    let stage = setting.model(does("use_skill", arguments)).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "I am thirsty").await;
    let said = last_said(&stage, ada).await;
    (stage, said)
}

async fn skills(stage: &Stage) -> Vec<Skill> {
    match stage.query(Query::Skills).await {
        Ok(Reply::Skills(skills)) => skills,
        other => panic!("no skills: {other:?}"),
    }
}

async fn capabilities(stage: &Stage, name: &str) -> Capabilities {
    let agent = stage.agent(name).await.id;
    match stage.query(Query::Capabilities { agent }).await {
        Ok(Reply::Capabilities(all)) => *all,
        other => panic!("no capabilities: {other:?}"),
    }
}

async fn capability(stage: &Stage, name: &str) -> Capability {
    let all = capabilities(stage, "Ada").await.all;
    all.into_iter().find(|one| one.name == name).expect(name)
}

fn unmet(one: &Capability) -> Vec<&NeedOf> {
    one.needs.iter().filter(|need| !need.met).map(|need| &need.what).collect()
}

#[tokio::test]
async fn a_skill_is_told_of_by_its_description_and_loaded_when_it_is_used() {
    let (stage, said) = told(with_tea("tools: [none]\n"), json!({"name": "tea"})).await;
    let request = stage.model.requests().remove(0);
    let system = &request.turns[0].content;
    assert!(system.contains("- tea: Brews tea. Use it when somebody is thirsty."), "{system}");
    assert!(!system.contains("Boil water"), "its body is loaded on demand");
    let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["use_skill"], "what it says that it uses gives nobody a tool");
    for piece in [
        "its author's words. The person installed it and gave it to you",
        "]\nBoil water. Pour it on the leaves.\n[end of skill tea ",
        "\nreferences/leaves.md (30 bytes)",
    ] {
        assert!(said.contains(piece), "{piece:?} in {said}");
    }
    let run = stage.runs().await.remove(0).id;
    let kept = stage.run(run).await.context.skills.remove(0);
    assert_eq!((kept.name.as_str(), kept.version.len()), ("tea", 12));
    assert_eq!(kept.schema["properties"]["path"]["enum"], json!(["references/leaves.md"]));
}

#[tokio::test]
async fn a_file_beside_it_is_read_and_no_path_leads_out_of_its_folder() {
    let leaves = json!({"name": "tea", "path": "references/leaves.md"});
    let (_stage, said) = told(with_tea(""), leaves).await;
    assert!(said.contains("\nGreen leaves want 70 degrees.\n[end of skill tea "), "{said}");
    for path in ["../../souls/ada.md", "/etc/passwd", "references/../../../coterie.db"] {
        let (_stage, said) = told(with_tea(""), json!({"name": "tea", "path": path})).await;
        assert!(said.contains("leads out of your folders"), "{path}: {said}");
    }
    let (_stage, said) = told(with_tea(""), json!({"name": "coffee"})).await;
    assert!(said.contains("you have no skill `coffee`; your skills are: tea"), "{said}");
}

#[tokio::test]
async fn who_names_no_skill_is_told_of_none_and_cannot_load_any() {
    let bare = stage().before(|data| {
        write_skill(data, "tea", TEA);
        fs::create_dir_all(data.join("souls")).expect("a folder");
        fs::write(data.join("souls/ada.md"), "---\nname: Ada\n---\nYou help.\n").expect("a soul");
    });
    let (stage, said) = told(bare, json!({"name": "tea"})).await;
    assert!(said.contains("there is no tool `use_skill`"), "{said}");
    assert!(!stage.model.requests()[0].turns[0].content.contains("Brews tea"));
}

/// The next time that everybody is told how the skills are.
async fn news(events: &mut (impl futures::Stream<Item = FromOwner> + Unpin)) -> Vec<Skill> {
    loop {
        if let FromOwner::Event(event) = events.next().await.expect("it is open")
            && let Update::Skills { skills } = event.update
        {
            return skills;
        }
    }
}

async fn warnings(stage: &Stage) -> Vec<SoulProblem> {
    let souls = stage.overview().await.souls;
    souls.into_iter().find(|soul| soul.name == "ada").expect("her soul").warnings
}

#[tokio::test]
async fn a_file_that_changes_holds_at_once_and_a_wrong_one_leaves_the_last_right_one() {
    let stage = with_tea("").model(does("use_skill", json!({"name": "tea"}))).open().await;
    let mut events = stage.events();
    let file = stage.data().join("skills/tea/SKILL.md");
    let ada = stage.direct("Ada").await;

    let first = skills(&stage).await.remove(0).hash;
    fs::write(&file, TEA.replace("Boil", "Cool")).expect("written");
    assert_ne!(news(&mut events).await[0].hash, first);
    stage.say(ada, "thirsty").await;
    assert!(last_said(&stage, ada).await.contains("Cool water."));

    fs::write(&file, "---\nname: tea\n---\nPoison.\n").expect("written");
    let broken = news(&mut events).await.remove(0);
    let problem = broken.problem.expect("said");
    assert_eq!((problem.line, problem.column), (1, 1));
    assert_eq!(problem.message, "description is missing in the front matter");
    assert!(broken.hash.is_some(), "the last right one stays");
    stage.say(ada, "still thirsty").await;
    assert!(last_said(&stage, ada).await.contains("Cool water."));

    fs::remove_dir_all(stage.data().join("skills/tea")).expect("removed");
    let has_tea = |skills: &[Skill]| skills.iter().any(|skill| skill.name == "tea");
    while has_tea(&news(&mut events).await) {}
    let missing = warnings(&stage).await.remove(0);
    let kind = SoulMistake::SkillMissing { name: "tea".into(), close: None };
    assert_eq!((missing.line, missing.column, missing.kind), (3, 10, Some(Box::new(kind))));
    write_skill(stage.data(), "tea", TEA);
    while !has_tea(&news(&mut events).await) {}
    assert_eq!(warnings(&stage).await, [], "it heals when the skill is there");
}

async fn add(stage: &Stage, folder: &Path) -> Result<Skill, domain::Fault> {
    let path = folder.display().to_string();
    match stage.command(Command::AddSkill { path }).await? {
        Reply::Skill(skill) => Ok(*skill),
        other => panic!("no skill: {other:?}"),
    }
}

#[tokio::test]
async fn a_folder_is_taken_in_as_a_copy_and_taken_away_again() {
    let elsewhere = TempDir::new().expect("a folder");
    write_skill(elsewhere.path(), "tea", TEA);
    let from = elsewhere.path().join("skills/tea");
    let stage = stage().model(says("here")).open().await;
    let added = add(&stage, &from).await.expect("taken in");
    assert_eq!((added.name.as_str(), added.agents.len()), ("tea", 0));
    let copied = stage.data().join("skills/tea/references/leaves.md");
    assert_eq!(fs::read_to_string(&copied).expect("copied"), "Green leaves want 70 degrees.\n");

    let taken = add(&stage, &from).await.expect_err("there is one");
    assert_eq!(taken.code, FaultCode::Conflict);
    let detail = match stage.query(Query::Skill { skill: "tea".into() }).await {
        Ok(Reply::SkillDetail(detail)) => *detail,
        other => panic!("no detail: {other:?}"),
    };
    let SkillDetail { text, files, .. } = detail;
    assert_eq!((text.as_str(), files.len()), (TEA, 1));
    stage.do_(Command::RemoveSkill { skill: "tea".into() }).await;
    assert!(!stage.data().join("skills/tea").exists());
    let left = fs::read_dir(stage.data().join("skills")).expect("there");
    assert_eq!(left.count(), 1, "nothing of it is left beside the one that ships");
    let gone = stage.command(Command::RemoveSkill { skill: "tea".into() }).await;
    assert_eq!(gone.expect_err("it is gone").code, FaultCode::NotFound);
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_skill_or_reaches_out_of_its_folder_is_not_taken_in() {
    let elsewhere = TempDir::new().expect("a folder");
    let stage = stage().model(says("here")).open().await;
    let at = |name: &str| elsewhere.path().join("skills").join(name);
    write_skill(elsewhere.path(), "tea", TEA);
    fs::write(elsewhere.path().join("secret"), "mine").expect("written");
    let refused = async |name: &str, why: &str| {
        let fault = add(&stage, &at(name)).await.expect_err(name);
        assert!(fault.message.contains(why), "{name}: {fault}");
        assert_eq!(fs::read_dir(stage.data().join("skills")).expect("there").count(), 1);
    };

    std::os::unix::fs::symlink(elsewhere.path().join("secret"), at("tea").join("secret"))
        .expect("a link");
    refused("tea", "secret is a link that leads out of it").await;
    write_skill(elsewhere.path(), "wrong", "---\nname: right\n---\n");
    refused("wrong", "SKILL.md:2:7: name is that of the folder, wrong, not right").await;
    refused("nowhere", "No such file").await;
    write_skill(elsewhere.path(), "large", &TEA.replace("name: tea", "name: large"));
    let large = fs::File::create(at("large").join("film")).expect("a file");
    large.set_len(17 << 20).expect("sparse");
    refused("large", "it is too large: a skill has at most 500 files and 16 MiB").await;
    fs::create_dir_all(at("empty")).expect("a folder");
    refused("empty", "there is no SKILL.md in this folder").await;
}

#[tokio::test]
async fn what_a_skill_uses_and_its_agent_lacks_is_said() {
    let stage = with_tea("tools: [calculator, scribble]\n").model(says("here")).open().await;
    let tea = skills(&stage).await.remove(0);
    assert_eq!(tea.agents[0].agent, stage.agent("Ada").await.id);
    assert_eq!(tea.agents[0].lacks, ["read_file", "shell"]);

    let tea = capability(&stage, "tea").await;
    assert!(tea.there);
    let (read, shell) = ("read_file".to_owned(), "shell".to_owned());
    assert_eq!(unmet(&tea), [&NeedOf::Tool { name: shell }, &NeedOf::Tool { name: read }]);
    let shell = capability(&stage, "shell").await;
    assert!(unmet(&shell).contains(&&NeedOf::Allowed));
    assert!(unmet(&shell).contains(&&NeedOf::Folder));
    assert_eq!(unmet(&capability(&stage, "scribble").await), [&NeedOf::Known]);
    assert!(capability(&stage, "calculator").await.there);
}

#[tokio::test]
async fn a_delegate_that_is_not_there_names_those_that_are() {
    let stage = with_tea("tools: [delegate]\ndelegates: [Bo, nobody]\n").open().await;
    assert!(capability(&stage, "Bo").await.there, "by its name as by its file");
    let nobody = capability(&stage, "nobody").await;
    let [NeedOf::Valid { detail, .. }] = unmet(&nobody)[..] else { panic!("{nobody:?}") };
    let (why, names) = detail.split_once("; there are: ").expect("it names them");
    assert_eq!(why, "there is no soul called nobody");
    assert!(names.split(", ").any(|name| name == "Bo"), "{names}");
}

#[tokio::test]
async fn what_a_graph_says_is_there_is_what_the_model_is_offered() {
    let settings: [fn() -> Setting; 4] = [
        || with_tea("tools: [\"*\"]\nroots: [.]\n").keeper(),
        || with_tea("tools: [\"*\"]\ndelegates: [bo, nobody]\n").without_keeper(),
        || with_tea("roots: [.]\n"),
        || with_tea("tools: [shell, read_file, delegate]\nmcp: [absent]\n").keeper(),
    ];
    for setting in settings {
        let stage = setting().model(says("here")).open().await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, "hello").await;
        let request = stage.model.requests().remove(0);
        let mut offered: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        offered.sort_unstable();
        let graph = capabilities(&stage, "Ada").await.all;
        let tools = graph.iter().filter(|one| one.kind == domain::CapabilityKind::Tool);
        for tool in tools.clone() {
            assert_eq!(tool.there, unmet(tool).is_empty(), "{tool:?}");
        }
        let mut there: Vec<&str> =
            tools.filter(|one| one.there).map(|one| one.name.as_str()).collect();
        there.sort_unstable();
        assert_eq!(there, offered);
    }
}

#[cfg(target_os = "linux")]
mod run {
    use super::*;
    use crate::approvals::{answer, asked};
    use domain::Consent;

    fn shell(command: &'static str) -> Scripted {
        does("shell", json!({"command": command}))
    }

    #[tokio::test]
    async fn its_scripts_are_asked_about_as_any_command_and_cannot_change_it() {
        let setting = with_tea("tools: [shell]\nroots: [desk]\n").before(|data| {
            fs::create_dir_all(data.join("desk")).expect("a folder");
            fs::create_dir_all(data.join("skills/tea/scripts")).expect("a folder");
            fs::write(data.join("skills/tea/scripts/brew.sh"), "echo brewed; echo x > \"$1\"\n")
                .expect("a script");
            write_skill(data, "other", &TEA.replace("name: tea", "name: other"));
        });
        let command = "cd ../skills/tea && sh scripts/brew.sh scripts/made; cat ../other/SKILL.md";
        let stage = setting.keeper().model(shell(command)).open().await;
        let ada = stage.direct("Ada").await;
        stage.post(ada, "brew").await;
        let question = asked(&stage).await;
        assert_eq!(question.tool, "shell");
        answer(&stage, &question, Consent::Once, None).await.expect("in time");
        stage.quiet().await;
        let said = last_said(&stage, ada).await;
        assert!(said.contains("brewed"), "{said}");
        assert!(!said.contains("Boil water"), "another skill is not hers: {said}");
        assert!(!stage.data().join("skills/tea/scripts/made").exists());
        assert!(said.contains("it could read and not change: "), "{said}");
    }
}

#[tokio::test]
async fn the_skill_that_ships_is_the_persons_and_does_not_come_back() {
    let loads = does("use_skill", json!({"name": "write-a-soul"}));
    let prepare = |data: &Path| {
        fs::create_dir_all(data.join("souls")).expect("a folder");
        let soul = "---\nname: Ada\nskills: [write-a-soul]\n---\nYou help.\n";
        fs::write(data.join("souls/ada.md"), soul).expect("a soul");
    };
    let stage = stage().before(prepare).model(loads).open().await;
    let shipped = skills(&stage).await.remove(0);
    assert_eq!(
        (shipped.name.as_str(), shipped.problem, &shipped.warnings[..]),
        ("write-a-soul", None, &[][..])
    );
    let ada = stage.direct("Ada").await;
    stage.say(ada, "I want another agent").await;
    assert!(last_said(&stage, ada).await.contains("A soul is a Markdown file"));

    // What the person makes of it stays so.
    let file = stage.data().join("skills/write-a-soul/SKILL.md");
    let own = fs::read_to_string(&file).expect("it is there").replace("A soul is", "A face is");
    fs::write(&file, &own).expect("written");
    let stage = stage.reopen().await;
    assert_eq!(fs::read_to_string(&file).expect("it is there"), own);
    stage.do_(Command::RemoveSkill { skill: "write-a-soul".into() }).await;
    let stage = stage.reopen().await;
    assert!(skills(&stage).await.is_empty() && !file.exists());
}

/// What the checks say of skills.
async fn checked(stage: &Stage) -> Option<domain::Check> {
    let Ok(Reply::Checks(checks)) = stage.query(Query::Doctor).await else { panic!("no checks") };
    checks.into_iter().find(|check| check.name == "skills")
}

#[tokio::test]
async fn the_checks_name_a_skill_whose_file_is_wrong() {
    let stage = with_tea("").open().await;
    let sound = checked(&stage).await.expect("there are skills");
    assert_eq!(sound.state, CheckState::Ok);
    let mut events = stage.events();
    let file = stage.data().join("skills/tea/SKILL.md");
    fs::write(&file, TEA.replace("name: tea", "name: coffee")).expect("written");
    news(&mut events).await;
    let wrong = checked(&stage).await.expect("there are skills");
    assert_eq!(wrong.state, CheckState::Degraded);
    let finding = wrong.kind.expect("of a kind").finding;
    let Finding::SkillNotInForce { path, problem, kept: true } = finding else {
        panic!("another finding: {finding:?}")
    };
    assert!(path.ends_with("skills/tea/SKILL.md") && problem.line == 2, "{path}: {problem:?}");
    assert!(wrong.fix.contains("what it said before stays in force"), "{}", wrong.fix);

    fs::create_dir_all(stage.data().join("skills/empty")).expect("a folder");
    fs::remove_dir_all(stage.data().join("skills/tea")).expect("removed");
    let stage = stage.reopen().await;
    let wrong = checked(&stage).await.expect("there are skills");
    assert!(wrong.detail.contains("skills/empty"), "{}", wrong.detail);
    assert!(wrong.fix.contains("no agent can use it"), "{}", wrong.fix);
}
