//! `${NAME}` in a program, its arguments and an address: there stands what is given
//! under that name, so that a secret which a server wants in such a place need not be
//! written down there.

use crate::sounds::{holds_secret, looks_random, password, sounds_secret};
use reqwest::Url;
use std::collections::{BTreeMap, BTreeSet};

/// Shorter ones are settings, as in `--auth none`.
const SHORTEST_SECRET: usize = 8;

/// The text with its blanks filled, and the names that were used for it. A name that
/// nothing is given for stays as it stands.
pub(crate) fn fill(text: &str, given: &[(String, String)]) -> (String, BTreeSet<String>) {
    let (mut filled, mut used) = (text.to_owned(), BTreeSet::new());
    for (name, value) in given {
        let blank = blank(name);
        if text.contains(&blank) {
            filled = filled.replace(&blank, value);
            used.insert(name.clone());
        }
    }
    (filled, used)
}

fn blank(name: &str) -> String {
    format!("${{{name}}}")
}

/// Leaves blanks where arguments hold what sounds like a secret: `--api-key=…`,
/// `--token …`, `-e API_KEY=…`, `--header "Authorization: …"`, the password of an
/// address; gives what stood there.
pub fn out_of_arguments(arguments: &mut [String]) -> BTreeMap<String, String> {
    let mut secrets = Secrets::default();
    for at in 0..arguments.len() {
        let is_behind = at > 0 && is_for_headers(&arguments[at - 1]);
        let (before, header) = match arguments[at].split_once('=') {
            Some((flag, header)) if is_for_headers(flag) => (format!("{flag}="), header),
            _ if is_behind => (String::new(), &*arguments[at]),
            Some(_) | None => continue,
        };
        if let Some(header) = secrets.out_of_header(header) {
            arguments[at] = before + &header;
        }
    }
    for at in 0..arguments.len() {
        let (flag, value) = match arguments[at].split_once('=') {
            Some((flag, value)) => (flag.to_owned(), value.to_owned()),
            None => match arguments.get(at + 1) {
                Some(value) => (arguments[at].clone(), value.clone()),
                None => continue,
            },
        };
        if !flag.starts_with('-') || !sounds_secret(&flag) || !may_be_secret(&value) {
            continue;
        }
        // Of an address only what is secret in it.
        if password(&value).is_some() {
            continue;
        }
        let blank = secrets.blank(&name_of(&flag), &value);
        match arguments[at].contains('=') {
            true => arguments[at] = format!("{flag}={blank}"),
            false => arguments[at + 1] = blank,
        }
    }
    for argument in arguments {
        // A line for a shell has many words.
        let words: Vec<String> = argument.split(' ').map(|word| secrets.out_of(word)).collect();
        *argument = words.join(" ");
    }
    secrets.0
}

/// Bridges to servers elsewhere are given them so.
fn is_for_headers(flag: &str) -> bool {
    ["--header", "--headers", "-H"].contains(&flag)
}

fn is_variable(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    !name.is_empty() && name.bytes().all(fits)
}

/// What stood in the arguments, by the names of the blanks.
#[derive(Default)]
struct Secrets(BTreeMap<String, String>);

