//! Answers read from recordings and put together again.

use domain::{Kept, Usage};
use futures::{FutureExt, StreamExt, stream};
use llm::http::{Patience, Reads, decode};
use llm::{Delta, Finish, ModelFault};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
            Delta::Anew => panic!("no provider begins anew"),
            Delta::Done { .. } | Delta::Failed { .. } => told.end = Some(delta.clone()),
        }
    }
    assert!(told.end.is_some(), "the answer did not end: {deltas:?}");
    told
}

/// All bytes are there, so nothing waits and no runtime turns.
pub(crate) fn read(reading: impl Reads, chunks: impl IntoIterator<Item = Vec<u8>>) -> Vec<Delta> {
    let chunks: Vec<_> = chunks.into_iter().map(Ok::<_, Infallible>).collect();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("starts");
    let _guard = runtime.enter();
    let deltas = decode(stream::iter(chunks), reading, PATIENCE);
    deltas.collect().now_or_never().expect("everything is there")
}

pub(crate) fn read_cut(reading: impl Reads, bytes: &[u8], size: usize) -> Told {
    tell(&read(reading, bytes.chunks(size).map(<[u8]>::to_vec)))
}

/// What is told of each fixture of a folder must hold in every dress and
/// however it is cut.
pub(crate) fn check_all<R: Reads>(
    folder: &str,
    name: &str,
    reading: impl Fn() -> R,
    check: impl Fn(&Told, &str),
) {
    let bytes = &fixtures(folder)[name];
    for (dress, bytes) in dresses(name, bytes) {
        for size in CHUNKS {
            let told = read_cut(reading(), &bytes, size);
            check(&told, &format!("{name}, {dress}, cut at {size}"));
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
