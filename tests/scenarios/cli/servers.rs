//! Servers of the Model Context Protocol, set up and looked after from a terminal.

#![expect(clippy::unwrap_used, reason = "what goes wrong here fails the test that called it")]

use super::terminal::{Terminal, terminal};
use domain::{McpPlace, McpSetup};
use serde_json::{Value, json};
use std::fs;
use tests::mcp_server::{everything, obedient, variable};

const SOUL: &str = "---\nname: Ada\nmcp: [things]\n---\nYou are Ada.\n";
const PASSPHRASE: &str = "four words of some length";
const PLANTED: &str = "planted-9f31-77ab-token";

/// Where programs are found as they are outside.
fn with_programs() -> Terminal {
    terminal().knowing("PATH", &variable("PATH").unwrap())
}

/// The same, with a place for keys on a machine that has no keyring.
fn with_keys() -> Terminal {
    let terminal = with_programs();
    let file = terminal.path("passphrase");
    fs::write(&file, format!("{PASSPHRASE}\n")).unwrap();
    let terminal = terminal.knowing("COTERIE_PASSPHRASE_FILE", &file);
    assert_eq!(terminal.run_reading(&["key", "move", "sealed"], PASSPHRASE).status, 0);
    terminal
}

fn command_line(setup: &McpSetup) -> Vec<&str> {
    match &setup.place {
        McpPlace::Program { command, arguments, .. } => {
            [command].into_iter().chain(arguments).map(String::as_str).collect()
        }
        McpPlace::Address { .. } => panic!("it is a program"),
    }
}

fn add(terminal: &Terminal, setup: &McpSetup, more: &[&str]) {
    let words = [&["mcp", "add", "things"], more, &["--"], &command_line(setup)].concat();
    let added = terminal.run(&words).done();
    assert!(added.starts_with("things is there with "), "{added}");
}

/// How a server is, as soon as it is so.
fn until(terminal: &Terminal, state: &str) -> Value {
    loop {
        let listed = terminal.run(&["mcp", "list", "--json"]).data();
        if listed[0]["state"]["is"] == state {
            return listed[0].clone();
        }
    }
}

#[test]
fn a_server_is_added_switched_read_and_removed_from_a_terminal() {
    let terminal = with_keys();
    let none = terminal.run(&["mcp", "list"]).done();
    assert!(none.contains("coterie mcp add"), "{none}");
    let _serving = terminal.serve();
    add(&terminal, &obedient("things", &["plain"]), &["--env", &format!("API_TOKEN={PLANTED}")]);
    let tools = terminal.run(&["mcp", "tools", "things"]).done();
    assert!(tools.contains("things__echo"), "{tools}");
    let listed = terminal.run(&["mcp", "list", "--json"]).data();
    let token = &listed[0]["setup"]["place"]["environment"]["API_TOKEN"];
    assert_eq!(*token, json!({ "kind": "key", "key": "mcp/things/API_TOKEN" }));
    assert!(!listed.to_string().contains(PLANTED));

    terminal.run(&["mcp", "tools", "things", "--off", "echo", "--off", "things__die"]).done();
    let tools = terminal.run(&["mcp", "tools", "things", "--json"]).data();
    let off = tools.as_array().unwrap().iter().filter(|tool| tool["on"] == false);
    assert_eq!(off.map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>(), ["echo", "die"]);
    let odd = terminal.run(&["mcp", "tools", "things", "--on", "fly"]).failed(3);
    assert!(odd.stderr.contains("things has no tool fly"), "{}", odd.stderr);

    assert_eq!(terminal.run(&["mcp", "off", "things"]).done(), "things is off\n");
    terminal.run(&["mcp", "reload", "things"]).failed(2);
    terminal.run(&["mcp", "on", "things"]).done();
    until(&terminal, "ready");
    assert!(terminal.run(&["mcp", "reload", "things"]).done().contains("is there with"));
    let trusted = terminal.run(&["mcp", "trust", "things", "--json"]).data();
    assert_eq!(trusted["setup"]["trusted"], true);
    let no_more = terminal.run(&["mcp", "trust", "things", "--not", "--json"]).data();
    assert_eq!(no_more["setup"]["trusted"], false);
    let doctor = terminal.run(&["doctor", "--json"]).stdout;
    assert!(doctor.contains("MCP server things") && doctor.contains("server_ready"), "{doctor}");

    let another = ["mcp", "add", "things", "--url", "http://127.0.0.1:9/mcp"];
    let taken = terminal.run(&another).failed(1);
    assert!(taken.stderr.contains("there is a server called things already"), "{}", taken.stderr);
    assert!(terminal.run(&["key", "list"]).done().contains("mcp/things/API_TOKEN"));
    until(&terminal, "ready");

    assert_eq!(terminal.run(&["mcp", "remove", "things"]).done(), "things is removed\n");
    assert_eq!(terminal.run(&["mcp", "list", "--json"]).data(), json!([]));
    assert_eq!(terminal.run(&["key", "list", "--json"]).data()["keys"], json!([]));
    for words in [["mcp", "log", "things"], ["mcp", "off", "things"], ["mcp", "remove", "things"]] {
        terminal.run(&words).failed(3);
    }
}

