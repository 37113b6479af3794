//! Every mistake with its place, as `line:column message`.

use super::super::policy;
use super::*;
use domain::PlanMode;
use serde_json::json;
use std::fs;

fn lines_of(problems: &[SoulProblem]) -> Vec<String> {
    assert!(problems.iter().all(|problem| problem.kind.is_some()), "{problems:?}");
    problems.iter().map(|p| format!("{}:{} {}", p.line, p.column, p.message)).collect()
}

/// The errors of a soul with this front matter.
fn check_front(front: &str, expected: &[&str]) {
    let found = check("ada", &format!("---\n{front}\n---\nYou are Ada.\n"));
    assert_eq!(lines_of(&found.errors), expected, "in {front:?}");
}

fn check_errors(text: &str, expected: &[&str]) {
    assert_eq!(lines_of(&check("ada", text).errors), expected, "in {text:?}");
}

fn check_warnings(text: &str, expected: &[&str]) {
    let found = check("ada", text);
    assert_eq!(
        (lines_of(&found.errors), lines_of(&found.warnings)),
        (vec![], expected.iter().map(|e| (*e).to_owned()).collect()),
        "in {text:?}"
    );
}

#[test]
fn every_bundled_soul_is_valid_without_a_warning() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../souls");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let checked = check_bytes(path.file_name().unwrap(), &fs::read(&path).unwrap());
        assert_eq!(checked, Checked::default(), "in {}", path.display());
        seen += 1;
    }
    assert!(seen >= 6, "only {seen} souls in {folder}");
}

#[test]
fn a_budget_that_cannot_be_read_is_an_error_and_one_of_nothing_a_warning() {
    check_front("budget: {usd_per_day: 0, tokens_per_run: off, usd_per_run: 0.5}", &[]);
    check_front(
        "budget:\n  usd_per_day: a lot",
        &["3:16 usd_per_day is a number from 0 up, or off for no limit, not “a lot”"],
    );
    check_front(
        "budget:\n  tokens_per_run: -1",
        &["3:19 tokens_per_run is a number from 0 up, or off for no limit, not -1"],
    );
    check_warnings(
        "---\nbudget: {usd: 1}\n---\nYou are Ada.\n",
        &["2:10 usd limits nothing; use tokens_per_day, usd_per_day, tokens_per_run, usd_per_run"],
    );
}

#[test]
fn all_fields_are_read() {
    let text = "---\n\
        name: Ada\nrole: Cook\ndescription: \"Cooks: well\"\nlanguage: zh-CN\navatar: seed\nmodel: lab/meta/llama:8b\n\
        reasoning: lab/deep\nfast: default\nfallback: none\n\
        temperature: 0.25\nmax_tokens: 512\ntools: [shell, delegate]\nskills:\n  - bread\n  - soup\nmcp: []\nroots: [~/recipes]\n\
        delegates: [bo]\ninterests: [\"2024\", 面包]\ntalkativeness: 100\nplan: always\n\
        policy: {max_iterations: 3, high_risk_tools: [shell]}\nbudget:\n  usd_per_day: 0.5\nheartbeat: 30m\n\
        response_cache: true\nmotto: Salt first\n---\n\n# Who\n\nYou cook.\n\n";
    let soul = parse("ada", text).unwrap();
    let expected = Front {
        name: "Ada".into(),
        role: "Cook".into(),
        description: "Cooks: well".into(),
        language: Some("zh-CN".into()),
        avatar: Some("seed".into()),
        model: Some("lab/meta/llama:8b".into()),
        reasoning: Some("lab/deep".into()),
        fast: Some("default".into()),
        fallback: Some("none".into()),
        temperature: Some(0.25),
        max_tokens: Some(512),
        tools: Some(vec!["shell".into(), "delegate".into()]),
        skills: Some(vec!["bread".into(), "soup".into()]),
        mcp: Some(vec![]),
        roots: Some(vec!["~/recipes".into()]),
        delegates: Some(vec!["bo".into()]),
        interests: Some(vec!["2024".into(), "面包".into()]),
        talkativeness: Some(100),
        plan: Some(PlanMode::Always),
        policy: json!({"max_iterations": 3, "high_risk_tools": ["shell"]}).as_object().cloned(),
        budget: json!({"usd_per_day": 0.5}).as_object().cloned(),
        heartbeat: Some(json!("30m")),
        response_cache: Some(true),
        other: json!({"motto": "Salt first"}).as_object().cloned().unwrap(),
    };
    assert_eq!(soul.front, expected);
    assert_eq!(soul.persona, "# Who\n\nYou cook.");
    assert_eq!(
        lines_of(&soul.warnings),
        ["28:1 motto is not a field of a soul; it is kept and has no effect"]
    );
}

