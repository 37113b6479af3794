//! Which file is which soul's, where several could be.
//!
//! Pure. `Ada.md` and `ada.md` are two files on one machine and one on the next,
//! and so are the composed and the decomposed `José.md`. So all of them are one
//! soul's, and one of them counts: the one that has the very name of a soul that
//! is known, else the first by its bytes. The others are told so, each under
//! its own name, and change nothing.

use super::files::FoundFile;
use super::name::{self, ENDING, is_stem};
use super::place::Place;
use super::shelf::Shelf;
use domain::{SoulMistake, SoulProblem};
use std::collections::{BTreeMap, BTreeSet};
use unicode_normalization::is_nfc;

/// The files, each with the name of its soul.
pub(super) fn tell_apart(shelf: &Shelf, files: Vec<FoundFile>) -> Vec<FoundFile> {
    let known = known(shelf);
    let (souls, misnamed): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| is_stem(&file.stem));
    let mut rivals: BTreeMap<String, Vec<FoundFile>> = BTreeMap::new();
    for file in souls {
        rivals.entry(name::letters(&file.stem)).or_default().push(file);
    }
    let mut apart: Vec<FoundFile> = Vec::new();
    for (letters, files) in rivals {
        apart.extend(one_counts(known.get(&letters).map_or(&[], Vec::as_slice), files));
    }
    let mut taken: BTreeSet<String> = apart.iter().map(|file| file.stem.clone()).collect();
    for mut file in misnamed {
        // As `a.MD` and `a.MD.md` would be.
        while !taken.insert(file.stem.clone()) {
            file.stem += ENDING;
        }
        apart.push(file);
    }
    apart
}

/// The souls that were in force once, by their letters.
fn known(shelf: &Shelf) -> BTreeMap<String, Vec<&str>> {
    let mut known: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (stem, _) in shelf.souls().filter(|(_, soul)| soul.was_in_force()) {
        known.entry(name::letters(stem)).or_default().push(stem);
    }
    known
}

fn one_counts(known: &[&str], mut files: Vec<FoundFile>) -> Vec<FoundFile> {
    let is_known = |stem: &str| known.contains(&stem);
    let place = |file: &FoundFile| {
        let own = !is_known(own_stem(file));
        (own, !is_known(&file.stem), file.file.clone())
    };
    files.sort_by_cached_key(place);
    let mut files = files.into_iter();
    let Some(mut counts) = files.next() else { return Vec::new() };
    if let Some(first) = known.first().filter(|_| !is_known(&counts.stem)) {
        counts.stem = (*first).to_owned();
    }
    let others: Vec<FoundFile> = files.map(|file| stands_back(file, &counts)).collect();
    [counts].into_iter().chain(others).collect()
}

/// Under the name that it has on the disk, which no other file has.
fn stands_back(file: FoundFile, counts: &FoundFile) -> FoundFile {
    let stem = own_stem(&file).to_owned();
    let text = Err(why_not(&file.file, &counts.file));
    FoundFile { stem, hash: None, text, ..file }
}

fn own_stem(file: &FoundFile) -> &str {
    file.file.strip_suffix(ENDING).unwrap_or(&file.file)
}

fn why_not(file: &str, counts: &str) -> SoulProblem {
    let same_letters = name::composed(file) == name::composed(counts);
    Place::START.problem(match (same_letters, is_nfc(counts)) {
        (true, true) => SoulMistake::OtherFileComposed,
        (true, false) => SoulMistake::OtherFileDecomposed,
        (false, _) => SoulMistake::OtherCapitals { file: file.into(), counts: counts.into() },
    })
}

#[cfg(test)]
mod tests;
