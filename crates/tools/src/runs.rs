//! `shell` and `run_code` with the real keeper. How a confinement holds is tried
//! in `processes`; here, that they are put into one and say what came of it.

use crate::house::House;
use crate::{CallContext, Place, Returned, RunCode, Sandbox, Shell, Tool, that_run_programs};
use serde_json::{Value, json};
use std::path::PathBuf;

fn keeper() -> PathBuf {
    let test = std::env::current_exe().expect("it runs");
    let built = test.ancestors().nth(2).expect("in target/PROFILE/deps");
    let keeper = built.join(format!("coterie-keeper{}", std::env::consts::EXE_SUFFIX));
    assert!(keeper.exists(), "{} is missing; build the crate processes", keeper.display());
    keeper
}

fn sandbox(house: &House) -> Sandbox {
    Sandbox::new(keeper(), house.path("temporary"))
}

async fn run(house: &House, tool: &dyn Tool, arguments: Value, with: &CallContext) -> Returned {
    let ran = tool.call(arguments, with).await;
    let left = std::fs::read_dir(house.path("temporary")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "its temporary folder is gone");
    ran
}

async fn shell(house: &House, command: &str) -> Returned {
    let arguments = json!({"command": command, "seconds": 20});
    run(house, &Shell::new(sandbox(house)), arguments, &house.context(&["home", "second"])).await
}

const CONFINED: &str = "[it ran confined: your folders and a temporary one that is gone now, \
    the programs of the machine, no network, nothing left in the background]";

#[tokio::test]
async fn a_command_works_in_the_agents_folders_and_says_how_it_went() {
    let house = House::new();
    house.write("second/other.md", "other\n");
    let script = format!(
        "cat notes/plan.md {}; echo new > made; echo t > $TMPDIR/t; ls -d $HOME | wc -l; echo no >&2; exit 3",
        house.path("second/other.md").display()
    );
    let told = format!("exit code 3\n[stdout]\nbuy tea\n买茶\nother\n1\n[stderr]\nno\n{CONFINED}");
    assert_eq!(shell(&house, &script).await, Returned::failed(told).foreign());
    assert_eq!(house.read("home/made"), "new\n");
    let told = format!("exit code 0\n[no stdout]\n[no stderr]\n{CONFINED}");
    assert_eq!(shell(&house, "true").await, Returned::ok(told).foreign());
}

#[tokio::test]
async fn a_command_sees_and_changes_nothing_else() {
    let house = House::new();
    for command in [
        "cat ../outside/secret.txt",
        "cat ../home-too/near.txt",
        "echo x > ../outside/new",
        "ln -s ../outside/secret.txt link && cat link",
        "cat < /dev/tcp/127.0.0.1/22",
        "env | grep -i cargo",
    ] {
        let ran = shell(&house, command).await;
        assert!(!ran.ok && !ran.text.contains("the secret"), "{command}: {}", ran.text);
    }
    assert_eq!(house.names("outside"), ["secret.txt"]);
}

/// Each of them changes modes or times of what it makes.
#[tokio::test]
async fn what_work_on_programs_begins_with_works() {
    let house = House::new();
    for (command, says) in [
        (
            "git init -q repo && cd repo && echo x > a && git add a && \
             git -c user.name=Ada -c user.email=ada@example.org commit -q -m first && git log --format=%s",
            "first\n",
        ),
        ("printf 'int main(void) { return 42; }' > m.c && cc m.c -o m; ./m; echo $?", "42\n"),
        ("python3 -m venv --without-pip env && env/bin/python -c 'print(6 * 7)'", "42\n"),
        (
            "mkdir a && echo x > a/b && chmod 640 a/b && touch -d 2001-02-03T04:05:06Z a/b && \
             tar cf a.tar a && rm -r a && tar xpf a.tar && cp -p a/b c && stat -c '%a %Y' a/b c",
            "640 981173106\n640 981173106\n",
        ),
    ] {
        let ran = shell(&house, command).await;
        let expected = format!("exit code 0\n[stdout]\n{says}[no stderr]\n{CONFINED}");
        assert_eq!(ran, Returned::ok(expected).foreign(), "{command}");
    }
}

#[tokio::test]
async fn what_is_not_its_own_keeps_its_mode_and_times() {
    let house = House::new();
    let marks = || {
        let found = std::fs::metadata(house.path("outside/secret.txt")).expect("it is there");
        (found.permissions(), found.modified().expect("this system knows it"))
    };
    let before = marks();
    for command in ["chmod 777 ../outside/secret.txt", "touch -m ../outside/secret.txt"] {
        let ran = shell(&house, command).await;
        assert!(!ran.ok, "{command}: {}", ran.text);
    }
    assert_eq!(marks(), before);
}

