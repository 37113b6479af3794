//! Paths as a person types them.

use domain::Fault;
use std::path::{Path, absolute};

/// As the owner of the workspace finds it, wherever that was started.
pub(crate) fn whole(path: &Path) -> Result<String, Fault> {
    let unfit = || {
        let message = format!("{} is no path that can be passed on", path.display());
        Fault::bad_input(message, "give it a name in UTF-8")
    };
    let path = absolute(path).map_err(|_| unfit())?;
    path.into_os_string().into_string().map_err(|_| unfit())
}
