//! What others do in Python, for our figures to stand beside.

use super::broken;
use crate::screen::Failure;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::process::{Command, Stdio};

/// What a script ends with when Python lacks a library.
const NOT_INSTALLED: i32 = 3;

/// What a script prints; `None` where Python or one of its libraries is not
/// installed.
pub(super) fn told(
    script: &str,
    arguments: &[impl AsRef<OsStr>],
) -> Result<Option<String>, Failure> {
    let mut asked = Command::new("python3");
    asked.arg("-c").arg(script).args(arguments);
    let done = match asked.stdin(Stdio::null()).stderr(Stdio::inherit()).output() {
        Ok(done) => done,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(broken("run python3", error)),
    };
    match done.status.code() {
        Some(NOT_INSTALLED) => Ok(None),
        Some(0) => Ok(Some(String::from_utf8_lossy(&done.stdout).into_owned())),
        _ => Err(broken("run a script in Python", done.status)),
    }
}
