//! A person's machine: a home folder, a screen, a session bus, the programs
//! under test, and nothing of whoever runs the tests.

use crate::driver::{self, Session};
use crate::seed::Seed;
use crate::until::until;
use crate::window::Window;
use domain::{Agent, Call, Draft, Query, Reply};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// A little more than the window's own size.
const SCREEN: &str = "1400x900x24";

/// A session bus on which nothing starts by itself.
const BUS: &str = r#"<busconfig>
<type>session</type>
<listen>unix:tmpdir=/tmp</listen>
<policy context="default">
<allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/>
<allow own="*"/>
</policy>
</busconfig>"#;

pub(crate) struct Machine {
    home: TempDir,
    /// Where the programs are that a story starts.
    programs: PathBuf,
    display: String,
    bus: String,
    running: Vec<Running>,
}

/// A process that ends with its owner.
pub(crate) struct Running(Child);

impl Machine {
    /// A fresh one, with the programs that cargo built.
    pub(crate) fn new() -> Machine {
        let home = TempDir::new().expect("a temporary folder");
        for folder in ["run", "bin"] {
            let folder = home.path().join(folder);
            std::fs::create_dir(&folder).expect("a folder");
            std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).expect("its mode");
        }
        let mut screen = Command::new("Xvfb");
        screen.args(["-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp"]);
        let (screen, display) = Running::saying_where(screen);
        let config = home.path().join("bus.conf");
        std::fs::write(&config, BUS).expect("a file");
        let mut bus = Command::new("dbus-daemon");
        bus.args(["--nofork", "--print-address=1", "--config-file"]).arg(config);
        bus.arg(format!("--address=unix:path={}/run/bus", home.path().display()));
        let (bus, address) = Running::saying_where(bus);
        Machine {
            home,
            programs: built_programs(),
            display: format!(":{display}"),
            bus: address,
            running: vec![screen, bus],
        }
    }

    /// One on which a workspace with a scripted model was set up.
    pub(crate) async fn seeded(seed: Seed) -> Machine {
        let machine = Machine::new();
        seed.plant(&machine.data(), &machine.home.path().join("trace.json")).await;
        machine
    }

    /// The same, with a keyring that is open.
    pub(crate) async fn with_keyring(mut self) -> Machine {
        let mut keyring = self.command(Path::new("gnome-keyring-daemon"));
        keyring.args(["--foreground", "--unlock", "--components=secrets"]);
        keyring.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut keyring = Running(keyring.spawn().expect("gnome-keyring is installed"));
        // Closed at once, which ends the password.
        let mut password = keyring.0.stdin.take().expect("piped above");
        password.write_all(b"password").expect("it reads");
        drop(password);
        self.running.push(keyring);
        until("the keyring answers", async || {
            let mut asked = self.command(Path::new("dbus-send"));
            asked.args(["--session", "--dest=org.freedesktop.DBus", "--print-reply", "/"]);
            asked.args(["org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"]);
            let said = asked.output().expect("dbus-send is installed").stdout;
            String::from_utf8_lossy(&said).contains("boolean true").then_some(())
        })
        .await;
        self
    }

    /// The keyring goes, and with it everything that only it knew.
    pub(crate) fn lose_keyring(&mut self) {
        self.running.truncate(2);
    }

    /// The same, with programs from another folder.
    pub(crate) fn with_programs(self, programs: PathBuf) -> Machine {
        Machine { programs, ..self }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.home.path().join("workspace")
    }

    /// The address of its session bus.
    pub(crate) fn bus(&self) -> &str {
        &self.bus
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Starts Coterie and takes hold of its window.
    pub(crate) async fn open_window(&self) -> Window {
        self.open_window_with(&[]).await
    }

    /// The same where one shows the workspace already.
    pub(crate) async fn open_another_window(&self) -> Window {
        self.open_window_with(&["--another"]).await
    }

    pub(crate) async fn open_window_with(&self, more: &[&str]) -> Window {
        let port = free_port();
        let mut driver = self.command(Path::new("WebKitWebDriver"));
        driver.arg(format!("--port={port}")).env("TAURI_WEBVIEW_AUTOMATION", "true");
        let driver = Running::start(driver);
        until("the driver listens", async || driver::is_ready(port).await.then_some(())).await;
        let mut arguments = vec!["--data".to_owned(), self.data().display().to_string()];
        arguments.extend(more.iter().map(|one| (*one).to_owned()));
        let program = self.program("coterie-desktop");
        let session = Session::new(port, &program, &arguments).await.expect("the window opens");
        Window::new(session, driver)
    }

    /// Starts Coterie once more, and waits for its end: the window that is there has heard of
    /// it then.
    pub(crate) fn start_again(&self, more: &[&str]) -> Output {
        let mut command = self.command(&self.program("coterie-desktop"));
        command.arg("--data").arg(self.data()).args(more);
        command.output().expect("coterie-desktop starts")
    }

    pub(crate) fn display(&self) -> &str {
        &self.display
    }

    /// Runs `coterie` to its end.
    pub(crate) fn coterie(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(&self.program("coterie"));
        command.arg("--data").arg(self.data()).args(arguments);
        command.output().expect("coterie starts")
    }

    /// Asks the workspace from outside, as a second window would.
    pub(crate) async fn ask(&self, call: Call) -> Reply {
        let door = door::Door::connect(&self.data()).await.expect("a window owns the workspace");
        door.ask(call).await.expect("it answers")
    }

    pub(crate) async fn agent(&self, name: &str) -> Agent {
        match self.ask(Call::Query(Query::Overview)).await {
            Reply::Overview(overview) => {
                let mut agents = overview.agents.into_iter();
                agents.find(|agent| agent.name == name).expect("there is such an agent")
            }
            other => panic!("no overview: {other:?}"),
        }
    }

    /// What was written in its windows and not said yet.
    pub(crate) async fn drafts(&self) -> Vec<Draft> {
        match self.ask(Call::Query(Query::Overview)).await {
            Reply::Overview(overview) => overview.drafts,
            other => panic!("no overview: {other:?}"),
        }
    }

    /// Puts a program in front of the system's own.
    pub(crate) fn install(&self, name: &str, script: &str) {
        let program = self.home.path().join("bin").join(name);
        std::fs::write(&program, script).expect("a program");
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("its mode");
    }

    fn program(&self, name: &str) -> PathBuf {
        let program = self.programs.join(name);
        assert!(program.exists(), "{} is missing: run `make test`", program.display());
        program
    }

    fn command(&self, program: &Path) -> Command {
        let home = self.home.path();
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", home.join("bin").display()))
            .env("HOME", home)
            .env("LANG", "C.UTF-8")
            .env("XDG_RUNTIME_DIR", home.join("run"))
            .env("DISPLAY", &self.display)
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus)
            .env("GDK_BACKEND", "x11")
            .env("GSETTINGS_BACKEND", "memory")
            .env("NO_AT_BRIDGE", "1")
            // Whoever wants to reach the network meets a closed port.
            .env("ALL_PROXY", "http://127.0.0.1:1")
            .env("NO_PROXY", "127.0.0.1,localhost")
            .env("GTK_USE_PORTAL", "0");
        command
    }
}

impl Running {
    fn start(mut command: Command) -> Running {
        Running::spawn(command.stdout(Stdio::null()))
    }

    fn spawn(command: &mut Command) -> Running {
        command.stdin(Stdio::null()).stderr(Stdio::null());
        Running(command.spawn().unwrap_or_else(|error| panic!("start {command:?}: {error}")))
    }

    /// Starts a server whose first line of output is where it can be found.
    fn saying_where(mut command: Command) -> (Running, String) {
        let mut running = Running::spawn(command.stdout(Stdio::piped()));
        let output = running.0.stdout.take().expect("piped above");
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).expect("it says where it is");
        (running, line.trim().to_owned())
    }

    /// The processes that this one started.
    pub(crate) fn children(&self) -> Vec<Pid> {
        let id = self.0.id();
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        let children = children.unwrap_or_default();
        children.split_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?)).collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for child in self.children() {
            let _ = kill_process(child, Signal::KILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Cargo's folder: this test is in `deps` below it.
fn built_programs() -> PathBuf {
    let test = std::env::current_exe().expect("the test knows where it is");
    test.ancestors().nth(2).expect("cargo's folder").to_owned()
}

/// The driver cannot be told to look for one itself.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    listener.local_addr().expect("just bound").port()
}
