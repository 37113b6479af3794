//! Whether a provider has the model that is about to be used, before a typing
//! mistake turns into an agent that cannot answer.

use crate::screen::Failure;
use crate::session::{Session, answered};
use domain::{Fault, ModelInfo, Provider, ProviderKind, Query};
use std::path::Path;

/// How many names of models are offered instead.
const OFFERED: usize = 3;

/// Refuses a model that its provider does not name; says so where the provider
/// cannot be asked. What is no `PROVIDER/MODEL` is left to the workspace.
pub(super) async fn check(session: &Session, model: &str) -> Result<(), Failure> {
    let Some((provider, name)) = model.split_once('/') else { return Ok(()) };
    let set_up = session.overview().await?.providers;
    let built_in = || (provider == BUILT_IN.0).then(built_in);
    let found = set_up.into_iter().find(|one| one.name == provider).or_else(built_in);
    let Some(provider) = found else { return Ok(()) };
    if has(&provider, &provider.models, name) {
        return Ok(());
    }
    let asked = session.ask(Query::ModelsOf { provider: provider.clone(), key: None }).await;
    match asked.and_then(|reply| answered!(reply, Models)) {
        Ok(models) if has(&provider, &models, name) => Ok(()),
        Ok(models) => Err(unlisted(&provider, &models, name).into()),
        Err(fault) => {
            session.screen.aside(&format!(
                "not checked whether {} has {name}: {}",
                provider.name, fault.message
            ));
            Ok(())
        }
    }
}

/// The engine that ships is there without being set up.
const BUILT_IN: (&str, ProviderKind) = ("local", ProviderKind::Local);

fn built_in() -> Provider {
    let (name, kind) = BUILT_IN;
    Provider {
        name: name.to_owned(),
        kind,
        base_url: None,
        key_env: None,
        key: None,
        models: Vec::new(),
    }
}

/// Under this name, or another that means the same to this provider.
fn has(provider: &Provider, models: &[ModelInfo], name: &str) -> bool {
    let is_named = |name: &str| models.iter().any(|one| one.name == name);
    match provider.kind {
        ProviderKind::Ollama if !name.contains(':') => {
            is_named(name) || is_named(&format!("{name}:latest"))
        }
        // A file of one's own, wherever it lies.
        ProviderKind::Local if Path::new(name).is_absolute() => Path::new(name).is_file(),
        ProviderKind::Local => is_named(name.strip_suffix(".gguf").unwrap_or(name)),
        ProviderKind::Ollama
        | ProviderKind::Openai
        | ProviderKind::Anthropic
        | ProviderKind::Gemini
        | ProviderKind::Scripted => is_named(name),
    }
}

fn unlisted(provider: &Provider, models: &[ModelInfo], name: &str) -> Fault {
    let nearest: Vec<String> =
        nearest(models, name).into_iter().map(|near| format!("{}/{near}", provider.name)).collect();
    let force = "or use it all the same with --force";
    let fix = match nearest.as_slice() {
        [] => format!("see what it has with coterie provider test {}, {force}", provider.name),
        names => format!("use {}, {force}", names.join(" or ")),
    };
    Fault::not_found(format!("{} names no model {name} among those it has", provider.name), fix)
}

/// The names that are most like it, the likest first.
fn nearest<'a>(models: &'a [ModelInfo], name: &str) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    let likeness = |model: &ModelInfo| strsim::jaro_winkler(&model.name.to_lowercase(), &wanted);
    let mut all: Vec<(f64, &str)> =
        models.iter().map(|model| (likeness(model), model.name.as_str())).collect();
    all.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    all.into_iter().take(OFFERED).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models(names: &[&str]) -> Vec<ModelInfo> {
        let info = |name: &&str| ModelInfo::new(*name, None);
        names.iter().map(info).collect()
    }

    fn of(kind: ProviderKind) -> Provider {
        Provider { name: "acme".to_owned(), kind, ..built_in() }
    }

    #[test]
    fn the_likest_names_are_offered() {
        let all = models(&["tiny", "gpt-5-mini", "whisper-1", "gpt-5", "gpt-4o"]);
        assert_eq!(nearest(&all, "GPT5"), ["gpt-5", "gpt-5-mini", "gpt-4o"]);
        let fault = unlisted(&of(ProviderKind::Openai), &all, "GPT5");
        assert_eq!(
            fault.to_string(),
            "acme names no model GPT5 among those it has; use acme/gpt-5 or acme/gpt-5-mini or \
             acme/gpt-4o, or use it all the same with --force"
        );
        let nothing = unlisted(&of(ProviderKind::Openai), &[], "x");
        assert!(nothing.fix.starts_with("see what it has"), "{nothing}");
    }

    #[test]
    fn a_name_that_means_the_same_is_that_model() {
        let all = models(&["qwen3:latest", "small"]);
        assert!(has(&of(ProviderKind::Ollama), &all, "qwen3"));
        assert!(!has(&of(ProviderKind::Openai), &all, "qwen3"));
        assert!(has(&of(ProviderKind::Local), &all, "small.gguf"));
        assert!(!has(&of(ProviderKind::Local), &all, "/nowhere/small.gguf"));
    }
}
