//! The tools that a skill says it uses. Others call theirs otherwise, and a skill is
//! often written for them.
//!
//! It is a hint for people: it gives nobody a tool.

use super::SkillFront;
use domain::SkillTool;
use std::collections::BTreeSet;

/// What widely used programs call a tool, and what it is called here.
const ELSEWHERE: [(&str, &str); 16] = [
    ("bash", "shell"),
    ("edit", "edit_file"),
    ("glob", "find_files"),
    ("grep", "search_files"),
    ("javascript", "run_code"),
    ("list", "list_folder"),
    ("ls", "list_folder"),
    ("multiedit", "edit_file"),
    ("python", "run_code"),
    ("read", "read_file"),
    ("shell", "shell"),
    ("task", "delegate"),
    ("terminal", "shell"),
    ("webfetch", "fetch"),
    ("web_fetch", "fetch"),
    ("write", "write_file"),
];

/// The names in a line such as `Bash(git add:*) Read`: blanks and commas stand between
/// them, but not inside of brackets.
pub(super) fn apart(line: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut depth = 0_u32;
    for c in line.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match names.last_mut() {
            Some(name) if depth > 0 || !(c.is_whitespace() || c == ',') => name.push(c),
            Some(_) | None => names.push(String::new()),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// A server's tools have two lines in their names here, and a mark of their own elsewhere.
pub(super) fn called_here(said: String) -> SkillTool {
    let plain = said.split('(').next().unwrap_or_default().trim();
    let lower = plain.to_lowercase();
    let known = ELSEWHERE.iter().find(|(name, _)| *name == lower).map(|(_, here)| *here);
    let of_server = plain.strip_prefix("mcp__").unwrap_or(plain);
    let ours = plain.chars().all(|c| c.is_ascii_lowercase() || c == '_').then_some(plain);
    let of_server = of_server.contains("__").then_some(of_server);
    let tool = known.or(of_server).or(ours).map(str::to_owned);
    SkillTool { said, tool }
}

/// The tools that a skill uses, as they are called here.
pub(crate) fn tools_of(front: &SkillFront) -> BTreeSet<String> {
    front.tools.iter().filter_map(|one| one.tool.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_skill_uses_is_read_as_others_write_it() {
        let check = |line: &str, expected: &[(&str, Option<&str>)]| {
            let found: Vec<SkillTool> = apart(line).into_iter().map(called_here).collect();
            let said = found.iter().map(|one| (one.said.as_str(), one.tool.as_deref()));
            assert_eq!(said.collect::<Vec<_>>(), expected, "{line}");
        };
        check("", &[]);
        check(
            "Bash(git add:*) Bash(jq:*), Read",
            &[
                ("Bash(git add:*)", Some("shell")),
                ("Bash(jq:*)", Some("shell")),
                ("Read", Some("read_file")),
            ],
        );
        check(
            "run_code notes__search",
            &[("run_code", Some("run_code")), ("notes__search", Some("notes__search"))],
        );
        check(
            "mcp__notes__search NotebookEdit",
            &[("mcp__notes__search", Some("notes__search")), ("NotebookEdit", None)],
        );
        check("Bash(never closed Read", &[("Bash(never closed Read", Some("shell"))]);
    }
}
