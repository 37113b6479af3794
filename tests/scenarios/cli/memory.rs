//! What is remembered, from a terminal: written, found, corrected, forgotten.

use super::terminal::{Terminal, terminal};
use domain::FaultCode;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Remembers it, and gives its id.
fn add(terminal: &Terminal, words: &[&str]) -> String {
    let memory = terminal.run(&[&["--json", "memory", "add"], words].concat()).data();
    memory["id"].as_str().expect("a memory has an id").to_owned()
}

/// With the model that ships.
fn with_model() -> Terminal {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets");
    terminal().knowing("COTERIE_ASSETS", &assets.display().to_string())
}

fn texts(page: &Value) -> Vec<&str> {
    let memories = page["memories"].as_array().expect("a page has memories");
    memories.iter().map(|memory| memory["text"].as_str().expect("a memory has a text")).collect()
}

/// The cells of a table apart from where they stand.
fn rows(table: &str) -> Vec<String> {
    table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn what_every_memory_command_prints_as_json() {
    let terminal = terminal();
    let snapshot = |name: &str, words: &[&str]| {
        let words = [&["memory"], words].concat();
        terminal.snapshot(&format!("memory_{name}"), &words);
    };
    let tea =
        ["add", "Prefers tea", "--kind", "preference", "--tag", "drinks", "--from", "2020-01-01"];
    snapshot("add", &tea);
    let lisbon = ["--subject", "user", "--attribute", "lives in", "--value", "Lisbon"];
    snapshot("add_statement", &[&["add", "Lives in Lisbon"], &lisbon[..]].concat());
    let tea = add(&terminal, &["prefers tea!"]);
    let cats = add(&terminal, &["养了两只猫", "--importance", "40"]);
    let roses = add(&terminal, &["Waters the roses", "--scope", "agent:ada", "--kind", "skill"]);
    snapshot("list", &["list", "--scope", "user", "--limit", "2"]);
    snapshot("search", &["search", "猫", "--explain"]);
    snapshot("show", &["show", &tea]);
    snapshot("edit", &["edit", &cats, "养了三只猫", "--tag", "宠物", "--to", "2199-12-31"]);
    snapshot("undo", &["undo", &cats]);
    snapshot("pin", &["pin", &tea]);
    snapshot("pin_off", &["pin", &tea, "--off"]);
    snapshot("unpin", &["unpin", &tea]);
    snapshot("judge", &["judge", &roses, "outdated"]);
    snapshot("merge", &["merge", &tea, &cats, "--text", "Drinks tea with the cats"]);
    snapshot("history", &["history", &cats]);
    snapshot("forget_unasked", &["forget", &roses]);
    snapshot("forget", &["forget", &roses, "--yes"]);
    snapshot("status", &["status"]);
    snapshot("rebuild", &["rebuild"]);
}

#[test]
fn who_will_read_it_is_said_before_it_is_remembered() {
    let terminal = terminal().answering("yes");
    terminal.run(&["group", "new", "Tea round", "--members", "ada,bo"]).done();
    for (scope, readers) in [
        ("user", "about you: every agent reads it"),
        ("workspace", "about the work as a whole: every agent reads it"),
        ("agent:ada", "Ada's own: no other agent reads it"),
        ("group:tea round", "of the group Tea round: Ada and Bo read it"),
        ("group:bo", "of your conversation with Bo: Bo reads it"),
    ] {
        let said = terminal.run(&["memory", "add", "The kettle is red", "--scope", scope]).done();
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines[0], readers);
        assert!(lines[1].starts_with("remembered: ") && lines.len() == 2, "{said}");
    }
    // Of what is not remembered nobody is told who reads it.
    for nothing in ["", " … "] {
        let told = terminal.run(&["memory", "add", nothing]).failed(2);
        assert_eq!(told.stdout, "");
    }
    let listed = terminal.run(&["memory", "list", "--agent", "bo"]).done();
    let scopes: Vec<String> =
        rows(&listed).iter().skip(1).map(|row| row[13..].to_owned()).collect();
    let of = |scope: &str| format!("fact {scope} 0 s ago holds The kettle is red");
    let all = ["agent:Bo", "group:'Tea round'", "workspace", "user"].map(of);
    assert_eq!(scopes.len(), all.len(), "{listed}");
    assert!(listed.contains("group:'Tea round'") && !listed.contains("agent:Ada"), "{listed}");
}

