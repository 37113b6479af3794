//! Whether a field sounds as if a secret were to be entered, by its words alone.
//! Nothing is forbidden by that: the person is warned. Pure.

/// Each of the texts is a name, a title or a sentence.
pub(crate) fn sounds_secret<'t>(texts: impl IntoIterator<Item = &'t str>) -> bool {
    texts.into_iter().any(one_does)
}

fn one_does(text: &str) -> bool {
    const WORDS: [&str; 14] = [
        "password",
        "passwords",
        "passwd",
        "passphrase",
        "passcode",
        "secret",
        "secrets",
        "token",
        "apikey",
        "credential",
        "credentials",
        "pin",
        "cvv",
        "otp",
    ];
    const TOGETHER: [(&str, &str); 7] = [
        ("api", "key"),
        ("access", "key"),
        ("private", "key"),
        ("secret", "key"),
        ("card", "number"),
        ("security", "code"),
        ("recovery", "code"),
    ];
    const CHINESE: [&str; 7] = ["密码", "口令", "密钥", "令牌", "验证码", "私钥", "卡号"];
    if CHINESE.iter().any(|word| text.contains(word)) {
        return true;
    }
    let words = words(text);
    words.iter().any(|word| WORDS.contains(&word.as_str()))
        || words
            .windows(2)
            .any(|pair| TOGETHER.iter().any(|(one, other)| pair[0] == *one && pair[1] == *other))
}

/// `apiKey`, `api_key` and "API key" are the same two.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut before) = (vec![String::new()], ' ');
    for letter in text.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && before.is_lowercase()) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_asks_for_a_secret_sounds_like_it() {
        let secret = [
            "password",
            "apiKey",
            "API key",
            "access_key",
            "accessToken",
            "PIN",
            "Your PIN code",
            "Enter the passphrase of the disk.",
            "你的密码",
            "短信验证码",
            "card-number",
        ];
        for text in secret {
            assert!(sounds_secret([text]), "{text}");
        }
        let plain = [
            "name",
            "author",
            "monkey",
            "spinner",
            "key",
            "passenger",
            "Which path?",
            "number",
            "tokens",
            "城市",
            "shopping",
        ];
        for text in plain {
            assert!(!sounds_secret([text]), "{text}");
        }
        assert!(sounds_secret(["value", "Password"]) && !sounds_secret([]));
    }
}
