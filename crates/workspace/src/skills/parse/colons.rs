//! Front matter in which a text has a colon and no quotes, as very many write it:
//! `description: A toolkit for PDF: reads and fills forms`.

/// The same with such texts in quotes; every line stays where it is.
pub(super) fn quoted(yaml: &str) -> String {
    let lines: Vec<&str> = yaml.split('\n').collect();
    let mut quoted = String::with_capacity(yaml.len() + 2);
    let mut nth = 0;
    while nth < lines.len() {
        let more = lines[nth + 1..].iter().take_while(|line| line.starts_with([' ', '\t'])).count();
        let of_field = &lines[nth..=nth + more];
        match in_quotes(of_field) {
            Some(field) => quoted += &field,
            None => quoted += &of_field.join("\n"),
        }
        nth += 1 + more;
        if nth < lines.len() {
            quoted.push('\n');
        }
    }
    quoted
}

/// `None` for what is no such text.
fn in_quotes(of_field: &[&str]) -> Option<String> {
    // What else they may begin with says how they are read.
    const BEGINS_OTHERWISE: &[char] =
        &['\'', '"', '|', '>', '[', '{', '&', '*', '!', '#', '%', '@', '`'];
    let (key, text) = of_field.first()?.split_once(": ")?;
    let is_key = key.chars().all(|sign| sign.is_alphanumeric() || matches!(sign, '-' | '_'));
    let text = [&[text.trim_start()], &of_field[1..]].concat().join("\n");
    let has_colon = text.contains(": ") || text.lines().any(|line| line.trim_end().ends_with(':'));
    if !is_key || !has_colon || text.is_empty() || text.starts_with(BEGINS_OTHERWISE) {
        return None;
    }
    let end = text.trim_end().len();
    Some(format!("{key}: '{}'{}", text[..end].replace('\'', "''"), &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_colon_is_quoted_and_all_else_stays() {
        let check = |yaml: &str, expected: &str| assert_eq!(quoted(yaml), expected);
        check("name: a\ndescription: PDF: reads\n", "name: a\ndescription: 'PDF: reads'\n");
        check("description: it's: so", "description: 'it''s: so'");
        check(
            "description: Use it:\n  for a: b\nname: a",
            "description: 'Use it:\n  for a: b'\nname: a",
        );
        for same in [
            "",
            "name: a",
            "description: 'a: b'",
            "description: \"a: b\"",
            "description: >\n  a: b",
            "metadata:\n  a: b",
            "url: https://example.org",
            "tools: [a: b]",
        ] {
            check(same, same);
        }
    }
}
