//! What the terminal tells of runs: all that is on record of one, which one is
//! meant, what is only estimated, and who waits in line.

use super::terminal::{Terminal, terminal};
use domain::FaultCode;
use serde_json::{Value, json};
use std::collections::HashSet;

fn ids(terminal: &Terminal) -> Vec<String> {
    let runs = terminal.run(&["run", "list", "--json"]).data();
    let id = |run: &Value| run["id"].as_str().expect("a run has an id").to_owned();
    runs.as_array().expect("runs are a list").iter().map(id).collect()
}

#[test]
fn a_run_shows_its_cause_decisions_steps_usage_cost_outcome_and_what_it_stood_on() {
    let terminal = terminal().answering("Tea it is.");
    let price = ["model", "price", "scripted/*", "--input", "1", "--output", "2"];
    terminal.run(&price).done();
    terminal.run(&["group", "new", "Garden", "--members", "ada,bo", "--policy", "mention"]).done();
    terminal.run(&["say", "garden", "@Ada What shall we drink?"]).done();
    let id = &ids(&terminal)[0];
    let shown = terminal.run(&["run", "show", id]).done();
    let data = terminal.data().display().to_string();
    for line in [
        format!("run           {id}"),
        "cause         mentioned; you in #1, “@Ada What shall we drink?”".to_owned(),
        "outcome       replied".to_owned(),
        "tokens        20 + 3".to_owned(),
        "cost          $0.000026".to_owned(),
        "decided about its message".to_owned(),
        "Ada  speaks: mentioned".to_owned(),
        "Bo   stays silent: not mentioned".to_owned(),
        "stood on".to_owned(),
        format!("workspace    {data}"),
        "person       User".to_owned(),
        "members      User, Bo".to_owned(),
        "turn policy  mention".to_owned(),
        "skills       none".to_owned(),
        "MCP servers  none".to_owned(),
        format!("It sent one request: coterie run show {id} --prompt"),
    ] {
        let fits = |told: &str| {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            words(told) == words(&line)
        };
        assert!(shown.lines().any(fits), "no {line:?} in\n{shown}");
    }
    for step in ["woken", "model called", "settled"] {
        assert!(shown.contains(step), "no {step}: {shown}");
    }
    assert!(!shown.contains("You are Ada"), "{shown}");
}

/// Uses the calculator, and then answers.
fn calculates() -> Terminal {
    let call = json!({ "id": "c1", "name": "calculator", "arguments": { "expression": "6 * 7" } });
    let terminal = terminal().answering("Forty-two.");
    let trace = json!({ "format": "coterie-trace", "version": 1, "exchanges": [
        { "when": { "last": { "contains": "What is" } }, "answer": { "lines": [{ "tool_call": call }] } }
    ], "fallback": { "lines": [{ "text": "Forty-two." }] } });
    std::fs::write(terminal.path("scripted.json"), trace.to_string()).expect("a file");
    terminal
}

#[test]
fn the_exact_requests_are_printed_word_for_word() {
    let terminal = calculates();
    terminal.run(&["group", "new", "Garden", "--members", "ada,bo", "--policy", "mention"]).done();
    terminal.run(&["say", "garden", "@Ada What is six times seven?"]).done();
    let id = &ids(&terminal)[0];
    let record = terminal.run(&["--json", "run", "show", id]).data();
    let requests = record["requests"].as_array().unwrap();
    assert_eq!((requests.len(), &record["sent"]), (2, &json!(2)));
    let [first, second] = [&requests[0], &requests[1]];
    assert_eq!(first["turns"][0]["role"], "system");
    assert_eq!(first["turns"][0]["content"], record["context"]["system_prompt"]);
    assert_eq!(first["turns"], json!(second["turns"].as_array().unwrap()[..2]));
    assert_eq!(second["turns"][2]["calls"][0]["name"], "calculator");
    assert_eq!(second["turns"][3]["content"], "42");
    // What is somebody else's is cut where it is heard.
    assert_eq!(first["stop"], json!([]));
    assert_eq!(first["tools"], record["context"]["tools"]);
    for field in ["temperature", "max_tokens"] {
        assert!(first[field].as_f64().unwrap() > 0.0, "{field}: {first}");
    }
    assert_eq!((&first["model"], &first["format"]), (&json!("scripted/demo"), &Value::Null));

    let printed = terminal.run(&["run", "show", id, "--prompt"]).done();
    let system = first["turns"][0]["content"].as_str().unwrap();
    let said = first["turns"][1]["content"].as_str().unwrap();
    let schema = first["tools"][0]["input"].to_string();
    for words in [
        "request 1 to scripted/demo",
        "request 2 to scripted/demo",
        "temperature 0.7 · at most",
        "· any form of answer",
        &format!("[system]\n{system}\n[user]\n{said}\n"),
        &schema,
        "tools as in request 1\nthe first 2 messages as in request 1\n[assistant]\n(calls calculator as c1",
        "[tool, result of c1]\n42\n",
    ] {
        assert!(printed.contains(words), "no {words:?} in\n{printed}");
    }
    assert_eq!(printed.matches(system).count(), 1, "{printed}");
}