#[test]
fn what_is_left_out_or_left_empty_has_its_default() {
    for text in [
        "You are Ada.",
        "---\n---\nYou are Ada.",
        "---\n# nothing yet\n---\nYou are Ada.",
        "---\nname:\nmodel: ~\ntools: null\n---\nYou are Ada.",
    ] {
        let expected =
            SoulFile { front: Front::of("ada"), persona: "You are Ada.".into(), warnings: vec![] };
        assert_eq!(parse("ada", text), Ok(expected), "in {text:?}");
    }
}

#[test]
fn byte_order_marks_line_ends_and_trailing_spaces_do_not_matter() {
    let plain = parse("ada", "---\nrole: Cook\n---\nYou\n\ncook.").unwrap();
    for text in [
        "\u{feff}---\nrole: Cook\n---\nYou\n\ncook.\n",
        "---\r\nrole: Cook\r\n---\r\nYou\r\n\r\ncook.\r\n",
        "---\rrole: Cook\r---\rYou\r\rcook.\r",
        "---  \nrole: Cook   \n--- \t\n\n\nYou\n\ncook.\n\n\n",
    ] {
        assert_eq!(parse("ada", text).unwrap(), plain, "in {text:?}");
    }
}

#[test]
fn a_value_out_of_range_is_told_the_range() {
    check_front("temperature: 2.4", &["2:14 temperature goes from 0 to 2, not 2.4"]);
    check_front("temperature: -0.1", &["2:14 temperature goes from 0 to 2, not -0.1"]);
    check_front("temperature: .nan", &["2:14 temperature goes from 0 to 2, not .nan"]);
    check_front("temperature: hot", &["2:14 temperature is a number from 0 to 2, not “hot”"]);
    check_front("role: Cook\ntemperature:\n    3", &["4:5 temperature goes from 0 to 2, not 3"]);
    check_front("max_tokens: 0", &["2:13 max_tokens is a whole number from 1 to 1000000, not 0"]);
    check_front(
        "max_tokens: 1.5",
        &["2:13 max_tokens is a whole number from 1 to 1000000, not 1.5"],
    );
    check_front(
        "max_tokens: 99999999999999999999",
        &["2:13 max_tokens is a whole number from 1 to 1000000, not 99999999999999999999"],
    );
    check_front(
        "talkativeness: 101",
        &["2:16 talkativeness is a whole number from 0 to 100, not 101"],
    );
    check_front(
        "talkativeness: -1",
        &["2:16 talkativeness is a whole number from 0 to 100, not -1"],
    );
    check_front("plan: sometimes", &["2:7 plan is never, auto or always, not “sometimes”"]);
    check_front("plan: [auto]", &["2:7 plan is never, auto or always, not a list"]);
    check_front("response_cache: yes", &["2:17 response_cache is true or false, not “yes”"]);
    check_front(
        "model: gpt-4",
        &["2:8 model is default, fast, reasoning, or a model as provider/model, not “gpt-4”"],
    );
    check_front(
        "language: English please",
        &["2:11 language is a language tag such as en or zh-CN, not “English please”"],
    );
    check_front(
        "heartbeat: 30",
        &[
            "2:12 heartbeat is true, false, a time such as 30m, or a block with every: 1h, hours: 9-18 and zone: Asia/Shanghai, not 30",
        ],
    );
}