#[test]
fn what_is_said_again_or_takes_a_place_is_told() {
    let terminal = terminal();
    terminal.run(&["memory", "add", "Prefers tea"]).done();
    let again = terminal.run(&["memory", "add", "prefers tea."]).done();
    assert!(again.contains("remembered already, now said 2 times: "), "{again}");
    let lives = |city: &str| {
        let text = format!("Lives in {city}");
        let words = ["--subject", "user", "--attribute", "lives in", "--value", city];
        terminal.run(&[&["memory", "add", &text], &words[..]].concat()).done()
    };
    lives("Lisbon");
    let moved = lives("Porto");
    let gave_way = moved.lines().nth(2).expect("what gave way");
    assert!(gave_way.starts_with("gave way to it: ") && gave_way.ends_with("  Lives in Lisbon"));
    let past = terminal.run(&["--json", "memory", "list", "--standing", "past"]).data();
    assert_eq!(texts(&past), ["Lives in Lisbon"]);
}

#[test]
fn each_of_several_things_that_are_said_at_once_is_told() {
    let terminal = terminal().answering("yes");
    terminal.run(&["memory", "add", "I live in Oslo"]).done();
    let told = terminal.run(&["memory", "add", "I live in Rome and work at Fiat."]).done();
    let lines: Vec<&str> = told.lines().collect();
    let says = |nth: usize, begins: &str, ends: &str| {
        lines[nth].starts_with(begins) && lines[nth].ends_with(ends)
    };
    assert!(says(1, "remembered: ", "I live in Rome"), "{told}");
    assert!(says(2, "gave way to it: ", "I live in Oslo"), "{told}");
    assert!(says(3, "remembered: ", "I work at Fiat"), "{told}");
    let both = ["--json", "memory", "add", "My name is Kim and I live in Porto"];
    assert_eq!(terminal.run(&both).data().as_array().map(Vec::len), Some(2));
    // So is what a correction or a merge says beside what it changes.
    let tea = add(&terminal, &["I like tea"]);
    let told =
        terminal.run(&["memory", "edit", &tea, "I like tea and I am allergic to nuts"]).done();
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with("edited: "), "{told}");
    assert!(lines[1].starts_with("remembered: ") && lines[1].ends_with("I am allergic to nuts"));
    let note = add(&terminal, &["Has a flat by the sea"]);
    let text = "My favourite colour is green and I like coffee";
    let merge = ["--json", "memory", "merge", &tea, &note, "--text", text];
    let merged = terminal.run(&merge).data();
    let said = |nth: usize| merged[nth]["text"].as_str();
    assert_eq!([said(0), said(1)], [Some("My favourite colour is green"), Some("I like coffee")]);
}

#[test]
fn what_plain_words_state_is_made_out_of_them_when_they_are_added_and_edited() {
    let terminal = terminal();
    let german = add(&terminal, &["From now on answer in German"]);
    let told = terminal.run(&["memory", "add", "请用英文回答"]).done();
    let gave_way = told.lines().nth(2).expect("what gave way");
    assert!(gave_way.starts_with("gave way to it: "), "{told}");
    assert!(gave_way.ends_with("  From now on answer in German"), "{told}");
    terminal.run(&["memory", "undo", &german]).done();
    let rome = add(&terminal, &["Lives in Rome"]);
    let note = add(&terminal, &["Has a flat by the sea"]);
    let edited = terminal.run(&["memory", "edit", &note, "I live in Porto"]).done();
    assert_eq!(edited.lines().count(), 2, "{edited}");
    assert!(
        edited.ends_with("  Lives in Rome\n") && edited.contains("gave way to it: "),
        "{edited}"
    );
    let edited = terminal.run(&["--json", "memory", "edit", &german, "Answer in French"]).data();
    assert_eq!(
        (&edited["statement"]["value"], &edited["kind"]),
        (&json!("French"), &json!("preference"))
    );
    let holding = terminal.run(&["--json", "memory", "list"]).data();
    assert_eq!(texts(&holding), ["Answer in French", "I live in Porto"]);
    let rome = terminal.run(&["--json", "memory", "show", &rome]).data();
    assert_eq!(rome["memory"]["state"]["kind"], "superseded", "{rome}");
    // What nobody can make out is said to be gone.
    let edited = terminal.run(&["memory", "edit", &note, "Likes the sea a lot, and boats"]).done();
    assert!(edited.contains("the statement that it was went with its words"), "{edited}");
}

