//! Answers read from recordings and put together again.

use domain::{Kept, Usage};
use futures::{FutureExt, StreamExt, stream};
use llm::http::{Asked, Patience, Reads, decode};
use llm::{Delta, Finish, ModelFault, Trouble};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;
use tokio::runtime::{self, Runtime};

pub(crate) const CHUNKS: [usize; 6] = [1, 2, 3, 7, 150, 16 * 1024];

pub(crate) const PATIENCE: Patience =
    Patience { idle: Duration::from_secs(120), whole: Duration::from_secs(3600) };

/// An answer put together again.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) reasoning: String,
    /// Id, name and arguments.
    pub(crate) calls: Vec<[String; 3]>,
    pub(crate) kept: Option<Kept>,
    pub(crate) unshown: u32,
    pub(crate) end: Option<Delta>,
}

impl Told {
    pub(crate) fn fault(&self) -> &ModelFault {
        match &self.end {
            Some(Delta::Failed { fault, .. }) => fault,
            other => panic!("it did not fail: {other:?}"),
        }
    }

    pub(crate) fn usage(&self) -> Usage {
        match &self.end {
            Some(Delta::Done { usage, .. } | Delta::Failed { usage, .. }) => *usage,
            other => panic!("it did not end: {other:?}"),
        }
    }
}

pub(crate) fn tell(deltas: &[Delta]) -> Told {
    let mut told = Told::default();
    for delta in deltas {
        assert_eq!(told.end, None, "something came after the end: {delta:?}");
        match delta {
            Delta::Text(text) => told.text += text,
            Delta::Reasoning(text) => told.reasoning += text,
            Delta::ToolCall(piece) => {
                match told.calls.iter_mut().find(|call| call[0] == piece.id) {
                    None => {
                        let name = piece.name.clone().expect("the first piece brings the name");
                        told.calls.push([piece.id.clone(), name, piece.arguments.clone()]);
                    }
                    Some(call) => {
                        assert_eq!(piece.name, None, "the name comes once");
                        call[2] += &piece.arguments;
                    }
                }
            }
            Delta::Kept(kept) => {
                assert_eq!(told.kept.replace(kept.clone()), None, "what is kept comes once");
            }
            Delta::Unshown(letters) => told.unshown += letters,
            Delta::Counted(_) => {}
            Delta::Anew => {
                assert_eq!((&told.calls[..], &told.kept), (&[][..], &None), "it would be lost");
                told = Told { unshown: told.unshown, ..Told::default() };
            }
            Delta::Done { .. } | Delta::Failed { .. } => told.end = Some(delta.clone()),
        }
    }
    assert!(told.end.is_some(), "the answer did not end: {deltas:?}");
    told
}

/// All bytes are there, so nothing waits and no runtime turns.
pub(crate) fn read(reading: impl Reads, chunks: impl IntoIterator<Item = Vec<u8>>) -> Vec<Delta> {
    let chunks: Vec<_> = chunks.into_iter().map(Ok::<_, Infallible>).collect();
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        runtime::Builder::new_current_thread().enable_time().build().expect("starts")
    });
    let _guard = RUNTIME.enter();
    let deltas = decode(stream::iter(chunks), reading, PATIENCE);
    deltas.collect().now_or_never().expect("everything is there")
}

pub(crate) fn read_cut(reading: impl Reads, bytes: &[u8], size: usize) -> Told {
    tell(&read(reading, bytes.chunks(size).map(<[u8]>::to_vec)))
}

/// What every provider's recordings greet with.
pub(crate) const GREETING: &str = "Grüße, 世界 🌍";
/// What most recordings count, and what a recording counts that counts nothing.
pub(crate) const SOME: [Option<u32>; 3] = [Some(20), Some(9), None];
pub(crate) const NONE: [Option<u32>; 3] = [None; 3];

pub(crate) fn asked() -> Asked {
    Asked::new("acme", "m1")
}

/// Ids for calls that come without one.
pub(crate) fn minting() -> impl FnMut() -> String + Send + 'static {
    let mut minted = 0;
    move || {
        minted += 1;
        format!("minted_{minted}")
    }
}

/// A folder of recordings, and who reads them.
pub(crate) struct Recorded<R> {
    pub(crate) folder: &'static str,
    pub(crate) reading: fn() -> R,
}

