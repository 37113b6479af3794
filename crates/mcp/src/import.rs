//! Servers as other apps have them written down.
//!
//! Known are the forms of Claude Desktop, Claude Code, Cursor, Windsurf, Cline, Cherry
//! Studio and Gemini (`mcpServers`), of VS Code (`servers`) and of Zed
//! (`context_servers`), with comments and trailing commas; those that Claude Code keeps by
//! project, and a map of servers with nothing around it, as many write it down to be copied.

mod auth;
mod found;
mod named;
mod theirs;

use crate::sounds::is_setting;
use auth::Auth;
use found::{Found, found};
use named::{Named, shown};
use std::collections::{BTreeMap, BTreeSet};
use theirs::{Blanks, is_name, named_in, with_own};

use serde_json::{Map, Value};

use crate::config::{Config, Given, Place, Variables};

/// What was found in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    pub servers: Vec<Config>,
    /// What is to be kept with the keys, by the names that the servers say it
    /// by. They are secrets.
    pub secrets: BTreeMap<String, String>,
    /// Secrets that the file only names: a person has to give them.
    pub missing: BTreeSet<String>,
    /// Servers that can't be taken over, or not with all that lets them in, and why.
    pub left_out: Vec<(String, String)>,
}

/// Reads such a file; an error says what is wrong with it. `variable` looks up one of our
/// own variables, for what the file says should stand in its place where there is none.
pub fn read(text: &str, variable: &Variables) -> Result<Imported, String> {
    // Some editors begin a text with a mark of how it is written.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&plain(text)))
        .map_err(|error| format!("it is no JSON: {error}"))?;
    let servers = found(&value).ok_or("there are no `mcpServers` in it")?;
    let mut imported = Imported::default();
    let mut taken = BTreeSet::new();
    for found in servers {
        match imported.server(&found, &mut taken, variable) {
            Ok(config) => imported.servers.push(config),
            Err(why) => imported.left_out.push((shown(found.title), why)),
        }
    }
    Ok(imported)
}

impl Imported {
    fn server(
        &mut self,
        found: &Found<'_>,
        taken: &mut BTreeSet<String>,
        variable: &Variables,
    ) -> Result<Config, String> {
        let entry = found.entry.as_object().ok_or("it is no object")?;
        // Some apps write down every field, and leave those empty that do not matter.
        let text = |name: &str| {
            entry.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
        };
        if text("type").or(text("transport")) == Some("sse") {
            return Err("it speaks the old form over SSE, which the protocol gave up; \
                        most such servers have another address for streamable HTTP"
                .to_owned());
        }
        let Named { name, title } = Named::of(found.title, taken);
        let on = is_on(entry)? && !found.kept_off;
        let address =
            ["url", "serverUrl", "httpUrl", "baseUrl"].iter().find_map(|field| text(field));
        let command = entry.get("command").filter(|command| !is_empty(command));
        let place = match (command, address) {
            (Some(_), Some(_)) => return Err("it says both a command and an address".to_owned()),
            (Some(command), None) => {
                self.program(&name, command, found.project, entry, variable)?
            }
            (None, Some(url)) => self.address(&name, url, entry, variable)?,
            (None, None) => return Err("it says neither a command nor an address".to_owned()),
        };
        let off = |name: &str| Ok::<_, String>(list(name, entry.get(name))?.iter());
        let switched_off = off("disabledTools")?.chain(off("excludeTools")?);
        let switched_off = switched_off.filter_map(Value::as_str);
        let config = Config {
            name: name.clone(),
            title,
            place,
            on,
            trusted: false,
            may_sample: false,
            switched_off: switched_off.map(str::to_owned).collect(),
        };
        match config.problem() {
            Some(problem) => Err(problem),
            None => {
                if let Some(why) = not_let_in(&config, entry) {
                    self.left_out.push((shown(found.title), why));
                }
                taken.insert(name);
                Ok(config)
            }
        }
    }

