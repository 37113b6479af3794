//! Models that are files of the person's own.

use domain::{
    Command, FaultKind, LocalModel, LocalModels, ModelFileWrong, ModelRole, Query, Reply,
};
use std::path::{Path, PathBuf};
use tests::{Stage, gguf_file, says, stage};

fn model(architecture: &str, context: u32) -> Vec<u8> {
    gguf_file(architecture, context, "{{ messages }}")
}

fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

async fn add(stage: &Stage, path: &Path) -> Result<LocalModel, domain::Fault> {
    match stage.command(Command::AddModelFile { path: path.display().to_string() }).await? {
        Reply::LocalModel(model) => Ok(model),
        other => panic!("no model: {other:?}"),
    }
}

async fn listed(stage: &Stage) -> LocalModels {
    match stage.query(Query::LocalModels).await {
        Ok(Reply::LocalModels(models)) => models,
        other => panic!("no models: {other:?}"),
    }
}

#[tokio::test]
async fn a_file_is_listed_with_what_its_header_says_and_can_answer() {
    let stage = stage().model(says("yes")).open().await;
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "茶 8B.Q4_0.gguf", &model("qwen3", 131_072));
    let added = add(&stage, &path).await.unwrap();
    let name = format!("local/{}", path.display());
    assert_eq!((&added.model, added.ships, &added.wrong), (&name, false, &None));
    let about = added.about.clone().unwrap();
    assert_eq!((about.context_tokens, about.window_tokens), (Some(131_072), 8192));
    assert_eq!((about.parameters, about.quantisation.as_deref()), (64, Some("Q4_0")));
    assert_eq!((about.has_template, about.bytes), (true, path.metadata().unwrap().len()));
    // The second time is as if there had been no second time.
    assert_eq!(add(&stage, &path).await.unwrap(), added);
    assert_eq!(listed(&stage).await, LocalModels { models: vec![added], gpu: false });
    let provider = stage.overview().await.providers;
    let own = provider.iter().find(|provider| provider.name == "local").unwrap();
    assert_eq!(own.models.len(), 2, "the one that ships and this one");

    stage.do_(Command::UseModel { role: ModelRole::Default, model: name.clone() }).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    assert_eq!(stage.model.requests()[0].model, path.display().to_string());
    let agent = stage.agent("Ada").await;
    stage.do_(Command::SetAgentModel { agent: agent.id, model: Some(name.clone()) }).await;
    let stage = stage.reopen().await;
    assert_eq!(listed(&stage).await.models[0].model, name, "the list lasts");
}

#[tokio::test]
async fn a_chat_template_that_cannot_be_used_is_told_of_when_its_file_is_added() {
    let stage = stage().engine().model(says("yes")).open().await;
    let folder = tempfile::tempdir().unwrap();
    let wrong = async |name: &str, template: &str| {
        let path = written(folder.path(), name, &gguf_file("llama", 2048, template));
        add(&stage, &path).await.unwrap().about.unwrap().template_wrong
    };
    let unheard_of = "{% for m in messages %}[[{{ m.role }}]] {{ m.content }} [[/]]{% endfor %}";
    assert_eq!(wrong("unheard-of.gguf", unheard_of).await, None);
    let why = wrong("broken.gguf", "{{ nobody_has_this() }}").await.unwrap();
    assert!(why.contains("unknown function"), "{why}");
    let why = wrong("silent.gguf", "Hello.").await.unwrap();
    assert_eq!(why, "it leaves out what was asked");
    #[cfg(target_os = "linux")]
    {
        let doubled = "{% set ns = namespace(x='x') %}{% for i in range(30) %}\
            {% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ messages[0].content }}";
        let why = wrong("greedy.gguf", doubled).await.unwrap();
        assert_eq!(why, "it takes more memory or time than a chat template may");
    }
}

#[tokio::test]
async fn a_file_of_ones_own_is_offered_tools_and_the_starter_model_is_not() {
    let stage = stage().model(says("yes")).open().await;
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "own.gguf", &model("llama", 2048));
    let own = add(&stage, &path).await.unwrap().model;
    let ada = stage.direct("Ada").await;
    for (name, offered) in [(own, true), (workspace::STARTER.to_owned(), false)] {
        stage.do_(Command::UseModel { role: ModelRole::Default, model: name.clone() }).await;
        stage.say(ada, "hello").await;
        let requests = stage.model.requests();
        assert_eq!(!requests.last().unwrap().tools.is_empty(), offered, "{name}");
    }
}

#[tokio::test]
async fn a_file_that_is_taken_off_the_list_stays_on_the_disk_and_serves_nobody() {
    let stage = stage().open().await;
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "a.gguf", &model("llama", 2048));
    let name = add(&stage, &path).await.unwrap().model;
    for role in [ModelRole::Fast, ModelRole::Fallback, ModelRole::Default] {
        stage.do_(Command::UseModel { role, model: name.clone() }).await;
    }
    let remove = Command::RemoveModelFile { path: path.display().to_string() };
    stage.do_(remove.clone()).await;
    assert_eq!(listed(&stage).await.models, Vec::new());
    let roles = stage.overview().await.settings.models;
    assert_eq!((roles.default, roles.fast, roles.fallback), (None, None, None));
    assert!(path.exists());
    let fault = stage.command(remove).await.unwrap_err();
    assert!(fault.message.ends_with("is not on the list of models"), "{fault}");
}

