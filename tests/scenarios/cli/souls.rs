//! Souls whose files have names or texts that make trouble.

use super::terminal::{Terminal, terminal};
use serde_json::{Value, json};
use std::fs;

fn put(terminal: &Terminal, file: &str, text: &str) {
    fs::write(terminal.data().join("souls").join(file), text).expect("the souls folder");
}

/// Wherever a file with a bad name comes up, it is there, it is no soul, and
/// what it has to be called is said.
#[test]
fn a_badly_named_soul_file_is_spoken_of_in_the_same_way_everywhere() {
    let terminal = terminal().answering("yes");
    let check = |file: &str, name: &str, why: &str, better: &str| {
        put(&terminal, file, "You are mine.\n");
        let path = terminal.data().join("souls").join(file).display().to_string();
        let problem = format!(
            "{why}; rename the file, for example to {better}.md (what people call the agent is the field name)"
        );
        let list = terminal.run(&["soul", "list"]).done();
        assert!(list.contains(&format!("not in force: {problem}\n")), "{list}");

        let shown = terminal.run(&["soul", "show", name]);
        assert_eq!((shown.status, shown.stdout.as_str()), (0, "You are mine.\n"));
        let why_not = "what is in the file is not in force, no version of it was ever valid";
        assert_eq!(shown.stderr, format!("coterie: {why_not}: {path}: {problem}\n"));

        let made = terminal.run(&["agent", "new", name]).failed(2);
        let none = format!("no agent can be made of {name} yet: {path}: {problem}");
        assert_eq!(made.stderr, format!("coterie: {none}; put that right, then make the agent\n"));

        let checked = terminal.run(&["soul", "check", &path]).failed(1);
        assert_eq!(checked.stdout, format!("{path}:1:1: {problem}\n"));

        let doctor = terminal.run(&["doctor"]).stdout;
        let fix = "→ put that right; until then no agent can be made of it";
        assert!(
            doctor.contains(&format!("{path}: {problem}\n")) && doctor.contains(fix),
            "{doctor}"
        );

        let json = terminal.run(&["soul", "list", "--json"]).data();
        let record = json.as_array().unwrap().iter().find(|soul| soul["name"] == *name).unwrap();
        assert_eq!((&record["path"], &record["file_hash"]), (&json!(path), &Value::Null));
        assert_eq!(record["problem"]["message"], *problem);
        fs::remove_file(path).unwrap();
    };
    let has = |what: &str| {
        format!("a soul's file name is made of letters, digits, - and _, and this one has {what}")
    };
    check("my soul.md", "my soul", &has("a space"), "my-soul");
    check("#x.md", "#x", &has("“#”"), "x");
    let one_ending = "the name of a soul's file ends in .md, once and in small letters";
    check("upper.MD", "upper.MD", one_ending, "upper");
}

#[test]
fn what_is_wrong_with_a_soul_file_goes_by_what_stays_in_force() {
    let terminal = terminal().answering("yes");
    let doctor = || terminal.run(&["doctor"]).stdout;
    put(&terminal, "zoe.md", "---\ntemperature: 9\n---\nYou are Zoe.\n");
    assert!(doctor().contains("→ correct the file; until then no agent can be made of it"));
    let made = terminal.run(&["agent", "new", "zoe"]).failed(2).stderr;
    assert!(made.contains("zoe.md:2:14: temperature goes from 0 to 2, not 9"), "{made}");
    assert!(made.ends_with("; correct the file, then make the agent\n"), "{made}");
    fs::remove_file(terminal.data().join("souls/zoe.md")).unwrap();

    put(&terminal, "ada.md", "---\ntemperature: 9\n---\nYou are Ada.\n");
    assert!(doctor().contains("→ correct the file; until then version 1 stays in force"));
    fs::remove_file(terminal.data().join("souls/ada.md")).unwrap();
    let list = terminal.run(&["soul", "list"]).done();
    assert!(list.contains("its file is gone\n"), "{list}");
    let doctor = doctor();
    assert!(doctor.contains("ada.md is gone\n"), "{doctor}");
    assert!(doctor.contains("→ put the file back; until then version 1 stays in force"));
}

#[test]
fn a_soul_of_a_name_and_a_sentence_is_shown_saved_and_brought_to_life() {
    let persona = "You are Mara. You look after gardens and the people in them, and you say \
                   plainly what will not grow there.";
    let terminal = terminal().answering(persona);
    let words = ["soul", "new", "Mara", "A gardener who says what will not grow."];
    let shown = terminal.run(&[&words[..], &["--preview"]].concat());
    assert_eq!(shown.status, 0, "{}", shown.stderr);
    assert!(shown.stdout.contains("name: \"Mara\"\n"), "{}", shown.stdout);
    assert!(shown.stdout.contains("plainly what will not grow there."), "{}", shown.stdout);
    assert!(shown.stdout.ends_with("\nnothing was saved\n"), "{}", shown.stdout);
    assert!(!terminal.data().join("souls/mara.md").exists());

    let made = terminal.run(&words).done();
    assert!(made.ends_with("\nsaved; coterie agent new mara brings it to life\n"), "{made}");
    let text = fs::read_to_string(terminal.data().join("souls/mara.md")).unwrap();
    assert!(text.contains("name: \"Mara\"\n") && !text.contains("tools:"), "{text}");
    let again = terminal.run(&[&words[..], &["--json"]].concat()).data();
    assert_eq!(again["soul"], "mara-2", "a name that is taken is left alone");
    let named = terminal.run(&[&words[..], &["--as", "gardener", "--json"]].concat()).data();
    assert_eq!(named["soul"], "gardener");
    assert!(terminal.run(&["agent", "new", "mara"]).done().contains("Mara"));
    terminal.run(&["soul", "new", "", "A gardener."]).failed(2);
}