impl Secrets {
    /// What stands there from now on.
    fn blank(&mut self, name: &str, value: &str) -> String {
        let numbered = (2..).map(|n| format!("{name}-{n}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let is_free = |name: &String| self.0.get(name).is_none_or(|known| known == value);
        let name = names.find(is_free).unwrap_or_default();
        let blank = blank(&name);
        self.0.insert(name, value.to_owned());
        blank
    }

    /// `NAME: value`, where the value may be a secret.
    fn out_of_header(&mut self, header: &str) -> Option<String> {
        let (name, value) = header.split_once(':')?;
        let (space, value) = (&value[..value.len() - value.trim_start().len()], value.trim());
        let is_secret = sounds_secret(name) || holds_secret(value);
        (is_secret && !value.is_empty() && !value.contains("${"))
            .then(|| format!("{name}:{space}{}", self.blank(&name_of(name.trim()), value)))
    }

    /// `NAME=value` of a variable, and an address with a password.
    fn out_of(&mut self, word: &str) -> String {
        // Also behind a flag, as in `--env=NAME=value`.
        let assigned = word.char_indices().filter(|(_, c)| *c == '=');
        for (at, _) in assigned {
            let (name, value) = (&word[..at], &word[at + 1..]);
            let variable = name.rsplit('=').next().unwrap_or(name);
            let is_secret = sounds_secret(variable) && password(value).is_none();
            let is_given = !value.is_empty() && !value.contains("${");
            if is_variable(variable) && is_given && (is_secret || holds_secret(value)) {
                return format!("{name}={}", self.blank(variable, value));
            }
        }
        match password(word) {
            Some(secret) => {
                let secret = secret.to_owned();
                let blank = self.blank("password", &secret);
                word.replacen(&format!(":{secret}@"), &format!(":{blank}@"), 1)
            }
            None => word.to_owned(),
        }
    }
}

/// The same of an address: its password, what its query calls a key or a token, and
/// what reads in its path or its query like a key whatever it is called.
pub fn out_of_address(address: &mut String) -> BTreeMap<String, String> {
    let mut secrets = Secrets::default();
    let Ok(url) = Url::parse(address) else { return secrets.0 };
    let mut replace = |name: &str, before: &str, value: &str| {
        let whole = format!("{before}{value}");
        if !value.is_empty() && !value.starts_with("${") && address.contains(&whole) {
            let blank = secrets.blank(name, value);
            *address = address.replacen(&whole, &format!("{before}{blank}"), 1);
        }
    };
    if let Some(password) = url.password() {
        replace("password", ":", password);
    }
    for segment in url.path().split('/').filter(|segment| looks_random(segment)) {
        replace("secret", "/", segment);
    }
    for pair in url.query().unwrap_or_default().split('&') {
        if let Some((name, value)) = pair.split_once('=')
            && (sounds_secret(name) || looks_random(value))
        {
            replace(&name_of(name), &format!("{name}="), value);
        }
    }
    secrets.0
}

/// Paths lead to secrets and are none; numbers are limits, as in `--max-tokens 4096`.
fn may_be_secret(value: &str) -> bool {
    let is_path = value.starts_with(['/', '~', '.']);
    let is_other = value.starts_with('-') || value.starts_with("${");
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    value.chars().count() >= SHORTEST_SECRET && !is_path && !is_other && !is_number
}

/// As it is called there, which variables and headers seldom are.
fn name_of(flag: &str) -> String {
    let letters = flag.trim_start_matches('-').chars().map(|letter| match letter {
        letter if letter.is_ascii_alphanumeric() || letter == '-' => letter,
        _ => '_',
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(all: &[(&str, &str)]) -> BTreeMap<String, String> {
        all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn secrets_leave_blanks_in_arguments_and_other_words_stay() {
        let check = |given: &[&str], left: &[&str], secrets: &[(&str, &str)]| {
            let mut arguments: Vec<String> = given.iter().map(|one| (*one).to_owned()).collect();
            assert_eq!(out_of_arguments(&mut arguments), pairs(secrets), "{given:?}");
            assert_eq!(arguments, left);
        };
        check(
            &["-y", "server", "--api-key=abc-1234-5678", "--token", "xyz-1234-5678"],
            &["-y", "server", "--api-key=${api-key}", "--token", "${token}"],
            &[("api-key", "abc-1234-5678"), ("token", "xyz-1234-5678")],
        );
        for stays in [
            ["--token", "${TOKEN}"],
            ["--auth", "none"],
            ["--key-file", "./own/key.pem"],
            ["--max-tokens", "100000000"],
            ["--token", "--verbose-output"],
            ["--root", "abc-1234-5678"],
            ["key=abc-1234-5678", "x"],
            ["postgresql://bob@127.0.0.1/mydb", "LOG_LEVEL=debug"],
        ] {
            check(&stays, &stays, &[]);
        }
        check(
            &["server-postgres", "postgresql://bob:sesame@127.0.0.1/mydb"],
            &["server-postgres", "postgresql://bob:${password}@127.0.0.1/mydb"],
            &[("password", "sesame")],
        );
        check(
            &["--connectionString", "mongodb+srv://bob:pw1@c.example", "redis://:pw2@localhost"],
            &[
                "--connectionString",
                "mongodb+srv://bob:${password}@c.example",
                "redis://:${password-2}@localhost",
            ],
            &[("password", "pw1"), ("password-2", "pw2")],
        );
        check(
            &["run", "-e", "NOTION_TOKEN=abc", "--env=MYSQL_PWD=hush", "-e", "LEVEL=info"],
            &[
                "run",
                "-e",
                "NOTION_TOKEN=${NOTION_TOKEN}",
                "--env=MYSQL_PWD=${MYSQL_PWD}",
                "-e",
                "LEVEL=info",
            ],
            &[("MYSQL_PWD", "hush"), ("NOTION_TOKEN", "abc")],
        );
        check(
            &["mcp-remote", "--header", "Authorization: Bearer abcDEFghi", "--transport", "http"],
            &["mcp-remote", "--header", "Authorization: ${Authorization}", "--transport", "http"],
            &[("Authorization", "Bearer abcDEFghi")],
        );
        check(
            &["-H", "X-Api-Key:abc", "--header=Cookie: a=b", "-H", "Accept: text/plain"],
            &[
                "-H",
                "X-Api-Key:${X-Api-Key}",
                "--header=Cookie: ${Cookie}",
                "-H",
                "Accept: text/plain",
            ],
            &[("Cookie", "a=b"), ("X-Api-Key", "abc")],
        );
        for stays in [["--header", "Authorization:${AUTH}"], ["--header", "nonsense"]] {
            check(&stays, &stays, &[]);
        }
        check(
            &["-c", "API_TOKEN=abc exec server"],
            &["-c", "API_TOKEN=${API_TOKEN} exec server"],
            &[("API_TOKEN", "abc")],
        );
    }

    #[test]
    fn secrets_leave_blanks_in_an_address() {
        let check = |given: &str, left: &str, secrets: &[(&str, &str)]| {
            let mut address = given.to_owned();
            assert_eq!(out_of_address(&mut address), pairs(secrets), "{given}");
            assert_eq!(address, left);
        };
        check(
            "https://mcp.example/mcp/?apiKey=abc%2B1&page=2",
            "https://mcp.example/mcp/?apiKey=${apiKey}&page=2",
            &[("apiKey", "abc%2B1")],
        );
        check(
            "https://kim:sesame@mcp.example/",
            "https://kim:${password}@mcp.example/",
            &[("password", "sesame")],
        );
        check(
            "https://mcp.example/api/s/NTk0ZDgzYjAtY2Q5YS00/mcp?session=9f86d081884c7d659a2f",
            "https://mcp.example/api/s/${secret}/mcp?session=${session}",
            &[("secret", "NTk0ZDgzYjAtY2Q5YS00"), ("session", "9f86d081884c7d659a2f")],
        );
        check("https://mcp.example/?page=2", "https://mcp.example/?page=2", &[]);
        check("https://mcp.example/?token=${TOKEN}", "https://mcp.example/?token=${TOKEN}", &[]);
        check("no address", "no address", &[]);
    }

    #[test]
    fn a_blank_is_filled_with_what_is_given_for_it() {
        let given = [("KEY".to_owned(), "k$1".to_owned()), ("OTHER".to_owned(), "o".to_owned())];
        let (filled, used) = fill("--key=${KEY} ${HOME} ${KEY}", &given);
        assert_eq!((filled.as_str(), used.len()), ("--key=k$1 ${HOME} k$1", 1));
    }
}