#[test]
fn what_is_only_estimated_says_so_wherever_it_is_told() {
    let terminal = terminal().answering("counted");
    let price = ["model", "price", "scripted/*", "--input", "1", "--output", "2"];
    terminal.run(&price).done();
    terminal.run(&["say", "ada", "one"]).done();
    let counted = ids(&terminal)[0].clone();
    for told in [vec!["usage"], vec!["run", "show", &counted]] {
        let told = terminal.run(&told).done();
        assert!(!told.contains('≈') && !told.contains("estimated"), "{told}");
    }
    // A trace without a count.
    terminal.trace("scripted", "not counted");
    terminal.run(&["say", "ada", "two"]).done();
    let estimated = ids(&terminal)[0].clone();
    let shown = terminal.run(&["run", "show", &estimated]).done();
    let line = |begins: &str| shown.lines().find(|line| line.starts_with(begins)).unwrap();
    assert!(line("tokens ").contains(" ≈") && line("tokens ").contains("estimated"), "{shown}");
    assert!(line("cost ").contains(" ≈$"), "{shown}");
    let call = line("scripted/demo");
    assert!(
        call.contains("≈") && call.ends_with("estimated: without a count that can be right"),
        "{call}"
    );

    for by in ["agent", "model", "group", "day"] {
        let usage = terminal.run(&["usage", "--by", by]).done();
        let row = usage.lines().nth(1).unwrap();
        assert!(row.ends_with("1 of 2 calls estimated"), "{usage}");
        assert_eq!(row.matches('≈').count(), 3, "read, written and cost: {usage}");
    }
    let rows = terminal.run(&["--json", "usage"]).data();
    assert_eq!((&rows[0]["calls"], &rows[0]["estimated_calls"]), (&json!(2), &json!(1)));
}

#[test]
fn runs_of_the_same_second_are_told_apart() {
    let terminal = terminal().answering("yes");
    terminal.run(&["group", "new", "tea", "--members", "ada,bo", "--policy", "broadcast"]).done();
    for text in ["one", "two"] {
        let said = terminal.run(&["say", "tea", text]);
        assert_eq!(said.status, 0, "{}", said.stderr);
    }
    let all = ids(&terminal);
    assert_eq!(all.len(), 4);
    let mut shown = HashSet::new();
    for limit in ["1", "20"] {
        let list = terminal.run(&["run", "list", "--limit", limit]).done();
        for row in list.lines().skip(1) {
            shown.insert(row.split_whitespace().next().unwrap().to_owned());
        }
    }
    assert_eq!(shown.len(), 4, "{shown:?}");
    for short in &shown {
        let found = terminal.run(&["--json", "run", "show", short]).data()["run"]["id"].clone();
        assert!(all.contains(&found.as_str().unwrap().to_owned()));
    }
    // By any beginning that is its own, too, and with or without dashes.
    let length = (4..36).find(|length| {
        all.iter().map(|id| &id[..*length]).collect::<HashSet<_>>().len() == all.len()
    });
    for id in &all {
        for part in [&id[..length.unwrap()], &id.replace('-', ""), &id.to_uppercase()] {
            let found = terminal.run(&["--json", "run", "show", part]).data();
            assert_eq!(found["run"]["id"], **id, "{part}");
        }
    }
    let fault = terminal.run(&["--json", "run", "show", &all[0][..6]]).fault(2);
    assert_eq!(fault["code"], json!(FaultCode::BadInput));
    let message = fault["message"].as_str().unwrap();
    assert!(message.contains("stands for 4 runs"), "{message}");
    assert!(all.iter().all(|id| message.contains(id)), "{message}");
    assert!(message.contains("(Ada, ") && message.contains("(Bo, "), "{message}");
}

/// More agents than may ask a model at the same time: some stand in line.
#[test]
fn who_waits_for_a_model_is_seen_with_the_place_in_line() {
    let terminal = terminal().playing(&json!({ "lines": [{ "hang": true }] }));
    let names = ["One", "Two", "Three", "Four", "Five", "Six", "Seven"];
    for name in names {
        terminal.run(&["agent", "new", "ada", "--name", name]).done();
    }
    let members = names.join(",");
    let words = ["group", "new", "all", "--members", &members, "--policy", "broadcast"];
    terminal.run(&words).done();
    let _serving = terminal.serve();
    let mut saying = terminal.begin(&["say", "all", "hello"]);
    let mut said: Vec<String> = Vec::new();
    while said.len() < 3 {
        let line = saying.aside();
        assert!(!line.is_empty(), "it has ended: {said:?}");
        said.extend(Some(line).filter(|line| line.contains("waiting")));
    }
    for (line, place) in said.iter().zip(["next in line", "2nd in line", "3rd in line"]) {
        assert!(line.ends_with(&format!("is waiting for a model, {place}")), "{said:?}");
    }
    let third = said[2].strip_prefix("coterie: ").unwrap();
    let third = third.split_once(' ').unwrap().0;
    let list = terminal.run(&["agent", "list"]).done();
    assert_eq!(list.matches("running, waiting for a model, ").count(), 3, "{list}");
    let shown = terminal.run(&["agent", "show", third]).done();
    let state = shown.lines().find(|line| line.starts_with("state")).unwrap();
    assert!(state.ends_with("running, waiting for a model, 3rd in line"), "{shown}");
    saying.signal("-INT");
    assert_eq!(saying.end().status, 0, "who no longer waits has still said it");
}
