//! Groups and agents as people name them on the command line.

use super::terminal::terminal;
use std::fs;

#[test]
fn a_name_with_a_comma_is_found_among_members_that_commas_separate() {
    let terminal = terminal().answering("yes");
    let soul = terminal.data().join("souls/smith.md");
    fs::write(soul, "---\nname: Smith,John\n---\nYou are John Smith.\n").unwrap();
    terminal.run(&["agent", "new", "smith"]).done();
    let made = terminal.run(&["group", "new", "Tea", "--members", "ada,Smith,John,bo"]).done();
    assert!(made.starts_with("Tea: Ada, Smith,John, Bo;"), "{made}");
    let refused = terminal.run(&["agent", "new", "smith", "--name", "a,b"]).failed(2);
    assert!(refused.stderr.contains("without spaces, commas and @"), "{}", refused.stderr);
}

/// The numbers of the messages in a log.
fn numbers(log: &str) -> Vec<String> {
    let number = |line: &str| Some(line.strip_prefix('#')?.split(' ').next()?.to_owned());
    log.lines().filter_map(number).collect()
}

#[test]
fn a_conversation_has_branches_that_are_made_shown_and_forked_from_a_terminal() {
    let terminal = terminal().answering("yes");
    terminal.run(&["say", "ada", "tea?"]).done();
    let log = terminal.run(&["group", "log", "ada"]).done();
    let [tea, answer] = &numbers(&log)[..] else { panic!("{log}") };
    terminal.run(&["say", "ada", "coffee?", "--instead-of", tea]).done();
    let log = terminal.run(&["group", "log", "ada", "--branch"]).done();
    assert!(log.contains("coffee?") && !log.contains("tea?"), "{log}");
    assert!(log.contains(&format!("in its place: #{tea}\n")), "{log}");

    terminal.run(&["group", "branch", "ada", tea]).done();
    let log = terminal.run(&["group", "log", "ada"]).done();
    assert!(log.contains("tea?") && !log.contains("coffee?"), "{log}");
    let again = terminal.run(&["group", "again", "ada", answer]);
    assert_eq!((again.status, again.stdout.as_str()), (0, "done\n"), "{}", again.stderr);
    let log = terminal.run(&["group", "log", "ada", "--branch"]).done();
    assert!(log.contains(&format!("in its place: #{answer}\n")), "{log}");
    let again = numbers(&log).pop().expect("it answered again");
    assert_ne!(again, *answer);

    let forked = terminal.run(&["group", "fork", "ada", &again, "--name", "Tea"]).done();
    assert!(forked.starts_with("Tea: Ada;"), "{forked}");
    let log = terminal.run(&["group", "log", "Tea"]).done();
    assert!(log.contains("tea?") && log.contains("Ada"), "{log}");

    let refused = terminal.run(&["group", "again", "ada", tea]).failed(4);
    assert!(refused.stderr.contains("this is not an agent's answer"), "{}", refused.stderr);
    let refused = terminal.run(&["group", "branch", "ada", "9999"]).failed(3);
    assert!(refused.stderr.contains("message 9999 is not in this group"), "{}", refused.stderr);
    terminal.run(&["group", "log", "nobody", "--branch"]).failed(3);
}

#[test]
fn a_turn_that_is_given_to_one_who_rests_waits_and_says_so() {
    let terminal = terminal().answering("yes");
    terminal.run(&["say", "ada", "tea?"]).done();
    let log = terminal.run(&["group", "log", "ada"]).done();
    let answer = numbers(&log).pop().expect("an answer");
    terminal.run(&["agent", "pause", "ada"]).done();
    let waits = "Ada is paused: it answers when you resume it, with coterie agent resume Ada";
    assert_eq!(terminal.run(&["group", "speak", "ada", "ada"]).done().trim_end(), waits);
    let why = terminal.run(&["why", "ada"]).done();
    assert!(why.contains("Ada  waits: paused"), "{why}");
    // An answer stays until there is another.
    let refused = terminal.run(&["group", "again", "ada", &answer]).failed(4);
    assert!(refused.stderr.contains("Ada does not work now"), "{}", refused.stderr);
}

#[test]
fn an_agent_for_a_model_that_is_none_is_refused_with_those_there_are() {
    let terminal = terminal().answering("yes");
    let ran = terminal.run(&["agent", "new", "ada", "--model", "nope"]).failed(2);
    assert!(ran.stderr.contains("\"nope\" is no model; choose one of "), "{}", ran.stderr);
    assert!(ran.stderr.contains("or a role: default, fast or reasoning"), "{}", ran.stderr);
    let ran = terminal.run(&["agent", "new", "ada", "--model", "nowhere/big"]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("there is no provider called nowhere"), "{}", ran.stderr);
}

