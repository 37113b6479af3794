//! The walls of a confinement on macOS, as a profile for `sandbox-exec`, Apple's
//! own program, which puts them up and then becomes the program.
//!
//! Never run by us, who had no Mac: so nothing is offered on the strength of
//! it. `tried` has each Mac show first that they hold there.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::confinement::{Confinement, Network};

/// By its path: another of that name may lie anywhere.
#[cfg(target_os = "macos")]
pub(crate) const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// For everybody, then what is added for the network.
const BASE: &str = include_str!("seatbelt.sb");
const ONLINE: &str = include_str!("seatbelt-online.sb");
/// Also the one way that Apple's part leaves open, to the system's log.
const OFFLINE: &str = "(deny network*)\n";

const LOOK: &str = "file-read-metadata file-test-existence";
const READ: &str = "file-read* file-test-existence file-map-executable process-exec*";
const WRITE: &str = "file-write*";

/// For `sandbox-exec`, up to the program. What is not there is left out.
pub(crate) fn arguments(confinement: &Confinement) -> Vec<OsString> {
    let Confinement { machine, reads, writes, temporary, network, .. } = confinement;
    let given = || machine.iter().chain(reads).chain(writes).chain([temporary]);
    let temporary = real([temporary]);
    let reads = [real(machine), unlinked(reads.iter().chain(writes)), temporary.clone()].concat();
    let writes = [unlinked(writes), temporary].concat();
    // Whoever asks where they stand looks at each folder above, and whoever
    // follows a link at the link.
    let looks = reads.iter().cloned().chain(given().filter_map(|path| as_it_stands(path)));
    let looks = looks.flat_map(|path| path.ancestors().map(Path::to_owned).collect::<Vec<_>>());

    let mut profile = Profile::default();
    profile.allow(LOOK, "literal", "LOOK", looks.collect());
    profile.allow(READ, "subpath", "READ", reads.into_iter().collect());
    profile.allow(WRITE, "subpath", "WRITE", writes.into_iter().collect());
    let network = match network {
        Network::None => OFFLINE,
        Network::Whole => ONLINE,
    };
    let Profile { rules, given } = profile;
    // Nobody makes a program that others run as this person.
    let text = format!("{BASE}\n{rules}(deny file-write-setugid)\n{network}");
    let given = given.into_iter().flat_map(|given| ["-D".into(), given]);
    ["-p".into(), text.into()].into_iter().chain(given).chain(["--".into()]).collect()
}

/// The system knows a file by one path, whichever links lead to it.
fn real<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    paths.into_iter().filter_map(|path| path.canonicalize().ok()).collect()
}

/// Those to which no link leads: it could be somebody else's program that has put it there.
fn unlinked<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    let is_real = |path: &&PathBuf| path.canonicalize().is_ok_and(|real| real == **path);
    paths.into_iter().filter(is_real).cloned().collect()
}

/// Itself, also where it is a link, by the real path of what it lies in.
fn as_it_stands(path: &Path) -> Option<PathBuf> {
    path.symlink_metadata().ok()?;
    Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
}

/// Rules whose paths are given apart, so that no path can be read as a rule.
#[derive(Default)]
struct Profile {
    rules: String,
    given: Vec<OsString>,
}