    fn address(
        &mut self,
        name: &str,
        url: &str,
        entry: &Map<String, Value>,
        variable: &Variables,
    ) -> Result<Place, String> {
        let mut headers = match entry.get("headers") {
            None | Some(Value::Null) => Map::new(),
            Some(all) => all.as_object().cloned().ok_or("its headers is no object")?,
        };
        let is_said = headers.keys().any(|header| header.eq_ignore_ascii_case(AUTHORIZATION));
        if let Auth::Bearer(token) = Auth::of(entry)
            && !is_said
        {
            headers.insert(AUTHORIZATION.to_owned(), Value::String(format!("Bearer {token}")));
        }
        // A server elsewhere has no variables: those of its entry are for its blanks.
        let own = entry.get("env");
        for value in headers.values_mut() {
            if let Value::String(text) = value {
                *text = with_own(text, own);
            }
        }
        let own = named_in(url, own);
        if let Some(twice) = own.keys().find(|key| headers.contains_key(*key)) {
            return Err(format!("it says {twice} both under env and under headers"));
        }
        let given = self.given(name, Some(&Value::Object(headers)), true)?;
        let own = self.given(name, Some(&Value::Object(own)), false)?;
        let mut blanks = Blanks { server: name, own, given, missing: &mut self.missing, variable };
        let url = blanks.left_in(url)?;
        Ok(Place::Address { url, headers: blanks.given })
    }

    fn program(
        &mut self,
        name: &str,
        command: &Value,
        project: Option<&str>,
        entry: &Map<String, Value>,
        variable: &Variables,
    ) -> Result<Place, String> {
        // Zed had the arguments and variables inside the command.
        let inner = command.as_object().unwrap_or(entry);
        let path = command.as_str().or_else(|| inner.get("path")?.as_str());
        let path = path.ok_or("its command is no text")?;
        if is_a_line(path) {
            return Err("its command is a whole line; write the program alone under command, \
                        and what follows it under args"
                .to_owned());
        }
        if entry.get("envFile").is_some_and(|file| !is_empty(file)) {
            return Err("its variables are in a file, by envFile; write them under env".to_owned());
        }
        let arguments = list("args", inner.get("args").or_else(|| entry.get("args")))?;
        let given = self.given(name, inner.get("env").or_else(|| entry.get("env")), false)?;
        let folder = match entry.get("cwd") {
            None | Some(Value::Null) => project,
            Some(folder) => Some(folder.as_str().ok_or("its cwd is no text")?),
        };
        if let Some(folder) = folder.filter(|folder| folder.contains("${")) {
            return Err(format!("its folder is {folder}, which only the other app fills in"));
        }
        let own = given.clone();
        let mut blanks = Blanks { server: name, own, given, missing: &mut self.missing, variable };
        let command = blanks.left_in(path)?;
        let argument = |one: &Value| blanks.left_in(one.as_str().ok_or("an argument is no text")?);
        let arguments = arguments.iter().map(argument).collect::<Result<_, String>>()?;
        let folder = folder.map(Into::into);
        Ok(Place::Program { command, arguments, environment: blanks.given, folder })
    }

    /// Variables, or headers. What may be secret goes to the keys.
    fn given(
        &mut self,
        server: &str,
        all: Option<&Value>,
        headers: bool,
    ) -> Result<BTreeMap<String, Given>, String> {
        let what = if headers { "headers" } else { "env" };
        let all = match all {
            None | Some(Value::Null) => None,
            Some(all) => Some(all.as_object().ok_or(format!("its {what} is no object"))?),
        };
        let mut given = BTreeMap::new();
        for (name, value) in all.into_iter().flatten() {
            let value = match value {
                Value::String(value) => value.clone(),
                Value::Number(_) | Value::Bool(_) => value.to_string(),
                Value::Null | Value::Array(_) | Value::Object(_) => {
                    return Err(format!("the value of {name} is no text"));
                }
            };
            let secret = format!("mcp/{server}/{name}");
            let holds = match placeholder(&value) {
                Some(Placeholder::Variable(variable)) => Given::Variable(variable.to_owned()),
                Some(Placeholder::Asked) => {
                    self.missing.insert(secret.clone());
                    Given::Secret(secret)
                }
                None if value.is_empty() || (!headers && is_setting(name, &value)) => {
                    Given::Plain(value)
                }
                None => {
                    self.secrets.insert(secret.clone(), value);
                    Given::Secret(secret)
                }
            };
            given.insert(name.clone(), holds);
        }
        Ok(given)
    }
}

