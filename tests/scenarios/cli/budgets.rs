//! Budgets, prices and usage from a terminal.

use super::terminal::terminal;
use serde_json::json;

#[test]
fn what_the_commands_about_money_print_as_json() {
    let terminal = terminal().answering("Tea it is.");
    let snapshot = |name: &str, words: &[&str]| terminal.snapshot(name, words);
    snapshot("budget_show", &["budget", "show"]);
    let price = ["model", "price", "scripted/*", "--input", "0.5", "--output", "$2"];
    let day = ["--as-of", "2026-11-21"];
    snapshot("model_price", &[price.as_slice(), &day].concat());
    let exact = ["model", "price", "scripted/demo", "--input", "3", "--output", "15"];
    snapshot(
        "model_price_exact",
        &[exact.as_slice(), &["--cached", "0.3", "--cache-write", "3.75"], &day].concat(),
    );
    terminal.run(&["say", "ada", "What shall we drink?"]).done();
    snapshot("budget_set", &["budget", "set", "agent:ada", "--tokens", "100_000"]);
    snapshot("budget_set_off", &["budget", "set", "day", "--usd", "off"]);
    snapshot("budget_reset", &["budget", "reset", "day"]);
    snapshot("budget_reset_agent", &["budget", "reset", "agent:ada"]);
    snapshot("usage", &["usage"]);
    snapshot("usage_by_model", &["usage", "--by", "model", "--since", "1"]);
}

#[test]
fn what_was_used_without_a_known_price_is_not_said_to_be_free() {
    let terminal = terminal().answering("yes");
    terminal.run(&["say", "ada", "hello"]).done();
    for words in [
        vec!["usage"],
        vec!["usage", "--by", "model"],
        vec!["usage", "--by", "day"],
        vec!["budget", "show"],
    ] {
        let ran = terminal.run(&words).done();
        assert!(ran.contains("no price") && !ran.contains("$0.00"), "{words:?}: {ran}");
    }
    // What becomes known later was not known when it was spent.
    terminal.run(&["model", "price", "scripted/*", "--input", "1", "--output", "1"]).done();
    terminal.run(&["say", "ada", "again"]).done();
    for words in [vec!["usage"], vec!["usage", "--by", "model"], vec!["budget", "show"]] {
        let ran = terminal.run(&words).done();
        assert!(ran.contains("+ 1 call without a price"), "{words:?}: {ran}");
    }
    assert!(terminal.run(&["model", "prices"]).done().contains("$1.00"));
    let said = terminal.run(&["--json", "say", "ada", "and now?"]).data();
    let shown = terminal.run(&["run", "show", said["runs"][0]["id"].as_str().unwrap()]).done();
    let call = shown.lines().find(|line| line.starts_with("scripted/demo")).unwrap_or_default();
    assert!(call.contains("$0.000023"), "{shown}");
}

#[test]
fn what_costs_nothing_is_said_to_be_free() {
    let terminal = terminal().answering("yes");
    terminal.run(&["model", "price", "scripted/*", "--input", "0", "--output", "0"]).done();
    terminal.run(&["say", "ada", "hello"]).done();
    for words in [vec!["usage"], vec!["usage", "--by", "model"], vec!["budget", "show"]] {
        let ran = terminal.run(&words).done();
        assert!(!ran.contains("price") && ran.contains("$0.00"), "{words:?}: {ran}");
    }
}

#[test]
fn a_role_is_given_a_model_and_goes_back_to_the_default_one() {
    let terminal = terminal().answering("yes");
    let roles = terminal.run(&["model", "use", "fallback", "scripted/demo"]).done();
    assert!(roles.contains("fallback: scripted/demo\n"), "{roles}");
    let roles = terminal.run(&["model", "unset", "fallback"]).done();
    assert!(roles.contains("fallback: none\n"), "{roles}");
    terminal.run(&["model", "unset", "default"]).failed(2);
    terminal.run(&["model", "use", "poet", "scripted/demo"]).failed(2);
}

#[test]
fn who_meets_a_budget_is_told_what_is_gone_and_what_raises_it() {
    let terminal = terminal().answering("yes");
    terminal.run(&["budget", "set", "message", "--tokens", "100"]).done();
    let ran = terminal.run(&["say", "ada", "hello"]).failed(4);
    let said =
        "coterie: Ada could not answer: what this message began has used 0 tokens of 100 tokens";
    assert!(ran.stderr.starts_with(said), "{}", ran.stderr);
    assert!(ran.stderr.contains("say it again: coterie budget set message --tokens "));
    terminal.run(&["budget", "reset", "message"]).done();
    assert_eq!(terminal.run(&["say", "ada", "hello"]).done(), "#4 Ada: yes\n");

    terminal.run(&["model", "price", "scripted/demo", "--input", "0", "--output", "0"]).done();
    terminal.run(&["budget", "set", "agent:ada", "--usd", "0", "--tokens", "off"]).done();
    assert_eq!(terminal.run(&["say", "ada", "it is free"]).done(), "#6 Ada: yes\n");
    terminal.run(&["model", "price", "scripted/demo", "--input", "1", "--output", "1"]).done();
    let ran = terminal.run(&["say", "ada", "no more"]).failed(4);
    let said = "coterie: Ada could not answer: Ada's budget today is 0 dollars; ";
    assert!(ran.stderr.starts_with(said), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("coterie budget set agent:Ada --usd 0.01\n"), "{}", ran.stderr);
    assert_eq!(terminal.run(&["agent", "show", "ada", "--json"]).data()["agent"]["state"], "error");
    // It stays for those who go on.
    assert_eq!(terminal.run(&["budget", "set", "agent:ada", "--usd", "1"]).status, 0);
    assert!(terminal.run(&["group", "log", "ada"]).done().ends_with("Ada: yes\n"));
    assert_eq!(terminal.run(&["agent", "show", "ada", "--json"]).data()["agent"]["state"], "idle");
}

