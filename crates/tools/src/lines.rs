//! Some lines of a file as text, however large the file is.

use std::io::{self, BufRead};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    Some(Excerpt),
    /// The file has only so many lines.
    Only(u64),
    /// The lines begin further into the file than it may be searched.
    TooFar,
    Binary,
    /// Text of another encoding than UTF-8, or none.
    NotUtf8,
    Stopped,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) text: String,
    /// The numbers of its lines, from 1.
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// The last line did not fit whole.
    pub(crate) cut: bool,
    /// More lines follow.
    pub(crate) goes_on: bool,
    /// Something in it was not UTF-8 and stands there as U+FFFD.
    pub(crate) mended: bool,
}

/// What to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// The number of the first line, from 1.
    pub(crate) first: u64,
    pub(crate) lines: u64,
    pub(crate) most_characters: usize,
    /// How far to search for the first line.
    pub(crate) most_bytes: u64,
}

/// Whole lines, as many as are wanted and fit; of a line that does not fit
/// alone its beginning.
pub(crate) fn read(
    file: &mut impl BufRead,
    wanted: Wanted,
    stopped: &dyn Fn() -> bool,
) -> io::Result<Lines> {
    const BOM: &[u8] = b"\xEF\xBB\xBF";
    let head = file.fill_buf()?;
    if head.contains(&0) {
        return Ok(Lines::Binary);
    }
    if head.starts_with(BOM) {
        file.consume(BOM.len());
    }
    match skip(file, wanted, stopped)? {
        Skipped::ToTheLine => {}
        Skipped::FileEnded { lines } => return Ok(Lines::Only(lines)),
        Skipped::TooFar => return Ok(Lines::TooFar),
        Skipped::Stopped => return Ok(Lines::Stopped),
    }
    // No character is longer than four bytes.
    let most_bytes = wanted.most_characters * 4 + 4;
    let mut bytes = Vec::new();
    let mut lines = 0;
    while lines < wanted.lines && bytes.len() < most_bytes {
        if stopped() {
            return Ok(Lines::Stopped);
        }
        let buffer = file.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        let end = buffer.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let length = end.unwrap_or(buffer.len()).min(most_bytes - bytes.len());
        bytes.extend_from_slice(&buffer[..length]);
        file.consume(length);
        lines += u64::from(bytes.ends_with(b"\n"));
    }
    let rest = !file.fill_buf()?.is_empty();
    Ok(excerpt(&bytes, wanted, rest))
}

enum Skipped {
    ToTheLine,
    FileEnded { lines: u64 },
    TooFar,
    Stopped,
}

fn skip(
    file: &mut impl BufRead,
    wanted: Wanted,
    stopped: &dyn Fn() -> bool,
) -> io::Result<Skipped> {
    let (mut line, mut bytes, mut within) = (1, 0, false);
    loop {
        let buffer = file.fill_buf()?;
        if buffer.is_empty() {
            return Ok(Skipped::FileEnded { lines: line - 1 + u64::from(within) });
        }
        if line == wanted.first {
            return Ok(Skipped::ToTheLine);
        }
        if bytes > wanted.most_bytes {
            return Ok(Skipped::TooFar);
        }
        if stopped() {
            return Ok(Skipped::Stopped);
        }
        let end = buffer.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let length = end.unwrap_or(buffer.len());
        file.consume(length);
        bytes += length as u64;
        line += u64::from(end.is_some());
        within = end.is_none();
    }
}