/// A keeper on a machine that has no mounts for it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn where_programs_cannot_change_modes_the_result_says_so() {
    use processes::Marks;
    use std::os::unix::fs::PermissionsExt;
    let house = House::new();
    let script = format!(
        "#!/bin/sh\nexec unshare --user --map-current-user --keep-caps sh -c '\
         echo 0 > /proc/sys/user/max_mnt_namespaces && exec \"$@\"' sh {} \"$@\"\n",
        keeper().display()
    );
    house.write("keeper.sh", &script);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(house.path("keeper.sh"), mode).expect("just written");
    let tool = Shell::new(Sandbox::new(house.path("keeper.sh"), house.path("temporary")));
    let arguments = json!({"command": "git init -q repo"});
    let ran = run(&house, &tool, arguments, &house.context(&["home"])).await;
    assert!(!ran.ok, "{}", ran.text);
    assert!(ran.text.contains("git init, tar x, cp -p, venv"), "{}", ran.text);
    let unmarked = Sandbox::new(house.path("keeper.sh"), house.path("temporary"));
    assert_eq!(unmarked.marks().await, Some(Marks::None));
    assert_eq!(sandbox(&house).marks().await, Some(Marks::Own));
    assert_eq!(house.names("temporary"), Vec::<String>::new());
}

#[tokio::test]
async fn a_folder_with_something_of_ours_in_it_can_only_be_read() {
    let house = House::new();
    house.write("data/souls/ada.md", "Ada");
    house.write("data/folders/ada/notes", "hers");
    let mut with = house.context(&["data", "data/folders/ada"]);
    with.place.own = Some(house.path("data/folders/ada"));
    with.place.fixed = vec![house.path("data/souls"), house.path("data/folders")];
    let script = "cat souls/ada.md; echo x > souls/ada.md; echo x > new; echo more > folders/ada/notes; cat folders/ada/notes";
    let tool = Shell::new(sandbox(&house));
    let ran = run(&house, &tool, json!({"command": script}), &with).await;
    assert!(ran.text.starts_with("exit code 0\n[stdout]\nAdamore\n[stderr]\n"), "{}", ran.text);
    let only = format!("[it could read and not change: {}]", house.path("data").display());
    assert!(ran.text.ends_with(&only), "{}", ran.text);
    assert_eq!(house.read("data/souls/ada.md"), "Ada");
    assert_eq!(house.names("data"), ["folders", "souls"]);
}

/// Somebody who may write further up has put a link there since the turn began.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_a_link_has_taken_the_place_of_is_no_folder_of_the_agents() {
    let house = House::new();
    let folder = house.path("second/spot");
    std::fs::create_dir_all(house.path("second")).expect("a folder");
    std::os::unix::fs::symlink(house.path("outside"), &folder).expect("a link");
    for confined in ["writes", "reads"] {
        let mut with = house.context(&["home", "second/spot"]);
        if confined == "reads" {
            with.place.fixed = vec![folder.clone()];
        }
        for way in [folder.clone(), house.path("outside")] {
            let command = format!("cat {0}/secret.txt; echo x > {0}/new", way.display());
            let tool = Shell::new(sandbox(&house));
            let ran = run(&house, &tool, json!({"command": command}), &with).await;
            assert!(!ran.ok && !ran.text.contains("the secret"), "{}", ran.text);
        }
    }
    assert_eq!(house.names("outside"), ["secret.txt"]);
}