#[test]
fn souls_are_named_exactly_where_their_names_differ_in_capitals_only() {
    let terminal = terminal().answering("yes");
    let ours = terminal.run(&["soul", "show", "ada"]).done();
    put(&terminal, "Ada.md", "You are somebody else.\n");
    assert_eq!(terminal.run(&["soul", "show", "ada"]).done(), ours);
    assert_eq!(terminal.run(&["soul", "show", "ADA"]).done(), ours);
    assert_eq!(terminal.run(&["soul", "show", "Ada"]).stdout, "You are somebody else.\n");
    put(&terminal, "Jose\u{301}.md", "You are José.\n");
    for name in ["José", "Jose\u{301}", "jose\u{301}.md"] {
        assert_eq!(terminal.run(&["soul", "show", name]).done(), "You are José.\n");
    }
}

/// A terminal obeys some of what it is given.
#[test]
fn what_others_wrote_never_gives_orders_to_the_terminal() {
    let said = "a\u{1b}]0;title\u{7}b\u{9b}31m\u{202e}c\r\nd\re";
    let terminal = terminal().answering(said);
    let name = "x\u{1b}[31m\u{202e}\n1  idle";
    put(&terminal, &format!("{name}.md"), "You are \u{1b}[2Jx.\n");
    let is_quiet = |text: &str| {
        let order = |c: char| {
            (c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert!(!text.contains(order), "{text:?}");
        assert!(!text.replace("\r\n", "").contains('\r'), "{text:?}");
    };
    let list = terminal.run(&["soul", "list"]).done();
    is_quiet(&list);
    assert!(list.contains("\nx\\u001b[31m\\u202e\\n1  idle  "), "{list}");
    for words in [
        &["soul", "show", name][..],
        &["soul", "show", "no\u{1b}[31m"],
        &["agent", "new", name],
        &["doctor"],
        &["say", "ada", "hello"],
        &["group", "log", "ada"],
        &["why", "ada"],
        &["run", "list"],
    ] {
        let ran = terminal.run(words);
        is_quiet(&ran.stdout);
        is_quiet(&ran.stderr);
        assert!(ran.stderr.lines().count() <= 1, "{}", ran.stderr);
    }
    let log = terminal.run(&["group", "log", "ada"]).done();
    assert!(log.contains("Ada: a\\u001b]0;title\\u0007b\\u009b31m\\u202ec\r\n  d\\re\n"), "{log}");

    let log = terminal.run(&["group", "log", "ada", "--json"]).data();
    assert_eq!(log[1]["body"]["text"], said, "programs are given it as it is");
    let souls = terminal.run(&["soul", "list", "--json"]).data();
    assert!(souls.as_array().unwrap().iter().any(|soul| soul["name"] == name));
}

#[test]
fn a_proposal_is_read_declined_and_approved_from_a_terminal() {
    let terminal = terminal();
    put(
        &terminal,
        "ada.md",
        "---\nname: Ada\ntools: [soul_propose]\n---\nYou are Ada.\n\n# How you speak\n\nAt length.\n",
    );
    let arguments =
        json!({ "section": "How you speak", "text": "Briefly.", "why": "You asked for it." });
    let call = json!({ "id": "c", "name": "soul_propose", "arguments": arguments });
    let trace = json!({
        "format": "coterie-trace",
        "version": 1,
        "exchanges": [{
            "when": { "last": { "contains": "until the person says yes" } },
            "answer": { "lines": [{ "text": "It is proposed." }] },
        }],
        "fallback": { "lines": [{ "tool_call": call }] },
    });
    let file = terminal.path("proposes.json");
    fs::write(&file, trace.to_string()).expect("a file");
    terminal.run(&["provider", "add", "scripted", "--trace", &file]).done();
    terminal.run(&["model", "use", "default", "scripted/demo"]).done();
    assert_eq!(terminal.run(&["soul", "proposals"]).done(), "nothing is proposed\n");

    terminal.run(&["say", "ada", "be brief"]).done();
    let told = terminal.run(&["soul", "proposals", "ada"]).done();
    assert!(
        told.contains("You asked for it.\n") && told.contains("--- ada: How you speak"),
        "{told}"
    );
    assert!(told.contains("-At length.\n+Briefly.\n"), "{told}");
    let proposed = || {
        let all = terminal.run(&["soul", "proposals", "--json"]).data();
        all[0]["id"].as_str().unwrap_or_default().to_owned()
    };
    let first = proposed();
    assert_eq!(terminal.run(&["soul", "decline", &first]).done(), "ada stays as it is\n");
    let log = terminal.run(&["group", "log", "ada"]).done();
    assert!(log.contains("declined what Ada proposed for the section"), "{log}");

    terminal.run(&["say", "ada", "be brief"]).done();
    let second = proposed();
    assert_ne!(first, second);
    let approved = terminal.run(&["soul", "approve", &second]).done();
    assert_eq!(approved, "ada is as proposed, in version 2\n");
    let text = terminal.run(&["soul", "show", "ada"]).done();
    assert!(text.ends_with("# How you speak\n\nBriefly.\n"), "{text}");
    assert!(terminal.run(&["soul", "history", "ada"]).done().contains("a proposal of its agent"));
    let over = terminal.run(&["soul", "approve", &second]).failed(3).stderr;
    assert!(over.contains("there is no proposal"), "{over}");
}

#[test]
fn a_soul_of_another_programs_file_is_shown_saved_and_brought_to_life() {
    let terminal = terminal().answering("Ahoy.");
    let card = json!({
        "spec": "chara_card_v2",
        "data": {
            "name": "Aqua Bell",
            "description": "{{char}} keeps a lighthouse.",
            "extensions": {"tools": ["shell"]}
        }
    });
    let path = terminal.path("card.json");
    fs::write(&path, card.to_string()).unwrap();
    let shown = terminal.run(&["soul", "import", &path, "--preview"]).done();
    assert!(shown.contains("Aqua Bell keeps a lighthouse."), "{shown}");
    assert!(shown.contains("left out: extensions (a file of others says nothing"), "{shown}");
    assert!(shown.ends_with("nothing was saved\n"), "{shown}");
    let soul = terminal.data().join("souls/aqua-bell.md");
    assert!(!soul.exists());
    let saved = terminal.run(&["soul", "import", &path]).done();
    assert!(saved.ends_with("coterie agent new aqua-bell brings it to life\n"), "{saved}");
    assert!(!fs::read_to_string(&soul).unwrap().contains("shell"));
    terminal.run(&["agent", "new", "aqua-bell"]).done();
    assert_eq!(terminal.run(&["say", "Aqua-Bell", "hello"]).status, 0);

    fs::write(&path, "{\"name\":").unwrap();
    let refused = terminal.run(&["soul", "import", &path]).failed(2);
    assert!(refused.stderr.contains("its JSON is damaged"), "{}", refused.stderr);
    terminal.run(&["soul", "import", &terminal.path("none.png")]).failed(3);
}

#[test]
fn a_check_tells_what_a_soul_names_in_vain_where_there_is_a_workspace_to_look_in() {
    let terminal = terminal().answering("yes");
    terminal.run(&["soul", "list"]).done();
    let file = terminal.path("mia.md");
    fs::write(&file, "---\nname: Mia\ntools: [calculater]\nmcp: [github]\n---\nYou are Mia.\n")
        .unwrap();
    let told = terminal.run(&["soul", "check", &file]).done();
    let tool = "warning: there is no tool calculater; did you mean calculator?";
    let server = "warning: there is no MCP server github now; its tools come when it is set up \
                  (coterie mcp add)";
    assert_eq!(told, format!("{file}:3:9: {tool}\n{file}:4:7: {server}\n"));
}

#[test]
fn a_soul_is_renamed_deleted_and_brought_back_from_a_terminal() {
    let terminal = terminal().answering("yes");
    put(&terminal, "mia.md", "---\nname: Mia\n---\nYou are Mia.\n");
    let said = terminal.run(&["soul", "rename", "mia", "gardener"]).done();
    assert!(said.starts_with("mia is called gardener now, in "), "{said}");
    terminal.run(&["soul", "show", "mia"]).failed(3);
    terminal.run(&["soul", "rename", "gardener", "bo"]).failed(4);
    let worn = terminal.run(&["soul", "delete", "ada"]).failed(4);
    assert!(worn.stderr.contains("Ada lives by it"), "{}", worn.stderr);
    let said = terminal.run(&["soul", "delete", "gardener"]).done();
    assert!(said.contains("coterie soul restore gardener brings it back"), "{said}");
    let listed = terminal.run(&["soul", "list"]).done();
    assert!(listed.contains("deleted; coterie soul restore"), "{listed}");
    let shown = terminal.run(&["soul", "show", "gardener"]);
    assert!(shown.stdout.contains("You are Mia."), "{}", shown.stdout);
    assert!(shown.stderr.contains("gardener was deleted"), "{}", shown.stderr);
    let said = terminal.run(&["soul", "restore", "gardener"]).done();
    assert_eq!(said, "gardener is back, as version 2\n");
}