/// `rest`: whether the file has more than these bytes.
fn excerpt(bytes: &[u8], wanted: Wanted, rest: bool) -> Lines {
    if bytes.contains(&0) {
        return Lines::Binary;
    }
    let (mut text, mut characters, mut mended) = (String::new(), 0, 0);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        characters += chunk.valid().chars().count();
        if characters > wanted.most_characters {
            break;
        }
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            characters += 1;
            mended += 1;
        }
    }
    // A few slips in a text, or no text at all.
    if mended * 10 > characters {
        return Lines::NotUtf8;
    }
    let fits = text.char_indices().nth(wanted.most_characters).map_or(text.len(), |(at, _)| at);
    let is_all = fits == text.len();
    let whole_lines = text[..fits].rfind('\n').map(|at| at + 1);
    let cut = !is_all && whole_lines.is_none();
    if !is_all {
        text.truncate(whole_lines.unwrap_or(fits));
    }
    let breaks = text.matches('\n').count() as u64;
    let last = wanted.first + breaks - u64::from(text.ends_with('\n'));
    Lines::Some(Excerpt {
        first: wanted.first,
        last,
        cut,
        goes_on: rest || !is_all,
        mended: mended > 0,
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn of(bytes: &[u8], first: u64, lines: u64) -> Lines {
        let wanted = Wanted { first, lines, most_characters: 10, most_bytes: 1000 };
        // A small buffer, so that every line is read in several pieces.
        let mut file = BufReader::with_capacity(4, bytes);
        read(&mut file, wanted, &|| false).expect("bytes can be read")
    }

    fn some(text: &str, first: u64, last: u64, goes_on: bool) -> Lines {
        let text = text.to_owned();
        Lines::Some(Excerpt { text, first, last, cut: false, goes_on, mended: false })
    }

    #[test]
    fn the_wanted_lines_come_whole_and_say_whether_more_follow() {
        const ALL: u64 = u64::MAX;
        assert_eq!(of(b"", 1, ALL), Lines::Only(0));
        assert_eq!(of(b"\n", 1, ALL), some("\n", 1, 1, false));
        assert_eq!(of(b"a\nb", 1, ALL), some("a\nb", 1, 2, false));
        assert_eq!(of(b"a\nb\n", 1, ALL), some("a\nb\n", 1, 2, false));
        assert_eq!(of(b"a\r\nb\r\n", 1, 1), some("a\r\n", 1, 1, true));
        assert_eq!(of(b"a\nb\nc\n", 2, 1), some("b\n", 2, 2, true));
        assert_eq!(of(b"a\nb\nc\n", 3, 1), some("c\n", 3, 3, false));
        assert_eq!(of(b"a\nb\nc\n", 4, 1), Lines::Only(3));
        assert_eq!(of(b"a\nb\nc", 4, 1), Lines::Only(3));
        assert_eq!(of(b"a\nb\nc", 9, 1), Lines::Only(3));
        assert_eq!(of(b"\xEF\xBB\xBFa\nb", 1, 1), some("a\n", 1, 1, true));
        assert_eq!(
            of("一二三\n四五六\n七八九\n".as_bytes(), 1, ALL),
            some("一二三\n四五六\n", 1, 2, true)
        );
        assert_eq!(
            of("一二三四五六七八九\n".as_bytes(), 1, ALL),
            some("一二三四五六七八九\n", 1, 1, false)
        );
    }

    #[test]
    fn of_a_line_that_does_not_fit_the_beginning_is_shown() {
        let cut = |text: &str, line: u64| {
            let text = text.to_owned();
            Lines::Some(Excerpt {
                text,
                first: line,
                last: line,
                cut: true,
                goes_on: true,
                mended: false,
            })
        };
        assert_eq!(of("0123456789ab\nc".as_bytes(), 1, 5), cut("0123456789", 1));
        assert_eq!(
            of("a\n一二三四五六七八九十一\nb".as_bytes(), 2, 5),
            cut("一二三四五六七八九十", 2)
        );
        assert_eq!(of("🌍".repeat(1000).as_bytes(), 1, 5), cut(&"🌍".repeat(10), 1));
        // It is left to the next reading where another line fits before it.
        assert_eq!(of("a\n0123456789ab\nc".as_bytes(), 1, 5), some("a\n", 1, 1, true));
    }

    #[test]
    fn what_is_no_text_is_told_from_text_with_a_slip() {
        assert_eq!(of(b"\x7fELF\x00", 1, 9), Lines::Binary);
        assert_eq!(of(b"text\n\x00\x01", 1, 9), Lines::Binary);
        assert_eq!(of(b"\xff\xfea\x00b\x00", 1, 9), Lines::Binary);
        // GBK
        assert_eq!(of(b"\xb1\xb1\xbe\xa9\xca\xd0", 1, 9), Lines::NotUtf8);
        let text = "caf\u{fffd} cr\u{e8}me".to_owned();
        let slip = Excerpt { text, first: 1, last: 1, cut: false, goes_on: false, mended: true };
        assert_eq!(of(b"caf\xe9 cr\xc3\xa8me", 1, 9), Lines::Some(slip));
    }

    #[test]
    fn a_search_ends_where_it_must() {
        let far = "a\n".repeat(2000);
        assert_eq!(of(far.as_bytes(), 1900, 1), Lines::TooFar);
        let wanted = Wanted { first: 1900, lines: 1, most_characters: 10, most_bytes: 9000 };
        assert_eq!(read(&mut far.as_bytes(), wanted, &|| true).expect("readable"), Lines::Stopped);
    }
}
