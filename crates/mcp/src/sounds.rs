//! What is better kept with the keys: by its name, or by what it says.

use reqwest::Url;

/// In a name, wherever it stands there.
const SOUNDS: [&str; 8] = ["KEY", "TOKEN", "SECRET", "PASS", "AUTH", "CRED", "COOKIE", "WEBHOOK"];
/// As a whole word of a name. An address of a database has its password within.
const WORDS: [&str; 8] = ["BEARER", "DSN", "JWT", "PAT", "PWD", "SAS", "URI", "URL"];
/// As the last word of a name: how it is set, and not whom it lets in.
const SETTINGS: [&str; 39] = [
    "DEBUG",
    "DIR",
    "DIRECTORY",
    "DISPLAY",
    "ENCODING",
    "ENV",
    "ENVIRONMENT",
    "FILE",
    "FOLDER",
    "FORMAT",
    "HOME",
    "HOST",
    "HOSTNAME",
    "INTERVAL",
    "LANG",
    "LANGUAGE",
    "LEVEL",
    "LIMIT",
    "LOCALE",
    "MODE",
    "MODEL",
    "PATH",
    "PORT",
    "PROFILE",
    "REGION",
    "RETRIES",
    "ROOT",
    "SHELL",
    "SIZE",
    "TERM",
    "TIMEOUT",
    "TIMEZONE",
    "TMPDIR",
    "TRANSPORT",
    "TZ",
    "USER",
    "USERNAME",
    "VERSION",
    "ZONE",
];
/// What settings say, in small letters.
const SAID: [&str; 22] = [
    "all",
    "auto",
    "debug",
    "default",
    "dev",
    "development",
    "disabled",
    "enabled",
    "error",
    "false",
    "info",
    "localhost",
    "no",
    "none",
    "off",
    "on",
    "production",
    "test",
    "trace",
    "true",
    "warn",
    "yes",
];
/// Where many services' keys begin.
const BEGIN: [&str; 16] = [
    "sk-",
    "sk_",
    "rk_",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "hf_",
    "gsk_",
    "ntn_",
    "secret_",
    "eyJ",
    "Bearer ",
];
/// In what connects to a database, before its secret.
const FIELDS: [&str; 6] =
    ["password=", "pwd=", "accountkey=", "sharedaccesskey=", "sig=", "access_token="];
/// Shorter ones are words.
const SHORTEST_KEY: usize = 16;
/// Between letters and digits, small and large. A name with a version and a date has fewer.
const FEWEST_TURNS: usize = 6;

/// Whether what a variable of this name holds is better kept with the keys.
pub(crate) fn sounds_secret(name: &str) -> bool {
    // The folder that a program is started in.
    if name == "PWD" || name == "OLDPWD" {
        return false;
    }
    let name = name.to_ascii_uppercase();
    let words: Vec<&str> = name.split(['_', '-', '.']).collect();
    SOUNDS.iter().any(|sound| name.contains(sound))
        || words.iter().any(|word| WORDS.contains(word))
        || words.concat().contains("CONNECTIONSTRING")
}

/// Whether this is plainly a setting, which anybody may read: by its name, or because it
/// says no more than a level, a number, a path, an address. Everything else may be a
/// secret, for nobody knows what services call theirs.
pub fn is_setting(name: &str, value: &str) -> bool {
    let value = value.trim();
    if value.is_empty() {
        return true;
    }
    let mut pieces = value.split(|c: char| "/\\:;,?&= ".contains(c));
    if sounds_secret(name) || holds_secret(value) || pieces.any(looks_random) {
        return false;
    }
    let name = name.to_ascii_uppercase();
    let last = name.rsplit(['_', '-', '.']).next().unwrap_or_default();
    SETTINGS.contains(&last)
        || last == "PWD"
        || SAID.contains(&value.to_ascii_lowercase().as_str())
        || is_number(value)
        || is_locale(value)
        || is_path(value)
        || is_plain_address(value)
}

/// Also a time with its unit, a version, and the address of a machine.
fn is_number(value: &str) -> bool {
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    value.len() - digits.len() <= 2
        && digits.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && digits.bytes().all(|byte| byte.is_ascii_digit() || b".:-".contains(&byte))
}

/// `en`, `en-GB`, `en_US.UTF-8`.
fn is_locale(value: &str) -> bool {
    let (place, encoding) = value.split_once('.').unwrap_or((value, "UTF-8"));
    let (language, country) = place.split_once(['_', '-']).unwrap_or((place, "GB"));
    (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_lowercase())
        && country.len() == 2
        && country.bytes().all(|byte| byte.is_ascii_uppercase())
        && encoding.eq_ignore_ascii_case("UTF-8")
}

