//! Cuts a text that is too long for a memory, where it hurts least.

/// The most that a memory takes.
pub(super) const MOST_CHARACTERS: usize = 4_000;
const LONGEST_TAG: usize = 50;

/// The text in pieces of at most [`MOST_CHARACTERS`]: whole paragraphs if they
/// fit, else whole lines, sentences, words. Pieces that say nothing are left out.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    while let Some((most, _)) = rest.char_indices().nth(MOST_CHARACTERS) {
        let fits = &rest[..most];
        // Not right after the beginning, which would tear a question from its answer.
        let far = |cut: &usize| *cut > most / 4;
        let after = |end: &str| fits.rfind(end).map(|at| at + end.len()).filter(far);
        let ends = ["\n\n", "\n", ". ", "。", " "];
        let cut = ends.iter().find_map(|end| after(end)).unwrap_or(most);
        let (piece, others) = rest.split_at(cut);
        pieces.push(piece.trim());
        rest = others.trim_start();
    }
    pieces.push(rest);
    pieces.retain(|piece| piece.chars().any(char::is_alphanumeric));
    pieces
}

/// A title as a tag, if there is anything in it.
pub(super) fn tag(title: &str) -> Option<String> {
    let words: Vec<&str> = title.split_whitespace().collect();
    let title = words.join(" ");
    if title.is_empty() {
        return None;
    }
    Some(match title.char_indices().nth(LONGEST_TAG) {
        Some(_) => {
            let short: String = title.chars().take(LONGEST_TAG - 1).collect();
            short.trim_end().to_owned() + "…"
        }
        None => title,
    })
}
