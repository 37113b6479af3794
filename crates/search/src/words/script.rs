//! Which characters make words together.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// Words stand apart: Latin, Cyrillic, digits.
    Spaced,
    /// Words stand together: Chinese, Japanese, Korean, Thai and its neighbours.
    Dense,
    /// No part of a word.
    None,
}

impl Script {
    pub(super) fn of(c: char) -> Script {
        match c {
            '\u{0e00}'..='\u{0eff}' // Thai, Lao
            | '\u{1000}'..='\u{109f}' // Burmese
            | '\u{1780}'..='\u{17ff}' // Khmer
            | '\u{3005}'..='\u{3007}' // 々〆〇
            | '\u{3040}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' // kana, without the dot between names
            | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' // Chinese characters
            | '\u{ac00}'..='\u{d7af}' => Script::Dense,
            _ if c.is_alphanumeric() || is_mark(c) => Script::Spaced,
            _ => Script::None,
        }
    }
}

/// Marks that combine with the letter before them, as in Hindi or Arabic.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036f}' | '\u{0591}'..='\u{05c7}' | '\u{064b}'..='\u{065f}'
        | '\u{0900}'..='\u{0903}' | '\u{093a}'..='\u{094f}' | '\u{0981}'..='\u{0983}' | '\u{09bc}'..='\u{09cd}'
        | '\u{0b82}' | '\u{0bbe}'..='\u{0bcd}')
}

pub(super) fn is_accented_latin(c: char) -> bool {
    matches!(c, '\u{00c0}'..='\u{024f}' | '\u{1e00}'..='\u{1eff}')
}

/// How letters are written that are no other letter with an accent, where a keyboard
/// lacks them.
pub(super) fn written_plainly(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'ẞ' => "SS",
        'æ' => "ae",
        'Æ' => "Ae",
        'œ' => "oe",
        'Œ' => "Oe",
        'ø' => "o",
        'Ø' => "O",
        'ł' => "l",
        'Ł' => "L",
        'đ' | 'ð' => "d",
        'Đ' | 'Ð' => "D",
        'þ' => "th",
        'Þ' => "Th",
        'ħ' => "h",
        'Ħ' => "H",
        'ı' => "i",
        _ => return None,
    })
}

/// Characters of one script that stand together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Run {
    Spaced(String),
    Dense(Vec<char>),
}

pub(super) fn runs(text: &str) -> Vec<Run> {
    let characters: Vec<char> = text.chars().collect();
    placed(&characters).into_iter().map(|(_, run)| run).collect()
}

/// The same, each with the place of its first character.
pub(super) fn placed(text: &[char]) -> Vec<(usize, Run)> {
    let mut runs: Vec<(usize, Run)> = Vec::new();
    let mut before = Script::None;
    for (at, &c) in text.iter().enumerate() {
        let script = Script::of(c);
        match (script, runs.last_mut()) {
            (Script::None, Some((_, Run::Spaced(word)))) if before == Script::Spaced => {
                word.push_str(signs_of(word, &text[at..]));
            }
            (Script::None, _) => {}
            (Script::Spaced, Some((_, Run::Spaced(word)))) if before == script => word.push(c),
            (Script::Spaced, _) => runs.push((at, Run::Spaced(c.to_string()))),
            (Script::Dense, Some((_, Run::Dense(characters)))) if before == script => {
                characters.push(c);
            }
            (Script::Dense, _) => runs.push((at, Run::Dense(vec![c]))),
        }
        before = script;
    }
    runs
}

/// What ends in signs and would be another word without them.
const SIGNED: [(&str, &str); 7] =
    [("c", "++"), ("c", "#"), ("f", "#"), ("g", "++"), ("j", "#"), ("notepad", "++"), ("q", "#")];

/// The signs after a word that are a part of it, as in `C++` and `C#`.
fn signs_of(word: &str, after: &[char]) -> &'static str {
    let is_it = |(name, signs): &&(&str, &str)| {
        let mut rest = after.iter().copied();
        let stand = signs.chars().all(|sign| rest.next() == Some(sign));
        // `c#3` is a place, `C++17` the language.
        let ends = *signs == "++" || rest.next().is_none_or(|c| Script::of(c) == Script::None);
        stand && ends && word.eq_ignore_ascii_case(name)
    };
    SIGNED.iter().find(is_it).map_or("", |(_, signs)| signs)
}

/// The parts of a name in code: `parseHTTPRequest2` gives `parse`, `HTTP`, `Request2`.
pub(super) fn humps(word: &str) -> Vec<&str> {
    let letters: Vec<(usize, char)> = word.char_indices().collect();
    let mut starts = vec![0];
    for at in 1..letters.len() {
        let (before, here) = (letters[at - 1].1, letters[at].1);
        let after = letters.get(at + 1).map(|(_, c)| *c);
        let after_small = before.is_lowercase() && here.is_uppercase();
        let last_of_capitals =
            before.is_uppercase() && here.is_uppercase() && after.is_some_and(char::is_lowercase);
        if after_small || last_of_capitals {
            starts.push(letters[at].0);
        }
    }
    starts.push(word.len());
    starts.windows(2).map(|ends| &word[ends[0]..ends[1]]).collect()
}