impl Profile {
    fn allow(&mut self, what: &str, filter: &str, name: &str, paths: BTreeSet<PathBuf>) {
        // A rule that names nothing holds for everything.
        if paths.is_empty() {
            return;
        }
        self.rules.push_str(&format!("(allow {what}"));
        for (number, path) in paths.iter().enumerate() {
            self.rules.push_str(&format!("\n  ({filter} (param \"{name}_{number}\"))"));
            let mut given = OsString::from(format!("{name}_{number}="));
            given.push(path);
            self.given.push(given);
        }
        self.rules.push_str(")\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Most;
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    fn confinement(home: &Path) -> Confinement {
        let most = Most {
            memory_bytes: 1,
            cpu: Duration::from_secs(1),
            tasks: 1,
            file_bytes: 1,
            written_bytes: 1,
        };
        Confinement {
            machine: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            temporary: home.join("not there"),
            network: Network::None,
            most,
        }
    }

    /// The profile, and the paths that it is given.
    fn told(confinement: &Confinement) -> (String, Vec<String>) {
        let arguments = arguments(confinement);
        let mut arguments: Vec<String> =
            arguments.into_iter().map(|argument| argument.into_string().unwrap()).collect();
        assert_eq!(arguments.remove(0), "-p");
        assert_eq!(arguments.pop().unwrap(), "--");
        let text = arguments.remove(0);
        let given = arguments.chunks(2).map(|pair| {
            assert_eq!(pair[0], "-D");
            pair[1].clone()
        });
        (text, given.collect())
    }

    #[test]
    fn who_is_given_no_folder_gets_no_rule_that_holds_for_all_of_them() {
        let home = tempfile::tempdir().unwrap();
        let (text, given) = told(&confinement(home.path()));
        assert_eq!(given, Vec::<String>::new());
        assert_eq!(text, format!("{BASE}\n(deny file-write-setugid)\n(deny network*)\n"));
    }

    #[test]
    fn a_folder_that_is_not_there_or_that_a_link_leads_to_is_left_out() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        std::fs::create_dir(home.join("real")).unwrap();
        std::fs::create_dir(home.join("read")).unwrap();
        symlink(home.join("real"), home.join("link")).unwrap();
        let mut confinement = confinement(&home);
        confinement.machine = vec![home.join("link")];
        confinement.reads = vec![home.join("read"), home.join("gone")];
        confinement.writes = vec![home.join("real"), home.join("link")];
        let (text, given) = told(&confinement);
        let given = |name: &str| -> Vec<String> {
            let named = given.iter().filter_map(|given| given.split_once('='));
            let (start, home) = (format!("{name}_"), home.to_str().unwrap());
            let paths = named.filter(|(name, _)| name.starts_with(&start)).map(|(_, path)| path);
            paths.filter_map(|path| path.strip_prefix(home)).map(str::to_owned).collect()
        };
        assert_eq!(given("WRITE"), ["/real"]);
        assert_eq!(given("READ"), ["/read", "/real"]);
        assert_eq!(given("LOOK"), ["", "/link", "/read", "/real"]);
        assert!(text.contains("(allow file-write*\n  (subpath (param \"WRITE_0\")))\n"), "{text}");
    }

    #[test]
    fn the_name_of_a_folder_is_never_read_as_a_rule() {
        let home = tempfile::tempdir().unwrap();
        let name = "x\")) (allow default) (allow file-write* (subpath \"/";
        std::fs::create_dir_all(home.path().join(name)).unwrap();
        let mut confinement = confinement(home.path());
        confinement.writes = vec![home.path().join(name)];
        let (text, given) = told(&confinement);
        assert!(!text.contains("(allow default)"), "{text}");
        assert!(given.iter().any(|given| given.contains("(allow default)")));
    }

    #[test]
    fn who_has_the_network_has_no_socket_of_this_machine_but_the_one_for_names() {
        let home = tempfile::tempdir().unwrap();
        let mut confinement = confinement(home.path());
        confinement.network = Network::Whole;
        let (text, _) = told(&confinement);
        assert!(text.ends_with(ONLINE) && !text.contains(OFFLINE));
        let of_sockets: Vec<_> =
            text.lines().filter(|line| line.contains("unix-socket")).map(str::trim).collect();
        let names = "(remote unix-socket (path-literal \"/private/var/run/mDNSResponder\")))";
        assert_eq!(of_sockets, [names]);
    }

    #[test]
    fn a_profile_begins_closed_and_is_whole() {
        for text in [BASE, ONLINE] {
            let rules = text.lines().filter(|line| !line.starts_with(';'));
            let rules: String = rules.flat_map(|line| [line, "\n"]).collect();
            let mut open = 0_i32;
            for sign in rules.chars() {
                open += i32::from(sign == '(') - i32::from(sign == ')');
                assert!(open >= 0, "{rules}");
            }
            assert_eq!(open, 0, "{rules}");
            // Nothing is allowed or imported but by name.
            assert!(!rules.contains("(allow default)") && !rules.contains("file-read*)"));
        }
        let begins = BASE.lines().filter(|line| line.starts_with('(')).take(2);
        assert_eq!(begins.collect::<Vec<_>>(), ["(version 1)", "(deny default)"]);
    }
}
