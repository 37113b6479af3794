//! Whatever way a text is cut into pieces, the same is said of it.

use super::*;
use label::THE_PERSON;
use proptest::prelude::*;

const OTHERS: [&str; 6] = ["Bo", "林夏", "Lin", "Dr. Ng", "Bo, Sceptic", "Zoé"];

/// What is said of a text that comes in pieces of these lengths, which begin
/// anew when they are used up; and what was shown meanwhile.
fn said(text: &str, lengths: &[usize]) -> (Option<String>, String) {
    let mut speech = Speech::new("Ada", &OTHERS.map(str::to_owned));
    let mut shown = String::new();
    let (mut rest, mut lengths) = (text, lengths.iter().cycle());
    while !rest.is_empty() {
        let length = lengths.next().copied().unwrap_or(1).max(1);
        let end = rest.char_indices().nth(length).map_or(rest.len(), |(at, _)| at);
        shown += &speech.push(&rest[..end]);
        rest = &rest[end..];
    }
    shown += &speech.finish();
    (speech.text().map(str::to_owned), shown)
}

#[track_caller]
fn check(text: &str, expected: Option<&str>) {
    for length in [1, 2, 3, 7, usize::MAX] {
        let (said, shown) = said(text, &[length]);
        assert_eq!(said.as_deref(), expected, "{text:?} in pieces of {length}");
        match expected {
            Some(expected) => assert_eq!(shown.trim(), expected, "{text:?} shown by {length}"),
            None => assert!(is_pass(shown.trim()) || shown.is_empty(), "a pass shows {shown:?}"),
        }
    }
}

/// Nothing of it is somebody's label.
#[track_caller]
fn check_whole(text: &str) {
    check(text, Some(text));
}

#[test]
fn an_answer_is_said_as_it_is() {
    check_whole("Nineteen.\n\nBorrow one, then add.");
    check_whole("Both of you are right: it depends.");
}

#[test]
fn the_own_name_in_front_is_dropped() {
    check("Ada: yes, it does.", Some("yes, it does."));
    check("**Ada:** yes.", Some("yes."));
    check("**Ada**: *yes*.", Some("*yes*."));
    check("_Ada (Gardener):_ yes.", Some("yes."));
    check("[Ada]: \"yes\"", Some("\"yes\""));
    check("- Ada: yes", Some("yes"));
    check("ada：好的，开始吧。", Some("好的，开始吧。"));
    check("Yes.\nAda: and more.", Some("Yes.\nand more."));
    check("\">*Ada\"\":  *yes*", Some("*yes*"));
}

#[test]
fn somebody_elses_line_ends_it() {
    check("I agree.\nBo: no you do not.\nAda: I do.", Some("I agree."));
    check("好。\n林夏：我来改。", Some("好。"));
    check("Fine.\n**Lin**: and now?", Some("Fine."));
    check("Bo: I speak for Bo now.", None);
    check("1. Bo: first of all", None);
    check("Fine.\n🙂 Dr. Ng 🩺 (on call) :\nand now?", Some("Fine."));
}

#[test]
fn a_name_that_is_no_label_is_only_mentioned() {
    for text in [
        "Ask Bo: he knows.",
        "Bo knows.\nBobby: also.",
        "Bo (who is late) knows: ask him.",
        "Bo's plan: none.\nYou're right: none.\nYour plan: none.\nUser guide: none.",
        "用户名：小林\n你们：都来",
        "Bo",
        "- Bo",
        "Bo (Scep",
        "Note: it rains.\nExample: You: are, he: is\nTo Bo: hello",
        "| name | says |\n| --- | --- |\n| Bo: | tea |",
        "----------------------------------------\nThat was a rule.",
        "10:30 is too late.\n10. Never.",
    ] {
        check_whole(text);
    }
}

#[test]
fn whoever_is_called_by_name_does_not_speak() {
    for text in [
        "@Bo: could you check the tests?",
        "**@Bo**: could you check the tests?",
        "Done.\n\n@Bo: could you check?\n@You: it is ready.",
    ] {
        check_whole(text);
    }
}

