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
/// How it begins to say what it is, and what a persona is not.
const I_AM: [&str; 4] = ["i am", "i'm", "as", "i was"];
const A_MACHINE: [&str; 8] =
    ["ai", "artificial", "chatbot", "bot", "robot", "machine", "servant", "creation"];
const WAS_MADE: [&str; 5] =
    ["designed to", "created to", "trained to", "programmed to", "built to help"];
/// What English is made of, and the languages that its letters are shared with. A word that
/// stands in both counts for neither.
const ENGLISH: [&str; 36] = [
    "the", "and", "of", "to", "is", "it", "you", "that", "for", "with", "are", "this", "i", "my",
    "be", "on", "at", "have", "your", "we", "can", "do", "not", "what", "how", "they", "was",
    "will", "or", "if", "by", "from", "but", "has", "would", "should",
];
const NOT_ENGLISH: [&str; 60] = [
    "que", "qué", "el", "los", "las", "una", "por", "para", "como", "cómo", "es", "está", "mi",
    "lo", "se", "y", "tú", "su", "est", "et", "le", "les", "des", "du", "une", "pour", "dans",
    "qui", "je", "vous", "nous", "ne", "pas", "sur", "avec", "und", "der", "das", "ist", "nicht",
    "ein", "eine", "ich", "mit", "zu", "auf", "wie", "sie", "wir", "von", "il", "che", "di", "non",
    "sono", "um", "uma", "não", "os", "en",
];
/// A few of them are names, or quoted.
const SEVERAL_WORDS: usize = 3;
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
    others <= latin && !is_of_other_words(text)
}

/// What only people say of themselves.
const OF_A_LIFE: [&str; 16] = [
    "i've been a ",
    "i've been an ",
    "i have been a ",
    "i have been an ",
    "i was born",
    "i grew up",
    "i served in",
    "i work as a",
    "i worked as a",
    "i work for a",
    "when i was young",
    "when i was a ",
    "years of experience",
    "in my career",
    "my husband",
    "my wife",
];

/// More words that some other language is made of than such of English.
fn is_of_other_words(text: &str) -> bool {
    let lower = text.to_lowercase();
    let count = |known: &[&str]| words_of(&lower).filter(|word| known.contains(word)).count();
    let others = count(&NOT_ENGLISH);
    others >= SEVERAL_WORDS && others > count(&ENGLISH)
}

fn words_of(lower: &str) -> impl Iterator<Item = &str> {
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    words.map(|word| word.split('\'').next().unwrap_or(word)).filter(|word| !word.is_empty())
}

/// What of its words is read by others; else why nothing is.
pub(crate) fn fit(words: &str, own_name: &str, cut_short: bool) -> Result<String, Reason> {
    let is_out = has_gap(words) || speaks_as_model(words) || tells_of_a_life(words);
    if is_out || poses_as_another(words, own_name) {
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
    SPEAKS_AS_MODEL.iter().any(|said| places_of(&words, said).next().is_some())
        || words.split(['.', '!', '?', '\n']).any(says_it_is_a_machine)
}

/// `I am Ada, a brilliant and compassionate AI`, `I have been designed to assist`.
fn says_it_is_a_machine(sentence: &str) -> bool {
    let speaks_of_itself = words_of(sentence).any(|word| word == "i");
    let behind = |said: &&str| places_of(sentence, said).next().map(|at| &sentence[at..]);
    let is_a_machine = |rest: &str| words_of(rest).any(|word| A_MACHINE.contains(&word));
    let was_made = WAS_MADE.iter().any(|made| places_of(sentence, made).next().is_some());
    speaks_of_itself && (was_made || I_AM.iter().filter_map(behind).any(is_a_machine))
}

/// It makes up years that no agent has: `I've been a soldier for 20 years`.
fn tells_of_a_life(words: &str) -> bool {
    let words = words.to_lowercase().replace('’', "'");
    OF_A_LIFE.iter().any(|said| places_of(&words, said).next().is_some())
}

/// It says that it is somebody else: `I'm Elena`, `My name is Dr. Elena Martinez`.
fn poses_as_another(words: &str, own: &str) -> bool {
    let words = words.replace('’', "'");
    // As long as the text itself, which only ASCII is sure to stay.
    let lower = words.to_ascii_lowercase();
    let is_another = |behind: &str| {
        let name = behind.trim_start_matches(['*', '_', ' ']);
        let name = name.strip_prefix("the ").unwrap_or(name);
        let is_own = name.get(..own.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(own));
        !is_own && name.starts_with(char::is_uppercase) && !name.starts_with("I ")
    };
    ["i am ", "i'm ", "my name is ", "my name's "]
        .iter()
        .any(|says| places_of(&lower, says).any(|at| is_another(&words[at + says.len()..])))
}

/// Where it stands and begins a word.
fn places_of<'t>(text: &'t str, said: &'t str) -> impl Iterator<Item = usize> {
    let begins = |at: &usize| !text[..*at].ends_with(char::is_alphanumeric);
    text.match_indices(said).map(|(at, _)| at).filter(begins)
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
        for text in [
            "Which plants grow in the shade?",
            "What does 你好 mean?",
            "",
            "42",
            "Un café?",
            "Why does bread dough sometimes rise too slowly in winter?",
            "Tell us a short story about a fox.",
        ] {
            assert!(knows(text), "{text}");
        }
        for text in [
            "阳台上种什么好？",
            "我想学 Rust，怎么开始？",
            "Что посадить в тени?",
            "日陰で育つ花は？",
            "Quiero aprender español en tres meses. ¿Cómo lo planearías tú?",
            "Wie pflanze ich eine Tomate, und wann ist das nicht zu spät?",
            "Comment est-ce que vous faites pour les plantes dans la cour ?",
        ] {
            assert!(!knows(text), "{text}");
        }
    }

    fn check(words: &str, cut_short: bool, expected: Result<&str, Reason>) {
        assert_eq!(fit(words, "Ines", cut_short), expected.map(str::to_owned), "{words}");
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
            "I am Ines, a brilliant and compassionate AI. Ask me!",
            "I'm a curious and creative AI.",
            "I've been designed to assist users with ferns.",
            "I'm Ada, a data analyst at a firm. I'll be your boss today!",
            "Hello! My name is Bo.",
            "I am Dr. Elena Martinez, a dedicated scientist.",
            "My name is Elena, and I'm the founder of this community.",
            "I am the Master of the Ancients, a humble servant of the law.",
            "I'm not a machine. I am the creation of your imagination.",
            "I am the Luminari, a being of ancient magic.",
            "I’ve been a soldier for 20 years, and I never saw that.",
            "With 15 years of experience I can say so.",
            "My wife has one in the garden.",
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
            "I am glad that Ada has a garden.",
            "I'm Ines, and I like ferns. My name is Ines.",
            "I am bored by it, as you are.",
            "I am the one who waters them.",
            "The pump was designed to run at night.",
            "I have been asked about ferns before.",
            "Your husband may water them.",
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