#[test]
fn what_contradicts_a_persons_word_waits_in_a_list_of_its_own_until_they_decide() {
    let terminal = terminal();
    let words = ["--subject", "user", "--attribute", "lives in", "--value", "Lisbon"];
    add(&terminal, &[&["Lives in Lisbon"], &words[..]].concat());
    let file = terminal.path("notes.jsonl");
    let statement = json!({ "subject": "user", "attribute": "lives in", "value": "Porto" });
    let line = json!({ "text": "Lives in Porto", "statement": statement });
    fs::write(&file, line.to_string()).expect("a file");
    terminal.run(&["memory", "import", &file]).done();
    let list =
        |standing: &str| terminal.run(&["--json", "memory", "list", "--standing", standing]).data();
    assert_eq!(texts(&list("holding")), ["Lives in Lisbon"]);
    let waiting = list("contested");
    assert_eq!(texts(&waiting), ["Lives in Porto"]);
    let id = waiting["memories"][0]["id"].as_str().expect("an id").to_owned();
    terminal.run(&["memory", "judge", &id, "right"]).done();
    assert_eq!(texts(&list("contested")), Vec::<&str>::new());
    assert_eq!(texts(&list("holding")), ["Lives in Porto"]);
    assert_eq!(texts(&list("past")), ["Lives in Lisbon"]);
}

#[test]
fn what_nobody_has_confirmed_does_not_hold_in_the_list() {
    let terminal = terminal();
    add(&terminal, &["Lives in Lisbon"]);
    let file = terminal.path("notes.jsonl");
    fs::write(&file, json!({ "text": "Has a boat" }).to_string()).expect("a file");
    terminal.run(&["memory", "import", &file]).done();
    let listed = rows(&terminal.run(&["memory", "list"]).done());
    let row = |text: &str| listed.iter().find(|row| row.contains(text)).expect("it is listed");
    assert!(row("boat").contains("unconfirmed") && !row("boat").contains("holds"), "{listed:?}");
    assert!(row("Lisbon").contains("holds"), "{listed:?}");
}

#[test]
fn a_text_comes_from_standard_input_too() {
    let terminal = terminal();
    let add = ["--json", "memory", "add", "-", "--kind", "episode"];
    let memory = terminal.run_reading(&add, "第一行\nthe second\n").data();
    assert_eq!(memory["text"], "第一行\nthe second");
    let id = memory["id"].as_str().expect("an id");
    let edited = terminal.run_reading(&["--json", "memory", "edit", id, "-"], "one line\n").data();
    assert_eq!((&edited["text"], &edited["version"]), (&json!("one line"), &json!(2)));
}

#[test]
fn a_memory_is_known_by_either_end_of_its_id() {
    let terminal = terminal();
    let tea = add(&terminal, &["Prefers tea"]);
    add(&terminal, &["Prefers cake"]);
    let text =
        |id: &str| terminal.run(&["--json", "memory", "show", id]).data()["memory"]["text"].clone();
    for id in [&tea, &tea[24..], &tea[28..].to_uppercase(), &tea.replace('-', "")] {
        assert_eq!(text(id), "Prefers tea", "{id}");
    }
    let several = terminal.run(&["memory", "show", &tea[..4]]).failed(2);
    assert!(several.stderr.contains("stands for 2 memories: "), "{}", several.stderr);
    assert!(several.stderr.contains("(“Prefers cake”)"), "{}", several.stderr);
}

#[test]
fn a_list_goes_on_where_its_page_ends() {
    let terminal = terminal();
    for n in 1..=5 {
        add(&terminal, &[&format!("Fact {n}")]);
    }
    let page = |more: &[&str]| {
        terminal.run(&[&["--json", "memory", "list", "--limit", "2"], more].concat()).data()
    };
    let first = page(&[]);
    assert_eq!((texts(&first), &first["total"]), (vec!["Fact 5", "Fact 4"], &json!(5)));
    let second = page(&["--before", &first["next"].to_string()]);
    assert_eq!(texts(&second), ["Fact 3", "Fact 2"]);
    let last = page(&["--before", &second["next"].to_string()]);
    assert_eq!((texts(&last), &last["next"]), (vec!["Fact 1"], &Value::Null));
    let plain = terminal.run(&["memory", "list", "--limit", "2"]).done();
    let goes_on = format!("of 5 in all; the next page: --before {}\n", first["next"]);
    assert!(plain.ends_with(&goes_on), "{plain}");
    let lines = terminal.run(&["--jsonl", "memory", "list"]).done();
    assert_eq!(lines.lines().count(), 5);
}

