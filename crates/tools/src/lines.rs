//! Some lines of a file as text, however large the file is.

use std::io::{self, BufRead};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    Some(Excerpt),
    /// The file has only so many lines.
    Only(u64),
    /// The first line has only so many characters.
    Short(u64),
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
    /// Of a line that did not fit whole, the number of the first character that is missing.
    pub(crate) next_character: Option<u64>,
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
    /// The number of the first character of it, from 1.
    pub(crate) character: u64,
    pub(crate) lines: u64,
    pub(crate) most_characters: usize,
    /// How far to search for the first line.
    pub(crate) most_bytes: u64,
}

/// Whole lines, as many as are wanted and fit; of a line that does not fit
/// alone its beginning, or what follows the characters that were read before.
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
    let mut bytes = match skip_within(file, wanted, stopped)? {
        Within::Character(begun) => begun,
        Within::LineEnded { characters } => return Ok(Lines::Short(characters)),
        Within::TooFar => return Ok(Lines::TooFar),
        Within::Stopped => return Ok(Lines::Stopped),
    };
    // No character is longer than four bytes.
    let most_bytes = wanted.most_characters * 4 + 4;
    let mut lines = u64::from(bytes.ends_with(b"\n"));
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

enum Within {
    /// What was read of the line from there on.
    Character(Vec<u8>),
    LineEnded {
        characters: u64,
    },
    TooFar,
    Stopped,
}

/// Passes over the characters of the first line that are not wanted.
fn skip_within(
    file: &mut impl BufRead,
    wanted: Wanted,
    stopped: &dyn Fn() -> bool,
) -> io::Result<Within> {
    let unwanted = wanted.character - 1;
    let (mut held, mut passed, mut bytes) = (Vec::new(), 0, 0);
    if unwanted == 0 {
        return Ok(Within::Character(held));
    }
    loop {
        let buffer = file.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let is_last = end.is_some() || buffer.is_empty();
        let length = end.unwrap_or(buffer.len());
        held.extend_from_slice(&buffer[..length]);
        file.consume(length);
        bytes += length as u64;
        let (characters, taken) = characters(&held, unwanted - passed, is_last);
        held.drain(..taken);
        passed += characters;
        match held.first() {
            Some(b'\n') => return Ok(Within::LineEnded { characters: passed }),
            Some(_) if passed == unwanted => return Ok(Within::Character(held)),
            Some(_) | None if is_last => return Ok(Within::LineEnded { characters: passed }),
            Some(_) | None if bytes > wanted.most_bytes => return Ok(Within::TooFar),
            Some(_) | None if stopped() => return Ok(Within::Stopped),
            Some(_) | None => {}
        }
    }
}

