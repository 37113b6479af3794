//! Who is named with an @ in a text.

/// The positions in `names` of everybody the text mentions, in the order in
/// which they are first named. What stands in code names nobody.
///
/// Case does not matter. The longest name that fits wins, so `@Annabel` does
/// not name Anna. A name in Latin letters must end where the word ends; a name
/// in Han characters needs no such end, since Chinese writes on without a
/// space.
pub(crate) fn find(text: &str, names: &[&str]) -> Vec<usize> {
    let mut found = Vec::new();
    // `me@ada` is an address; `你好@ada` is a mention.
    let mut before = None;
    let mut code_ends = 0;
    for (at, character) in text.char_indices() {
        if at < code_ends {
            continue;
        }
        code_ends = end_of_code(text, at);
        // The second is what Chinese keyboards write.
        let is_at = matches!(character, '@' | '\u{ff20}');
        if is_at && !before.is_some_and(|c: char| c.is_ascii_alphanumeric()) {
            let rest = &text[at + character.len_utf8()..];
            let best = (0..names.len())
                .filter(|&i| starts_with_name(rest, names[i]))
                .max_by_key(|&i| names[i].len());
            if let Some(index) = best
                && !found.contains(&index)
            {
                found.push(index);
            }
        }
        before = Some(character);
    }
    found
}

/// What names everybody, as long as nobody is called so.
const EVERYBODY: [&str; 10] =
    ["all", "everyone", "everybody", "所有人", "全体", "全體", "大家", "全员", "全員", "みんな"];

/// The positions of those whom a text names that may name everybody at once: behind those whom
/// it names themselves, all others.
pub(crate) fn find_or_everybody(text: &str, names: &[&str]) -> Vec<usize> {
    // Of two that fit as well the later wins.
    let both: Vec<&str> = EVERYBODY.iter().chain(names).copied().collect();
    let (named, everybody): (Vec<_>, Vec<_>) =
        find(text, &both).into_iter().partition(|&at| at >= EVERYBODY.len());
    let mut named: Vec<usize> = named.into_iter().map(|at| at - EVERYBODY.len()).collect();
    if !everybody.is_empty() {
        let others: Vec<usize> = (0..names.len()).filter(|at| !named.contains(at)).collect();
        named.extend(others);
    }
    named
}

/// Where the code ends that begins here, as Markdown has it: at as many backticks
/// as it began with. Here, if none begins.
pub(crate) fn end_of_code(text: &str, at: usize) -> usize {
    let ticks = |text: &str| text.len() - text.trim_start_matches('`').len();
    let long = ticks(&text[at..]);
    if long == 0 {
        return at;
    }
    let begins = at + long;
    let mut from = begins;
    while let Some(next) = text[from..].find('`') {
        let found = ticks(&text[from + next..]);
        from += next + found;
        if found == long {
            return from;
        }
    }
    // They stand for themselves.
    begins
}

fn starts_with_name(rest: &str, name: &str) -> bool {
    let mut rest = rest.chars();
    for wanted in name.chars() {
        match rest.next() {
            Some(got) if got == wanted || got.to_lowercase().eq(wanted.to_lowercase()) => {}
            _ => return false,
        }
    }
    let ends_in_latin = name.chars().last().is_some_and(|c| c.is_ascii_alphanumeric());
    !ends_in_latin || !rest.next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    fn check(text: &str, expected: &[&str]) {
        let names = ["Ada", "Anna", "Annabel", "林夏", "老陈"];
        let found: Vec<&str> = super::find(text, &names).into_iter().map(|i| names[i]).collect();
        assert_eq!(found, expected, "in {text:?}");
    }

    #[test]
    fn mentions_are_found() {
        check("@Ada what do you think?", &["Ada"]);
        check("ask @ada, then @ANNA.", &["Ada", "Anna"]);
        check("@Annabel", &["Annabel"]);
        check("@Anna @Ada @Anna", &["Anna", "Ada"]);
        check("@林夏你好，@老陈也来", &["林夏", "老陈"]);
        check("你好@Ada请回答", &["Ada"]);
        check("＠林夏 你好", &["林夏"]);
        check("`@Ada` is how @Anna calls her", &["Anna"]);
        check("a ` and @Ada", &["Ada"]);
    }

    #[test]
    fn everybody_is_named_at_once_behind_those_who_are_named_themselves() {
        let check = |text: &str, names: &[&str], expected: &[usize]| {
            assert_eq!(super::find_or_everybody(text, names), expected, "in {text:?}");
        };
        let names = ["Ada", "Bo", "林夏"];
        for text in ["@all hello", "hello @Everyone!", "@所有人 开会", "＠大家好"] {
            check(text, &names, &[0, 1, 2]);
        }
        check("@Bo first, then @all", &names, &[1, 0, 2]);
        check("@Bo, is that all?", &names, &[1]);
        check("@allan `@all` a@all.example", &names, &[]);
        check("@all", &["Ada", "All"], &[1]);
    }

    #[test]
    fn what_only_looks_like_one_is_not() {
        check("ada@anna.example", &[]);
        check("@Adam and @nobody", &[]);
        check("Ada, Anna and @", &[]);
        check("```\n@Ada `x`\n``` and `` @Anna ` ``", &[]);
    }
}
