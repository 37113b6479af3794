//! A PDF, as the text that stands on its pages: every model can read that.
//!
//! Only the text is kept. What was left out of it stands at its beginning, where
//! whoever reads only that sees it too.

use domain::engine::PdfText;
use domain::{Fault, FaultCode, FaultKind, PdfUnread};
use llm::local::pdf_text;
use std::fmt::Write;
use std::path::Path;

/// Also with what base64 adds to it, one fits in what goes over the door.
pub(super) const PDF_BYTES: usize = 10_000_000;

pub(super) fn is_pdf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"%PDF-")
}

pub(super) async fn text(engine: &Path, name: &str, bytes: Vec<u8>) -> Result<String, Fault> {
    let read = pdf_text(engine, bytes).await.map_err(|why| unread(name, why))?;
    Ok(laid_out(&read))
}

fn laid_out(PdfText { pages, texts }: &PdfText) -> String {
    let mut text = match pages {
        1 => "[a PDF with one page".to_owned(),
        pages => format!("[a PDF with {pages} pages"),
    };
    let read = texts.len();
    match pages.saturating_sub(u32::try_from(read).unwrap_or(u32::MAX)) {
        0 => text.push_str("; pictures are left out]\n"),
        1 => text.push_str("; pictures and the last page are left out]\n"),
        _ => {
            let _ = writeln!(text, "; pictures and pages {} to {pages} are left out]", read + 1);
        }
    }
    for (n, page) in texts.iter().enumerate() {
        let (n, page) = (n + 1, page.trim());
        let _ = match page {
            "" => write!(text, "\n[page {n} holds no text]\n"),
            page if *pages == 1 => write!(text, "\n{page}\n"),
            page => write!(text, "\n[page {n}]\n{page}\n"),
        };
    }
    // It stands for an end of a text elsewhere.
    text.replace('\0', "")
}

fn unread(name: &str, why: PdfUnread) -> Fault {
    let (message, fix) = match why {
        PdfUnread::Locked => (
            format!("the PDF {name} opens only with a password"),
            "save it without one, then attach that",
        ),
        PdfUnread::NoText => (
            format!("the PDF {name} holds no text: its pages are pictures, as of a scan"),
            "attach pictures of the pages that matter, or have the text recognised first",
        ),
        PdfUnread::Damaged => (
            format!("the PDF {name} is damaged and cannot be read"),
            "save it anew, or paste what matters of it",
        ),
        PdfUnread::Heavy => (
            format!("reading the PDF {name} takes more memory or time than one file may"),
            "save it anew with fewer pages, or paste what matters of it",
        ),
        PdfUnread::NoReader => (
            format!("the PDF {name} cannot be read: the engine that does it is missing"),
            "install Coterie again, or paste what matters of it",
        ),
    };
    let code = match why {
        PdfUnread::NoReader => FaultCode::Engine,
        PdfUnread::Locked | PdfUnread::NoText | PdfUnread::Damaged | PdfUnread::Heavy => {
            FaultCode::BadInput
        }
    };
    Fault::new(code, message, fix).of(FaultKind::PdfUnread { name: name.to_owned(), why })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pages: u32, texts: &[&str], expected: &str) {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(laid_out(&PdfText { pages, texts }), expected);
    }

    #[test]
    fn pages_are_numbered_and_what_is_left_out_is_said_first() {
        check(1, &["Tea.\n"], "[a PDF with one page; pictures are left out]\n\nTea.\n");
        check(
            3,
            &["One", " ", "Three"],
            "[a PDF with 3 pages; pictures are left out]\n\n[page 1]\nOne\n\n[page 2 holds no text]\n\n[page 3]\nThree\n",
        );
        check(
            2,
            &["One\0"],
            "[a PDF with 2 pages; pictures and the last page are left out]\n\n[page 1]\nOne\n",
        );
        check(
            9,
            &["One"],
            "[a PDF with 9 pages; pictures and pages 2 to 9 are left out]\n\n[page 1]\nOne\n",
        );
    }
}
