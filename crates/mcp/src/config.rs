//! A server as a person set it up, to be kept and to be started from.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use processes::{INHERITED, Keeper, Program};
use serde::{Deserialize, Serialize};

use crate::blanks;
use crate::sounds::is_setting;
use crate::{Address, Patience, Reach, Setup, SignIn, Tokens};

/// A server that a person set up. Nothing secret is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// Letters, digits and `-`, at most [`LONGEST_NAME`] of them.
    pub name: String,
    /// What it is called where it came from, if its name cannot say that.
    #[serde(default)]
    pub title: Option<String>,
    pub place: Place,
    /// Whether it runs.
    pub on: bool,
    /// Whether what it claims of its tools is believed.
    #[serde(default)]
    pub trusted: bool,
    /// Whether it is told that it may ask for words of a model.
    #[serde(default)]
    pub may_sample: bool,
    /// Its tools that nobody is offered.
    #[serde(default)]
    pub switched_off: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    Program {
        /// `${NAME}` in it and in its arguments stands for what the environment gives under
        /// this name.
        command: String,
        arguments: Vec<String>,
        /// Besides the few variables that every program gets.
        environment: BTreeMap<String, Given>,
        /// The person's own folder, if there is none.
        folder: Option<PathBuf>,
    },
    Address {
        /// With blanks, as arguments have them; what fills them is no header.
        url: String,
        headers: BTreeMap<String, Given>,
    },
}

/// What a variable or a header holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Given {
    Plain(String),
    /// Kept with the keys, under this name.
    Secret(String),
    /// What this variable of ours holds at the time.
    Variable(String),
}

/// Where the secrets of servers are.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// For the server of this origin, such as `https://example.org`, or none for a program
    /// on this machine. An error says why it can't be had.
    async fn find(&self, name: &str, origin: Option<&str>) -> Result<String, String>;

    /// Where what the server of this name at this address gives us when we sign in
    /// is kept. It is for nobody else.
    fn tokens(&self, server: &str, url: &str) -> Arc<dyn Tokens>;
}

/// What all servers are started with.
#[derive(Clone)]
pub struct Surroundings {
    pub keeper: Keeper,
    /// What our own variables hold. A server gets those that are harmless, and
    /// those that its settings name.
    pub variable: Arc<Variables>,
    /// Where programs start that say nothing else.
    pub folder: PathBuf,
    pub patience: Patience,
}

/// Looks up one of our own variables.
pub type Variables = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Leaves room for the names of tools behind it.
pub const LONGEST_NAME: usize = 24;

impl Config {
    /// What is wrong with it, in a sentence.
    pub fn problem(&self) -> Option<String> {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        if self.name.is_empty() || self.name.len() > LONGEST_NAME || !self.name.chars().all(fits) {
            return Some(format!(
                "a server's name has 1 to {LONGEST_NAME} letters, digits or dashes, unlike {:?}",
                self.name
            ));
        }
        match &self.place {
            Place::Program { command, .. } if command.trim().is_empty() => {
                Some(format!("the server {} has no command to start it with", self.name))
            }
            Place::Address { url, .. } if !is_address(url) => Some(format!(
                "{url:?} is no address of a server; it begins with http:// or https://"
            )),
            Place::Program { .. } | Place::Address { .. } => None,
        }
    }

    /// What it is given of our variables that is not plainly a setting, by their names. Those
    /// that are not set are left out.
    pub fn secret_variables(&self, variable: &Variables) -> BTreeMap<String, String> {
        let given = match &self.place {
            Place::Program { environment, .. } => environment,
            Place::Address { headers, .. } => headers,
        };
        let mut secrets = BTreeMap::new();
        for (name, given) in given {
            if let Given::Variable(ours) = given
                && let Some(value) = variable(ours)
                && is_secret(name, ours, &value)
            {
                secrets.insert(ours.clone(), value);
            }
        }
        secrets
    }

    /// Whether a running server need not be started anew to be like `other`.
    pub(crate) fn runs_like(&self, other: &Config) -> bool {
        (&self.place, self.on, self.may_sample) == (&other.place, other.on, other.may_sample)
    }