#[tokio::test]
async fn a_file_is_given_as_much_to_read_as_a_person_says_and_it_was_made_for() {
    let stage = stage().model(says("yes")).open().await;
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "a.gguf", &model("qwen3", 40_960));
    let name = add(&stage, &path).await.unwrap().model;
    let set = |tokens| Command::SetModelWindow { model: name.clone(), tokens };
    let windows = async || {
        let providers = stage.overview().await.providers;
        let local = providers.into_iter().find(|provider| provider.name == "local").unwrap();
        let info = local.models.iter().find(|info| *info.name == *path).unwrap();
        let about = listed(&stage).await.models[0].about.clone().unwrap();
        (info.window_tokens(), about.window_tokens)
    };
    assert_eq!(windows().await, (Some(8192), 8192));
    stage.do_(set(Some(32_768))).await;
    assert_eq!(windows().await, (Some(32_768), 32_768));
    add(&stage, &path).await.unwrap();
    assert_eq!(windows().await, (Some(32_768), 32_768), "it holds when the file is added again");
    for tokens in [255, 40_961] {
        let fault = stage.command(set(Some(tokens))).await.unwrap_err();
        assert_eq!(fault.fix, "choose from 256 to 40960");
        let kind = FaultKind::ModelWindowUnfit { model: name.clone(), least: 256, most: 40_960 };
        assert_eq!(fault.kind.as_deref(), Some(&kind));
    }
    stage.do_(set(None)).await;
    assert_eq!(windows().await, (Some(8192), 8192));
    let elsewhere = "local//nowhere/b.gguf".to_owned();
    let unlisted = Command::SetModelWindow { model: elsewhere, tokens: None };
    let fault = stage.command(unlisted).await.unwrap_err();
    assert_eq!(fault.message, "/nowhere/b.gguf is not on the list of models");
}

#[tokio::test]
async fn a_bad_file_is_refused_in_one_sentence_and_one_that_went_bad_is_told_of() {
    let stage = stage().open().await;
    let folder = tempfile::tempdir().unwrap();
    let whole = model("llama", 2048);
    let check = async |name: &str, bytes: Option<&[u8]>, wrong: ModelFileWrong, says: &str| {
        let path = folder.path().join(name);
        if let Some(bytes) = bytes {
            std::fs::write(&path, bytes).unwrap();
        }
        let fault = add(&stage, &path).await.unwrap_err();
        let path = path.display().to_string();
        assert_eq!(fault.message, says.replace("PATH", &path));
        assert_eq!(fault.kind.as_deref(), Some(&FaultKind::ModelFile { path, wrong }));
    };
    check("no.gguf", None, ModelFileWrong::Missing, "there is no file PATH").await;
    let page: &[u8] = b"<!DOCTYPE html>";
    check("page.gguf", Some(page), ModelFileWrong::NoModel, "PATH is no GGUF file").await;
    let cut = &whole[..whole.len() - 1];
    let sizes = format!("PATH is cut off: it has {} of at least {} bytes", cut.len(), whole.len());
    check("cut.gguf", Some(cut), ModelFileWrong::CutOff, &sizes).await;
    let mut counts = whole.clone();
    counts[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    let damaged = "PATH cannot be read: the header is damaged";
    check("counts.gguf", Some(&counts), ModelFileWrong::Unusable, damaged).await;
    let eyes = model("clip", 2048);
    let silent = "PATH holds no model that writes text";
    check("mmproj.gguf", Some(&eyes), ModelFileWrong::Unusable, silent).await;
    let fault = add(&stage, Path::new("a.gguf")).await.unwrap_err();
    assert_eq!(fault.fix, "give its whole path");
    assert_eq!(listed(&stage).await.models, Vec::new());

    let path = written(folder.path(), "good.gguf", &whole);
    add(&stage, &path).await.unwrap();
    std::fs::remove_file(&path).unwrap();
    let model = listed(&stage).await.models.remove(0);
    assert_eq!(model.about, None);
    assert_eq!(model.wrong.unwrap().fix, "put it back, or take it off the list");
}

#[tokio::test]
async fn testing_the_engine_forgets_no_file_of_ones_own() {
    let places = workspace::Places::bare("nowhere".into());
    let stage = stage().models(workspace::Connected::new(&places)).open().await;
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "a.gguf", &model("llama", 2048));
    add(&stage, &path).await.unwrap();
    let providers = stage.overview().await.providers;
    let provider = providers.into_iter().find(|provider| provider.name == "local").unwrap();
    let Ok(Reply::Models(models)) = stage.query(Query::ModelsOf { provider, key: None }).await
    else {
        panic!("no models")
    };
    assert_eq!(models.len(), 1);
    assert_eq!(models[0].name, path.display().to_string());
    assert_eq!(models[0].context_tokens, Some(2048));
}
