//! Whether Coterie starts with the system, without its window.

use crate::environment::Arguments;
use domain::Fault;
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Runtime};
use tauri_plugin_autostart::{Builder, Error, ManagerExt};

/// The same workspace is opened then that is open now.
pub(crate) fn plugin<R: Runtime>(arguments: &Arguments) -> TauriPlugin<R> {
    let mut with = vec!["--hidden".to_owned()];
    for (name, folder) in [("--data", &arguments.data), ("--assets", &arguments.assets)] {
        let Some(folder) = folder else { continue };
        // It is read from another place.
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
        with.push(quoted(&format!("{name}={}", folder.display())));
    }
    Builder::new().args(with).build()
}

#[tauri::command]
pub(crate) fn starts_with_system(app: AppHandle) -> Result<bool, Fault> {
    app.autolaunch().is_enabled().map_err(refused)
}

#[tauri::command]
pub(crate) fn start_with_system(app: AppHandle, on: bool) -> Result<(), Fault> {
    let launch = app.autolaunch();
    let done = if on { launch.enable() } else { launch.disable() };
    done.map_err(refused)
}

fn refused(error: Error) -> Fault {
    Fault::bad_input(
        format!("the system does not take what is to start with it: {error}"),
        "see that you may write where it keeps that, on Linux ~/.config/autostart",
    )
}

/// One argument, as a line of a desktop entry or of a shell writes it where it is not plain.
fn quoted(argument: &str) -> String {
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '=' | '/' | '.' | ':' | '\\');
    if cfg!(target_os = "macos") || argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    if cfg!(windows) {
        return format!("\"{argument}\"");
    }
    let mut quoted = String::from('"');
    for c in argument.chars() {
        match c {
            // The entry's own reading takes one of the two away.
            '\\' => quoted.push_str(r"\\\\"),
            '"' | '`' | '$' => quoted.extend([r"\\", c.encode_utf8(&mut [0; 4])]),
            '%' => quoted.push_str("%%"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_any_name_is_one_argument() {
        assert_eq!(quoted("--data=/home/ann/work"), "--data=/home/ann/work");
        assert_eq!(quoted("--data=/my work"), "\"--data=/my work\"");
        assert_eq!(quoted("--data=/100%$"), "\"--data=/100%%\\\\$\"");
    }
}