    /// With all secrets found; an error says which is not to be had.
    pub(crate) async fn setup(
        &self,
        around: &Surroundings,
        secrets: &dyn Secrets,
        may_ask: bool,
    ) -> Result<Setup, String> {
        let reach = match &self.place {
            Place::Program { command, arguments, environment, folder } => {
                let given = found(environment, None, around, secrets).await?;
                let filled = |text: &String| blanks::fill(text, &given).0.into();
                let (program, arguments) =
                    (filled(command), arguments.iter().map(filled).collect());
                let ours = |name: &&str| Some(((*name).into(), (around.variable)(name)?.into()));
                let mut all: Vec<(OsString, OsString)> =
                    INHERITED.iter().filter_map(ours).collect();
                // What is set for this server stands in the place of what is ours.
                all.retain(|(name, _)| !given.iter().any(|(named, _)| name == named.as_str()));
                all.extend(given.into_iter().map(|(name, value)| (name.into(), value.into())));
                Reach::Program(Program {
                    program,
                    arguments,
                    environment: all,
                    folder: folder.clone().unwrap_or_else(|| around.folder.clone()),
                })
            }
            Place::Address { url, headers } => {
                let mut headers = found(headers, origin_of(url), around, secrets).await?;
                let (filled, used) = blanks::fill(url, &headers);
                headers.retain(|(name, _)| !used.contains(name));
                let tokens = secrets.tokens(&self.name, url);
                let sign_in = SignIn { may_ask, tokens, ..SignIn::default() };
                Reach::Address(Address { url: filled, headers, sign_in })
            }
        };
        Ok(Setup { reach, keeper: around.keeper.clone(), era: None, patience: around.patience })
    }
}

fn is_address(url: &str) -> bool {
    host_of(url).is_some()
}

/// Where a page of the web lies, whatever else stands in its address.
pub(crate) fn host_of(url: &str) -> Option<String> {
    let url = reqwest::Url::parse(url).ok()?;
    let is_page = matches!(url.scheme(), "http" | "https");
    url.host_str().filter(|_| is_page).map(str::to_owned)
}

fn origin_of(url: &str) -> Option<String> {
    Some(reqwest::Url::parse(url).ok()?.origin().ascii_serialization())
}

async fn found(
    given: &BTreeMap<String, Given>,
    origin: Option<String>,
    around: &Surroundings,
    secrets: &dyn Secrets,
) -> Result<Vec<(String, String)>, String> {
    let mut all = Vec::new();
    for (name, given) in given {
        let value = match given {
            Given::Plain(value) => value.clone(),
            Given::Secret(secret) => {
                let why = |why: String| format!("the secret for {name} can't be had: {why}");
                secrets.find(secret, origin.as_deref()).await.map_err(why)?
            }
            Given::Variable(variable) => {
                let unknown =
                    || format!("there is no variable {variable}, which {name} is to hold");
                (around.variable)(variable).ok_or_else(unknown)?
            }
        };
        all.push((name.clone(), value));
    }
    Ok(all)
}

/// Whether a server is given a secret under `name` by what `variable` of ours holds: either
/// name may say so.
fn is_secret(name: &str, variable: &str, value: &str) -> bool {
    // Every program has these, and texts would lose the person's own folder with them.
    let is_plain = is_setting(name, value) && is_setting(variable, value);
    !is_plain && !INHERITED.contains(&variable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_of_ours_is_a_secret_unless_it_is_plainly_a_setting() {
        let check = |name: &str, variable: &str, value: &str, expected: bool| {
            assert_eq!(is_secret(name, variable, value), expected, "{name} from {variable}");
        };
        check("TOKEN", "MY_TOKEN", "planted-9f31-77ab-token", true);
        check("TOKEN", "MY_PROFILE", "planted-9f31-77ab-token", true);
        check("PROFILE", "MY_TOKEN", "planted-9f31-77ab-token", true);
        check("ANYTHING", "MINE", "planted-9f31-77ab-token", true);
        check("ROOT", "MY_FOLDER", "/srv/things", false);
        check("LEVEL", "MY_LEVEL", "verbose-with-colours", false);
        check("AUTH_DIR", "HOME", "/home/ann", false);
    }

    #[test]
    fn a_host_is_where_an_address_really_leads() {
        let check = |url: &str, host: Option<&str>| assert_eq!(host_of(url).as_deref(), host);
        check("https://example.org/a?b", Some("example.org"));
        check("https://bank.example@evil.example/login", Some("evil.example"));
        check("https://ex\u{430}mple.org", Some("xn--exmple-4nf.org"));
        check("http://127.1:8080/", Some("127.0.0.1"));
        check("javascript:alert(1)", None);
        check("file:///etc/passwd", None);
        check("example.org", None);
    }
}
