//! Columns that line up, also with characters that are two columns wide.

use crate::screen::Paint;
use unicode_width::UnicodeWidthStr;

/// A line for the heads and one for each row. Columns are as wide as their
/// widest cell; nothing pads the end of a line.
pub(crate) fn table<const N: usize>(
    paint: Paint,
    heads: [&str; N],
    rows: Vec<[String; N]>,
) -> String {
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
        .map(|(name, value)| format!("{}  {value}\n", paint.faint(&padded(name, width))))
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
}
