//! Which build of the engine this processor can run.

use std::path::{Path, PathBuf};

use crate::{ModelFault, Trouble};

/// The fast build where the processor has what it was compiled for, else the
/// one beside it that runs anywhere.
pub(super) fn choose(engine: &Path) -> Result<PathBuf, ModelFault> {
    choose_for(engine, has_fast_instructions(), Path::exists)
}

fn choose_for(
    engine: &Path,
    fast: bool,
    exists: impl Fn(&Path) -> bool,
) -> Result<PathBuf, ModelFault> {
    if fast {
        return Ok(engine.to_owned());
    }
    let baseline =
        engine.with_file_name(format!("coterie-engine-baseline{}", std::env::consts::EXE_SUFFIX));
    if exists(&baseline) {
        return Ok(baseline);
    }
    Err(ModelFault::new(
        Trouble::Engine,
        format!(
            "start the local model: this processor has no AVX2, and {} is missing",
            baseline.display()
        ),
        "install Coterie again with its engine for older processors, or connect a model elsewhere",
    ))
}

/// What `.cargo/config.toml` lets llama.cpp use.
#[cfg(target_arch = "x86_64")]
fn has_fast_instructions() -> bool {
    use std::is_x86_feature_detected as has;
    has!("sse4.2") && has!("avx") && has!("avx2") && has!("fma") && has!("f16c") && has!("bmi2")
}

/// Elsewhere there is one build for all.
#[cfg(not(target_arch = "x86_64"))]
fn has_fast_instructions() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_processor_gets_the_build_beside_it_or_a_plain_answer() {
        let engine = Path::new("/opt/coterie-engine");
        let baseline = Path::new("/opt")
            .join(format!("coterie-engine-baseline{}", std::env::consts::EXE_SUFFIX));
        assert_eq!(choose_for(engine, true, |_| false), Ok(engine.to_owned()));
        assert_eq!(choose_for(engine, false, |path| path == baseline), Ok(baseline));
        let fault = choose_for(engine, false, |_| false).unwrap_err();
        assert_eq!(fault.trouble, Trouble::Engine);
    }
}