#[test]
fn a_group_that_nobody_is_left_in_says_so_to_whoever_speaks() {
    let terminal = terminal().answering("yes");
    terminal.run(&["group", "new", "Tea", "--members", "ada,bo"]).done();
    terminal.run(&["say", "tea", "hello"]).done();
    terminal.run(&["group", "remove", "tea", "bo"]).done();
    let refused = terminal.run(&["group", "remove", "tea", "ada"]).failed(4).stderr;
    assert!(refused.contains("Ada is the only agent in Tea"), "{refused}");

    terminal.run(&["agent", "terminate", "ada"]).done();
    let said = terminal.run(&["say", "tea", "anybody?"]).failed(1).stderr;
    assert!(said.contains("no agent is in Tea, so nobody answers"), "{said}");
    assert!(said.contains("coterie group add Tea"), "{said}");
    let why = terminal.run(&["why", "tea"]).done();
    assert!(why.contains("anybody?") && !why.contains("hello"), "{why}");
    assert!(why.contains("no agent was there to answer it"), "{why}");
}

#[test]
fn a_conversation_is_searched_and_written_to_files_from_a_terminal() {
    let terminal = terminal().answering("yes");
    terminal.run(&["say", "ada", "green tea?"]).done();
    terminal.run(&["say", "ada", "coffee?"]).done();
    let found = terminal.run(&["group", "log", "ada", "--find", "TEA"]).done();
    assert!(found.contains("green tea?") && !found.contains("coffee?"), "{found}");
    let none = terminal.run(&["--json", "group", "log", "ada", "--find", "milk"]).data();
    assert_eq!(none, serde_json::json!([]));

    let file = terminal.data().join("tea.md");
    let path = file.to_str().unwrap();
    let told = terminal.run(&["group", "export", "ada", path]).done();
    assert_eq!(told, format!("4 messages written to {path}\n"));
    assert!(fs::read_to_string(&file).unwrap().contains("green tea?"));
    let refused = terminal.run(&["group", "export", "ada", path]).failed(4);
    assert!(refused.stderr.contains("is there already"), "{}", refused.stderr);
    let whole = terminal.data().join("tea.json");
    terminal.run(&["group", "export", "ada", whole.to_str().unwrap()]).done();
    let whole: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(whole).unwrap()).unwrap();
    assert_eq!(whole["group"]["name"], "Ada");
}

#[test]
fn a_message_is_reacted_to_and_forgotten_from_a_terminal() {
    let terminal = terminal().answering("Green tea it is.");
    terminal.run(&["say", "ada", "which tea at Zanzibar street?"]).done();
    let log = terminal.run(&["group", "log", "ada"]).done();
    let [tea, answer] = &numbers(&log)[..] else { panic!("{log}") };
    terminal.run(&["group", "react", "ada", answer, "👍"]).done();
    let log = terminal.run(&["group", "log", "ada"]).done();
    assert!(log.contains("\n  👍 you\n"), "{log}");
    let log = terminal.run(&["group", "log", "ada", "--json"]).data();
    assert_eq!(log[1]["reactions"][0]["sign"], "👍");
    terminal.run(&["group", "react", "ada", answer, "👍", "--off"]).done();
    assert!(!terminal.run(&["group", "log", "ada"]).done().contains("👍"));

    let unsure = terminal.run(&["group", "forget", "ada", tea]).failed(4);
    assert!(unsure.stderr.contains("say that you mean it: --yes"), "{}", unsure.stderr);
    let gone = terminal.run(&["group", "forget", "ada", tea, "--yes"]).done();
    assert!(gone.starts_with("forgotten: its words are gone"), "{gone}");
    let log = terminal.run(&["group", "log", "ada"]).done();
    assert!(!log.contains("Zanzibar") && log.contains("its words are gone for ever"), "{log}");
    assert!(!terminal.run(&["search", "zanzibar"]).stdout.to_lowercase().contains("which tea"));
}

#[test]
fn a_group_begins_from_a_template_in_a_terminal() {
    let terminal = terminal().answering("yes");
    let all = terminal.run(&["group", "templates"]).done();
    assert!(all.contains("pair_review") && all.contains("Ada, Bo, Otto"), "{all}");
    let folder = terminal.data().join("templates/groups");
    fs::create_dir_all(&folder).unwrap();
    let duel = "title: Duel at dawn\nabout: two, no judge\nmembers: [ada, bo]\n";
    fs::write(folder.join("at_dawn.yaml"), duel).unwrap();
    fs::write(folder.join("at_dusk.yaml"), "title: Dusk\n").unwrap();
    let all = terminal.run(&["group", "templates"]).done();
    assert!(all.contains("two, no judge"), "{all}");
    assert!(
        all.contains(
            "not used: group template templates/groups/at_dusk.yaml:1:1: members is missing"
        ),
        "{all}"
    );
    let made = terminal.run(&["group", "begin", "at_dawn"]).done();
    assert!(made.starts_with("Duel at dawn: Ada, Bo;"), "{made}");
    let made = terminal.run(&["group", "begin", "debate", "--name", "Tea"]).done();
    assert!(made.starts_with("Tea: Ada, Bo, Otto;"), "{made}");
    let refused = terminal.run(&["group", "begin", "duel"]).failed(3);
    assert!(refused.stderr.contains("say one of pair_review, debate"), "{}", refused.stderr);
}