#[test]
fn times_are_dates_or_how_long_ago() {
    let terminal = terminal();
    add(&terminal, &["Was ill", "--from", "2020-02-01", "--to", "2020-02-29"]);
    add(&terminal, &["Has a new job", "--from", "3d"]);
    add(&terminal, &["Retires", "--from", "2190-01-01T09:00"]);
    let list =
        |words: &[&str]| terminal.run(&[&["--json", "memory", "list"], words].concat()).data();
    assert_eq!(texts(&list(&[])), ["Has a new job"]);
    assert_eq!(texts(&list(&["--since", "7d"])), ["Has a new job"]);
    assert_eq!(texts(&list(&["--since", "1d"])), Vec::<&str>::new());
    let that_day = ["--standing", "any", "--since", "2020-02-01", "--until", "2020-02-01"];
    assert_eq!(texts(&list(&that_day)), ["Was ill"]);
    let in_between = ["--standing", "any", "--since", "2020-02-10", "--until", "2020-02-12"];
    assert_eq!(texts(&list(&in_between)), ["Was ill"]);
    let search = [&["--json", "memory", "search", "ill"], &in_between[..]].concat();
    // That only words are compared here is said beside it.
    let found: Value = serde_json::from_str(&terminal.run(&search).stdout).expect("JSON");
    assert_eq!(found["data"]["hits"][0]["memory"]["text"], "Was ill", "{found}");
    let later = ["--standing", "any", "--since", "2020-03-02", "--until", "2020-03-12"];
    assert_eq!(texts(&list(&later)), Vec::<&str>::new());
    assert_eq!(texts(&list(&["--standing", "past"])), ["Was ill"]);
    let id = list(&["--standing", "past"])["memories"][0]["id"].clone();
    let shown = terminal.run(&["memory", "show", id.as_str().expect("an id")]).done();
    let told = rows(&shown);
    for line in ["was so from 2020-02-01 to 2020-02-29", "stands held once"] {
        assert!(told.iter().any(|row| row == line), "{line}: {shown}");
    }
}

#[test]
fn nothing_is_forgotten_unless_somebody_means_it() {
    let terminal = terminal();
    let id = add(&terminal, &["The safe opens with 4711"]);
    let refused = terminal.run(&["memory", "forget", &id]).failed(4);
    assert!(refused.stderr.ends_with("say that you mean it: --yes\n"), "{}", refused.stderr);
    assert!(terminal.run(&["memory", "show", &id]).done().contains("4711"));
    terminal.run(&["memory", "forget", &id, "--yes"]).done();
    let again = terminal.run(&["memory", "forget", &id]).done();
    assert!(again.starts_with("it was forgotten already: "), "{again}");
    for command in ["show", "history"] {
        let told = terminal.run(&["memory", command, &id]).done();
        assert!(told.contains("forgotten") && !told.contains("4711"), "{told}");
    }
    for words in
        [&["undo", &id][..], &["pin", &id], &["edit", &id, "4711"], &["judge", &id, "right"]]
    {
        terminal.run(&[&["memory"], words].concat()).failed(4);
    }
}

#[test]
fn each_score_stands_on_a_line_of_its_own_and_words_alone_are_said_once() {
    let terminal = terminal();
    add(&terminal, &["The quarterly report is due on Friday"]);
    add(&terminal, &["Reports are written in Chinese"]);
    let found = terminal.run(&["memory", "search", "when is the report due", "--explain"]);
    assert_eq!(found.status, 0);
    assert_eq!(found.stderr.lines().count(), 1, "{}", found.stderr);
    let why = "coterie: words alone were compared, not what they mean: ";
    assert!(found.stderr.starts_with(why), "{}", found.stderr);
    let blocks: Vec<&str> = found.stdout.split("\n\n").collect();
    assert_eq!(blocks.len(), 2, "{}", found.stdout);
    let lines: Vec<&str> = blocks[0].lines().collect();
    assert_eq!(lines[0], "The quarterly report is due on Friday");
    let names: Vec<&str> =
        lines[2..].iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["words", "meaning", "both", "total"]);
    assert_eq!(rows(lines[3])[0], "meaning – not compared");
    let nothing = terminal.run(&["memory", "search", "zebra"]);
    assert_eq!((nothing.status, nothing.stdout.as_str()), (0, "nothing was found\n"));
}