fn is_path(value: &str) -> bool {
    let drive = value.as_bytes().get(1..3) == Some(br":\");
    drive || ["/", "./", "../", "~/"].iter().any(|begin| value.starts_with(begin))
}

/// One that lets nobody in who only knows it.
fn is_plain_address(value: &str) -> bool {
    let Ok(url) = Url::parse(value) else { return false };
    let segments = || url.path().split('/');
    let changes = |segment: &str| {
        let is_large = |letter: u8| letter.is_ascii_uppercase();
        segment.as_bytes().windows(2).filter(|two| is_large(two[0]) != is_large(two[1])).count()
    };
    value.contains("://")
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && segments().all(|one| one.len() < SHORTEST_KEY || changes(one) < FEWEST_TURNS)
}

/// Whether a value itself looks like a secret, or has one in it, whatever it is called.
pub(crate) fn holds_secret(value: &str) -> bool {
    let value = value.trim();
    if value.contains("${") {
        return false;
    }
    let begins = |begin: &&str| value.starts_with(*begin) && value.len() >= SHORTEST_KEY;
    if BEGIN.iter().any(begins) || password(value).is_some() {
        return true;
    }
    let lower = value.to_ascii_lowercase();
    let mut parts = lower.split([';', '&', '?', ' ']);
    parts.any(|part| FIELDS.iter().any(|field| part.len() > field.len() && part.starts_with(field)))
}

/// Whether a piece of an address reads like what nobody is to guess: long, and letters
/// and digits by turns more often than in words, versions and dates.
pub(crate) fn looks_random(piece: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~=%".contains(&byte);
    let kind = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let kinds: Vec<_> = piece.bytes().filter(u8::is_ascii_alphanumeric).map(kind).collect();
    let turns = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    piece.len() >= SHORTEST_KEY
        && piece.bytes().all(fits)
        && piece.bytes().any(|byte| byte.is_ascii_digit())
        && turns >= FEWEST_TURNS
}

/// The password in an address, as it is written there.
pub(crate) fn password(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    Url::parse(address).ok().filter(|url| url.password().is_some())?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    let (_, password) = user.split_once(':')?;
    Some(password).filter(|password| !password.is_empty() && !password.starts_with("${"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_sound_like_secrets_are_told_from_settings() {
        for secret in [
            "API_KEY",
            "github-token",
            "MONGODB_URI",
            "SENTRY_DSN",
            "MYSQL_PWD",
            "CREDS",
            "JWT",
            "MDB_MCP_CONNECTION_STRING",
            "AZURE_SAS",
            "DATABASE_URL",
            "BEARER",
            "--api-key",
        ] {
            assert!(sounds_secret(secret), "{secret}");
        }
        for setting in ["PWD", "PATH", "LOG_LEVEL", "PATTERN", "HOME", "PORT", "CURL"] {
            assert!(!sounds_secret(setting), "{setting}");
        }
    }

    #[test]
    fn only_what_is_plainly_a_setting_is_one() {
        for (name, value) in [
            ("LEVEL", "debug"),
            ("PORT", "80"),
            ("PATH", "/usr/bin:/home/ann/.local/bin"),
            ("NODE_ENV", "production"),
            ("AWS_REGION", "us-east-1"),
            ("PGHOST", "127.0.0.1:5432"),
            ("LC_ALL", "en_US.UTF-8"),
            ("MEMORY", "C:\\Users\\kim\\memory.json"),
            ("WAIT", "30s"),
            ("VERBOSE", "true"),
            ("SERVER", "https://wiki.example.org/api/v2/collections"),
            ("DB_USER", "kim"),
            ("EMPTY", ""),
        ] {
            assert!(is_setting(name, value), "{name}={value}");
        }
        for (name, value) in [
            ("SLACK_WEBHOOK", "https://hooks.slack.com/services/T01/B02/short"),
            ("SLACK", "https://hooks.slack.com/services/T01A/B02G/qWeRtYuIoPaSdFgHjKlZxCvB"),
            ("PINECONE_API", "pcsk_6NqgDt_Ab3xKz9Lm2Qw7Er4Ty6Ui8Op0As"),
            ("SMTP_PW", "hunter2hunter2"),
            ("SMTP_PW", "hunter"),
            ("OPENAPI_MCP_HEADERS", "{\"Authorization\": \"Bearer ntn_5301AbCdEfGh\"}"),
            ("SERVER", "https://kim@wiki.example.org/"),
            ("SERVER", "https://wiki.example.org/?session=1"),
            ("HOST", "postgresql://bob:pw@127.0.0.1/mydb"),
            ("ROOT", "9f86d081884c7d659a2feaa0c55ad015"),
        ] {
            assert!(!is_setting(name, value), "{name}={value}");
        }
    }

    #[test]
    fn what_nobody_is_to_guess_is_told_from_names() {
        for random in [
            "NTk0ZDgzYjAtY2Q5YS00OTdlLWE2YjgtZmZmZmZm",
            "9f86d081884c7d659a2feaa0c55ad015",
            "6fa459ea-ee8a-3ca4-894e-db77e160355e",
            "s1mple0neThatMix3s",
        ] {
            assert!(looks_random(random), "{random}");
        }
        for name in [
            "mcp",
            "v1",
            "model-context-protocol-server",
            "2026-07-28-and-2025-11-25",
            "my-server-v2-2026-11-25-beta1",
            "ModelContextProtocolServer",
            "${secret}",
        ] {
            assert!(!looks_random(name), "{name}");
        }
    }

    #[test]
    fn values_that_are_or_hold_secrets_are_told_from_others() {
        for secret in [
            "postgresql://bob:pw@127.0.0.1/mydb",
            "mongodb+srv://bob:p%40w@cluster.example",
            "Server=db;User=sa;Password=hush",
            "sk-proj-0123456789abcdef",
            "Bearer 0123456789abcdef",
            "https://blob.example/x?sv=1&sig=abc",
        ] {
            assert!(holds_secret(secret), "{secret}");
        }
        for other in [
            "",
            "info",
            "https://example.org/a:b@c",
            "postgresql://bob@127.0.0.1/mydb",
            "sk-short",
            "postgresql://bob:${PW}@host/db",
            "C:\\Users",
            "a sentence about a password=",
        ] {
            assert!(!holds_secret(other), "{other}");
        }
    }
}
