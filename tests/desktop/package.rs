//! The package that people install, in the place where it is installed.

use crate::machine::Machine;
use crate::window::{id, key};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

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

#[test]
fn menus_and_software_centres_are_told_what_they_ask_for() {
    let home = TempDir::new().expect("a temporary folder");
    let root = home.path();
    unpack_shared(&package(), root);

    let entry = root.join("usr/share/applications/Coterie.desktop");
    assert_eq!(run("desktop-file-validate", &[&entry]), "");
    let entry = std::fs::read_to_string(entry).expect("the menu's entry");
    assert!(entry.contains("\nExec=coterie-desktop %u\n"), "{entry}");
    // Names a program and nothing else: with more, no menu shows the entry.
    assert!(entry.contains("\nTryExec=coterie-desktop\n"), "{entry}");
    assert!(entry.contains("\nMimeType=x-scheme-handler/coterie;\n"), "{entry}");
    assert!(entry.contains("\nIcon=coterie-desktop\n"), "{entry}");
    assert_eq!(icons(root), [16, 24, 32, 48, 64, 128, 256, 512]);

    // It also looks whether the menu's entry that the metadata names is there.
    let read = run("appstreamcli", &["validate-tree".as_ref(), "--no-net".as_ref(), root]);
    assert!(read.contains("io.github.coterie.metainfo.xml"), "{read}");
}

#[test]
fn the_package_asks_for_the_libraries_and_fonts_that_it_needs() {
    let depends = field(&package(), "Depends");
    for library in ["libc6", "libdbus-1-3", "libstdc++6", "libwebkit2gtk-4.1-0"] {
        let at_least = format!("{library} (>= ");
        assert!(depends.iter().any(|needed| needed.starts_with(&at_least)), "{depends:?}");
    }
    let recommends = field(&package(), "Recommends");
    for font in ["fonts-noto-cjk", "fonts-noto-color-emoji"] {
        assert!(recommends.iter().any(|wanted| wanted == font), "{recommends:?}");
    }
}

#[test]
fn the_package_brings_the_licences_of_what_the_window_is_built_with() {
    let home = TempDir::new().expect("a temporary folder");
    unpack_shared(&package(), home.path());
    let papers = home.path().join("usr/share/doc/coterie");
    let read = |name: &str| std::fs::read_to_string(papers.join(name)).expect("it is packed");
    let licences = read("licences-of-the-window");
    for package in ["svelte ", "mermaid ", "uplot "] {
        assert!(licences.lines().any(|line| line.starts_with(package)), "no licence of {package}");
    }
    assert!(read("copyright").contains("licences-of-the-window"), "nobody is told where they are");
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
            run("dpkg", &["--install".as_ref(), package]);
            return Installed { root: "/".into(), in_system: true };
        }
        let root = home.join("root");
        run("dpkg-deb", &["--extract".as_ref(), package, &root]);
        Installed { root, in_system: false }
    }

    fn programs(&self) -> PathBuf {
        self.root.join("usr/bin")
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        if self.in_system {
            run("dpkg", &["--purge".as_ref(), "coterie".as_ref()]);
        }
    }
}

/// What all systems share, without the programs and models.
fn unpack_shared(package: &Path, root: &Path) {
    let mut unpack = Command::new("dpkg-deb");
    unpack.arg("--fsys-tarfile").arg(package).stdout(Stdio::piped());
    let mut unpack = unpack.spawn().expect("Debian's tools");
    let files = unpack.stdout.take().expect("piped above");
    let mut lay_out = Command::new("tar");
    lay_out.arg("--extract").arg("--directory").arg(root).arg("usr/share").stdin(files);
    let laid_out = lay_out.output().expect("tar is installed");
    assert!(laid_out.status.success(), "{}", everything(&laid_out));
    assert!(unpack.wait().expect("it was started").success(), "{} is damaged", package.display());
}

/// The sizes that the icon is there in; each file is as large as its folder says.
fn icons(root: &Path) -> Vec<u32> {
    let theme = root.join("usr/share/icons/hicolor");
    assert!(theme.join("scalable/apps/coterie-desktop.svg").exists(), "no icon for every size");
    let folders = std::fs::read_dir(theme).expect("a folder of icons");
    let mut sizes = Vec::new();
    for folder in folders.map(|folder| folder.expect("a folder").path()) {
        let picture = folder.join("apps/coterie-desktop.png");
        let Ok(picture) = std::fs::read(picture) else { continue };
        // Width and height stand at the same place in every PNG.
        let number = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().expect("four"));
        let (width, height) = (number(16), number(20));
        assert!(folder.ends_with(format!("{width}x{height}")), "{}", folder.display());
        sizes.push(width);
    }
    sizes.sort_unstable();
    sizes
}

fn field(package: &Path, name: &str) -> Vec<String> {
    let value = run("dpkg-deb", &["--field".as_ref(), package, name.as_ref()]);
    value.trim().split(", ").map(str::to_owned).collect()
}

fn run(program: &str, arguments: &[&Path]) -> String {
    let done = Command::new(program).args(arguments).output();
    let done = done.unwrap_or_else(|error| panic!("start {program}: {error}; run `make test`"));
    assert!(done.status.success(), "{program} {arguments:?}: {}", everything(&done));
    everything(&done)
}

fn everything(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).join("")
}
