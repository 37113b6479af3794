//! The tool `run_code`.

use crate::sandbox::{MOST_SECONDS, Run, USUAL_SECONDS};
use crate::{CallContext, Place, Returned, Sandbox, Stakes, Tool, describe, input};
use async_trait::async_trait;
use domain::{Effects, Need, NeedOf, Risk, ToolSpec};
use processes::Network;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Runs a program that you write, beginning in the first of your folders, and
/// gives what it prints and its exit code. It reaches your folders, a temporary
/// one in `$TMPDIR` and what is installed on this machine, and no network. It
/// gets no input.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    language: Language,
    /// The whole program. What it is to say it has to print.
    code: String,
    /// How many seconds it may take; 60 when left out.
    #[schemars(range(min = 1, max = 600))]
    seconds: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Language {
    Python,
    Javascript,
}

impl Language {
    const ALL: [Language; 2] = [Language::Python, Language::Javascript];

    fn name(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Javascript => "javascript",
        }
    }

    /// What runs it, where that is installed for everybody. It is asked for in each turn:
    /// what was found once is not looked for again.
    fn program(self) -> Option<&'static Path> {
        static PYTHON: OnceLock<PathBuf> = OnceLock::new();
        static NODE: OnceLock<PathBuf> = OnceLock::new();
        let (found, name) = match self {
            Language::Python => (&PYTHON, "python3"),
            Language::Javascript => (&NODE, "node"),
        };
        if found.get().is_none() {
            // Another thread found the same.
            let _ = found.set(processes::system_program(name)?);
        }
        found.get().map(PathBuf::as_path)
    }
}

pub struct RunCode {
    spec: ToolSpec,
    sandbox: Sandbox,
}

impl RunCode {
    /// Takes the languages that this machine has.
    pub fn new(sandbox: Sandbox) -> Self {
        let mut spec = describe::<Input>("run_code", Effects::Once, Risk::High);
        let there = Language::ALL.into_iter().filter(|language| language.program().is_some());
        let names: Vec<_> = there.map(Language::name).collect();
        if !names.is_empty() {
            spec.input["properties"]["language"]["enum"] = names.into();
        }
        RunCode { spec, sandbox }
    }
}

#[async_trait]
impl Tool for RunCode {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn needs(&self, place: &Place) -> Vec<Need> {
        let any = Language::ALL.iter().any(|language| language.program().is_some());
        let mut needs = self.sandbox.needs(place);
        needs.push(Need::new(NeedOf::Program { name: "python3".into() }, any));
        needs
    }

    fn stakes(&self, arguments: &Value, _place: &Place) -> Result<Stakes, String> {
        let code = arguments["code"].as_str().unwrap_or_default();
        let lines = code.lines().map(|line| line.trim().to_owned());
        let texts = std::iter::once(code.to_owned()).chain(lines).collect();
        Ok(Stakes { risk: self.spec.risk, texts, ..Stakes::default() })
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        let Input { language, code, seconds } = match input(arguments) {
            Ok(input) => input,
            Err(refusal) => return refusal,
        };
        let Some(program) = language.program().map(Path::to_path_buf) else {
            let name = language.name();
            return Returned::failed(format!("nothing was run: there is no {name} here"));
        };
        let seconds = seconds.unwrap_or(USUAL_SECONDS).clamp(1, MOST_SECONDS);
        // Both read the program from there.
        let arguments = vec!["-".into()];
        let network = Network::None;
        self.sandbox.run(Run { program, arguments, stdin: code, seconds, network }, with).await
    }
}
