//! The part of a text that shows what was found in it.

use domain::Piece;
use search::words::places;
use std::ops::Range;

/// How much of a text is shown, in characters.
const LENGTH: usize = 160;
/// How much of it stands before the first place.
const BEFORE: usize = 40;
/// How far a cut may move to where a word begins.
const SLACK: usize = 16;

const LEFT_OUT: &str = "…";

/// Of several texts of one thing the one that most of the words stand in.
pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t str>, query: &str) -> Vec<Piece> {
    let found = texts.into_iter().map(|text| (text, places(text, query, true)));
    // The first of those with as many.
    let best = found.reduce(|best, next| if next.1.len() > best.1.len() { next } else { best });
    best.map(|(text, places)| cut(text, &places)).unwrap_or_default()
}

fn cut(text: &str, places: &[Range<usize>]) -> Vec<Piece> {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let byte = |character: usize| starts.get(character).copied().unwrap_or(text.len());
    let first = begin(text, places, &starts);
    let last = (first + LENGTH).min(starts.len());
    let last = word_end(text, &starts, last);
    let (from, to) = (byte(first), byte(last));

    let mut pieces = Pieces::default();
    if first > 0 {
        pieces.put(LEFT_OUT, false);
    }
    let mut at = from;
    for place in places.iter().filter(|place| place.start >= from && place.start < to) {
        let end = place.end.min(to);
        pieces.put(&text[at..place.start], false);
        pieces.put(&text[place.start..end], true);
        at = end;
    }
    pieces.put(&text[at..to], false);
    if last < starts.len() {
        pieces.put(LEFT_OUT, false);
    }
    pieces.whole
}

/// The character it begins with: such that most of the places are shown.
fn begin(text: &str, places: &[Range<usize>], starts: &[usize]) -> usize {
    let character = |byte: usize| starts.partition_point(|start| *start < byte);
    let at: Vec<usize> = places.iter().map(|place| character(place.start)).collect();
    let shown =
        |from: usize| at.iter().filter(|at| (from..from + LENGTH - BEFORE).contains(*at)).count();
    let Some(first) = at.iter().copied().rev().max_by_key(|from| shown(*from)) else { return 0 };
    // A text that fits is shown whole.
    if first < BEFORE || starts.len() <= LENGTH {
        return 0;
    }
    let from = first - BEFORE;
    let letters = text[starts[from]..].char_indices();
    let gap = letters.take(SLACK).position(|(_, c)| c.is_whitespace());
    gap.map_or(from, |gap| from + gap + 1)
}

/// Where to end, not in the midst of a word that could be left out.
fn word_end(text: &str, starts: &[usize], last: usize) -> usize {
    if last == starts.len() {
        return last;
    }
    let end = starts[last];
    let letters = text[..end].chars().rev();
    let gap = letters.take(SLACK).position(char::is_whitespace);
    gap.map_or(last, |gap| last - gap - 1)
}

#[derive(Default)]
struct Pieces {
    whole: Vec<Piece>,
}

impl Pieces {
    /// On one line, whatever breaks it in the text.
    fn put(&mut self, text: &str, found: bool) {
        let mut line = String::with_capacity(text.len());
        let mut ends_in_gap = match self.whole.last() {
            Some(before) => before.text.ends_with(' '),
            None => true,
        };
        for c in text.chars() {
            let is_gap = c.is_whitespace();
            match (is_gap, ends_in_gap) {
                (true, true) => {}
                (true, false) => line.push(' '),
                (false, _) => line.push(c),
            }
            ends_in_gap = is_gap;
        }
        if line.is_empty() {
            return;
        }
        match self.whole.last_mut() {
            Some(before) if before.found == found => before.text += &line,
            _ => self.whole.push(Piece { text: line, found }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With what was found in brackets.
    fn told(texts: &[&str], query: &str) -> String {
        let pieces = of(texts.iter().copied(), query);
        let told = |piece: &Piece| match piece.found {
            true => format!("[{}]", piece.text),
            false => piece.text.clone(),
        };
        pieces.iter().map(told).collect()
    }

    #[test]
    fn a_short_text_is_shown_whole_on_one_line() {
        assert_eq!(told(&["The  heat\n\n- of July"], "heat"), "The [heat] - of July");
        assert_eq!(told(&["记得买猫粮"], "猫"), "记得买[猫]粮");
    }

    #[test]
    fn of_a_long_text_the_part_is_shown_that_most_of_the_words_stand_in() {
        let text = format!(
            "The heat begins. {}Shade of street trees: heat falls by two degrees. {}",
            "Nothing of that. ".repeat(30),
            "And so on. ".repeat(30)
        );
        let told = told(&[&text], "heat street trees");
        let expected = "…Shade of [street] [trees]: [heat] falls by two degrees. ";
        assert!(told.contains(&expected[3..]), "{told}");
        assert!(told.starts_with('…') && told.ends_with('…'), "{told}");
        let shown = told.replace(['[', ']'], "").chars().count();
        assert!((LENGTH - SLACK..=LENGTH + 2).contains(&shown), "{shown}: {told}");
    }

    #[test]
    fn of_several_lines_the_best_is_shown() {
        assert_eq!(
            told(&["Ada, Garden", "read_file path: notes.md"], "notes"),
            "read_file path: [notes].md"
        );
        assert_eq!(told(&["Ada, Garden", "read_file"], "nothing"), "Ada, Garden");
    }

    #[test]
    fn a_long_text_without_any_gap_is_cut_all_the_same() {
        let text = format!("{}猫粮{}", "天气很好".repeat(100), "天气很好".repeat(100));
        let told = told(&[&text], "猫粮");
        assert!(told.starts_with('…') && told.ends_with('…') && told.contains("[猫粮]"), "{told}");
    }
}