#[test]
fn a_group_that_a_budget_has_stopped_says_so_with_what_has_it_go_on() {
    let terminal = terminal().answering("yes");
    terminal.run(&["group", "new", "Tea", "--members", "ada,otto"]).done();
    terminal.run(&["budget", "set", "group:Tea", "--tokens", "100"]).done();
    let ran = terminal.run(&["say", "Tea", "hello"]).failed(4);
    let fix = "raise it and the group goes on: coterie budget set group:Tea --tokens ";
    assert!(ran.stderr.contains(fix), "{}", ran.stderr);
    let listed = terminal.run(&["group", "list"]).done();
    let why = "Tea is stopped: the group Tea has used 0 tokens of 100 tokens today";
    assert!(listed.contains(why) && listed.contains(fix), "{listed}");
    assert_eq!(terminal.run(&["agent", "show", "ada", "--json"]).data()["agent"]["state"], "idle");
    let why = terminal.run(&["why", "Tea"]).done();
    assert!(why.contains("waits: no room in the group's own budget of the day"), "{why}");
    assert!(terminal.run(&["say", "ada", "and here?"]).done().ends_with("Ada: yes\n"));
    assert_eq!(terminal.run(&["budget", "set", "group:Tea", "--tokens", "off"]).status, 0);
    assert!(terminal.run(&["group", "log", "Tea"]).done().ends_with(": yes\n"));
    let listed = terminal.run(&["group", "list"]).done();
    assert!(!listed.contains("stopped"), "{listed}");
}

#[test]
fn a_wrong_limit_or_scope_is_refused_with_what_would_be_right() {
    let terminal = terminal().answering("yes");
    for (status, words) in [
        (2, vec!["budget", "set", "week", "--tokens", "5"]),
        (2, vec!["budget", "set", "day"]),
        (2, vec!["budget", "set", "day", "--tokens", "-5"]),
        (2, vec!["budget", "set", "day", "--usd", "much"]),
        (3, vec!["budget", "set", "agent:nobody", "--tokens", "5"]),
        (3, vec!["budget", "reset", "group:nobody"]),
        (2, vec!["usage", "--by", "mood"]),
        (2, vec!["usage", "--since", "0"]),
        (2, vec!["model", "price", "scripted/demo", "--input", "-1", "--output", "1"]),
    ] {
        terminal.run(&words).failed(status);
    }
    let shown = terminal.run(&["budget", "show", "--json"]).data();
    assert_eq!(shown[0]["budget"]["scope"], json!({ "kind": "message" }));
    let plain = terminal.run(&["budget", "show"]).done();
    assert!(plain.contains("day      off     $5.00  0 tokens"), "{plain}");
}

#[test]
fn before_several_are_woken_it_is_said_what_that_may_cost_and_who_is_not_woken() {
    let terminal = terminal().answering("yes");
    terminal.run(&["group", "new", "Tea", "--members", "ada,otto", "--policy", "broadcast"]).done();
    terminal.run(&["say", "ada", "only you"]).done();
    let ran = terminal.run(&["say", "Tea", "hello"]);
    let told = ran.stderr.lines().next().unwrap_or_default().to_owned();
    assert!(told.starts_with("coterie: wakes 2 agents, about "), "{}", ran.stderr);

    terminal.run(&["model", "price", "scripted/*", "--input", "1", "--output", "1"]).done();
    terminal.run(&["budget", "set", "group:Tea", "--tokens", "8000"]).done();
    let ran = terminal.run(&["say", "Tea", "and now?"]);
    let told = ran.stderr.lines().next().unwrap_or_default();
    assert!(
        told.starts_with("coterie: wakes 1 agent, about ") && told.contains(", $0.00"),
        "{told}"
    );
    let end = "; the group's own budget of the day is not enough to wake Otto too";
    assert!(told.ends_with(end), "{told}");
    assert!(ran.stdout.contains("Ada: yes") && !ran.stdout.contains("Otto"), "{}", ran.stdout);
    let why = terminal.run(&["why", "Tea"]).done();
    assert!(why.contains("the group's own budget of the day has no room for it"), "{why}");
}

#[test]
fn while_a_call_runs_what_it_holds_is_told_from_what_is_spent() {
    let terminal = terminal().playing(&json!({ "lines": [{ "hang": true }] }));
    let serving = terminal.serve();
    terminal.run(&["say", "ada", "hello", "--wait", "0"]).done();
    let shown = loop {
        let shown = terminal.run(&["budget", "show"]).done();
        if shown.contains("held") {
            break shown;
        }
    };
    let day = shown.lines().find(|line| line.starts_with("day")).unwrap();
    assert!(day.contains("  0 tokens  ") && day.contains("up to "), "{shown}");
    assert!(day.ends_with(" tokens more held by calls in progress"), "{shown}");
    drop(serving);
}