#[test]
fn with_the_model_a_rebuild_finds_memories_by_what_they_mean() {
    let terminal = with_model();
    for text in ["养了一只叫咪咪的猫", "The quarterly report is due on Friday", "Plays chess"]
    {
        add(&terminal, &[text]);
    }
    let search = ["memory", "search", "which animals live there?", "--json"];
    let before = terminal.run(&search);
    let said = "coterie: 3 memories are found by words alone so far; ";
    assert!(before.stderr.starts_with(said), "{}", before.stderr);
    let index = terminal.run(&["--json", "memory", "rebuild"]).data();
    assert_eq!((&index["words"], &index["meaning"]), (&json!(3), &json!(3)));
    let found = terminal.run(&search).data();
    assert_eq!(found["hits"][0]["memory"]["text"], "养了一只叫咪咪的猫");
    assert!(found["hits"][0]["scores"]["meaning"].is_number(), "{found}");
    // What was thrown away comes back by itself, as far as words go.
    fs::remove_dir_all(terminal.data().join("index")).expect("there is an index");
    let thrown = terminal.run(&["memory", "rebuild", "--wait", "0"]).done();
    assert!(thrown.contains("makes it again"), "{thrown}");
    assert_eq!(terminal.run(&["--json", "memory", "rebuild"]).data()["meaning"], 3);
}

#[test]
fn consolidating_needs_no_other_process_to_make_out_what_memories_mean() {
    let terminal = with_model();
    for text in ["Box 3 is in the cellar", "Plays chess"] {
        add(&terminal, &[text]);
    }
    let done = terminal.run(&["--json", "memory", "consolidate"]).data();
    assert_eq!((&done["looked_at"], &done["waiting"]), (&json!(2), &json!(0)), "{done}");
    let index = terminal.run(&["--json", "memory", "status"]).data();
    assert_eq!(index["meaning"], 2, "{index}");
}

#[test]
fn the_status_says_that_the_model_is_damaged_though_nobody_is_at_work() {
    let terminal = terminal();
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets");
    for part in ["onnxruntime", "models/multilingual-e5-small"] {
        let copy = Path::new(&terminal.path("assets")).join(part);
        fs::create_dir_all(&copy).expect("a folder");
        for file in fs::read_dir(whole.join(part)).expect("the assets are there") {
            let file = file.expect("an entry");
            fs::copy(file.path(), copy.join(file.file_name())).expect("a copy");
        }
    }
    let model = terminal.path("assets/models/multilingual-e5-small/model.onnx");
    fs::write(model, "damaged").expect("it is written over");
    add(&terminal, &["Plays chess"]);
    let index = terminal.run(&["--json", "memory", "status"]).data();
    assert!(index["words_only"].is_string(), "{index}");
    let told = terminal.run(&["memory", "status"]).done();
    assert!(told.contains("words alone"), "{told}");
}

#[test]
fn the_doctor_says_whether_memories_can_be_found() {
    let check = |terminal: &Terminal| {
        let checks: Value =
            serde_json::from_str(&terminal.run(&["--json", "doctor"]).stdout).expect("JSON");
        let checks = checks["data"].as_array().expect("checks are a list").clone();
        let about = |check: &&Value| check["name"] == "memory index";
        let check = checks.iter().find(about).expect("it is looked at");
        (check["state"].clone(), check["detail"].as_str().expect("a text").to_owned())
    };
    let bare = terminal();
    assert_eq!(check(&bare).0, "ok", "nobody needs a model to remember nothing");
    add(&bare, &["Plays chess"]);
    let (state, detail) = check(&bare);
    assert_eq!(state, "degraded");
    assert!(detail.starts_with("memories: 1; found by their words alone: "), "{detail}");
    let whole = with_model();
    add(&whole, &["Plays chess"]);
    whole.run(&["memory", "rebuild"]).done();
    let found = "memories: 1; found by what they mean too: 1".to_owned();
    assert_eq!(check(&whole), (json!("ok"), found));
}

