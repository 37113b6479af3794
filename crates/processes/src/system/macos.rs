//! What macOS keeps for everybody.
//!
//! By real paths, and in parts: under `/System/Volumes` lies all that people
//! own, and the folders that Homebrew has beside its programs hold settings and
//! databases.

/// What programs are made of: everybody on this machine may read it.
pub(super) const PROGRAMS: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/lib",
    "/usr/libexec",
    "/usr/sbin",
    "/usr/share",
    "/System/Cryptexes",
    "/System/Library",
    "/System/Volumes/Preboot/Cryptexes",
    "/System/iOSSupport",
    "/Library/Apple",
    "/Library/Developer/CommandLineTools",
    "/Library/Frameworks",
    "/Library/Java",
    "/Applications/Xcode.app/Contents/Developer",
    // Homebrew, where it is on Apple's processors and where on Intel's.
    "/opt/homebrew/Cellar",
    "/opt/homebrew/Frameworks",
    "/opt/homebrew/bin",
    "/opt/homebrew/etc/ca-certificates",
    "/opt/homebrew/etc/openssl@3/cert.pem",
    "/opt/homebrew/include",
    "/opt/homebrew/lib",
    "/opt/homebrew/opt",
    "/opt/homebrew/sbin",
    "/opt/homebrew/share",
    "/usr/local/Cellar",
    "/usr/local/Frameworks",
    "/usr/local/bin",
    "/usr/local/etc/ca-certificates",
    "/usr/local/etc/openssl@3/cert.pem",
    "/usr/local/include",
    "/usr/local/lib",
    "/usr/local/opt",
    "/usr/local/sbin",
    "/usr/local/share",
    // MacPorts and Nix.
    "/opt/local/bin",
    "/opt/local/lib",
    "/opt/local/libexec",
    "/opt/local/share",
    "/nix/store",
];

/// What says how the machine is, and nothing of who else works on it.
pub(super) const MACHINE: &[&str] = &[
    "/private/etc/bashrc",
    "/private/etc/paths",
    "/private/etc/paths.d",
    "/private/etc/shells",
    "/private/etc/zprofile",
    "/private/etc/zshenv",
    "/private/etc/zshrc",
    "/private/var/db/timezone",
    "/private/var/db/xcode_select_link",
    "/private/var/select",
];

/// Where the programs of the machine are found, those of its person apart.
pub(super) const FOUND_IN: &[&str] = &[
    "/opt/homebrew/bin",
    "/opt/local/bin",
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
    "/usr/sbin",
    "/sbin",
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Where people keep what is theirs, and the machine its keys.
    const OTHERS: &[&str] = &[
        "/Library/Application Support/somebody",
        "/Library/Keychains/System.keychain",
        "/System/Volumes/Data/Users/ann/notes.txt",
        "/Users/ann/.ssh/id_ed25519",
        "/Volumes/backup/ann",
        "/opt/homebrew/var/postgres/base",
        "/private/etc/master.passwd",
        "/private/etc/sudoers",
        "/private/tmp/ann",
        "/private/var/db/dslocal/nodes/Default/users/ann.plist",
        "/private/var/folders/zz/ann",
        "/private/var/root",
        "/usr/local/var/postgres/base",
    ];

    #[test]
    fn no_list_leads_to_what_is_anybodys_own() {
        for listed in PROGRAMS.iter().chain(MACHINE) {
            for other in OTHERS {
                assert!(!Path::new(other).starts_with(listed), "{listed} leads to {other}");
            }
        }
    }

    #[test]
    fn whatever_is_found_as_a_program_may_be_read() {
        for folder in FOUND_IN {
            assert!(PROGRAMS.contains(folder), "{folder}");
        }
    }
}