/// As many characters as the bytes of a line begin with, at most so many, and how many bytes
/// they take. What is not UTF-8 counts as it is shown. The break at the end of the line counts
/// for none, nor does a character of which more may come.
fn characters(bytes: &[u8], most: u64, is_last: bool) -> (u64, usize) {
    let (mut count, mut taken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if count == most || c == '\n' {
                return (count, taken);
            }
            count += 1;
            taken += c.len_utf8();
        }
        let is_end = taken + chunk.invalid().len() == bytes.len();
        if chunk.invalid().is_empty() || count == most || (is_end && !is_last) {
            break;
        }
        count += 1;
        taken += chunk.invalid().len();
    }
    (count, taken)
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
    // A few slips in a text, or no text at all. One says nothing of a few characters.
    if mended > 1 && mended * 10 > characters {
        return Lines::NotUtf8;
    }
    let fits = text.char_indices().nth(wanted.most_characters).map_or(text.len(), |(at, _)| at);
    // The break of a line that fits is no reason to cut it.
    let fits = match &text[fits..] {
        rest if rest.starts_with("\r\n") => fits + 2,
        rest => fits + usize::from(rest.starts_with('\n')),
    };
    let is_all = fits == text.len();
    let whole_lines = text[..fits].rfind('\n').map(|at| at + 1);
    let is_cut = !is_all && whole_lines.is_none();
    if !is_all {
        text.truncate(whole_lines.unwrap_or(fits));
    }
    let next_character = is_cut.then(|| wanted.character + text.chars().count() as u64);
    let breaks = text.matches('\n').count() as u64;
    let last = wanted.first + breaks - u64::from(text.ends_with('\n'));
    Lines::Some(Excerpt {
        first: wanted.first,
        last,
        next_character,
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
        from(bytes, first, 1, lines)
    }

    fn from(bytes: &[u8], first: u64, character: u64, lines: u64) -> Lines {
        let wanted = Wanted { first, character, lines, most_characters: 10, most_bytes: 1000 };
        // A small buffer, so that every line is read in several pieces.
        let mut file = BufReader::with_capacity(4, bytes);
        read(&mut file, wanted, &|| false).expect("bytes can be read")
    }

    fn some(text: &str, first: u64, last: u64, goes_on: bool) -> Lines {
        let text = text.to_owned();
        Lines::Some(Excerpt { text, first, last, next_character: None, goes_on, mended: false })
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
                next_character: Some(11),
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
    fn a_line_is_read_on_within_itself_to_its_last_character() {
        let check = |line: &[u8]| {
            let whole = String::from_utf8_lossy(line).into_owned() + "\n";
            let bytes = [line, b"\nthe next one\n"].concat();
            let (mut read, mut next) = (String::new(), 1);
            loop {
                let Lines::Some(part) = from(&bytes, 1, next, 9) else { panic!("from {next}") };
                read += &part.text;
                assert_eq!(part.first, 1);
                let Some(character) = part.next_character else {
                    assert_eq!((part.last, part.goes_on), (1, true), "{part:?}");
                    break;
                };
                assert_eq!((part.text.chars().count(), character), (10, next + 10));
                next = character;
            }
            assert_eq!(read, whole);
        };
        check(&b"0123456789".repeat(5)[..45]);
        check("一二三四五六七八九十二".repeat(3).as_bytes());
        check("🌍é".repeat(30).as_bytes());
        check("👨‍👩‍👧".repeat(9).as_bytes());
        // Slips count as they are shown, wherever the pieces begin in which they are read.
        for shift in 0..9 {
            let mixed = b"caf\xe9 cr\xc3\xa8me \xe4\xb8 a nice long tail \xf0\x9f\x8c";
            check(&[&b"x".repeat(shift)[..], &mixed[..]].concat());
        }
        assert_eq!(from(b"abc\nd", 1, 3, 1), some("c\n", 1, 1, true));
        assert_eq!(from(b"abc\nd", 1, 4, 1), Lines::Short(3));
        assert_eq!(from(b"abc", 1, 4, 1), Lines::Short(3));
        assert_eq!(from(b"abc", 1, 99, 1), Lines::Short(3));
        assert_eq!(from("a\n一二".as_bytes(), 2, 2, 1), some("二", 2, 2, false));
        // What fits but for its break is no part of a line.
        assert_eq!(of(b"0123456789\r\nb", 1, 9), some("0123456789\r\n", 1, 1, true));
        assert_eq!(of(b"0123456789", 1, 9), some("0123456789", 1, 1, false));
    }

    #[test]
    fn what_is_no_text_is_told_from_text_with_a_slip() {
        assert_eq!(of(b"\x7fELF\x00", 1, 9), Lines::Binary);
        assert_eq!(of(b"text\n\x00\x01", 1, 9), Lines::Binary);
        assert_eq!(of(b"\xff\xfea\x00b\x00", 1, 9), Lines::Binary);
        // GBK
        assert_eq!(of(b"\xb1\xb1\xbe\xa9\xca\xd0", 1, 9), Lines::NotUtf8);
        let text = "caf\u{fffd} cr\u{e8}me".to_owned();
        let slip =
            Excerpt { text, first: 1, last: 1, next_character: None, goes_on: false, mended: true };
        assert_eq!(of(b"caf\xe9 cr\xc3\xa8me", 1, 9), Lines::Some(slip));
    }

    #[test]
    fn a_search_ends_where_it_must() {
        let far = "a\n".repeat(2000);
        assert_eq!(of(far.as_bytes(), 1900, 1), Lines::TooFar);
        let wanted =
            Wanted { first: 1900, character: 1, lines: 1, most_characters: 10, most_bytes: 9000 };
        assert_eq!(read(&mut far.as_bytes(), wanted, &|| true).expect("readable"), Lines::Stopped);
        let long = "a".repeat(4000);
        assert_eq!(from(long.as_bytes(), 1, 3000, 1), Lines::TooFar);
        let wanted = Wanted { first: 1, character: 3000, ..wanted };
        let mut file = BufReader::with_capacity(4, long.as_bytes());
        assert_eq!(read(&mut file, wanted, &|| true).expect("readable"), Lines::Stopped);
    }
}