#[test]
fn names_can_be_mentioned() {
    check_front("name: 林夏", &[]);
    check_front(
        "name: Ada Lovelace",
        &["2:7 name has no spaces in it, so that @mentions find it, unlike “Ada Lovelace”"],
    );
    check_front(
        "name: \"Ada\u{200b}\"",
        &["2:7 name has no spaces in it, so that @mentions find it, unlike “Ada\u{200b}”"],
    );
    for word in ["you", "USER", "你", "Ｃｏｔｅｒｉｅ"] {
        let expected =
            format!("2:7 name is another word than “{word}”, which means the person or Coterie");
        check_front(&format!("name: {word}"), &[&expected]);
    }
    check_front("name: ada@home", &["2:7 name has no @ in it, unlike “ada@home”"]);
    check_front("name: \"\"", &["2:7 name is one line of 1 to 64 characters, not an empty text"]);
    check_front(
        "name: |\n  Ada\n  Bo",
        &["3:3 name is one line of 1 to 64 characters, not “Ada Bo”"],
    );
    let long = "陈".repeat(65);
    let shown = "陈".repeat(40);
    check_front(&format!("name: {}", "陈".repeat(64)), &[]);
    check_front(
        &format!("name: {long}"),
        &[&format!("2:7 name is one line of 1 to 64 characters, not “{shown}…”")],
    );
}

#[test]
fn a_wrong_type_is_told_the_right_one() {
    check_front("name: 7", &["2:7 name is text; put 7 in quotes"]);
    check_front("role: true", &["2:7 role is text; put true in quotes"]);
    check_front("role: [a]", &["2:7 role is text, not a list"]);
    check_front("description: |\n  a\n  b", &["3:3 description is a single line"]);
    check_front(
        &format!("role: {}", "x".repeat(101)),
        &["2:7 role has at most 100 characters, not 101"],
    );
    check_front("tools: shell", &["2:8 tools is a list such as [one, two], not “shell”"]);
    check_front(
        "interests: [海, 2024, b]",
        &["2:16 interests is a list of texts; put 2024 in quotes"],
    );
    check_front(
        "skills:\n  - a\n  - b: c",
        &["4:5 skills is a list of texts, and a block of settings is none"],
    );
    check_front("mcp: [\"\"]", &["2:7 mcp is a list of texts, and an empty text is none"]);
    check_front(
        "policy: strict",
        &["2:9 policy is a block of settings, a line each, as key: value, not “strict”"],
    );
    check_front(
        "policy: {max_iterations: 0, parallel_tools: \"no\", high_risk_tools: shell}",
        &[
            "2:26 max_iterations is a whole number from 1 to 1000, not 0",
            "2:45 parallel_tools is true or false, not “no”",
            "2:68 high_risk_tools is a list such as [one, two], not “shell”",
        ],
    );
    check_front(
        "policy: {approval_timeout: 5m, max_depth: 99}",
        &[
            "2:28 approval_timeout is a whole number from 1 to 86400, not “5m”",
            "2:43 max_depth is a whole number from 0 to 10, not 99",
        ],
    );
    check_front(
        "budget: [1]",
        &["2:9 budget is a block of settings, a line each, as key: value, not a list"],
    );
    check_front(
        "- a\n- b",
        &["2:1 front matter is lines of key: value, such as role: Cook, not a list"],
    );
    check_front(
        "name:Ada",
        &["2:1 front matter is lines of key: value, such as role: Cook, not “name:Ada”"],
    );
}

#[test]
fn all_mistakes_are_found_at_once_in_the_order_of_the_file() {
    check_errors(
        "---\nplan: no\nname: a b\ntemperature: 9\n---\n\n",
        &[
            "2:7 plan is never, auto or always, not “no”",
            "3:7 name has no spaces in it, so that @mentions find it, unlike “a b”",
            "4:14 temperature goes from 0 to 2, not 9",
            "6:1 the persona is empty; write here who this agent is",
        ],
    );
}

