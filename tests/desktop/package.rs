//! The package that people install, in the place where it is installed.

use crate::machine::Machine;
use crate::window::{id, key};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[tokio::test]
async fn the_installed_window_and_command_line_answer_offline() {
    let machine = Machine::new();
    let installed = Installed::from(&package(), machine.home());
    let machine = machine.with_programs(installed.programs());

    let doctor = machine.coterie(&["doctor"]);
    assert!(doctor.status.success(), "{}", everything(&doctor));
    let assets = installed.root.join("usr/lib/Coterie").display().to_string();
    assert!(everything(&doctor).contains(&assets), "{}", everything(&doctor));

    let window = machine.open_window().await;
    window.click(&id("suggestion")).await;
    window.press(&[key::ENTER]).await;
    let answer = format!("{} {}", id("message[data-author=\"Ada\"]"), id("body"));
    window.see(&answer).await;
    assert!(!window.texts(&answer).await[0].trim().is_empty(), "the model wrote nothing");
    window.keep_picture("installed").await;
}

fn package() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "make test says here which package it made")]
    let path = std::env::var_os("COTERIE_DEB").map(PathBuf::from);
    path.expect("COTERIE_DEB names the package: run `make test`")
}

/// The package in its place: in the system, where root may put it there and
/// nobody has it already; elsewhere its files laid out in a folder.
struct Installed {
    root: PathBuf,
    in_system: bool,
}

impl Installed {
    fn from(package: &Path, home: &Path) -> Installed {
        if rustix::process::geteuid().is_root() && !Path::new("/usr/bin/coterie").exists() {
            dpkg("dpkg", &["--install".as_ref(), package]);
            return Installed { root: "/".into(), in_system: true };
        }
        let root = home.join("root");
        dpkg("dpkg-deb", &["--extract".as_ref(), package, &root]);
        Installed { root, in_system: false }
    }

    fn programs(&self) -> PathBuf {
        self.root.join("usr/bin")
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        if self.in_system {
            dpkg("dpkg", &["--purge".as_ref(), "coterie".as_ref()]);
        }
    }
}

fn dpkg(program: &str, arguments: &[&Path]) {
    let done = Command::new(program).args(arguments).output().expect("Debian's tools");
    assert!(done.status.success(), "{program} {arguments:?}: {}", everything(&done));
}

fn everything(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).join("")
}
