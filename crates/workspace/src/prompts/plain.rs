//! What a person's template may do: ask and repeat, and put what it is given into words.
//!
//! Fuel counts steps and not what they make, and a template that keeps texts and doubles
//! them needs few. So there is nothing in it that keeps one (`set`, `macro`, `filter` and
//! the like), nothing that multiplies (`*`), and no filter that makes more than it is given.

use minijinja::{Environment, Error, ErrorKind, Value};

/// More than any prompt.
pub(super) const MOST_BYTES: usize = 1024 * 1024;

const BLOCKS: [&str; 8] = ["if", "elif", "else", "endif", "for", "endfor", "raw", "endraw"];
/// What they make is not bounded by what they are given.
const FILTERS: [&str; 7] = ["batch", "chain", "format", "indent", "pprint", "slice", "tojson"];

/// Why a template does what none needs.
pub(super) fn check(text: &str) -> Result<(), String> {
    let mut rest = text;
    while let Some(at) = rest.find("{") {
        rest = &rest[at + 1..];
        let Some(kind) = rest.chars().next().filter(|kind| "{%#".contains(*kind)) else { continue };
        if kind == '#' {
            rest = rest.split_once("#}").map_or("", |(_, behind)| behind);
            continue;
        }
        let (code, behind) = code(&rest[1..], if kind == '%' { "%}" } else { "}}" });
        rest = behind;
        let code = code.trim_start_matches(['-', '+']).trim_start();
        let word: String = code.chars().take_while(char::is_ascii_alphabetic).collect();
        if kind == '%' && !BLOCKS.contains(&word.as_str()) {
            return Err(format!("it uses {word}: only if, for and raw are there"));
        }
        if code.contains('*') {
            return Err("it multiplies, which no prompt needs".to_owned());
        }
        if word == "raw" {
            rest = rest.split_once("endraw").map_or("", |(_, behind)| behind);
        }
    }
    Ok(())
}

/// What stands before the end of a tag, without its texts, and what comes behind it.
fn code<'t>(text: &'t str, end: &str) -> (String, &'t str) {
    let (mut code, mut quote) = (String::new(), None);
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match quote {
            Some(_) if sign == '\\' => {
                signs.next();
            }
            Some(open) => quote = (sign != open).then_some(open),
            None if text[at..].starts_with(end) => return (code, &text[at + end.len()..]),
            None if sign == '"' || sign == '\'' => quote = Some(sign),
            None => code.push(sign),
        }
    }
    (code, "")
}

/// Takes away what makes more than it is given, and bounds what may.
pub(super) fn limit(templates: &mut Environment<'_>) {
    for name in FILTERS {
        templates.remove_filter(name);
    }
    // It tells of the engine, and of nobody that a prompt speaks of.
    templates.remove_global("debug");
    templates.add_filter("join", join);
    templates.add_filter("replace", replace);
}

fn join(items: &Value, between: Option<&str>) -> Result<String, Error> {
    let mut joined = String::new();
    for (nth, item) in items.try_iter()?.enumerate() {
        if nth > 0 {
            joined.push_str(between.unwrap_or_default());
        }
        joined.push_str(&item.to_string());
        fits(joined.len())?;
    }
    Ok(joined)
}

fn replace(text: &str, old: &str, new: &str) -> Result<String, Error> {
    let times = text.matches(old).count();
    fits(text.len().saturating_add(times.saturating_mul(new.len())))?;
    Ok(text.replace(old, new))
}

fn fits(bytes: usize) -> Result<(), Error> {
    match bytes <= MOST_BYTES {
        true => Ok(()),
        false => Err(too_long()),
    }
}

pub(super) fn too_long() -> Error {
    Error::new(ErrorKind::InvalidOperation, "it makes too long a text")
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn what_keeps_or_multiplies_texts_is_found_and_nothing_else_is() {
        for fits in [
            "{{ name }}, {% if a %}{{ a | upper }}{% elif b -%} x {% else %} y {% endif %}",
            "{%- for one in members %}* {{ \"* \" ~ one.name }}{% endfor +%}",
            "2 * 3 {# {% set a = 1 %} #} { % set %} {",
            "{% raw %}{% set a = a * 2 %}{{ x * 2 }}{% endraw %}{{ '}}' ~ \"\\\"*\" }}",
        ] {
            assert_eq!(check(fits), Ok(()), "{fits}");
        }
        for (wrong, why) in [
            ("{% set a = 'x' %}", "set"),
            ("x {%-set a = 'x' %}", "set"),
            ("{% macro a() %}{% endmacro %}", "macro"),
            ("{% if a %}{% filter upper %}x{% endfilter %}{% endif %}", "filter"),
            ("{{ '\\'' * 3 }}", "multiplies"),
            ("{{ '#}' }}{{ a * 3 }}", "multiplies"),
            ("{% for i in range(2 ** 9) %}{% endfor %}", "multiplies"),
            ("{# a #}{{ a*", "multiplies"),
        ] {
            assert!(check(wrong).is_err_and(|found| found.contains(why)), "{wrong}");
        }
    }
}
