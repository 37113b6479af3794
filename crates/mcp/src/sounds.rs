//! What is better kept with the keys: by its name, or by what it says.

use reqwest::Url;

/// In a name, wherever it stands there.
const SOUNDS: [&str; 7] = ["KEY", "TOKEN", "SECRET", "PASS", "AUTH", "CRED", "COOKIE"];
/// As a whole word of a name. An address of a database has its password within.
const WORDS: [&str; 8] = ["BEARER", "DSN", "JWT", "PAT", "PWD", "SAS", "URI", "URL"];
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
pub fn sounds_secret(name: &str) -> bool {
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

/// Whether a value itself looks like a secret, or has one in it, whatever it is called.
pub fn holds_secret(value: &str) -> bool {
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