impl<R: Reads> Recorded<R> {
    /// What is told of a recording must hold in every dress and however it is cut.
    pub(crate) fn check(&self, name: &str, check: impl Fn(&Told, &str)) {
        let bytes = &fixtures(self.folder)[name];
        for (dress, bytes) in dresses(name, bytes) {
            for size in CHUNKS {
                let told = read_cut((self.reading)(), &bytes, size);
                check(&told, &format!("{name}, {dress}, cut at {size}"));
            }
        }
    }

    /// Of what is shown.
    pub(crate) fn check_told(&self, name: &str, expected: &Told) {
        self.check(name, |told, which| {
            let shown = Told { unshown: 0, ..told.clone() };
            assert_eq!(shown, *expected, "{which}");
        });
    }

    /// The greeting, with this thought before it and this end.
    pub(crate) fn check_greeting(
        &self,
        name: &str,
        reasoning: &str,
        finish: Finish,
        counts: [Option<u32>; 3],
    ) {
        let (text, reasoning) = (GREETING.to_owned(), reasoning.to_owned());
        let end = done(finish, counts);
        self.check_told(name, &Told { text, reasoning, end, ..Told::default() });
    }

    /// The weather in two cities, asked for under these ids.
    pub(crate) fn check_two_calls(&self, name: &str, ids: [&str; 2]) {
        let call = |id: &str, city: &str| {
            [id.to_owned(), "weather".to_owned(), format!(r#"{{"city":"{city}"}}"#)]
        };
        let calls = vec![call(ids[0], "Oslo"), call(ids[1], "北京")];
        let end = done(Finish::ToolCalls, SOME);
        self.check(name, |told, which| {
            assert_eq!((&told.calls, &told.end), (&calls, &end), "{which}");
        });
    }

    /// An answer that breaks after this text.
    pub(crate) fn check_broken(&self, name: &str, text: &str, trouble: Trouble, message: &str) {
        self.check(name, |told, which| {
            let fault = told.fault();
            assert_eq!((told.text.as_str(), fault.trouble), (text, trouble), "{which}");
            assert!(fault.message.starts_with(message), "{which}: {}", fault.message);
            assert!(!fault.fix.is_empty());
        });
    }

    /// Wherever the connection ends: the answer is whole, or it was broken off.
    pub(crate) fn check_cut_anywhere(&self, name: &str) {
        for (dress, bytes) in dresses(name, &fixtures(self.folder)[name]) {
            for at in 0..bytes.len() {
                let told = read_cut((self.reading)(), &bytes[..at], 150);
                if !matches!(told.end, Some(Delta::Done { .. })) {
                    assert_eq!(
                        told.fault().message,
                        "acme stopped in the middle of its answer",
                        "{name}, {dress}, cut off at {at}"
                    );
                }
            }
        }
    }
}

pub(crate) fn fixtures(folder: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
    let paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    let name = |path: &Path| path.file_name().expect("a file").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read(path).expect("readable"))).collect()
}

/// The same stream in every dress that the format allows.
pub(crate) fn dresses(name: &str, bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let text = String::from_utf8(bytes.to_vec()).expect("fixtures are UTF-8");
    let mut dresses = vec![("as it is", bytes.to_vec())];
    if name.ends_with(".sse") {
        dresses.push(("CR", text.replace('\n', "\r").into_bytes()));
        dresses.push(("CRLF", text.replace('\n', "\r\n").into_bytes()));
        dresses.push(("no space", text.replace("data: ", "data:").into_bytes()));
        dresses.push(("comments", text.replace("data:", ": a comment\ndata:").into_bytes()));
        dresses.push(("BOM", format!("\u{feff}{text}").into_bytes()));
    }
    if name.ends_with(".ndjson") {
        dresses.push(("CRLF", text.replace('\n', "\r\n").into_bytes()));
        dresses.push(("blank lines", text.replace('\n', "\n\n \n").into_bytes()));
        dresses.push(("BOM", format!("\u{feff}{text}").into_bytes()));
    }
    dresses
}

pub(crate) fn done(finish: Finish, counts: [Option<u32>; 3]) -> Option<Delta> {
    Some(Delta::Done { finish, usage: usage(counts) })
}

pub(crate) fn usage([input_tokens, output_tokens, cached_tokens]: [Option<u32>; 3]) -> Usage {
    Usage { input_tokens, output_tokens, cached_tokens, cache_write_tokens: None }
}