const AUTHORIZATION: &str = "Authorization";

/// What its entry says of how we are let in that is not taken over, in a sentence.
fn not_let_in(config: &Config, entry: &Map<String, Value>) -> Option<String> {
    let name = &config.name;
    match (Auth::of(entry), &config.place) {
        (Auth::Nothing, _) | (Auth::Bearer(_), Place::Address { .. }) => None,
        (Auth::Bearer(_), Place::Program { .. }) => {
            Some("its auth: a program is given a token by a variable, under env".to_owned())
        }
        (Auth::Other(what), _) => Some(format!(
            "its auth ({what}): give it a header with what lets you in, or sign in with \
             coterie mcp reload {name} --sign-in"
        )),
    }
}

/// Whether the other app starts it, by whichever switch it has. What cannot be read as a
/// switch may have been meant to keep it off.
fn is_on(entry: &Map<String, Value>) -> Result<bool, String> {
    let mut on = true;
    let switches = [("disabled", false), ("enabled", true), ("isActive", true), ("active", true)];
    for (switch, when_on) in switches {
        on &= match entry.get(switch) {
            None | Some(Value::Null) => true,
            Some(Value::Bool(set)) => *set == when_on,
            Some(_) => return Err(format!("its {switch} is neither true nor false")),
        };
    }
    Ok(on)
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// What is written as one text is not taken apart: where its words end is for a shell to say.
fn list<'v>(name: &str, value: Option<&'v Value>) -> Result<&'v [Value], String> {
    match value {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(format!("its {name} is no list; write [\"one\", \"another\"]")),
    }
}

enum Placeholder<'v> {
    Variable(&'v str),
    /// The app asks for it at each start, or puts it together.
    Asked,
}

/// `${NAME}`, `${env:NAME}` and `${input:NAME}`.
fn placeholder(value: &str) -> Option<Placeholder<'_>> {
    let whole = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let variable = whole.map(|inner| inner.strip_prefix("env:").unwrap_or(inner));
    let variable = variable.filter(|name| is_name(name));
    match variable {
        Some(variable) => Some(Placeholder::Variable(variable)),
        // Also among other words, as in `Bearer ${input:token}`.
        None => value.contains("${").then_some(Placeholder::Asked),
    }
}

/// A program and its arguments in one. What is looked up by its name has no space in it; the way
/// to it may have some.
fn is_a_line(command: &str) -> bool {
    let program = command.trim().split_once(char::is_whitespace).map(|(program, _)| program);
    program.is_some_and(|program| !program.contains(['/', '\\', '$']))
}