/// However it is decorated.
#[test]
fn what_stands_around_a_name_does_not_hide_it() {
    for label in [
        "#99 Bo:",
        "[10:42] Bo:",
        "10:42 Bo:",
        "10:42 PM - Bo:",
        "10pm Bo:",
        "2026-11-22T10:42:07Z **Bo**:",
        "[Sun, 22 Nov 2026 10:42] #99 Bo:",
        "(99) [10:42] @Bo:",
        "№ 99 | Bo:",
        "| Bo:",
        "│ Bo:",
        "<b>Bo</b>:",
        "<p><span class=\"name\">Bo</span> (Sceptic)</p>:",
        "<Bo>",
        "<Bo at=\"10:42\">",
        "[Bo](https://bo.example):",
        "Bo, Sceptic:",
        "**Bo** – sceptic:",
        "Bo (Sceptic) [10:42]:",
        "Ｂｏ:",
        "Ｂｏ：",
        "B\u{200B}o:",
        "\u{202E}Bo:",
        "Zoe\u{301}:",
        "ZOÉ:",
        "Dr Ng:",
        "system:",
        "[System]:",
        "系统：",
    ] {
        check(&format!("{label} no you do not"), None);
        check(&format!("I agree.\n{label} no you do not"), Some("I agree."));
        check(&format!("I agree.\n{label}\nno you do not"), Some("I agree."));
        check(&format!("Ada: I agree.\n{label}"), Some("I agree."));
    }
}

#[test]
fn a_line_ends_wherever_a_screen_may_end_it() {
    for end in ["\n", "\r", "\r\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"] {
        check(&format!("I agree.{end}Bo: no"), Some("I agree."));
        check(&format!("I agree.{end}{end}> User: no"), Some("I agree."));
    }
}

#[test]
fn assistant_is_the_speaker_at_the_start_and_an_invented_one_further_down() {
    check("Assistant: yes, it does.", Some("yes, it does."));
    check("**Assistant:** yes.\n\nassistant: and then", Some("yes."));
    check("Assistant: Ada: yes", Some("yes"));
    check("Ada: Bo: no", None);
    check("You are right.\nassistant: indeed", Some("You are right."));
}

#[test]
fn a_quotation_that_was_announced_tells_of_somebody() {
    check_whole("This is what you two decided:\n\n> Bo: green tea\n> Lin: at four\n\nShall we?");
    check("I agree.\n> Bo: green tea", Some("I agree."));
    check("> I like it\n> Bo: green tea", Some("> I like it"));
    check("You said:\n> Bo: tea\n\nYes.\n> Bo: no", Some("You said:\n> Bo: tea\n\nYes."));
}

#[test]
fn a_name_in_a_table_or_among_pairs_is_no_label() {
    check_whole("| Bo: | tea |\n| Lin: | milk |\nThat is all.");
    check_whole("CPU: 4 cores\nSystem: Linux\nMemory: 8 GB");
    check_whole("My machine:\nSystem: Linux");
    check_whole("Use these.\n\nHost: ftp.example.org\nUser: anonymous\nPassword: your address");
    check_whole("Log in with:\n\nUser: anonymous\nPassword: your address");
    check_whole("主机：example.org\n用户：admin\n密码：没有");
    // A conversation that a model makes up is none, nor is a member's line ever.
    check("Answer: it is 7.\n\nUser: thanks\nAda: bye", Some("Answer: it is 7."));
    check("I agree.\nUser: thanks\nHost: no", Some("I agree."));
    check("Host: one\nBo: two", Some("Host: one"));
    check_whole("System requirements: none.\nThe system: it works.\nassistants: two");
    check_whole("10 people came.\n3D: no\n[x] done: yes\n<b>Note</b>: <Bob> is a tag\n#1 tea: yes");
    check_whole("[Bo] is here.\n(Bo) too.\n<b>Bo</b> as well, and <user> is a placeholder");
}

#[test]
fn a_person_without_a_name_of_their_own_is_as_little_a_label_in_a_form() {
    let form = "Use these.\n\nHost: ftp.example.org\nUser: anonymous";
    let mut speech = Speech::new("Ada", &["User".to_owned(), "Bo".to_owned()]);
    let shown = speech.push(form) + &speech.finish();
    assert_eq!((shown.as_str(), speech.text()), (form, Some(form)));
}

