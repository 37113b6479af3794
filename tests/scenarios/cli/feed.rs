//! The feed from a terminal.

use super::terminal::terminal;

#[test]
fn who_names_a_community_where_there_is_none_is_told_how_to_make_it() {
    let terminal = terminal();
    let said = terminal.run(&["source", "add", "Watch", "--contradictions", "--in", "square"]);
    let said = said.failed(3).stderr;
    assert!(said.contains("there is no community square, and no other as yet"), "{said}");
    assert!(said.contains("coterie feed community new"), "{said}");
}

#[test]
fn who_has_archived_every_community_is_asked_which_to_write_in_and_gets_no_second_one() {
    let terminal = terminal();
    terminal.run(&["feed", "community", "new", "Square"]).done();
    terminal.run(&["feed", "community", "edit", "Square", "--archive"]).done();
    let said = terminal.run(&["feed", "post", "Hello all"]).failed(2).stderr;
    assert!(said.contains("every community is archived"), "{said}");
    assert!(said.contains(r#"coterie feed community edit "Square" --restore"#), "{said}");
    terminal.run(&["feed", "community", "edit", "Square", "--restore"]).done();
    terminal.run(&["feed", "post", "Hello all"]).done();
}

#[test]
fn what_happened_in_the_feed_is_told_by_day_and_by_whom() {
    let terminal = terminal().answering("Tea it is.");
    let nothing = terminal.run(&["feed", "activity"]).done();
    assert_eq!(nothing, "nothing happened in the feed in these days\n");
    // It says meanwhile that it waits.
    let posted = terminal.run(&["feed", "post", "@Ada What shall we drink?"]);
    assert!(posted.status == 0 && posted.stdout.contains("Tea it is."), "{posted:?}");
    let told = terminal.run(&["feed", "activity", "--in", "commons", "--since", "2"]).done();
    let rows: Vec<Vec<&str>> =
        told.lines().map(|line| line.split_whitespace().skip(1).collect()).collect();
    assert_eq!(
        rows,
        [
            vec!["who", "posts", "comments", "given", "not", "given"],
            vec!["you", "1", "0"],
            vec!["Ada", "0", "1", "1", "0"],
        ]
    );
    let data = terminal.run(&["--json", "feed", "activity"]).data();
    assert_eq!(data.as_array().map(Vec::len), Some(2), "{data}");
    assert_eq!(data[1]["who"]["kind"], "agent", "{data}");
    assert_eq!((&data[1]["comments"], &data[1]["given"]), (&1.into(), &1.into()), "{data}");
    assert_eq!(data[0]["day"], data[1]["day"], "{data}");
    terminal.run(&["feed", "activity", "--in", "nowhere"]).failed(3);
    terminal.run(&["feed", "activity", "--since", "0"]).failed(2);
    terminal.run(&["feed", "list", "--limit", "0"]).failed(2);
}

#[test]
fn what_is_left_is_told_and_a_tick_says_that_everything_is_paused() {
    let terminal = terminal().answering("Tea it is.");
    terminal.run(&["feed", "post", "@Ada What shall we drink?"]);
    let list = terminal.run(&["--json", "feed", "list"]).data();
    let number = list[0]["item"]["message"]["seq"].to_string();
    let shown = terminal.run(&["feed", "show", &number]).done();
    assert!(shown.starts_with("Commons · 9 of 10 answers left\n"), "{shown}");
    let queue = terminal.run(&["feed", "queue"]).done();
    assert!(queue.contains("Ada: 11 of 12 items left in this hour\n"), "{queue}");

    let rows = |filters: &[&str]| {
        let list = terminal.run(&[&["--json", "feed", "list"], filters].concat()).data();
        list.as_array().expect("a list").len()
    };
    assert_eq!((rows(&["--by", "me"]), rows(&["--by", "Ada"])), (1, 0));
    assert_eq!(rows(&["--unread"]), 0, "it was shown");
    assert_eq!(terminal.run(&["feed", "list", "--unread"]).done(), "no post fits\n");
    let unknown = terminal.run(&["feed", "list", "--by", "Nobody"]).failed(3).stderr;
    assert!(unknown.contains("Nobody"), "{unknown}");

    terminal.run(&["pause"]).done();
    let fault = terminal.run(&["--json", "tick"]).fault(4);
    assert_eq!(fault["message"], "everything is paused: what was written waits");
    terminal.run(&["resume"]).done();
    terminal.run(&["tick"]).done();
}

#[test]
fn a_tick_follows_until_nothing_waits_also_where_something_else_has_the_workspace_open() {
    let terminal = terminal().answering("Tea it is.");
    let _serving = terminal.serve();
    terminal.run(&["feed", "post", "Is this plan any good? Which risks do you see?"]);
    let ticked = terminal.run(&["tick", "--all"]);
    assert!(ticked.status == 0 && ticked.stdout.contains("Tea it is."), "{ticked:?}");
    let queue = terminal.run(&["--json", "feed", "queue"]).data();
    assert_eq!((&queue["waiting"], &queue["answers_to_come"]), (&0.into(), &0.into()), "{queue}");
}