/// Without comments and trailing commas.
fn plain(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut in_text = false;
    while let Some(letter) = rest.next() {
        if in_text {
            kept.push(letter);
            match letter {
                '\\' => kept.extend(rest.next()),
                '"' => in_text = false,
                _ => {}
            }
            continue;
        }
        match (letter, rest.peek()) {
            ('"', _) => {
                in_text = true;
                kept.push(letter);
            }
            ('/', Some('/')) => while rest.next_if(|letter| *letter != '\n').is_some() {},
            ('/', Some('*')) => {
                rest.next();
                let mut before = ' ';
                for letter in rest.by_ref() {
                    if before == '*' && letter == '/' {
                        break;
                    }
                    before = letter;
                }
            }
            (']' | '}', _) => {
                let end = kept.trim_end().trim_end_matches(',').len();
                kept.truncate(end);
                kept.push(letter);
            }
            _ => kept.push(letter),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Imported, String> {
        super::read(text, &|_| None)
    }

    #[test]
    fn the_file_of_claude_desktop_is_read_and_its_secrets_are_told_apart() {
        let imported = read(
            r#"{"mcpServers": {
                "My Files": {"command": "npx", "args": ["-y", "server-filesystem", "/srv"]},
                "my-files": {"command": "uvx", "args": ["mcp-server-time"], "disabled": true,
                    "disabledTools": ["convert_time"], "excludeTools": ["add_time"]},
                "GitHub": {"command": "docker", "args": [], "cwd": "/srv",
                    "env": {"GITHUB_TOKEN": "ghp_123", "LOG_LEVEL": "debug", "PORT": 80,
                        "OTHER_KEY": "${env:OTHER_KEY}", "PATH": "/usr/bin"}}
            }}"#,
        )
        .unwrap();
        let names: Vec<&str> = imported.servers.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["github", "my-files", "my-files-2"]);
        let [github, files, time] = &imported.servers[..] else { panic!("there are three") };
        let Place::Program { command, arguments, environment, folder } = &github.place else {
            panic!("it is a program")
        };
        assert_eq!((command.as_str(), arguments.len()), ("docker", 0));
        assert_eq!(folder.as_deref(), Some(std::path::Path::new("/srv")));
        let plain = |value: &str| Given::Plain(value.to_owned());
        let expected = [
            ("GITHUB_TOKEN", Given::Secret("mcp/github/GITHUB_TOKEN".to_owned())),
            ("LOG_LEVEL", plain("debug")),
            ("OTHER_KEY", Given::Variable("OTHER_KEY".to_owned())),
            ("PATH", plain("/usr/bin")),
            ("PORT", plain("80")),
        ];
        assert_eq!(*environment, expected.map(|(name, given)| (name.to_owned(), given)).into());
        let secrets = [("mcp/github/GITHUB_TOKEN".to_owned(), "ghp_123".to_owned())];
        assert_eq!(imported.secrets, secrets.into());
        assert!(files.on && !time.on && !files.trusted);
        assert!(time.switched_off.contains("convert_time"));
        assert!(time.switched_off.contains("add_time"));
        assert_eq!(imported.left_out, []);
    }

    #[test]
    fn the_files_of_other_apps_are_read_with_their_comments() {
        let imported = read(
            r#"{
                // as VS Code has it
                "inputs": [{"id": "key", "type": "promptString"}],
                "servers": {
                    "docs": {"type": "http", "url": "https://docs.example.org/mcp", /* all of it */
                        "headers": {"Authorization": "Bearer ${input:key}", "X-Key": "${input:key}"},},
                    "odd // name": {"command": "server", "args": ["a,]", "\"//\""]},
                },
            }"#,
        )
        .unwrap();
        let [docs, odd] = &imported.servers[..] else { panic!("there are two") };
        assert_eq!(odd.name, "odd-name");
        let Place::Program { arguments, .. } = &odd.place else { panic!("it is a program") };
        assert_eq!(arguments, &["a,]", "\"//\""]);
        assert!(
            matches!(&docs.place, Place::Address { url, headers } if url.ends_with("/mcp") && headers.len() == 2)
        );
        let missing = ["mcp/docs/Authorization", "mcp/docs/X-Key"].map(str::to_owned);
        assert_eq!(imported.missing, missing.into());
        assert!(imported.secrets.is_empty());

        let zed = r#"{"context_servers": {"git": {"command": {"path": "uvx", "args": ["mcp-server-git"], "env": {}}}}}"#;
        assert!(
            matches!(&read(zed).unwrap().servers[0].place, Place::Program { command, arguments, .. } if command == "uvx" && arguments.len() == 1)
        );
        let gemini =
            r#"{"theme": "dark", "mcpServers": {"web": {"httpUrl": "http://localhost:1/mcp"}}}"#;
        assert!(matches!(&read(gemini).unwrap().servers[0].place, Place::Address { .. }));
        let settings = r#"{"mcp": {"servers": {"one": {"command": "one"}}}}"#;
        assert_eq!(read(settings).unwrap().servers[0].name, "one");
        let bare = r#"{"time": {"command": "uvx", "args": ["mcp-server-time"]}, "web": {"url": "https://a.example/mcp"}}"#;
        let names = |text| read(text).unwrap().servers.into_iter().map(|one| one.name);
        assert_eq!(names(bare).collect::<Vec<_>>(), ["time", "web"]);
        let no_server = r#"{"time": {"command": "uvx"}, "theme": {"dark": true}}"#;
        assert_eq!(read(no_server).unwrap_err(), "there are no `mcpServers` in it");
    }

    #[test]
    fn what_claude_code_keeps_by_project_is_taken_too_and_the_same_of_several_once() {
        let imported = read(
            r#"{"projects": {
                "/home/ann/p": {"history": [], "mcpServers": {
                    "git": {"type": "stdio", "command": "uvx", "args": ["mcp-server-git"], "env": {}},
                    "own": {"command": "own", "cwd": "/srv"}, "web": {"url": "https://a.example/mcp"}}},
                "/home/ann/q": {"disabledMcpServers": ["own"], "mcpServers": {
                    "git": {"type": "stdio", "command": "uvx", "args": ["mcp-server-git"], "env": {}},
                    "own": {"command": "other"}, "bad": 3}},
                "/home/ann/r": {"mcpServers": {}}, "/home/ann/s": {"history": []}},
                "mcpServers": {"top": {"command": "top"}}}"#,
        )
        .unwrap();
        let folder = |config: &Config| match &config.place {
            Place::Program { folder, .. } => folder.as_ref().map(|one| one.display().to_string()),
            Place::Address { .. } => None,
        };
        let all: Vec<_> =
            imported.servers.iter().map(|one| (&*one.name, folder(one), one.on)).collect();
        let at = |folder: &str| Some(folder.to_owned());
        let expected = [
            ("top", None, true),
            ("git", at("/home/ann/p"), true),
            ("own", at("/srv"), true),
            ("web", None, true),
            ("own-2", at("/home/ann/q"), false),
        ];
        assert_eq!(all, expected);
        assert_eq!(imported.left_out, [("bad".to_owned(), "it is no object".to_owned())]);
        let alone = r#"{"projects": {"/p": {"mcpServers": {"git": {"command": "git"}}}}}"#;
        assert_eq!(read(alone).unwrap().servers.len(), 1);
    }

    #[test]
    fn what_lets_us_in_becomes_a_header_or_is_named() {
        let imported = read(
            r#"{"mcpServers": {
                "lobe": {"url": "https://a.example/mcp", "auth": {"type": "bearer", "token": "abc-1234"}},
                "both": {"url": "https://b.example/mcp", "auth": "abc", "headers": {"authorization": "Basic eDp5"}},
                "asks": {"url": "https://c.example/mcp", "auth": "${input:token}"},
                "cursor": {"url": "https://d.example/mcp", "auth": {"CLIENT_ID": "me", "CLIENT_SECRET": "hush-1234"}},
                "program": {"command": "x", "auth": "abc-1234"}}}"#,
        )
        .unwrap();
        assert_eq!(imported.servers.len(), 5);
        let kept = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let secrets = [
            kept("mcp/both/authorization", "Basic eDp5"),
            kept("mcp/lobe/Authorization", "Bearer abc-1234"),
        ];
        assert_eq!(imported.secrets, secrets.into());
        assert_eq!(imported.missing, ["mcp/asks/Authorization".to_owned()].into());
        let [cursor, program] = &imported.left_out[..] else { panic!("{:?}", imported.left_out) };
        assert!(
            cursor.0 == "cursor" && cursor.1.starts_with("its auth (CLIENT_ID, CLIENT_SECRET)")
        );
        assert!(program.0 == "program" && program.1.contains("under env"));
        assert!(!format!("{:?}", imported.left_out).contains("hush"));
    }

    #[test]
    fn what_jan_has_switched_off_stays_off() {
        let imported = read(
            r#"{"mcpServers": {
                "Jan Browser MCP": {"command": "npx", "args": ["search-mcp"], "env": {}, "active": false, "official": true},
                "exa": {"type": "http", "url": "https://a.example/mcp", "command": "", "args": [], "env": {}, "active": true}}}"#,
        )
        .unwrap();
        let on: Vec<bool> = imported.servers.iter().map(|server| server.on).collect();
        assert_eq!(on, [false, true]);
    }

    /// It names servers by ids, and writes down every field.
    #[test]
    fn what_cherry_studio_has_switched_off_stays_off() {
        let imported = read(
            r#"{"mcpServers": {
                "Xy12Ab": {"name": "Payments", "command": "pay", "args": [], "baseUrl": "", "isActive": false},
                "Cd34Ef": {"name": "Web", "command": "", "baseUrl": "https://a.example/mcp", "isActive": true,
                    "type": "streamableHttp"}}}"#,
        )
        .unwrap();
        let [web, payments] = &imported.servers[..] else { panic!("{imported:?}") };
        assert_eq!((web.name.as_str(), web.on), ("web", true));
        assert!(matches!(&web.place, Place::Address { .. }));
        assert_eq!((payments.name.as_str(), payments.on), ("payments", false));
        assert!(matches!(&payments.place, Place::Program { .. }));
    }

    #[test]
    fn what_cannot_be_taken_over_is_named_with_the_reason() {
        let imported = read(
            r#"{"mcpServers": {"a": 3, "b": {}, "c": {"type": "sse", "url": "https://x.org/sse"},
                "d": {"url": "file:///etc"}, "e": {"command": "x", "env": {"A": []}}, "f": {"command": "ok"},
                "g": {"command": "python3 /srv/x.py"}, "h": {"command": "/Program Files/x"}}}"#,
        )
        .unwrap();
        assert_eq!(imported.servers.len(), 2);
        let names: Vec<&str> = imported.left_out.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d", "e", "g"]);
        assert!(imported.left_out[5].1.contains("under args"));
        assert!(imported.left_out[2].1.contains("SSE"));
        assert_eq!(read("{}").unwrap_err(), "there are no `mcpServers` in it");
        assert!(read("mcpServers: {}").unwrap_err().starts_with("it is no JSON"));
    }

    #[test]
    fn nothing_of_an_unfit_form_is_dropped_in_silence() {
        let imported = read(
            r#"{"mcpServers": {
                "a": {"command": "x", "args": "--one --two"}, "b": {"command": "x", "env": ["A=1"]},
                "c": {"url": "https://x.org", "headers": "Authorization: y"}, "d": {"command": "x", "cwd": 3},
                "e": {"command": "x", "disabledTools": "write"},
                "g": {"command": "x", "disabled": "yes"}, "h": {"command": "x", "enabled": 0},
                "i": {"command": "x", "envFile": ".env"}, "j": {"command": "x", "url": "https://x.org"},
                "f": {"command": "x", "args": null, "env": null, "cwd": null, "disabledTools": null}}}"#,
        )
        .unwrap();
        let [of_args, of_env, of_headers, of_folder, of_tools, of_off, of_on, of_file, of_both] =
            &imported.left_out[..]
        else {
            panic!("{:?}", imported.left_out)
        };
        assert_eq!(of_args.1, r#"its args is no list; write ["one", "another"]"#);
        assert_eq!(of_env.1, "its env is no object");
        assert_eq!(of_headers.1, "its headers is no object");
        assert_eq!(of_folder.1, "its cwd is no text");
        assert!(of_tools.1.starts_with("its disabledTools is no list"));
        assert_eq!(of_off.1, "its disabled is neither true nor false");
        assert_eq!(of_on.1, "its enabled is neither true nor false");
        assert!(of_file.1.contains("envFile"));
        assert_eq!(of_both.1, "it says both a command and an address");
        assert_eq!(imported.servers.len(), 1);
    }
}
