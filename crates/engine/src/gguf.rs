//! Is this file a GGUF, and is all of it there?

use crate::fault::{Result, failure};
use domain::engine::Fault;
use gguf::Wrong;
use std::path::Path;

/// Fails for a missing file, one that is no GGUF and one that ends too early.
/// Whatever else may be wrong is left to llama.cpp to find.
pub(crate) fn check(path: &Path) -> Result<()> {
    let shown = path.display();
    match gguf::look(path) {
        Ok(_) | Err(Wrong::Unknown | Wrong::Damaged) => Ok(()),
        Err(Wrong::Missing) => {
            Err(failure(Fault::ModelMissing, format!("open model {shown}: file not found")))
        }
        Err(Wrong::NotGguf) => {
            Err(failure(Fault::NotGguf, format!("read model {shown}: not a GGUF file")))
        }
        Err(cut @ Wrong::CutOff { needed_bytes, actual_bytes }) => Err(failure(
            Fault::Truncated { needed_bytes, actual_bytes },
            format!("read model {shown}: {cut}"),
        )),
        Err(Wrong::Io(error)) => {
            Err(failure(Fault::ModelUnusable, format!("read model {shown}: {error}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn fault(bytes: &[u8]) -> Option<Fault> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        check(file.path()).err().map(|failure| failure.fault)
    }

    #[test]
    fn what_a_person_can_mend_is_told_apart_and_the_rest_left_to_llama_cpp() {
        assert_eq!(fault(b"<!DOCTYPE html>"), Some(Fault::NotGguf));
        let cut = Fault::Truncated { needed_bytes: 16, actual_bytes: 10 };
        assert_eq!(fault(b"GGUF\x03\0\0\0\x02\0"), Some(cut));
        assert_eq!(fault(b"GGUF\x04\0\0\0"), None, "a later version");
        let folder = tempfile::tempdir().unwrap();
        let missing = check(&folder.path().join("no.gguf")).unwrap_err();
        assert_eq!(missing.fault, Fault::ModelMissing);
    }
}
