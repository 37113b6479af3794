//! What servers may ask of us.
//!
//! They are told which folders agents work in, can have a page shown to a person who
//! asked to sign in, can have a person fill in a form or go to a page, and, where a person
//! allowed it, have a model asked.

use super::told::setup_of;
use super::{elicit, sample};
use crate::acts::Ground;
use crate::place;
use crate::shared::Shared;
use async_trait::async_trait;
use domain::{McpPlace, Update};
use mcp::{Abilities, Elicitation, Elicited, Host, News, Root, Sampled, Sampling};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use store::table::agents;

/// Answers one server.
pub(super) struct Asker {
    server: String,
    ground: Ground,
}

impl Asker {
    pub(super) fn new(server: &str, ground: &Ground) -> Self {
        Asker { server: server.to_owned(), ground: ground.clone() }
    }

    fn may_sample(&self) -> bool {
        self.ground.shared().is_ok_and(|shared| sample::is_allowed(&shared, &self.server))
    }
}

#[async_trait]
impl Host for Asker {
    fn abilities(&self) -> Abilities {
        Abilities { roots: true, sampling: self.may_sample(), elicitation: true }
    }

    async fn roots(&self) -> Vec<Root> {
        let Ok(shared) = self.ground.shared() else { return Vec::new() };
        let mut all: Vec<PathBuf> = folders(&shared).into_iter().collect();
        for own in given(&shared, &self.server) {
            if !all.contains(&own) {
                all.push(own);
            }
        }
        all.iter().filter_map(|folder| root(folder)).collect()
    }

    async fn elicit(&self, asked: Elicitation, uses: Vec<String>) -> Result<Elicited, String> {
        let shared = self.ground.shared().map_err(|returned| returned.text)?;
        elicit::elicit(&shared, &self.server, asked, &uses).await
    }

    async fn sample(&self, asked: Sampling, uses: Vec<String>) -> Result<Sampled, String> {
        let shared = self.ground.shared().map_err(|returned| returned.text)?;
        sample::sample(&shared, &self.server, asked, &uses).await
    }

    async fn show_page(&self, url: &str) -> Result<(), String> {
        let shared = self.ground.shared().map_err(|returned| returned.text)?;
        if !url.starts_with("https://") && !url.starts_with("http://") {
            return Err("the page to sign in on is no page of the web".to_owned());
        }
        let page = Update::Page { server: self.server.clone(), url: url.to_owned() };
        shared.events.publish(vec![page]);
        Ok(())
    }

    fn news(&self, _: News) {}
}

/// Those of all agents, each once.
fn folders(shared: &Shared) -> BTreeSet<PathBuf> {
    let living = shared.store.read(agents::living).unwrap_or_default();
    let souls: BTreeSet<String> = living.into_iter().map(|agent| agent.soul).collect();
    let in_force = souls.iter().filter_map(|soul| shared.souls.in_force(soul));
    in_force.flat_map(|soul| place::of(shared, &soul.front).roots).collect()
}

/// Those that a person gave this server among its arguments. Some servers take the folders that
/// they are told of for all that there are, and would lose them.
fn given(shared: &Shared, server: &str) -> Vec<PathBuf> {
    match setup_of(shared, server).map(|setup| setup.place) {
        Ok(McpPlace::Program { arguments, .. }) => {
            let folders = arguments.into_iter().map(PathBuf::from);
            folders.filter(|folder| folder.is_absolute() && folder.is_dir()).collect()
        }
        Ok(McpPlace::Address { .. }) | Err(_) => Vec::new(),
    }
}

fn root(folder: &Path) -> Option<Root> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut uri = "file://".to_owned();
    let text = folder.to_str()?.replace('\\', "/");
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte);
        match plain {
            true => uri.push(char::from(byte)),
            false => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(Root { uri, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_told_as_an_address() {
        let check = |path: &str, uri: &str| {
            assert_eq!(root(Path::new(path)).map(|root| root.uri).as_deref(), Some(uri));
        };
        check("/srv/garden", "file:///srv/garden");
        check("/srv/my garden/100%", "file:///srv/my%20garden/100%25");
        check("/srv/园", "file:///srv/%E5%9B%AD");
    }
}
