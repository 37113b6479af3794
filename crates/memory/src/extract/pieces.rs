//! What a sentence is made of, each piece in its own words, with what it says.

use super::clauses::{Clauses, clauses, leans};
use super::wishes::{self, Which};
use super::{Noticed, Sentence, Sentences, as_written, clause_by_clause, sentences};

/// What stands between two clauses, or is one.
#[derive(Debug)]
pub(crate) struct Piece {
    /// In the words of whoever says it.
    pub said: String,
    /// What stands between it and the piece before.
    pub joined: String,
    /// Whether it can be understood without the piece before.
    pub stands: bool,
    /// What it says of whoever says it, if that can be told.
    pub noticed: Option<Noticed>,
}

/// The pieces of a sentence that somebody wrote down; `None` where what is plainly said cannot
/// be told from what is only supposed, or is somebody else's matter.
pub(crate) fn pieces(sentence: &str) -> Option<Vec<Piece>> {
    let sentence = Sentence::of(sentence, false);
    let pieces = match sentence.asked() {
        Some(what) => of_clauses(&clauses(what)),
        None => of_clauses(&sentence.clauses),
    };
    let Some(script) = &sentence.script else { return pieces };
    let written = |piece: Piece| Piece {
        said: script.as_written(&piece.said),
        joined: script.as_written(&piece.joined),
        noticed: piece.noticed.map(|one| as_written(one, script)),
        ..piece
    };
    Some(pieces?.into_iter().map(written).collect())
}

fn of_clauses(clauses: &Clauses) -> Option<Vec<Piece>> {
    let wishes = wishes::read(&clauses.whole, Which::Noted);
    if !wishes.is_empty() {
        return Some(known(wishes, "").collect());
    }
    let each = clause_by_clause(clauses, Which::Noted);
    if each.len() < clauses.all.len() {
        return None;
    }
    let mut pieces = Vec::new();
    for (clause, found) in clauses.all.iter().zip(each) {
        if found.is_empty() {
            let said = format!("{}{}", clause.left_out, clause.said);
            let joined = clause.joined.clone();
            pieces.push(Piece { said, joined, stands: clause.stands, noticed: None });
        } else {
            pieces.extend(known(found, &clause.joined));
        }
    }
    Some(pieces)
}

fn known(found: Vec<(String, Noticed)>, joined: &str) -> impl Iterator<Item = Piece> {
    found.into_iter().map(move |(said, noticed)| Piece {
        said,
        joined: joined.to_owned(),
        stands: true,
        noticed: Some(noticed),
    })
}

/// The sentences of a text; `None` where it has more than what its author says plainly.
pub(crate) fn own_sentences(text: &str) -> Option<Vec<&str>> {
    let Sentences { all, leaves_out } = sentences(text);
    (!leaves_out).then_some(all)
}

/// Whether a sentence says something of the one before.
pub(crate) fn leans_on(sentence: &str) -> bool {
    leans(sentence)
}
