//! The files of the machine that any program needs, and none of them secret.

use std::path::{Path, PathBuf};

#[cfg(not(target_os = "macos"))]
mod linux;
#[cfg(any(target_os = "macos", test))]
mod macos;

#[cfg(not(target_os = "macos"))]
use linux::{FOUND_IN, MACHINE, PROGRAMS};
#[cfg(target_os = "macos")]
use macos::{FOUND_IN, MACHINE, PROGRAMS};

/// In `/etc`, where a machine keeps its keys too, if it is root who asks.
const SETTINGS: &[&str] = &[
    "alternatives",
    "bash.bashrc",
    "bashrc",
    "ca-certificates",
    "crypto-policies",
    "debian_version",
    "fonts",
    "gai.conf",
    "group",
    "host.conf",
    "hostname",
    "hosts",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "ld.so.preload",
    "locale.alias",
    "locale.conf",
    "localtime",
    "lsb-release",
    "magic",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "perl",
    "pki/ca-trust",
    "pki/tls/certs",
    "profile",
    "profile.d",
    "protocols",
    "resolv.conf",
    "services",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "static",
    "terminfo",
    "timezone",
];
/// Of these every version.
const SETTINGS_BEGIN: &[&str] = &["java-", "python3"];

/// What every confined program may read.
pub fn system_files() -> Vec<PathBuf> {
    let known = PROGRAMS.iter().chain(MACHINE).map(PathBuf::from);
    let settings = SETTINGS.iter().map(|name| Path::new("/etc").join(name));
    let all = std::fs::read_dir("/etc").into_iter().flatten().flatten();
    let more = all.filter(|entry| {
        let name = entry.file_name();
        SETTINGS_BEGIN.iter().any(|begin| name.to_string_lossy().starts_with(begin))
    });
    known.chain(settings).chain(more.map(|entry| entry.path())).collect()
}

/// The folders among [`system_files`] in which programs are looked for.
pub fn program_folders() -> impl Iterator<Item = &'static Path> {
    FOUND_IN.iter().map(Path::new).filter(|folder| folder.is_dir())
}

/// Where a program of the machine is.
pub fn system_program(name: &str) -> Option<PathBuf> {
    program_folders().map(|folder| folder.join(name)).find(|path| path.is_file())
}
