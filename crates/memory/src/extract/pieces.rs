//! What a sentence is made of, each piece in its own words, with what it says.

use super::clauses::{Clauses, clauses, gives_reason};
use super::kin;
use super::leaning::{points_out, tells_on};
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
    /// Whether it says more of somebody or something that the piece before names.
    pub tells_on: bool,
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
    if let [_, others @ ..] = &wishes[..] {
        // `Answer in German and always translate it` is one wish.
        let is_one = others.iter().any(|(said, noticed)| points(said, noticed));
        return Some(if is_one { vec![whole(clauses)] } else { known(wishes, "").collect() });
    }
    let each = clause_by_clause(clauses, Which::Noted);
    if each.len() < clauses.all.len() {
        return None;
    }
    if clauses.all.iter().any(|clause| clause.is_unclear) {
        return Some(vec![whole(clauses)]);
    }
    let mut pieces = Vec::new();
    for (clause, found) in clauses.all.iter().zip(each) {
        let found = in_own_words(found, &clause.said);
        if found.is_empty() {
            let said = format!("{}{}", clause.left_out, clause.said);
            let joined = clause.joined.clone();
            let (stands, tells_on) = (clause.stands, tells_on(&clause.said));
            pieces.push(Piece { said, joined, stands, tells_on, noticed: None });
        } else {
            pieces.extend(known(found, &clause.joined));
        }
    }
    Some(pieces)
}

/// Who writes down `My sister Ana works at Statoil` has written that, and not that she is Ana.
fn in_own_words(found: Vec<(String, Noticed)>, clause: &str) -> Vec<(String, Noticed)> {
    if kin::told(clause).is_none() {
        return found;
    }
    match <[(String, Noticed); 1]>::try_from(found) {
        Ok([(_, one)]) => vec![(clause.to_owned(), one)],
        Err(several) => several.into_iter().filter(|(said, _)| said == clause).collect(),
    }
}

/// A sentence that says what cannot be told.
fn whole(clauses: &Clauses) -> Piece {
    Piece {
        said: clauses.whole.clone(),
        joined: String::new(),
        stands: true,
        tells_on: false,
        noticed: None,
    }
}

/// What is read stands by itself, unless it points at something else or says why something is so.
fn known(found: Vec<(String, Noticed)>, joined: &str) -> impl Iterator<Item = Piece> {
    found.into_iter().map(move |(said, noticed)| Piece {
        stands: !points(&said, &noticed) && (noticed.is_wish() || !gives_reason(joined)),
        tells_on: false,
        said,
        joined: joined.to_owned(),
        noticed: Some(noticed),
    })
}

fn points(said: &str, noticed: &Noticed) -> bool {
    match &noticed.statement {
        Some(stated) => points_out(&stated.attribute) || points_out(&stated.value),
        None => points_out(said),
    }
}

/// The sentences of a text; `None` where it has more than what its author says plainly.
pub(crate) fn own_sentences(text: &str) -> Option<Vec<&str>> {
    let Sentences { all, leaves_out } = sentences(text);
    (!leaves_out).then_some(all)
}
