//! Secrets that are told by what they are called: `DB_PASSWORD=…`, `"token": "…"`, and the
//! password in an address.
//!
//! In one file a person's password stands behind `password`, in the next the name of a
//! type or a call that gives one. So the value is looked at too, the harder the less the
//! place around it says: a name in capitals with a value at once behind it is a line of
//! an environment file, and a text in quotes is no name.

use super::{Find, random};

/// What such a field is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// What it holds a person may have chosen.
    Password,
    /// A machine has drawn it.
    Key,
}

/// A shorter one says nothing.
pub(super) const LEAST: usize = 8;
/// So often it changes between letters and digits, and words do not.
const LEAST_CHANGES: usize = 3;
/// A shorter one of an address is part of too many words.
const LEAST_IN_ADDRESS: usize = 4;
/// A longer name and password stand in no address.
const MOST_IN_ADDRESS: usize = 256;

/// What stands there without a break.
pub(super) fn length(text: &[u8]) -> usize {
    let goes_on = |byte: &&u8| byte.is_ascii_graphic() && !b"\"'`\\,;&|<>".contains(byte);
    text.iter().take_while(goes_on).count()
}

/// Whether a field of this name, with this between it and its value, holds a secret.
pub(super) fn is_secret(named: Named, name: &[u8], between: &[u8], value: &[u8]) -> bool {
    let is_quoted = matches!(between, [.., b'"' | b'\'']);
    let has_letter = value.iter().any(u8::is_ascii_alphabetic);
    if !has_letter || is_placeholder(value) || (!is_quoted && is_program(value)) {
        return false;
    }
    let has_digit = value.iter().any(u8::is_ascii_digit);
    let has_sign = value.iter().any(|byte| b"!@#$%^*+=?~".contains(byte));
    // As an assignment in a program.
    let is_spaced = between.contains(&b' ') && between.contains(&b'=');
    let is_loud = !name.iter().any(u8::is_ascii_lowercase) && !is_spaced && !is_constant(value);
    let changes = random::changes_in_parts(value);
    match (named, is_quoted) {
        (Named::Password, true) => has_digit || has_sign,
        _ if is_loud => has_digit || has_sign,
        (Named::Password, false) if !is_spaced => changes >= LEAST_CHANGES || has_digit && has_sign,
        (Named::Key, true) => changes >= LEAST_CHANGES || random::is_key(value),
        (Named::Password | Named::Key, false) => random::is_key(value),
    }
}

/// What people write where a secret is to stand.
fn is_placeholder(value: &[u8]) -> bool {
    const WORDS: [&str; 16] = [
        "changeme",
        "change_me",
        "change-me",
        "changethis",
        "change_this",
        "change-this",
        "your",
        "example",
        "placeholder",
        "xxx",
        "redacted",
        "dummy",
        "replace",
        "insert",
        "***",
        "...",
    ];
    let said = String::from_utf8_lossy(value).to_ascii_lowercase();
    let is_filled_in = match value {
        // A hash begins with the number of its kind.
        [b'$', next, ..] => !next.is_ascii_digit(),
        [b'%', .., b'%'] | [b'[' | b'{', ..] => true,
        _ => said.contains("${") || said.contains("{{"),
    };
    let is_path = said.starts_with(['/', '~', '.']) || said.contains(":\\");
    let is_word = is_path || WORDS.iter().any(|word| said.contains(word));
    is_filled_in
        || said.contains("://")
        || (is_word && !random::is_key(value))
        || (is_path && said.matches('/').count() > 2)
}

/// A call, a part of something, a member of a list: what a program has in this place.
fn is_program(value: &[u8]) -> bool {
    let word = value.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
    let is_small = word.clone().all(|byte| byte.is_ascii_lowercase() || *byte == b'_');
    let word = word.count();
    value.iter().any(|byte| b"([{".contains(byte))
        || (is_small && word > 0 && value.get(word) == Some(&b'.'))
}

/// `LIMIT_2048`.
fn is_constant(value: &[u8]) -> bool {
    let fits = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    value.contains(&b'_') && value.iter().all(fits) && value[0].is_ascii_uppercase()
}

/// The password in an address whose `://` ends at `from`.
pub(super) fn in_address(text: &[u8], from: usize) -> Option<Find> {
    let length = authority(&text[from..]);
    let authority = &text[from..from + length];
    let at = authority.iter().rposition(|byte| *byte == b'@')?;
    let colon = authority[..at].iter().position(|byte| *byte == b':')?;
    let password = &authority[colon + 1..at];
    let range = from + colon + 1..from + at;
    (password.len() >= LEAST_IN_ADDRESS && !is_made_up(password)).then(|| Find {
        range,
        name: None,
        is_open: from + length == text.len(),
    })
}

/// Whether the name and password of an address may go on behind the text.
pub(super) fn may_grow_in_address(text: &[u8], from: usize) -> bool {
    let length = authority(&text[from..]);
    from + length == text.len() && length <= MOST_IN_ADDRESS
}

fn authority(text: &[u8]) -> usize {
    let goes_on = |byte: &&u8| byte.is_ascii_graphic() && !b"\"'`\\/<>?#".contains(byte);
    text.iter().take(MOST_IN_ADDRESS + 1).take_while(goes_on).count()
}

