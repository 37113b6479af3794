//! Ends an answer at a stop text, to the letter, and never lets a part of one
//! out: what could still become a stop text is held back.

/// Text in, text out, until a stop text came.
pub(crate) struct Stops {
    stops: Vec<String>,
    held: String,
}

/// What may be shown now, and whether the answer ends here.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    On(String),
    Stopped(String),
}

impl Stops {
    pub(crate) fn new(stops: &[String]) -> Self {
        let stops = stops.iter().filter(|stop| !stop.is_empty()).cloned().collect();
        Self { stops, held: String::new() }
    }

    pub(crate) fn push(&mut self, text: &str) -> Passed {
        self.held.push_str(text);
        if let Some(at) = self.stops.iter().filter_map(|stop| self.held.find(stop.as_str())).min() {
            self.held.truncate(at);
            return Passed::Stopped(std::mem::take(&mut self.held));
        }
        let safe = self.held.len()
            - self.stops.iter().map(|stop| begun(&self.held, stop)).max().unwrap_or(0);
        let held = self.held.split_off(safe);
        Passed::On(std::mem::replace(&mut self.held, held))
    }

    /// The answer is over without a stop text: what was held back belongs to it.
    pub(crate) fn finish(self) -> String {
        self.held
    }
}

/// How many bytes at the end of `text` are the beginning of `stop`.
fn begun(text: &str, stop: &str) -> usize {
    stop.char_indices()
        .map(|(at, _)| at)
        .filter(|&length| length > 0 && text.ends_with(&stop[..length]))
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The whole text that comes out, and whether it was stopped.
    fn run(stops: &[&str], pieces: &[&str]) -> (String, bool) {
        let stops: Vec<String> = stops.iter().map(|&stop| stop.to_owned()).collect();
        let mut filter = Stops::new(&stops);
        let mut out = String::new();
        for piece in pieces {
            match filter.push(piece) {
                Passed::On(text) => out.push_str(&text),
                Passed::Stopped(text) => return (out + &text, true),
            }
        }
        out.push_str(&filter.finish());
        (out, false)
    }

    #[test]
    fn the_answer_ends_exactly_before_the_stop_text() {
        for (stops, pieces, text, stopped) in [
            (&["END"][..], &["one EN", "D two"][..], "one ", true),
            (&["END"], &["one EN", "OUGH"], "one ENOUGH", false),
            (&["END"], &["EN", "EN", "D"], "EN", true),
            (&["aab"], &["aa", "ab"], "a", true),
            (&["\n\n", "User:"], &["hi\n", "Us", "er:", "x"], "hi\n", true),
            (&["é!"], &["caf", "é", "!"], "caf", true),
            (&["é!"], &["caf", "é", "?"], "café?", false),
            (&["b", "a"], &["xaby"], "x", true),
            (&[""], &["all"], "all", false),
            (&[], &["all"], "all", false),
        ] {
            assert_eq!(run(stops, pieces), (text.to_owned(), stopped), "{stops:?} {pieces:?}");
        }
    }

    #[test]
    fn only_what_could_become_a_stop_text_is_held_back() {
        let mut filter = Stops::new(&["END".to_owned()]);
        assert_eq!(filter.push("one E"), Passed::On("one ".into()));
        assert_eq!(filter.push("x"), Passed::On("Ex".into()));
    }

    proptest! {
        #[test]
        fn pieces_come_out_as_the_whole_text_would(
            text in "[abé]{0,24}",
            stop in "[abé]{1,3}",
            cuts in proptest::collection::vec(1_usize..4, 0..24),
        ) {
            let chars: Vec<char> = text.chars().collect();
            let mut rest = chars.as_slice();
            let mut pieces = Vec::new();
            for cut in cuts {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece.iter().collect::<String>());
                rest = after;
            }
            pieces.push(rest.iter().collect());
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let expected = text.split_once(&stop).map_or((text.clone(), false), |(before, _)| (before.to_owned(), true));
            prop_assert_eq!(run(&[&stop], &pieces), expected);
        }
    }
}
