//! What a link names, opened in a terminal.

use super::terminal::terminal;
use domain::FaultCode;
use serde_json::json;

#[test]
fn a_link_shows_what_it_names_and_says_where_that_is_gone() {
    let terminal = terminal().answering("Basil wants sun.");
    terminal.run(&["group", "new", "Herb garden", "--members", "ada"]).done();
    terminal.run(&["say", "herb garden", "Where does the basil stand?"]).done();
    let opened = |link: &str| terminal.run(&["open", link]).done();
    let data = |words: &[&str]| terminal.run(&[&["--json"], words].concat()).data();

    let group = opened("coterie://group/Herb%20garden");
    assert!(group.contains("Where does the basil stand?") && group.contains("sun."), "{group}");
    let run = data(&["run", "list"])[0]["id"].as_str().expect("an id").to_owned();
    let shown = opened(&format!("coterie://run/{run}"));
    assert!(shown.contains(&run) && shown.contains("outcome"), "{shown}");
    let log = data(&["group", "log", "herb garden"]);
    let said = log.as_array().and_then(|log| log.last()).expect("something was said");
    let message = opened(&format!("coterie://message/{}", said["id"].as_str().expect("an id")));
    assert!(
        message.contains("in Herb garden\n") && message.contains("Basil wants sun."),
        "{message}"
    );
    assert_eq!(
        data(&["open", &format!("coterie://message/{}", said["id"].as_str().unwrap())]),
        *said
    );

    let memory = data(&["memory", "add", "Waters the basil"])["id"].as_str().unwrap().to_owned();
    let link = format!("coterie://memory/{memory}");
    assert!(opened(&link).contains("Waters the basil"));
    terminal.run(&["feed", "community", "new", "Square"]).done();
    let post = data(&["feed", "post", "What of the roof?"]);
    let post =
        post["post"]["group"].as_str().unwrap_or_else(|| panic!("no post: {post}")).to_owned();
    assert!(opened(&format!("coterie://group/{post}")).contains("What of the roof?"));

    let list = data(&["feed", "list"]);
    let said = &list[0]["item"]["message"];
    let link = format!("coterie://message/{}", said["id"].as_str().expect("an id"));
    assert!(opened(&link).contains("What of the roof?"));
    terminal.run(&["feed", "hide", &said["seq"].to_string()]).done();
    let hidden = opened(&link);
    assert!(hidden.contains("(hidden)") && !hidden.contains("roof"), "{hidden}");
    assert_eq!(terminal.run(&["search", "roof"]).done(), "nothing was found\n");

    let link = format!("coterie://memory/{memory}");
    terminal.run(&["memory", "forget", &memory, "--yes"]).done();
    let forgotten = opened(&link);
    assert!(forgotten.contains("forgotten"), "{forgotten}");
    assert!(!forgotten.contains("Waters the basil"), "{forgotten}");
    let nobody = "coterie://run/01930000-0000-7000-8000-000000000000";
    for link in [nobody, "coterie://group/nobody", "coterie://soul/nobody"] {
        let fault = terminal.run(&["--json", "open", link]).fault(3);
        assert_eq!(fault["code"], json!(FaultCode::NotFound), "{link}: {fault}");
        let message = fault["message"].as_str().expect("a message");
        assert_eq!(message, format!("what {link} names is not in this workspace, or not any more"));
    }
    for no_link in ["https://example.org/", "coterie://settings/keys", "coterie://group/a/delete"] {
        terminal.run(&["open", no_link]).failed(2);
    }
}