/// As examples have it.
fn is_made_up(password: &[u8]) -> bool {
    const WORDS: [&str; 8] =
        ["pass", "password", "passwd", "secret", "token", "user", "pwd", "your_password"];
    let said = String::from_utf8_lossy(password).to_ascii_lowercase();
    WORDS.contains(&said.as_str()) || said.contains(['{', '$', '*']) || is_placeholder(password)
}

#[cfg(test)]
mod tests {
    use crate::Redactor;
    use std::borrow::Cow;

    #[test]
    fn what_is_called_a_secret_is_taken_out() {
        for (before, secret, after) in [
            ("AWS_SECRET_ACCESS_KEY=", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ8tR2KEYa", "\nA=b"),
            ("DATABASE_URL=postgres://admin:", "S3cr3tPassw0rd99", "@db.example.com/prod"),
            ("redis://:", "hunter2hunter2", "@localhost:6379/0"),
            ("see amqp://kim:", "p%40ssw0rd", "@mq.example.com, please"),
            ("PASSWORD=", "Xk9qTz72LmWv", ""),
            ("export DB_PASSWORD=\"", "Summer2026", "\""),
            ("SECRET_KEY=", "django-insecure-8f7s6d5f4s3d2f1g0h9j8k7l6", "\n"),
            ("token: ", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "\n"),
            (
                "SENDGRID=",
                "SG.aB3dEfGh1jKlMn0pQrStUv.AB1DEFGH2JKLMN0PQRSTUVWXYZabcdefghijklmnopq",
                "",
            ),
            ("STRIPE_TEST=", "sk_test_51H8aBcDeFgHiJkLmNoPqRsTu", ""),
            ("key: ", "whsec_5Kb8Kp2Qv9Xw3Zt7Rm1Ys4Nd6Fg0Hj", ""),
            ("DO=", "dop_v1_a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90", ""),
            ("TELEGRAM=123456789:AA", "HdqTcvCH1vGWJxfSeofSAs0K5PALDsaw9", ""),
            (
                "https://discord.com/api/webhooks/",
                "123456789012345678/AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIj",
                "",
            ),
            ("AccountName=x;AccountKey=", "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zg==", ";Suffix=y"),
            ("{\"user\": \"kim\", \"password\": \"", "Summer2026", "\"}"),
            ("{\\\"password\\\": \\\"", "Summer2026", "\\\"}"),
            ("password: '", "correct#horse", "'"),
            ("password: ", "hunter2hunter2", "\n"),
            ("{\"refreshToken\":\"", "abc123def456", "\"}"),
            ("MYSQL_PWD=", "aB3$kk-99x", ""),
            ("JWT_SECRET: ", "a1b2-c3d4-e5f6", "\n"),
            ("GITHUB_TOKEN=", "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", ""),
        ] {
            let clean =
                Redactor::default().redact(&format!("{before}{secret}{after}")).into_owned();
            assert_eq!(clean, format!("{before}[redacted]{after}"));
        }
    }

    #[test]
    fn what_a_program_or_a_person_says_of_secrets_is_left_alone() {
        for text in [
            "struct Account { password: String, token: Option<String>, secret: Base64String }",
            "let token = get_token(); let api_key = env(\"API_KEY\");",
            "token = self.token_v2; secret = config.secret2.value; password = request.form['password']",
            "password = os.environ[\"DB_PASSWORD\"], api_key=os.getenv('API_KEY')",
            "const TOKEN_LIMIT: usize = 2048; END_TOKEN = LIMIT_2048; max_tokens: 1000",
            "the password is wrong; a new password: please choose one; token: expired",
            "PASSWORD=changeme SECRET_KEY=change-me-please-1 API_KEY=your-api-key-here-1",
            "DB_PASSWORD=${DB_PASSWORD} TOKEN=$GITHUB_TOKEN_2 PASSWORD=%DB_PASSWORD_1%",
            "token: ${{ secrets.GITHUB_TOKEN }}, password: {{ vault_password_1 }}",
            "PASSWORD=xxxxxxxx1 TOKEN=<token-1> SECRET=***********",
            "password: true, \"password\": null, \"token\": \"refresh\", passwd: [REDACTED-1]",
            "PWD=/home/ann/project2/src OLDPWD=/srv/data2/x",
            "postgres://user:password@localhost/db postgres://user:${PASSWORD}@db/x http://h:8080/a@b",
            "secretName: my-app-v2-tls, tokenizer: bert-base-v2, password_hash: none",
            "TOKEN_URL=https://example.org/oauth2/token2, SECRET_FILE=/run/secrets/db2",
            "\"token\": \"access_token_v2\", secret: my-app-secret-v2",
            "AKIA and sk_test_ and SG. alone, whsec_ too",
        ] {
            assert!(matches!(Redactor::default().redact(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn a_stream_takes_the_same_out_wherever_it_is_cut() {
        let text = "A=b\nDB_PASSWORD=Xk9qTz72LmWv\nu: postgres://kim:hunter2hunter2@db/x token = get_token()";
        let whole = Redactor::default().redact(text).into_owned();
        assert!(whole.contains("PASSWORD=[redacted]\n") && whole.contains("kim:[redacted]@db"));
        for at in 0..=text.len() {
            let mut stream = Redactor::default().stream();
            let shown = stream.push(&text[..at]) + &stream.push(&text[at..]);
            assert_eq!(shown + &stream.finish(), whole, "cut at {at}");
        }
    }
}