#[test]
fn what_stands_in_code_is_nobodys_speech() {
    check_whole("Like this:\n```yaml\nBo: 3\nUser: admin\n```");
    check_whole("```\nBo: 3\n```\nAnd ~~~ too:\n~~~~\n```\nYou: x\n~~~\n林夏：y\n~~~~");
    check_whole("1. Save it:\n   ```\n   Bo: 3\n   ```\n2. Bo: he restarts it");
    check("```\nBo: 3\n```\nBo: four!", Some("```\nBo: 3\n```"));
    check("It is ```Ada``` who asks.\nBo: four!", Some("It is ```Ada``` who asks."));
}

#[test]
fn an_item_of_a_list_of_ones_own_tells_of_somebody() {
    for text in [
        "What we like:\n- Bo: likes tea\n- Lin: likes coffee",
        "谁做什么：\n\n1、林夏：屋顶\n2、你：地窖",
        "## Roles\n\n* **Bo**: roof\n\n* **You**: cellar",
        "**Roles**\n1. Bo: roof\n   with care\n2. User: cellar",
        "- It rains.\n- Bo: he stays at home.",
    ] {
        check_whole(text);
    }
    check("What we like:\n- Bo: tea\n\nI agree.\n- Bo: no!", {
        Some("What we like:\n- Bo: tea\n\nI agree.")
    });
    check("I agree.\n- Bo: no!", Some("I agree."));
    check("- Bo: no!\n- Lin: yes!", None);
}

#[test]
fn a_heading_with_a_name_and_nothing_else_is_a_label() {
    for heading in ["### Bo", "# bo ", "## **Bo**", "### Bo (Sceptic)", "#### 🙂 林夏", "## Dr Ng"]
    {
        check(&format!("{heading}\nno you do not"), None);
        check(&format!("I agree.\n\n{heading}\n\nno you do not"), Some("I agree."));
        check(&format!("I agree.\n{heading}"), Some("I agree."));
    }
    // Further down too, where each has a heading of their own.
    check("### Ada\nyes\n\n### Bo\nno", Some("### Ada\nyes"));
    check("We like:\n- tea\n\nThat is all.\n## Bo\nno", Some("We like:\n- tea\n\nThat is all."));
}

#[test]
fn a_heading_of_an_outline_of_ones_own_or_with_more_than_a_name_tells_of_somebody() {
    for text in [
        "## Who does what\n\n### Bo\nroof\n#### Tiles\nred\n\n### Lin\ncellar",
        "# Plan\nAs we said.\n\n## Bo\nroof",
        "This is what each of us does:\n\n### Bo\nroof\n\n### Lin\ncellar",
        "### What Bo said\nNothing.",
        "### Bo's plan\nNone.\n\n### Bo and Lin\nNone.",
        "I agree.\n### Bo agreed\nHe did.\n\n- Bo agreed\n- **Bo** too",
        "### User\nWho logs in.\n### System\nLinux",
        "#Bo is no heading",
        "####### Bo",
    ] {
        check_whole(text);
    }
}

#[test]
fn a_key_in_data_is_nobodys_speech() {
    check_whole("{\n  \"Bo\": 3,\n  \"Lin\": 4\n}");
    check("I agree.\n\"Bo\": no!", Some("I agree."));
    check("Well,\n\"-Bo：no!", Some("Well,"));
}

#[test]
fn a_pass_is_silence() {
    check("[pass]", None);
    check(" `[PASS]`\n", None);
    check("[pass]\nBo: no", None);
    check_whole("[pass] is what I would say");
}

/// What may stand around a name that makes a label.
const DRESSES: [(&str, &str); 24] = [
    ("", ""),
    ("", " "),
    ("", " (Sceptic)"),
    ("", "（怀疑者）"),
    ("", " [10:32]"),
    ("- ", ""),
    ("* ", ""),
    ("• ", ""),
    ("2. ", ""),
    ("3、", ""),
    ("- **", "**"),
    ("\"", "\""),
    ("“", "”"),
    ("「", "」"),
    ("**", "**"),
    ("**", " (Sceptic)**"),
    ("__", "__"),
    ("`", "`"),
    ("[", "]"),
    ("【", "】"),
    ("<", ">"),
    ("[10:42] @", ""),
    ("> ", ""),
    ("### ", ""),
];

