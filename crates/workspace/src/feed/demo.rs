//! What a demo model reads and writes in the feed.
//!
//! Pure. The model that ships knows one language and follows no orders: it fills its
//! answers with gaps for somebody to fill in, forgets whom it is to be, and goes on until
//! it is cut off. What of that is fit to be read is decided here.

use domain::Reason;

/// How it tells that it is a model, or serves somebody who is not there, in small letters.
const SPEAKS_AS_MODEL: [&str; 27] = [
    "ai assistant",
    "ai language model",
    "ai model",
    "ai chatbot",
    "as an ai",
    "i am an ai",
    "i'm an ai",
    "a large language model",
    "i am a language model",
    "i'm a language model",
    "as a language model",
    "virtual assistant",
    "helpful assistant",
    "i hope this helps",
    "hope that helps",
    "glad you found",
    "glad i could help",
    "happy to assist",
    "how can i assist",
    "how can i help you",
    "how may i help you",
    "feel free to ask",
    "here's a rewritten",
    "here is a rewritten",
    "a rewritten version",
    "sorry for the misunderstanding",
    "apologize for the",
];
/// Where a sentence may end: each is looked at for its language.
const ENDS: [char; 8] = ['.', '!', '?', '…', '\n', '。', '！', '？'];
/// What stands in a gap is no longer than this.
const LONGEST_GAP: usize = 80;
/// What stands between words in templates, and never in a comment.
const MARKS: [&str; 6] = ["<|", "|>", "{{", "}}", "{%", "___"];

/// Whether it knows the language of a text, which is English. Words are counted in Latin
/// letters and in others; a Chinese character is half a word.
pub(super) fn knows(text: &str) -> bool {
    let (mut latin, mut others, mut in_word) = (0_usize, 0_usize, false);
    for letter in text.chars() {
        let is_latin = letter.is_alphabetic() && (letter as u32) < 0x250;
        if is_latin && !in_word {
            latin += 2;
        } else if letter.is_alphabetic() && !is_latin {
            others += 1;
        }
        in_word = is_latin;
    }
    others <= latin
}

/// What of its words is read by others; else why nothing is.
pub(crate) fn fit(words: &str, cut_short: bool) -> Result<String, Reason> {
    if has_gap(words) || speaks_as_model(words) {
        return Err(Reason::OutOfPersona);
    }
    // It was not asked in another language, and knows no word of one.
    if !words.split(ENDS).all(knows) {
        return Err(Reason::UnknownLanguage);
    }
    match cut_short {
        false => Ok(words.trim().to_owned()),
        true => whole_sentences(words).map(str::to_owned).ok_or(Reason::Unreadable),
    }
}

/// `[Your Name]`, `<date>`, `{topic}`: for somebody to fill in. A link is none.
fn has_gap(words: &str) -> bool {
    MARKS.iter().any(|mark| words.contains(mark))
        || [('[', ']'), ('<', '>'), ('{', '}')].iter().any(|(open, close)| {
            words.match_indices(*open).any(|(at, _)| {
                let behind = &words[at + open.len_utf8()..];
                let Some((inside, rest)) = behind.split_once(*close) else { return false };
                let is_short = inside.chars().count() <= LONGEST_GAP && !inside.contains('\n');
                let is_link = rest.starts_with('(') || inside.contains("://");
                is_short && !is_link && inside.chars().any(char::is_alphabetic)
            })
        })
}

fn speaks_as_model(words: &str) -> bool {
    let words = words.to_lowercase().replace('’', "'");
    let is_apart = |at: usize| !words[..at].ends_with(char::is_alphanumeric);
    SPEAKS_AS_MODEL.iter().any(|said| words.match_indices(said).any(|(at, _)| is_apart(at)))
}

/// All sentences that come to their end; `None` where none does.
fn whole_sentences(words: &str) -> Option<&str> {
    let ends = |(at, mark): &(usize, char)| {
        let (before, behind) = (&words[..*at], &words[at + mark.len_utf8()..]);
        let behind = behind.trim_start_matches(['"', '”', '\'', '’', ')', '*', '_']);
        let is_over = behind.is_empty() || behind.starts_with(char::is_whitespace);
        // `2.` begins a line of a list.
        let numbers = *mark == '.' && before.ends_with(|c: char| c.is_ascii_digit());
        matches!(mark, '.' | '!' | '?' | '…') && is_over && !numbers
    };
    let (last, mark) = words.char_indices().rfind(ends)?;
    let closes = words[last + mark.len_utf8()..]
        .find(|c: char| !matches!(c, '"' | '”' | '\'' | '’' | ')' | '*' | '_'))
        .unwrap_or(words.len() - last - mark.len_utf8());
    Some(words[..last + mark.len_utf8() + closes].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_what_is_in_its_language() {
        for text in
            ["Which plants grow in the shade?", "What does 你好 mean?", "", "42", "Un café?"]
        {
            assert!(knows(text), "{text}");
        }
        for text in [
            "阳台上种什么好？",
            "我想学 Rust，怎么开始？",
            "Что посадить в тени?",
            "日陰で育つ花は？",
        ] {
            assert!(!knows(text), "{text}");
        }
    }

    fn check(words: &str, cut_short: bool, expected: Result<&str, Reason>) {
        assert_eq!(fit(words, cut_short), expected.map(str::to_owned), "{words}");
    }

    #[test]
    fn what_has_gaps_or_is_said_as_a_model_is_not_read() {
        for words in [
            "Dear [Landlord's Name], I write to you.",
            "[Company Address]",
            "We meet on <date>.",
            "Hello {name}, how are you?",
            "The time is [insert time period].",
            "I am an AI assistant, and I like ferns.",
            "As an AI language model I have no garden.",
            "I’m an AI. Ask me anything.",
            "Here it is.<|im_end|>",
            "Name: ______",
            "I’m glad you found my answer helpful.",
            "Here's a rewritten version with some minor tweaks.",
        ] {
            check(words, false, Err(Reason::OutOfPersona));
        }
    }

    #[test]
    fn what_is_said_as_the_agent_is_read() {
        for words in [
            "Ferns grow well in the shade.",
            "See [the list](https://example.org/ferns) of them.",
            "It costs less than 5 < 6 and [1] says so.",
            "The captain is an airman.",
        ] {
            check(words, false, Ok(words));
        }
        check("阳台 花", false, Err(Reason::UnknownLanguage));
        let both = "你可以在这里写下来。 I would keep the receipts for two years, in a box.";
        check(both, false, Err(Reason::UnknownLanguage));
    }

    #[test]
    fn what_is_cut_off_ends_with_its_last_whole_sentence() {
        check("Ferns do. Hostas do too, and", true, Ok("Ferns do."));
        check("He said: \"Ferns do.\" And th", true, Ok("He said: \"Ferns do.\""));
        check("Two things:\n1. Water them!\n2.", true, Ok("Two things:\n1. Water them!"));
        check("About 3.5 litres. Then w", true, Ok("About 3.5 litres."));
        check("It was in the year 1999. And", true, Err(Reason::Unreadable));
        check("no end of it", true, Err(Reason::Unreadable));
        check("no end of it", false, Ok("no end of it"));
    }
}