#[test]
fn memories_are_kept_and_found_while_another_process_serves() {
    let terminal = with_model().answering("yes");
    let serving = terminal.serve();
    let cat = add(&terminal, &["养了一只叫咪咪的猫"]);
    add(&terminal, &["The quarterly report is due on Friday"]);
    let index = terminal.run(&["--json", "memory", "rebuild"]).data();
    assert_eq!(index["meaning"], 2);
    let found = terminal.run(&["--json", "memory", "search", "which animals live there?"]).data();
    assert_eq!(found["hits"][0]["memory"]["id"], json!(cat));
    terminal.run(&["memory", "pin", &cat[24..]]).done();
    serving.end();
    let pinned = terminal.run(&["--json", "memory", "show", &cat]).data();
    assert_eq!(pinned["memory"]["pinned"], true);
}

#[test]
fn a_run_shows_what_it_was_reminded_of_in_words() {
    let terminal = terminal().answering("On Friday.");
    let report = add(&terminal, &["The quarterly report is due on Friday"]);
    let language = add(&terminal, &["说中文"]);
    terminal.run(&["memory", "pin", &language]).done();
    terminal.run(&["say", "ada", "When is the report due?"]).done();
    let run = terminal.run(&["--json", "run", "list"]).data()[0]["id"].clone();
    let run = run.as_str().expect("an id");
    let recalled = || {
        let shown = terminal.run(&["run", "show", run]).done();
        let step = shown.lines().find(|line| line.contains("recalled")).expect("a step");
        step.split_once("recalled").expect("its name").1.trim().to_owned()
    };
    let told = recalled();
    assert!(told.starts_with("2 for “When is the report due?”, by words alone: "), "{told}");
    assert!(told.contains("pinned “说中文”"), "{told}");
    assert!(told.contains("1.00 “The quarterly report is due on Friday”"), "{told}");
    // As it was then, until it is forgotten.
    terminal.run(&["memory", "edit", &report, "It is due on Monday"]).done();
    assert!(recalled().contains("“The quarterly report is due on Friday”"));
    terminal.run(&["memory", "forget", &report, "--yes"]).done();
    assert!(recalled().contains(&format!("1.00 memory {}", &report[24..])), "{}", recalled());
    let read_in = terminal.run(&["memory", "show", &language]).done();
    assert!(read_in.contains(&format!("read in\nrun {run}\n")), "{read_in}");
}

#[test]
fn an_edit_that_brought_several_things_is_undone_at_once_and_it_is_said_what_stays() {
    let terminal = terminal();
    add(&terminal, &["I live in Oslo"]);
    let blue = add(&terminal, &["My favorite color is blue"]);
    let text = "My favorite color is green and I live in Bergen and my wife is Anna";
    let edited = terminal.run(&["--json", "memory", "edit", &blue, text]).data();
    let anna = edited[2]["id"].as_str().expect("an id").to_owned();
    terminal.run(&["memory", "edit", &anna, "My wife is Anna Berg"]).done();
    let said = terminal.run(&["memory", "undo", &blue]).done();
    let lines: Vec<&str> = said.lines().collect();
    let begins = |words: &str, text: &str| {
        lines.iter().any(|line| line.starts_with(words) && line.ends_with(text))
    };
    assert!(begins("as it was before: ", "My favorite color is blue"), "{said}");
    assert!(begins("taken back with it: ", "I live in Bergen"), "{said}");
    assert!(begins("holds again: ", "I live in Oslo"), "{said}");
    assert!(begins("stays, since it was changed later: ", "My wife is Anna Berg"), "{said}");
}