#[test]
fn broken_yaml_is_placed_and_explained() {
    let check = |front: &str, place: &str, cause: &str| {
        let found = check("ada", &format!("---\n{front}\n---\nYou are Ada."));
        let found = lines_of(&found.errors);
        let start = format!("{place} this is not valid YAML: {cause} (");
        assert!(found.len() == 1 && found[0].starts_with(&start), "{front:?} gives {found:?}");
    };
    check(
        "role: a: b",
        "2:8",
        "a value with a colon in it needs quotes, and fields start in the same column",
    );
    check(
        "角色: 你好: x",
        "2:7",
        "a value with a colon in it needs quotes, and fields start in the same column",
    );
    check("role: \"a\nplan: auto", "2:7", "a quote is not closed");
    check("role: 'it's'", "2:11", "the quotes end before this");
    check("role: \"\\q\"", "2:7", "inside double quotes, \\\\ is a backslash");
    check("role: @x", "2:7", "a value that starts with this character needs quotes");
    check("role: - x", "2:7", "a value that starts with - needs quotes");
    check(
        "role: Cook\n\nname:Ada\n",
        "4:1",
        "between a key and its value stand a colon and a space",
    );
    check("  name: Ada\nrole: Cook", "3:1", "fields start in the same column");
    check("tools: [a, b", "3:1", "a bracket is not closed");
    check("policy:\n  a: *b", "3:6", "a value that starts with * needs quotes");
}

#[test]
fn a_key_stands_once() {
    check_front("role: a\nplan: auto\nrole: b", &["4:1 role stands twice; line 2 has it too"]);
    check_front("budget: {usd: 1, usd: 2}", &["2:18 usd stands twice; line 2 has it too"]);
    check_front("\"role\": a\nrole: b", &["3:1 role stands twice; line 2 has it too"]);
}

#[test]
fn what_could_unfold_without_end_is_refused() {
    let anchors = "YAML anchors and aliases (& and *) have no use in front matter; \
        write the value out, or put it in quotes if it starts with & or *";
    check_front("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]", &[&format!("2:4 {anchors}")]);
    check_front("role: &r Cook", &[&format!("2:7 {anchors}")]);
    check_front(
        "role: !!str 3",
        &["2:7 YAML tags (!…) have no use in front matter; write the plain value"],
    );
    check_front("a: [[[[[[[x]]]]]]]", &[]);
    check_front("a: [[[[[[[[x]]]]]]]]", &["2:11 front matter nests at most 8 levels"]);
    check_front(&"- ".repeat(60_000), &["2:17 front matter nests at most 8 levels"]);
    check_front(
        "a: 1\n...\nb: 2",
        &["4:1 front matter is a single YAML document; a second one starts here"],
    );
    check_front("? [a]\n: b", &["2:3 a key is one short word, such as name or role"]);
}

#[test]
fn the_frame_of_the_file_is_checked() {
    let check = check_errors;
    check("", &["1:1 the persona is empty; write here who this agent is"]);
    check("\n  \n", &["1:1 the persona is empty; write here who this agent is"]);
    check("---\nrole: x\n---", &["4:1 the persona is empty; write here who this agent is"]);
    check(
        "---\nrole: x\nYou",
        &["1:1 the front matter that starts here never ends; put a line --- after it"],
    );
    check("---", &["1:1 the front matter that starts here never ends; put a line --- after it"]);
    check("---\nrole: x\u{0}\n---\nYou", &["2:8 a control character (U+0000) stands here"]);
    check("Yo\nu\u{1b}[0m", &["2:2 a control character (U+001B) stands here"]);
    check(&"x".repeat(MAX_BYTES), &[]);
    check(&"x".repeat(MAX_BYTES + 1), &["1:1 a soul has at most 256 KiB; this file is larger"]);
}

#[test]
fn bytes_that_are_no_text_are_placed() {
    let check = |bytes: &[u8], expected: &[&str]| {
        assert_eq!(lines_of(&check_bytes(OsStr::new("ada.md"), bytes).errors), expected)
    };
    check(b"You are Ada", &[]);
    check(b"You\nare \xe4da", &["2:5 the text is not UTF-8 from here on; save the file as UTF-8"]);
    check(b"You\n\xff", &["2:1 the text is not UTF-8 from here on; save the file as UTF-8"]);
    check(b"\xff\xfeY\0", &["1:1 the file is saved as UTF-16; save it as UTF-8"]);
    check(&vec![0xff; MAX_BYTES + 1], &["1:1 a soul has at most 256 KiB; this file is larger"]);
}

