//! What a soul names is looked up while the text is written and whenever something comes or goes.

use super::*;

fn known() -> Known {
    let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Known {
        tools: all(&["calculator", "delegate", "github__search", "read_file"]),
        servers: all(&["github"]),
        skills: all(&["tea"]),
        souls: all(&["bo", "Bo", "laochen", "老陈"]),
    }
}

/// Line, column and what is said.
fn said(front: &str) -> Vec<(u32, u32, String)> {
    let text = format!("---\n{front}\n---\nYou help.\n");
    let missing = known().missing(&text).into_iter();
    missing.map(|warning| (warning.line, warning.column, warning.message)).collect()
}

#[test]
fn a_name_of_nothing_is_told_where_it_stands_with_the_nearest_one() {
    let check = |front: &str, line: u32, column: u32, message: &str| {
        assert_eq!(said(front), [(line, column, message.to_owned())], "{front}");
    };
    check(
        "tools: [calculator, calculater]",
        2,
        21,
        "there is no tool calculater; did you mean calculator?",
    );
    check(
        "policy: {high_risk_tools: ['x*', browse]}",
        2,
        34,
        "there is no tool browse; coterie agent tools names them all",
    );
    check("tools: [browse]", 2, 9, "there is no tool browse; coterie agent tools names them all");
    check(
        "tools: [jira__find]",
        2,
        9,
        "there is no tool jira__find now; it comes when the MCP server jira is there and \
         brings it",
    );
    check("skills:\n  - teas", 3, 5, "there is no skill teas; did you mean tea?");
    check("mcp: [gitub]", 2, 7, "there is no MCP server gitub now; did you mean github?");
    check(
        "tools: [delegate]\ndelegates: [bo, laochan]",
        3,
        17,
        "there is no soul laochan to give tasks to; did you mean laochen?",
    );
}

#[test]
fn what_is_there_and_what_stands_for_several_is_no_warning() {
    for front in [
        "tools: ['*']\nmcp: ['*']",
        "tools: [none]",
        "tools: [github__search, read_file]\nmcp: [github]\nskills: [tea]",
        "tools: [delegate]\ndelegates: [BO, 老陈]",
        "interests: [browse]",
        "tools: browse",
    ] {
        assert_eq!(said(front), [], "{front}");
    }
    assert_eq!(known().missing("---\ntools: [browse\n---\nYou help.\n"), []);
}