#[test]
fn an_undo_says_what_holds_again_what_does_not_and_what_gives_way() {
    let terminal = terminal();
    add(&terminal, &["I live in Oslo"]);
    let blue = add(&terminal, &["My favorite color is blue"]);
    let text = "My favorite color is green and I live in Bergen";
    terminal.run(&["memory", "edit", &blue, text]).done();
    let rome = add(&terminal, &["I live in Rome"]);
    let said = terminal.run(&["memory", "undo", &blue]).done();
    let begins = |said: &str, words: &str, text: &str| {
        said.lines().any(|line| line.starts_with(words) && line.ends_with(text))
    };
    assert!(begins(&said, "taken back with it: ", "I live in Bergen"), "{said}");
    assert!(begins(&said, "does not hold again, ", "I live in Oslo"), "{said}");
    assert!(begins(&said, "stays, ", "I live in Rome"), "{said}");
    terminal.run(&["memory", "edit", &rome, "I like fish"]).done();
    add(&terminal, &["I live in Milan"]);
    let said = terminal.run(&["memory", "undo", &rome]).done();
    assert!(begins(&said, "gives way to it: ", "I live in Milan"), "{said}");
}

#[test]
fn a_wrong_word_about_memories_is_one_line_with_the_fix() {
    let terminal = terminal();
    let user = add(&terminal, &["Prefers tea"]);
    let own = add(&terminal, &["Waters the roses", "--scope", "agent:ada"]);
    let (long, nobody) = ("长".repeat(4001), "00000000-0000-4000-8000-000000000000");
    for (status, code, words) in [
        (2, FaultCode::BadInput, vec!["add", "…"]),
        (2, FaultCode::BadInput, vec!["add", "-"]),
        (2, FaultCode::BadInput, vec!["add", &long]),
        (2, FaultCode::BadInput, vec!["add", "tea", "--kind", "opinion"]),
        (2, FaultCode::BadInput, vec!["add", "tea", "--scope", "everybody"]),
        (3, FaultCode::NotFound, vec!["add", "tea", "--scope", "agent:nobody"]),
        (3, FaultCode::NotFound, vec!["add", "tea", "--scope", "group:nobody"]),
        (2, FaultCode::BadInput, vec!["add", "tea", "--importance", "101"]),
        (2, FaultCode::BadInput, vec!["add", "tea", "--subject", "user"]),
        (2, FaultCode::BadInput, vec!["add", "tea", "--from", "2026-02-30"]),
        (2, FaultCode::BadInput, vec!["add", "tea", "--from", "2026-05-02", "--to", "2026-05-01"]),
        (2, FaultCode::BadInput, vec!["add", "tea", "--tag", " "]),
        (2, FaultCode::BadInput, vec!["search", " "]),
        (2, FaultCode::BadInput, vec!["search", "tea", "--limit", "0"]),
        (2, FaultCode::BadInput, vec!["search", "tea", "--min-score", "nan"]),
        (
            2,
            FaultCode::BadInput,
            vec!["search", "tea", "--since", "2026-05-02", "--until", "2026-05-01"],
        ),
        (3, FaultCode::NotFound, vec!["search", "tea", "--agent", "nobody"]),
        (2, FaultCode::BadInput, vec!["list", "--standing", "maybe"]),
        (2, FaultCode::BadInput, vec!["list", "--kind", "fact,opinion"]),
        (2, FaultCode::BadInput, vec!["show", "abc"]),
        (3, FaultCode::NotFound, vec!["show", "zzzz"]),
        (3, FaultCode::NotFound, vec!["show", nobody]),
        (3, FaultCode::NotFound, vec!["forget", nobody, "--yes"]),
        (2, FaultCode::BadInput, vec!["edit", &user]),
        (2, FaultCode::BadInput, vec!["edit", &user, " "]),
        (4, FaultCode::Refused, vec!["undo", &user]),
        (2, FaultCode::BadInput, vec!["judge", &user, "maybe"]),
        (2, FaultCode::BadInput, vec!["merge", &user]),
        (2, FaultCode::BadInput, vec!["merge", &user, &user]),
        (2, FaultCode::BadInput, vec!["merge", &user, &own]),
        (2, FaultCode::BadInput, vec!["rebuild", "--wait", "soon"]),
    ] {
        let words = [&["memory"], words.as_slice()].concat();
        terminal.run(&words).failed(status);
        let fault = terminal.run(&[&["--json"], words.as_slice()].concat()).fault(status);
        assert_eq!(fault["code"], json!(code), "{words:?}: {fault}");
        let fix = fault["fix"].as_str().expect("a fix");
        assert!(!fix.starts_with(char::is_uppercase) && !fix.ends_with('.'), "{words:?}: {fix}");
    }
    let all = terminal.run(&["--json", "memory", "list", "--standing", "any"]).data();
    assert_eq!(all["total"], 2, "nothing came of it");
}