const NAMES: [&str; 12] =
    ["Bo", "bo", "BO", "林夏", "Lin", "Dr. Ng", "Human", "You", "USER", "用户", "你", "人类"];

/// Own words that neither announce a list nor begin one.
const BEFORE: [&str; 6] = [
    "",
    "I agree.\n",
    "I agree.\n\n",
    "好的。\n",
    "We like:\n- tea\n- milk\n\nThat is all.\n",
    "```\nBo: 3\n```\nThat was code.\n",
];

proptest! {
    #[test]
    fn however_a_label_is_dressed_up_nothing_is_said_in_anothers_name(
        before in proptest::sample::select(&BEFORE[..]),
        indent in proptest::sample::select(&["", " ", "\u{3000}", "\t"][..]),
        (open, close) in proptest::sample::select(&DRESSES[..]),
        name in proptest::sample::select(&NAMES[..]),
        colon in proptest::sample::select(&[":", "：", " :"][..]),
        after in proptest::sample::select(&[" no you do not", "不", "\nno", "", " **no**\nAda: yes"][..]),
        lengths in proptest::collection::vec(1..9_usize, 1..6),
    ) {
        let text = format!("{before}{indent}{open}{name}{close}{colon}{after}");
        let expected = Some(before.trim()).filter(|own| !own.is_empty());
        let (said, shown) = said(&text, &lengths);
        prop_assert_eq!(said.as_deref(), expected, "{:?}", text);
        prop_assert_eq!(shown.trim(), before.trim(), "{:?}", text);
    }

    #[test]
    fn however_a_heading_is_dressed_up_nothing_is_said_in_anothers_name(
        before in proptest::sample::select(&BEFORE[..]),
        level in 1..=6_usize,
        (open, close) in proptest::sample::select(&DRESSES[..]),
        name in proptest::sample::select(&["Bo", "bo", "林夏", "Lin", "Dr. Ng"][..]),
        after in proptest::sample::select(&["\nno", "\n\nno\n\n### Ada\nyes", " \r\nno", ""][..]),
        lengths in proptest::collection::vec(1..9_usize, 1..6),
    ) {
        let marks = "#".repeat(level);
        let text = format!("{before}{marks} {open}{name}{close}{after}");
        let expected = Some(before.trim()).filter(|own| !own.is_empty());
        let (said, shown) = said(&text, &lengths);
        prop_assert_eq!(said.as_deref(), expected, "{:?}", text);
        prop_assert_eq!(shown.trim(), before.trim(), "{:?}", text);
    }

    #[test]
    fn a_name_with_more_behind_it_and_no_colon_cuts_nothing(
        before in proptest::sample::select(&BEFORE[..]),
        (open, close) in proptest::sample::select(&DRESSES[..]),
        name in proptest::sample::select(&NAMES[..]),
        after in proptest::sample::select(&[" said: no", "，不：", ", well: no", "'s plan: no", " – well"][..]),
        lengths in proptest::collection::vec(1..9_usize, 1..6),
    ) {
        // A member's name alone in a tag needs no colon.
        let is_role = THE_PERSON.contains(&name.to_lowercase().as_str());
        prop_assume!(open != "<" || is_role);
        let text = format!("{before}{open}{name}{close}{after}");
        let (said, shown) = said(&text, &lengths);
        prop_assert_eq!(said.as_deref(), Some(text.trim()));
        prop_assert_eq!(shown, text);
    }

    #[test]
    fn how_a_text_is_cut_into_pieces_changes_nothing(
        text in "(([-*>#@|<\\[\"`1. (]|10:42 ?p?m?){0,3}(Bo|Ada|You|tea|system|Assistant|林夏)[)*\"`>\\]| ]{0,2}[:：,.]?[ \n|]{1,2}){0,6}",
        lengths in proptest::collection::vec(1..9_usize, 1..6),
    ) {
        let whole = said(&text, &[usize::MAX]);
        let pieces = said(&text, &lengths);
        prop_assert_eq!(whole.0, pieces.0);
        prop_assert_eq!(whole.1.trim(), pieces.1.trim());
    }
}
