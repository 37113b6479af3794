//! `coterie-engine pdf`, fed with files that other programs wrote: `tea`, `embedded`,
//! `scanned`, `locked` and `owner` are fpdf2's, `unigb` is reportlab's, `gbk` is written
//! by hand as Chinese typesetters do, with a font that it only names.

use std::io::Write;
use std::process::{Command, Stdio};

use domain::PdfUnread;
use domain::engine::PdfText;

type Read = Result<PdfText, PdfUnread>;

/// What it says; nothing where it ended otherwise.
fn read(pdf: &[u8]) -> Option<Read> {
    let mut reader = Command::new(env!("CARGO_BIN_EXE_coterie-engine"))
        .arg("pdf")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    reader.stdin.take().expect("piped").write_all(pdf).expect("it reads");
    let output = reader.wait_with_output().expect("it ends");
    output.status.success().then(|| serde_json::from_slice(&output.stdout).expect("JSON"))
}

fn text(pdf: &[u8]) -> Read {
    read(pdf).expect("it said something")
}

fn pages(texts: &[&str]) -> Read {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    Ok(PdfText { pages: u32::try_from(texts.len()).expect("few pages"), texts })
}

#[test]
fn the_words_of_each_page_are_read_in_their_order() {
    let tea = "Tea in three chapters\n\n\
        Green tea is not fermented. It is dried soon after it was picked,\n\
        which keeps its colour and most of its taste, and it wants water of\n\
        80 °C.\n\nBlack tea is.";
    let table = "Tea Water Minutes\n\nGreen 80 2\nBlack 95 4";
    assert_eq!(text(include_bytes!("pdf/tea.pdf")), pages(&[tea, table, "The end."]));
}

#[test]
fn chinese_is_read_whether_the_font_is_in_the_file_or_only_named_there() {
    let green = "绿茶不发酵，用八十度的水泡两分钟。";
    let black = "Black tea 红茶是发酵的。";
    let apart = pages(&[&format!("{green}\n\n{black}")]);
    assert_eq!(text(include_bytes!("pdf/embedded.pdf")), pages(&[&format!("{green}\n{black}")]));
    assert_eq!(text(include_bytes!("pdf/unigb.pdf")), apart);
    assert_eq!(text(include_bytes!("pdf/gbk.pdf")), apart);
}

#[test]
fn what_holds_no_text_or_is_locked_says_so() {
    assert_eq!(text(include_bytes!("pdf/scanned.pdf")), Err(PdfUnread::NoText));
    assert_eq!(text(include_bytes!("pdf/locked.pdf")), Err(PdfUnread::Locked));
    let only_its_owner_may_change_it = text(include_bytes!("pdf/owner.pdf"));
    assert_eq!(only_its_owner_may_change_it, pages(&["may be read"]));
    assert_eq!(text(b"%PDF-1.7\n\xe2\xe3\xcf\xd3"), Err(PdfUnread::Damaged));
}

#[test]
fn a_file_that_is_cut_off_or_changed_anywhere_is_said_something_of_or_harms_nobody_else() {
    let whole = include_bytes!("pdf/tea.pdf");
    for n in 0..20 {
        let at = whole.len() * n / 20;
        // Whether it is read in part or not at all: it ends.
        read(&whole[..at]);
        let mut changed = whole.to_vec();
        changed[at] ^= 0x15;
        read(&changed);
    }
    assert!(read(whole).is_some_and(|read| read.is_ok()));
}

/// The page's content is sixty megabytes long, deflated twice.
#[cfg(target_os = "linux")]
#[test]
fn a_page_that_unfolds_to_more_than_anybody_reads_ends_the_reader_alone() {
    assert_eq!(read(include_bytes!("pdf/unfolds.pdf")), None);
    assert!(read(include_bytes!("pdf/tea.pdf")).is_some());
}