#[test]
fn a_file_that_the_folder_would_not_take_does_not_pass_for_its_name() {
    let check = |file: &str, expected: &[&str]| {
        let checked = check_bytes(OsStr::new(file), b"You are.");
        assert_eq!(lines_of(&checked.errors), expected, "{file}");
    };
    check("ada.md", &[]);
    check("Jose\u{301}.md", &[]);
    let one_ending = "1:1 the name of a soul's file ends in .md, once and in small letters; rename the file, \
        for example to upper.md (what people call the agent is the field name)";
    check("upper.MD", &[one_ending]);
    check("upper.md.md", &[one_ending]);
    check("upper.txt", &[one_ending]);
    let space = "1:1 a soul's file name is made of letters, digits, - and _, and this one has a space; rename \
        the file, for example to my-soul.md (what people call the agent is the field name)";
    check("my soul.md", &[space]);
    assert_eq!(lines_of(&super::check("my soul", "You are.").errors), [space]);
    let both = check_bytes(OsStr::new("my soul.md"), b"\xff").errors;
    assert_eq!(
        lines_of(&both),
        [space, "1:1 the text is not UTF-8 from here on; save the file as UTF-8"]
    );
}

#[test]
fn a_soul_without_a_name_of_its_own_has_its_files_name_composed() {
    assert_eq!(parse("Jose\u{301}", "You are.").unwrap().front.name, "José");
}

#[test]
fn no_field_has_control_characters_however_they_are_written() {
    let control = |code: &str| format!("2:7 a control character ({code}) is in this value");
    check_front("role: \"a\\e[31m\"", &[&control("U+001B")]);
    check_front("role: \"a\\x07\"", &[&control("U+0007")]);
    check_front("role: \"a\\u0085b\"", &[&control("U+0085")]);
    check_front("role: \"a\\tb\"", &[]);
    check_front("\"ro\\ele\": x", &["2:1 a control character (U+001B) is in this value"]);
}

#[test]
fn likely_mistakes_are_warned_about() {
    check_warnings(
        "---\ntemprature: 1\n---\nx",
        &["2:1 temprature is not a field of a soul; did you mean temperature?"],
    );
    check_warnings(
        "---\nName: Ada\n---\nx",
        &["2:1 Name is not a field of a soul; did you mean name?"],
    );
    check_warnings(
        "---\n<<: {a: 1}\n---\nx",
        &["2:1 << is not a field of a soul; it is kept and has no effect"],
    );
    check_warnings(
        "---\npolicy:\n  max_tokens: 5\n---\nx",
        &["3:3 max_tokens has no effect inside policy; write it as a field of its own"],
    );
    check_warnings(
        "---\npolicy: {max_iteration: 2, asks: x, high_risk_tools: [read_file]}\n---\nx",
        &[
            "2:10 max_iteration is no setting of a policy; use max_iterations",
            "2:28 asks is no setting of a policy; use max_iterations, max_replan_attempts, \
             parallel_tools, delegation, max_depth, max_children, high_risk_tools, \
             require_approval_for_high_risk, approval_timeout",
        ],
    );
    check_warnings(
        "---\npolicy:\n  require_approval_for_high_risk: false\n---\nx",
        &["3:3 a soul takes no question away: what is risky asks first all the same; \
           where it is asked, you can allow it for longer"],
    );
    check_warnings("---\npolicy: {require_approval_for_high_risk: true, delegation:}\n---\nx", &[]);
    check_warnings(
        "---\ndelegates: [bo]\ntools: [shell]\n---\nx",
        &["2:1 delegates has no effect without delegate in tools; add it there"],
    );
    for does in ["", "\ntools: []", "\ntools: ['*']", "\ntools: [shell, delegate]"] {
        check_warnings(&format!("---\ndelegates: [bo]{does}\n---\nx"), &[]);
    }
    check_warnings(
        "\n---\nrole: x\n---\nx",
        &["2:1 front matter starts in the file's first line; this is read as part of the persona"],
    );
    check_warnings("# Ada\n\n---\n\nx\n\n---\ny", &[]);
}

#[test]
fn every_field_and_every_setting_of_a_policy_is_documented() {
    let documented = include_str!("../../../../../docs/souls.md");
    let rows: Vec<&str> = documented.lines().filter(|line| line.starts_with('|')).collect();
    for key in front::KEYS.iter().chain(&policy::KEYS) {
        let is_in = |row: &&&str| {
            row.split('|').nth(1).is_some_and(|cell| cell.contains(&format!("`{key}`")))
        };
        assert!(rows.iter().find(is_in).is_some(), "docs/souls.md has no row of {key}");
    }
}
