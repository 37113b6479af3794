//! What other apps fill in where they start a server: `${NAME}`, `${env:NAME}`,
//! `${NAME:-otherwise}` and `${input:ID}`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::config::{Given, Variables};

/// What a server is given beside, for the blanks that other apps fill in its command, its
/// arguments and its address.
pub(super) struct Blanks<'i> {
    pub(super) server: &'i str,
    /// What its entry itself says of the names in it.
    pub(super) own: BTreeMap<String, Given>,
    pub(super) given: BTreeMap<String, Given>,
    pub(super) missing: &'i mut BTreeSet<String>,
    pub(super) variable: &'i Variables,
}

impl Blanks<'_> {
    /// The text with blanks of ours in the place of theirs. An error says which nobody can
    /// fill here.
    pub(super) fn left_in(&mut self, text: &str) -> Result<String, String> {
        let (mut left, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once("${") {
            let Some((inner, behind)) = after.split_once('}') else { break };
            left.push_str(before);
            left.push_str(&self.blank(inner)?);
            rest = behind;
        }
        left.push_str(rest);
        Ok(left)
    }

    fn blank(&mut self, inner: &str) -> Result<String, String> {
        if let Some(asked) = inner.strip_prefix("input:") {
            let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
            let name: String =
                asked.chars().map(|letter| if fits(letter) { letter } else { '_' }).collect();
            let secret = format!("mcp/{}/{name}", self.server);
            self.missing.insert(secret.clone());
            return Ok(self.of(&name, Given::Secret(secret)));
        }
        let named = inner.strip_prefix("env:").unwrap_or(inner);
        let (name, otherwise) = match named.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise)),
            None => (named, None),
        };
        // What is written beside it comes first, as for `mcp-remote`. By `env:` the other app
        // means what it was started with.
        let is_outer = inner.starts_with("env:") && (self.variable)(name).is_some();
        if let Some(own) = self.own.get(name).filter(|_| !is_outer).cloned() {
            return Ok(self.of(name, own));
        }
        // What VS Code and those made of it call by names of their own.
        let name = if name == "userHome" { "HOME" } else { name };
        let is_theirs = |name: &str| name.starts_with("workspaceFolder") || name == "pathSeparator";
        match otherwise {
            _ if is_theirs(name) || name.starts_with("config:") || name.starts_with("command:") => {
                Err(format!("it wants ${{{inner}}}, which only the other app fills in"))
            }
            // As a shell has them, which it may be for.
            _ if !is_name(name) => Ok(format!("${{{inner}}}")),
            Some(otherwise) if (self.variable)(name).is_none() => Ok(otherwise.to_owned()),
            Some(_) | None => Ok(self.of(name, Given::Variable(name.to_owned()))),
        }
    }

    /// The blank of what is given under this name, or under one like it where something
    /// else is called so.
    fn of(&mut self, name: &str, holds: Given) -> String {
        let numbered = (2..1000).map(|nth| format!("{name}-{nth}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let is_free = |name: &String| self.given.get(name).is_none_or(|known| *known == holds);
        let name = names.find(is_free).unwrap_or_default();
        let blank = format!("${{{name}}}");
        self.given.insert(name, holds);
        blank
    }
}

/// The text of a header with what the variables of the same entry say for `${NAME}`.
pub(super) fn with_own(text: &str, own: Option<&Value>) -> String {
    let mut filled = text.to_owned();
    for (name, value) in own.and_then(Value::as_object).into_iter().flatten() {
        let value = match value {
            Value::String(value) => value.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => continue,
        };
        filled = filled.replace(&format!("${{{name}}}"), &value);
    }
    filled
}

/// Those of the variables of an entry that its address names.
pub(super) fn named_in(url: &str, own: Option<&Value>) -> Map<String, Value> {
    let all = own.and_then(Value::as_object).into_iter().flatten();
    let is_named = |name: &str| {
        ["${", "${env:"].iter().any(|begin| {
            url.contains(&format!("{begin}{name}}}")) || url.contains(&format!("{begin}{name}:-"))
        })
    };
    let named = all.filter(|(name, _)| is_named(name));
    named.map(|(name, value)| (name.clone(), value.clone())).collect()
}

pub(super) fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !name.is_empty() && name.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Place};

    #[test]
    fn what_other_apps_fill_in_is_left_as_a_blank_that_is_filled_here() {
        let imported = crate::read(
            r#"{"mcpServers": {
                "base": {"command": "npx", "args": ["--token", "${input:access.token}", "--again=${input:access.token}"]},
                "files": {"command": "${HOME}/bin/files", "args": ["${userHome}/docs:${env:DATA}", "${HOME:-/srv}",
                    "${LEVEL:-debug}", "${arr[@]}", "${open"], "env": {"HOME": "/srv", "DATA": "${env:DATA}"}},
                "web": {"url": "https://a.example/${TENANT}/mcp?key=${input:key}"},
                "here": {"command": "x", "args": ["${workspaceFolder}"]},
                "there": {"command": "x", "cwd": "${workspaceFolder}"}
            }}"#,
            &|name| (name == "HOME").then(|| "/srv/kim".to_owned()),
        )
        .unwrap();
        let [base, files, web] = &imported.servers[..] else { panic!("{imported:?}") };
        let program = |config: &Config| match &config.place {
            Place::Program { command, arguments, environment, .. } => {
                (command.clone(), arguments.join(" "), environment.clone())
            }
            Place::Address { .. } => panic!("{config:?}"),
        };
        let secret = |key: &str| Given::Secret(key.to_owned());
        let variable = |name: &str| Given::Variable(name.to_owned());
        let named = |all: &[(&str, Given)]| -> BTreeMap<String, Given> {
            all.iter().map(|(name, given)| ((*name).to_owned(), given.clone())).collect()
        };
        assert_eq!(
            program(base),
            (
                "npx".to_owned(),
                "--token ${access_token} --again=${access_token}".to_owned(),
                named(&[("access_token", secret("mcp/base/access_token"))])
            )
        );
        assert_eq!(
            program(files),
            (
                "${HOME}/bin/files".to_owned(),
                "${HOME-2}/docs:${DATA} ${HOME} debug ${arr[@]} ${open".to_owned(),
                named(&[
                    ("DATA", variable("DATA")),
                    ("HOME", Given::Plain("/srv".to_owned())),
                    ("HOME-2", variable("HOME")),
                ])
            )
        );
        let Place::Address { url, headers } = &web.place else { panic!("{web:?}") };
        assert_eq!(url, "https://a.example/${TENANT}/mcp?key=${key}");
        let given = [("TENANT", variable("TENANT")), ("key", secret("mcp/web/key"))];
        assert_eq!(*headers, named(&given));
        let missing = ["mcp/base/access_token", "mcp/web/key"].map(str::to_owned);
        assert_eq!(imported.missing, missing.into());
        let left_out: Vec<(&str, &str)> =
            imported.left_out.iter().map(|(name, why)| (name.as_str(), why.as_str())).collect();
        assert_eq!(
            left_out,
            [
                ("here", "it wants ${workspaceFolder}, which only the other app fills in"),
                ("there", "its folder is ${workspaceFolder}, which only the other app fills in"),
            ]
        );
    }

    #[test]
    fn what_an_entry_says_itself_fills_its_blanks() {
        let imported = crate::read(
            r#"{"mcpServers": {
                "remote": {"command": "npx", "args": ["mcp-remote", "https://a.example/sse", "--header",
                    "Authorization:${AUTH_HEADER}", "--outer=${env:PORT}"],
                    "env": {"AUTH_HEADER": "Bearer abc-1234", "PORT": "80"}},
                "web": {"url": "https://b.example/${TENANT}/mcp", "headers": {"X-Key": "Bearer ${KEY}"},
                    "env": {"TENANT": "acme-1234-abcd", "KEY": "def-5678", "UNUSED": "x"}},
                "twice": {"url": "https://c.example/${KEY}", "headers": {"KEY": "a"}, "env": {"KEY": "b"}}
            }}"#,
            &|name| ["AUTH_HEADER", "PORT"].contains(&name).then(|| "of our own".to_owned()),
        )
        .unwrap();
        let [remote, web] = &imported.servers[..] else { panic!("{imported:?}") };
        let secret = |key: &str| Given::Secret(key.to_owned());
        let Place::Program { arguments, environment, .. } = &remote.place else {
            panic!("{remote:?}")
        };
        assert_eq!(arguments[3..], ["Authorization:${AUTH_HEADER}", "--outer=${PORT-2}"]);
        let expected = [
            ("AUTH_HEADER", secret("mcp/remote/AUTH_HEADER")),
            ("PORT", Given::Plain("80".to_owned())),
            ("PORT-2", Given::Variable("PORT".to_owned())),
        ];
        assert_eq!(*environment, expected.map(|(name, given)| (name.to_owned(), given)).into());
        let Place::Address { url, headers } = &web.place else { panic!("{web:?}") };
        assert_eq!(url, "https://b.example/${TENANT}/mcp");
        let expected = [("TENANT", secret("mcp/web/TENANT")), ("X-Key", secret("mcp/web/X-Key"))];
        assert_eq!(*headers, expected.map(|(name, given)| (name.to_owned(), given)).into());
        assert_eq!(imported.secrets["mcp/web/X-Key"], "Bearer def-5678");
        assert_eq!(imported.secrets["mcp/remote/AUTH_HEADER"], "Bearer abc-1234");
        assert!(imported.missing.is_empty());
        let [(name, why)] = &imported.left_out[..] else { panic!("{:?}", imported.left_out) };
        assert!(name == "twice" && why.contains("KEY"), "{why}");
    }
}