#[test]
fn a_server_keeps_its_tools_when_one_of_them_makes_no_sense_and_says_which() {
    let terminal = with_programs();
    let _serving = terminal.serve();
    add(&terminal, &obedient("things", &["unreadable"]), &[]);
    let tools = terminal.run(&["mcp", "tools", "things"]).done();
    assert!(tools.contains("things__echo"), "{tools}");
    assert!(tools.contains("unfit: it has no inputSchema"), "{tools}");
    let log = terminal.run(&["mcp", "log", "things"]).done();
    assert!(log.contains("its tool bare is left out: it has no inputSchema"), "{log}");
}

#[test]
fn a_file_is_imported_however_windows_wrote_it() {
    const TEXT: &str = r#"{"mcpServers": {"notes": {"command": "notes", "args": ["买茶"]}}}"#;
    let terminal = with_programs();
    let file = terminal.path("servers.json");
    let look = |bytes: Vec<u8>| {
        fs::write(&file, bytes).unwrap();
        terminal.run(&["mcp", "import", &file, "--preview"])
    };
    let marked = format!("\u{feff}{TEXT}");
    let units = |in_bytes: fn(u16) -> [u8; 2]| marked.encode_utf16().flat_map(in_bytes).collect();
    for bytes in [marked.clone().into_bytes(), units(u16::to_le_bytes), units(u16::to_be_bytes)] {
        let taken = look(bytes).done();
        assert!(taken.contains("notes 买茶"), "{taken}");
    }
    // Cut off in the middle of a letter, and without the mark.
    let mut torn: Vec<u8> = units(u16::to_le_bytes);
    torn.pop();
    let unmarked: Vec<u8> = TEXT.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [torn, unmarked, vec![0xc3, 0x28]] {
        let refused = look(bytes).failed(3).stderr;
        assert!(refused.contains("save it as UTF-8"), "{refused}");
    }
}

#[test]
fn a_server_that_fails_says_why() {
    let terminal = with_programs();
    let _serving = terminal.serve();
    let setup = obedient("things", &["broken"]);
    let words = [&["mcp", "add", "things", "--"], command_line(&setup).as_slice()].concat();
    let failed = terminal.run(&words).failed(1);
    assert!(failed.stderr.contains("things is set up and does not answer"), "{}", failed.stderr);
    assert!(terminal.run(&["mcp", "log", "things"]).done().contains("no such module"));
    let words = ["mcp", "add", "no__name", "--", "server"];
    assert!(terminal.run(&words).failed(2).stderr.contains("cannot be set up like this"));
    terminal.run(&["mcp", "add", "things", "--env", "LEVEL", "--", "server"]).failed(2);
    terminal.run(&["mcp", "import", "no-such-file.json"]).failed(3);
}

