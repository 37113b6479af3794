//! Whether the engine could use a chat template. A process of its own looks, since a
//! template is a program by whoever made the model's file.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use super::program;

/// Why it cannot be used; nothing where it can, or where nobody can look: then the engine
/// says so when it loads the model. Blocks for a moment.
pub fn template_wrong(engine: &Path, template: &str) -> Option<String> {
    let program = program::choose(engine).ok()?;
    match looked(&program, template) {
        Ok(why) => why,
        Err(error) => {
            tracing::debug!(%error, "nobody could look at the chat template");
            None
        }
    }
}

fn looked(program: &Path, template: &str) -> io::Result<Option<String>> {
    let mut command = Command::new(program);
    command.arg("look").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, 0x0800_0000); // CREATE_NO_WINDOW
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(template.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    Ok(match output.status.success() {
        true => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Some("it takes more memory or time than a chat template may".to_owned()),
    }
    .filter(|why| !why.is_empty()))
}
