//! Does without OpenGL where nothing could speed it up.
//!
//! On a machine without a graphics processor GTK and WebKit load Mesa's
//! renderer, with a whole compiler in it, into the window's own process: some
//! 60 MB, though only WebKit's process for pages draws. Environment variables
//! of theirs are all that comes early enough to prevent it. A machine with a
//! graphics processor is left alone, and so is whoever set one of them.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Environment variables, with the values they get.
pub(crate) type Settings = Vec<(&'static str, &'static str)>;

const WITHOUT_OPENGL: [(&str, &str); 3] = [
    // GTK: X11 is not asked which of its visuals suits OpenGL.
    ("GDK_GL", "disable"),
    // WebKit: what is drawn arrives as plain memory, not as a texture.
    ("WEBKIT_DISABLE_DMABUF_RENDERER", "1"),
    // WebKit: OpenGL is not asked which device draws. None does.
    ("WEBKIT_WEB_RENDER_DEVICE_FILE", "/dev/null"),
];

/// What to set before GTK starts.
pub(crate) fn settings(variable: impl Fn(&str) -> Option<OsString>) -> Settings {
    if cfg!(target_os = "linux") {
        settings_for(Path::new("/dev"), variable)
    } else {
        Settings::new()
    }
}

fn settings_for(devices: &Path, variable: impl Fn(&str) -> Option<OsString>) -> Settings {
    if draws_in_hardware(devices) {
        return Settings::new();
    }
    WITHOUT_OPENGL.into_iter().filter(|(name, _)| variable(name).is_none()).collect()
}

/// The kernel offers a node for drawing, or one of the drivers is there that
/// do without: NVIDIA's own, and Windows' under WSL.
fn draws_in_hardware(devices: &Path) -> bool {
    let nodes = std::fs::read_dir(devices.join("dri")).into_iter().flatten().flatten();
    let mut names = nodes.map(|node| node.file_name());
    names.any(|name| name.as_encoded_bytes().starts_with(b"renderD"))
        || ["nvidiactl", "dxg"].iter().any(|name| devices.join(name).exists())
}

/// What is good for the window is not for every program that it starts: some
/// browsers do not start without OpenGL.
pub(crate) fn leave_out(settings: &Settings, command: &mut Command) {
    for (name, _) in settings {
        command.env_remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The names that would be set on a machine with this device, for somebody
    /// who set GDK_GL.
    fn set_beside(device: &str) -> Vec<&'static str> {
        let devices = tempfile::tempdir().unwrap();
        let file = devices.path().join(device);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
        let variable = |name: &str| (name == "GDK_GL").then(OsString::new);
        settings_for(devices.path(), variable).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn a_machine_that_draws_in_hardware_is_left_alone() {
        for device in ["dri/renderD128", "nvidiactl", "dxg"] {
            assert_eq!(set_beside(device), [""; 0], "{device}");
        }
    }

    #[test]
    fn another_program_inherits_none_of_it() {
        let mut browser = Command::new("browser");
        leave_out(&vec![("GDK_GL", "disable")], &mut browser);
        let changed: Vec<_> = browser.get_envs().collect();
        assert_eq!(changed, [("GDK_GL".as_ref(), None)]);
    }

    #[test]
    fn a_machine_that_does_not_gets_what_nobody_set() {
        for device in ["null", "dri/card0"] {
            let expected = ["WEBKIT_DISABLE_DMABUF_RENDERER", "WEBKIT_WEB_RENDER_DEVICE_FILE"];
            assert_eq!(set_beside(device), expected, "{device}");
        }
    }
}