#[test]
fn the_servers_of_another_app_are_taken_in_from_its_file() {
    let terminal = with_keys();
    let setup = obedient("things", &["plain"]);
    let line = command_line(&setup);
    let (command, arguments) = line.split_first().unwrap();
    let env = json!({ "API_TOKEN": PLANTED, "PASSWORD": "${input:password}" });
    let server = json!({ "command": command, "args": arguments, "env": env });
    let file = terminal.path("claude_desktop_config.json");
    fs::write(&file, json!({ "mcpServers": { "things": server } }).to_string()).unwrap();
    let look = terminal.run(&["mcp", "import", &file, "--preview"]).done();
    assert!(look.contains("1 server would be taken in"), "{look}");
    assert_eq!(terminal.run(&["mcp", "list", "--json"]).data(), json!([]));
    let words = ["mcp", "import", "-", "--json"];
    let done = terminal.run_reading(&words, &fs::read_to_string(&file).unwrap()).data();
    assert_eq!(done["keys"], json!(["mcp/things/API_TOKEN"]));
    assert_eq!(done["missing"], json!(["mcp/things/PASSWORD"]));
    assert!(!done.to_string().contains(PLANTED));
    // Nobody who stays is there to start it.
    let listed = terminal.run(&["mcp", "list"]).done();
    assert!(listed.contains("things") && listed.contains("starts with the window"), "{listed}");
    let log = terminal.run(&["mcp", "log", "things"]).done();
    assert!(log.starts_with("things has logged nothing"), "{log}");
    assert_eq!(terminal.run(&["mcp", "log", "things", "--json"]).data(), json!([]));
}

#[test]
fn servers_that_are_called_in_other_letters_are_told_apart_in_whichever_file_they_stand() {
    let terminal = with_programs();
    let import = |name: &str, command: &str| {
        let file = terminal.path("servers.json");
        let server = json!({ "command": command, "disabled": true });
        fs::write(&file, json!({ "mcpServers": { name: server } }).to_string()).unwrap();
        let look = terminal.run(&["mcp", "import", &file, "--preview"]).done();
        assert!(look.contains(name), "{look}");
        terminal.run(&["mcp", "import", &file]).done()
    };
    for (name, command) in [("文件系统", "files"), ("天气", "weather"), ("高德地图", "maps")]
    {
        let taken = import(name, command);
        assert!(taken.starts_with("1 server taken in") && taken.contains(name), "{taken}");
    }
    let again = import("天气", "weather");
    let told = "left out: 天气: there is a server of this name already";
    assert!(again.starts_with("0 servers taken in") && again.contains(told), "{again}");
    let listed = terminal.run(&["mcp", "list"]).done();
    assert!(["文件系统", "天气", "高德地图"].iter().all(|name| listed.contains(name)), "{listed}");
    // Whoever puts another in its place keeps what it is called.
    let servers = terminal.run(&["mcp", "list", "--json"]).data();
    let name = servers[0]["setup"]["name"].as_str().unwrap();
    terminal.run(&["mcp", "add", name, "--replace", "--", "other"]);
    let after = terminal.run(&["mcp", "list", "--json"]).data();
    assert_eq!(after[0]["setup"]["title"], servers[0]["setup"]["title"]);
    assert_eq!(after[0]["setup"]["place"]["command"], "other");
}

