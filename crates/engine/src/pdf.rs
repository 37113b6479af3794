//! `coterie-engine pdf`: the words of the PDF on stdin, page by page, as one line of JSON
//! on stdout: a [`PdfText`], or why there is none. Nobody who does other things has to
//! read a stranger's file.

use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};

use domain::PdfUnread;
use domain::engine::PdfText;
use pdf_oxide::document::PdfDocument;

use crate::bounded::{bounded, not_for_long};

/// Nobody shows a model more pages at once, nor more words.
const MOST_PAGES: usize = 500;
const MOST_BYTES: usize = 450_000;
/// Pages that cost more time than this together are the last ones; less than what
/// `not_for_long` gives, so that what was read is not lost.
const LONGEST: Duration = Duration::from_secs(6);

pub(crate) fn read(mut from: impl Read, to: impl Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes)?;
    not_for_long();
    // A panic is said by whoever panics, on stderr.
    let read = bounded(|| panic::catch_unwind(AssertUnwindSafe(|| words(bytes))));
    serde_json::to_writer(to, &read.unwrap_or(Err(PdfUnread::Damaged))).map_err(io::Error::from)
}

fn words(bytes: Vec<u8>) -> Result<PdfText, PdfUnread> {
    let started = Instant::now();
    let pdf = PdfDocument::from_bytes(bytes).map_err(|_| PdfUnread::Damaged)?;
    if !pdf.is_authenticated() {
        return Err(PdfUnread::Locked);
    }
    let pages = pdf.page_count().map_err(|_| PdfUnread::Damaged)?;
    let (mut texts, mut length): (Vec<String>, usize) = (Vec::new(), 0);
    for page in 0..pages.min(MOST_PAGES) {
        // Of a page that is damaged the others are still there.
        let mut text = pdf.extract_text(page).unwrap_or_default();
        if text.len() > MOST_BYTES {
            text.truncate(text.floor_char_boundary(MOST_BYTES));
            text.push_str("\n[the rest of this page is left out]");
        }
        length += text.len();
        let is_enough = length > MOST_BYTES || started.elapsed() > LONGEST;
        if is_enough && !texts.is_empty() {
            break;
        }
        texts.push(text);
    }
    if pages == 0 {
        return Err(PdfUnread::Damaged);
    }
    if texts.iter().all(|text| text.trim().is_empty()) {
        return Err(PdfUnread::NoText);
    }
    Ok(PdfText { pages: u32::try_from(pages).unwrap_or(u32::MAX), texts })
}
