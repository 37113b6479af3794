//! Finds the folders that a binary works with, and says why it chose them.
//!
//! Reads no environment itself: the binary passes its arguments, a way to look
//! up a variable, and its own path.

use crate::Places;
use domain::Fault;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What the command line said.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    pub data: Option<PathBuf>,
    pub assets: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub places: Places,
    /// Why the data folder is where it is: `--data`, a variable, a default.
    pub data_because: &'static str,
    pub assets_because: &'static str,
    pub engine_because: &'static str,
    pub keeper_because: &'static str,
}

/// Fails if there is no home folder to put the data in.
pub fn find(
    arguments: Arguments,
    variable: impl Fn(&str) -> Option<OsString>,
    program: &Path,
) -> Result<Found, Fault> {
    // An empty variable is as good as none.
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let beside = program.parent().unwrap_or(Path::new("."));

    let (data, data_because) = if let Some(data) = arguments.data {
        (data, "given with --data")
    } else if let Some(data) = variable("COTERIE_DATA") {
        (data, "given in COTERIE_DATA")
    } else {
        (application_data(&variable)?, "this system's place for application data")
    };

    let (assets, assets_because) = if let Some(assets) = arguments.assets {
        (assets, "given with --assets")
    } else if let Some(assets) = variable("COTERIE_ASSETS") {
        (assets, "given in COTERIE_ASSETS")
    } else if let Some(installed) = installed_assets(beside) {
        (installed, "installed with the program")
    } else {
        (
            tidy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets")),
            "in the checkout the program was built from",
        )
    };

    // Other processes, which may stand elsewhere, are told these paths.
    let [data, assets] = [data, assets].map(|path| std::path::absolute(&path).unwrap_or(path));
    let ours = |name: &str| {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        match beside.join(&file) {
            found if found.exists() => (found, "beside the program"),
            _ => (assets.join(file), "with the assets"),
        }
    };
    let (engine, engine_because) = ours("coterie-engine");
    let (keeper, keeper_because) = ours("coterie-keeper");

    let onnxruntime = assets.join("onnxruntime").join(onnxruntime_name());
    Ok(Found {
        places: Places { data, assets, engine, keeper, onnxruntime },
        data_because,
        assets_because,
        engine_because,
        keeper_because,
    })
}

fn application_data(variable: &impl Fn(&str) -> Option<PathBuf>) -> Result<PathBuf, Fault> {
    let homeless = || {
        Fault::bad_input(
            "there is no home folder to keep the workspace in",
            "choose one with --data DIR",
        )
    };
    if cfg!(windows) {
        return Ok(variable("APPDATA").ok_or_else(homeless)?.join("Coterie"));
    }
    let home = variable("HOME").ok_or_else(homeless);
    if cfg!(target_os = "macos") {
        return Ok(home?.join("Library/Application Support/Coterie"));
    }
    // The rule of XDG: a relative path there is invalid and to be ignored.
    match variable("XDG_DATA_HOME").filter(|path| path.is_absolute()) {
        Some(shared) => Ok(shared.join("coterie")),
        None => Ok(home?.join(".local/share/coterie")),
    }
}

/// Where each system's package puts what ships with the program.
fn installed_assets(beside: &Path) -> Option<PathBuf> {
    ["../lib/Coterie", "../Resources", "."]
        .map(|folder| tidy(&beside.join(folder)))
        .into_iter()
        .find(|folder| folder.join("manifest.json").is_file())
}

/// Without `..` in it where that is possible, for people to read.
fn tidy(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn onnxruntime_name() -> &'static str {
    if cfg!(windows) {
        "onnxruntime.dll"
    } else if cfg!(target_os = "macos") {
        "libonnxruntime.dylib"
    } else {
        "libonnxruntime.so"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Machine {
        folder: tempfile::TempDir,
        variables: Vec<(&'static str, PathBuf)>,
    }

    impl Machine {
        fn new(variables: &[(&'static str, &str)]) -> Self {
            let variables =
                variables.iter().map(|(name, value)| (*name, PathBuf::from(value))).collect();
            Machine { folder: tempfile::tempdir().unwrap(), variables }
        }

        fn find(&self, arguments: Arguments) -> Result<Found, Fault> {
            let variable = |name: &str| {
                self.variables
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, value)| value.clone().into())
            };
            find(arguments, variable, &self.program())
        }

        fn program(&self) -> PathBuf {
            self.folder.path().join("bin/coterie")
        }

        fn file(&self, name: &str) -> PathBuf {
            let path = self.folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        }
    }

    #[test]
    fn an_argument_outranks_a_variable_and_a_variable_the_default() {
        let home = ("HOME", "/home/ann");
        let data = |machine: Machine, data: Option<&str>| {
            let arguments = Arguments { data: data.map(PathBuf::from), ..Arguments::default() };
            machine.find(arguments).map(|found| found.places.data)
        };
        let given = Machine::new(&[home, ("COTERIE_DATA", "/env")]);
        assert_eq!(data(given, Some("/arg")), Ok("/arg".into()));
        assert_eq!(data(Machine::new(&[home, ("COTERIE_DATA", "/env")]), None), Ok("/env".into()));
        let shared = Machine::new(&[home, ("COTERIE_DATA", ""), ("XDG_DATA_HOME", "/xdg")]);
        assert_eq!(data(shared, None), Ok("/xdg/coterie".into()));
        let relative = Machine::new(&[home, ("XDG_DATA_HOME", "xdg")]);
        assert_eq!(data(relative, None), Ok("/home/ann/.local/share/coterie".into()));
        assert_eq!(data(Machine::new(&[]), None).unwrap_err().code, domain::FaultCode::BadInput);
    }

    #[test]
    fn a_folder_is_the_same_one_for_a_process_that_stands_elsewhere() {
        let arguments = Arguments { data: Some("here".into()), assets: Some("there".into()) };
        let places = Machine::new(&[]).find(arguments).unwrap().places;
        let current = std::env::current_dir().unwrap();
        assert_eq!((places.data, places.assets), (current.join("here"), current.join("there")));
    }

    #[test]
    fn an_installed_program_uses_what_was_installed_with_it() {
        let machine = Machine::new(&[("HOME", "/home/ann")]);
        let manifest = machine.file("lib/Coterie/manifest.json");
        let assets = manifest.parent().unwrap().to_owned();
        let engine = machine.file("lib/Coterie/coterie-engine");
        let keeper = machine.file("lib/Coterie/coterie-keeper");
        machine.file("bin/coterie");
        let found = machine.find(Arguments::default()).unwrap();
        assert_eq!(found.places.assets, assets);
        assert_eq!((found.places.engine, found.places.keeper), (engine, keeper));
        assert_eq!(found.places.onnxruntime, assets.join("onnxruntime").join(onnxruntime_name()));
        assert_eq!(found.assets_because, "installed with the program");
    }

    #[test]
    fn a_program_in_cargos_folder_uses_the_checkout_and_the_engine_beside_it() {
        let machine = Machine::new(&[("HOME", "/home/ann")]);
        let engine = machine.file("bin/coterie-engine");
        let found = machine.find(Arguments::default()).unwrap();
        assert!(found.places.assets.join("manifest.json").is_file());
        assert_eq!(found.places.engine, engine);
    }
}