/// A scripted model calls a real server's tool, which a person is asked about; the
/// server is there again after a restart, and gone when its owner is killed.
// Seen in openai/codex#10710, zed#54793, searxng#60.
#[test]
fn a_real_servers_tool_is_used_and_nothing_of_it_outlives_its_owner() {
    let Some(everything) = everything("things") else { return };
    let terminal = with_programs();
    fs::write(terminal.data().join("souls/ada.md"), SOUL).unwrap();
    let call = json!({ "id": "c", "name": "things__echo", "arguments": { "message": "tea" } });
    let echoed = json!({ "last": { "contains": "Echo: tea" } });
    let answer = json!({ "lines": [{ "text": "It echoes." }] });
    let trace = json!({
        "format": "coterie-trace",
        "version": 1,
        "exchanges": [{ "when": echoed, "answer": answer }],
        "fallback": { "lines": [{ "tool_call": call }] },
    });
    let file = terminal.path("echoes.json");
    fs::write(&file, trace.to_string()).unwrap();
    terminal.run(&["provider", "add", "scripted", "--trace", &file]).done();
    terminal.run(&["model", "use", "default", "scripted/demo"]).done();

    // Open for as long as anything of the server lives.
    let alive = terminal.path("alive");
    assert!(std::process::Command::new("mkfifo").arg(&alive).status().unwrap().success());
    let line = "exec 9>\"$0\"; \"$@\"; :";
    let (line, real) = (["sh", "-c", line, &alive], command_line(&everything));
    let serving = terminal.serve();
    let pipe = alive.clone();
    let opened = std::thread::spawn(move || fs::File::open(pipe).unwrap());
    let words = [&["mcp", "add", "things", "--"], line.as_slice(), &real].concat();
    terminal.run(&words).done();
    terminal.run(&["say", "ada", "echo, please", "--wait", "0"]).done();
    let id = loop {
        let waiting = terminal.run(&["approval", "list", "--json"]).data();
        if let Some(id) = waiting[0]["call"].as_str() {
            break id.to_owned();
        }
    };
    terminal.run(&["approval", "allow", &id]).done();
    while !terminal.run(&["group", "log", "ada"]).done().contains("It echoes.") {}

    serving.kill();
    assert_eq!(std::io::read_to_string(opened.join().unwrap()).unwrap(), "");

    let pipe = alive.clone();
    let opened = std::thread::spawn(move || fs::File::open(pipe).unwrap());
    let serving = terminal.serve();
    assert!(until(&terminal, "ready")["tools"].as_array().unwrap().len() > 10);
    serving.end();
    assert_eq!(std::io::read_to_string(opened.join().unwrap()).unwrap(), "");
    // Without anybody who stays it is on the list, and is not started by a look.
    assert_eq!(until(&terminal, "asleep")["setup"]["name"], "things");
}

#[test]
fn what_a_server_has_is_listed_read_and_said_from_a_terminal() {
    let terminal = with_programs();
    let setup = obedient("things", &["says", "The harbour opens at nine."]);
    add(&terminal, &setup, &[]);
    // Nobody has the workspace open: it is started for this.
    let resources = terminal.run(&["mcp", "resources", "things"]).done();
    assert!(resources.contains("fake://page"), "{resources}");
    let prompts = terminal.run(&["mcp", "prompts", "things", "--json"]).data();
    assert_eq!(prompts[0]["name"], "page");
    let read = terminal.run(&["mcp", "read", "things", "fake://page"]).done();
    assert_eq!(read, "The harbour opens at nine.\n");
    terminal.run(&["mcp", "read", "nobody", "fake://page"]).failed(3);

    // It waits for whoever opens the workspace, which is said beside it.
    let said_by = |words: &[&str]| {
        let answer: Value = serde_json::from_str(&terminal.run(words).stdout).unwrap();
        answer["data"].clone()
    };
    let words = ["say", "Ada", "--prompt", "things/page", "--wait", "0", "--json"];
    let said = said_by(&words);
    assert_eq!(said["message"]["body"]["text"], "The harbour opens at nine.");
    let words =
        ["say", "Ada", "see", "--resource", "things", "fake://page", "--wait", "0", "--json"];
    let said = said_by(&words);
    let from = json!({ "server": "things", "uri": "fake://page" });
    assert_eq!(said["message"]["attachments"][0]["from"], from);
    let log = terminal.run(&["group", "log", "Ada"]).done();
    assert!(log.contains("[file: page, from things]"), "{log}");
    let odd = terminal.run(&["say", "Ada", "--prompt", "page", "--wait", "0"]).failed(2);
    assert!(odd.stderr.contains("names no prompt of a server"), "{}", odd.stderr);
    terminal.run(&["mcp", "off", "things"]).done();
    let off = terminal.run(&["mcp", "resources", "things"]).failed(4);
    assert!(off.stderr.contains("is switched off"), "{}", off.stderr);
}