#[tokio::test]
async fn only_the_shell_that_asks_for_it_has_the_network() {
    let house = House::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let arguments = json!({"command": format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo there")});
    let with = house.context(&["home"]);
    let apart = run(&house, &Shell::new(sandbox(&house)), arguments.clone(), &with).await;
    assert!(!apart.ok && apart.text.contains(", no network, "), "{}", apart.text);
    let online = run(&house, &Shell::online(sandbox(&house)), arguments, &with).await;
    assert!(online.ok && online.text.contains("there\n"), "{}", online.text);
    assert!(online.text.contains(", the network, "), "{}", online.text);
    // It is as confined as the other in all else.
    let other = json!({"command": "cat ../outside/secret.txt"});
    let other = run(&house, &Shell::online(sandbox(&house)), other, &with).await;
    assert!(!other.ok && !other.text.contains("the secret"), "{}", other.text);
}

#[tokio::test]
async fn a_person_allows_plain_commands_by_how_they_begin_and_others_as_they_stand() {
    let house = House::new();
    let tool = Shell::new(sandbox(&house));
    let place = house.context(&["home"]).place;
    let stakes =
        |command: &str| tool.stakes(&json!({"command": command}), &place).expect("it can be made");
    let plain = stakes("ls  -l notes");
    assert_eq!(plain.target.as_deref(), Some("ls -l notes"));
    assert_eq!(plain.like.as_deref(), Some("ls *"));
    let more = stakes("ls; rm -rf notes");
    assert_eq!((more.target, more.like), (None, None));
    // An agent writes what `.git/config` has it run.
    let one = stakes("git status");
    assert_eq!((one.target.as_deref(), one.like), (Some("git status"), None));
}

#[tokio::test]
async fn code_runs_in_each_language_that_is_there() {
    let house = House::new();
    let tool = RunCode::new(sandbox(&house));
    let languages = tool.spec().input["properties"]["language"]["enum"].clone();
    assert!(languages.as_array().is_some_and(|all| !all.is_empty()), "{languages}");
    let network = [
        ("python", "import socket\nprint(6 * 7)\nsocket.create_connection(('127.0.0.1', 9))"),
        (
            "javascript",
            "console.log(6 * 7); require('net').connect(9, '127.0.0.1').on('error', e => { throw e })",
        ),
    ];
    for (language, code) in network {
        if !languages.as_array().is_some_and(|all| all.contains(&json!(language))) {
            continue;
        }
        let arguments = json!({"language": language, "code": code});
        let ran = run(&house, &tool, arguments, &house.context(&["home"])).await;
        assert!(ran.text.starts_with("exit code 1\n[stdout]\n42\n[stderr]\n"), "{}", ran.text);
        let refused = ["Operation not permitted", "EPERM"];
        assert!(refused.iter().any(|error| ran.text.contains(error)), "{}", ran.text);
    }
}

#[tokio::test]
async fn whoever_takes_too_long_or_says_too_much_is_cut_off_and_it_says_so() {
    let house = House::new();
    let tool = Shell::new(sandbox(&house));
    let slow = json!({"command": "echo begun; sleep 10", "seconds": 1});
    let ran = run(&house, &tool, slow, &house.context(&["home"])).await;
    let told = format!("killed: it took longer than 1 s\n[stdout]\nbegun\n[no stderr]\n{CONFINED}");
    assert_eq!(ran, Returned::failed(told).foreign());
    let flood = shell(&house, "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end").await;
    assert!(flood.ok && flood.text.contains("\n[1951429 bytes left out here]\n"));
    assert!(flood.text.len() < 1_100_000 && flood.text.contains("x\nend\n"));
}

#[tokio::test]
async fn a_stopped_turn_waits_for_nothing() {
    let house = House::new();
    let with = house.context(&["home"]);
    with.stop.cancel();
    let tool = Shell::new(sandbox(&house));
    assert_eq!(tool.call(json!({"command": "touch made"}), &with).await, Returned::stopped());
    assert_eq!(house.names("home"), ["notes", "readme.txt"]);
}

#[tokio::test]
async fn what_was_stopped_while_it_ran_is_not_said_to_be_undone() {
    let house = House::new();
    let with = house.context(&["home"]);
    let begun = house.path("home/begun");
    let made =
        std::process::Command::new("mkfifo").arg(&begun).status().expect("it is on every system");
    assert!(made.success());
    let tool = Shell::new(sandbox(&house));
    let command = json!({"command": "echo paid >> paid; echo > begun; sleep 60"});
    let (returned, heard) = tokio::join!(tool.call(command, &with), async {
        let heard = tokio::fs::read_to_string(&begun).await;
        with.stop.cancel();
        heard
    });
    assert_eq!((returned, heard.expect("it is read").as_str()), (Returned::cut_off(), "\n"));
    assert_eq!(std::fs::read_to_string(house.path("home/paid")).expect("it is there"), "paid\n");
}

#[test]
fn where_nothing_confines_nothing_is_offered() {
    let house = House::new();
    let offered = |sandbox: &Sandbox, place: &Place| {
        let tools = that_run_programs(sandbox).into_iter();
        tools.filter(|tool| tool.needs(place).iter().all(|need| need.met)).count()
    };
    let (place, nowhere) = (house.context(&["home"]).place, Place::default());
    assert_eq!(offered(&sandbox(&house), &place), 3);
    assert_eq!(offered(&sandbox(&house), &nowhere), 0);
    let missing = Sandbox::new(house.path("no-keeper"), house.path("temporary"));
    assert_eq!(offered(&missing, &place), 0);
    assert!(missing.stands().is_err_and(|why| why.ends_with("no-keeper is missing")));
}
