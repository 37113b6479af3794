//! Columns that line up, also with characters that are two columns wide.

use crate::screen::Paint;
use crate::visible;
use unicode_width::UnicodeWidthStr;

/// A line for the heads and one for each row. Columns are as wide as their
/// widest cell; nothing pads the end of a line. A cell stays one line, whatever
/// is in it.
pub(crate) fn table<const N: usize>(
    paint: Paint,
    heads: [&str; N],
    rows: Vec<[String; N]>,
) -> String {
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| row.each_ref().map(|cell| visible::line(cell))).collect();
    let widths: [usize; N] = std::array::from_fn(|column| {
        rows.iter().map(|row| row[column].width()).chain([heads[column].width()]).max().unwrap_or(0)
    });
    let mut text = paint.faint(&line(heads, widths)) + "\n";
    for row in &rows {
        text += &line(row.each_ref().map(String::as_str), widths);
        text.push('\n');
    }
    text
}

/// Pairs, one a line, the second ones below each other.
pub(crate) fn pairs(paint: Paint, rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    rows.iter()
        .map(|(name, value)| {
            format!("{}  {}\n", paint.faint(&padded(name, width)), visible::line(value))
        })
        .collect()
}

fn line<const N: usize>(cells: [&str; N], widths: [usize; N]) -> String {
    let cells: Vec<String> =
        cells.iter().zip(widths).map(|(cell, width)| padded(cell, width)).collect();
    cells.join("  ").trim_end().to_owned()
}

pub(crate) fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Global;
    use crate::screen::Screen;

    #[test]
    fn columns_line_up_with_wide_characters_too() {
        let paint = Screen::new(&Global { no_color: true, ..Global::default() }).paint;
        let rows =
            vec![["林夏".to_owned(), "idle".to_owned()], ["Ada".to_owned(), "paused".to_owned()]];
        assert_eq!(
            table(paint, ["name", "state"], rows),
            "name  state\n林夏  idle\nAda   paused\n"
        );
    }

    #[test]
    fn no_cell_breaks_out_of_its_line() {
        let paint = Screen::new(&Global { no_color: true, ..Global::default() }).paint;
        let rows =
            vec![["a\nb".to_owned(), "x\u{1b}[2J".to_owned()], ["c".to_owned(), "y".to_owned()]];
        assert_eq!(
            table(paint, ["name", "state"], rows),
            "name  state\na\\nb  x\\u001b[2J\nc     y\n"
        );
        let rows = [("problem", "one\nagent  Ada".to_owned()), ("id", "1".to_owned())];
        assert_eq!(pairs(paint, &rows), "problem  one\\nagent  Ada\nid       1\n");
    }
}
