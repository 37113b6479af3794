//! The bundled embedding model, for real: `make assets` fetches it.

use search::{E5, Embedder, ModelFiles};
use std::path::Path;

fn files() -> ModelFiles {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let library =
        if cfg!(target_os = "macos") { "libonnxruntime.dylib" } else { "libonnxruntime.so" };
    ModelFiles {
        folder: assets.join("models/multilingual-e5-small"),
        runtime: assets.join("onnxruntime").join(library),
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn a_question_is_nearest_to_its_answer_in_either_language() {
    let mut model = E5::load(&files(), 1).unwrap();
    let passages = [
        "The cat sleeps on the windowsill.",
        "猫在窗台上睡觉。",
        "The quarterly report is due on Friday.",
        "季度报告周五要交。",
    ];
    let vectors = model.passages(&passages).unwrap();
    for (question, answers) in
        [("Where does the cat sleep?", [0, 1]), ("报告什么时候要交？", [2, 3])]
    {
        let query = model.query(question).unwrap();
        let mut ranked: Vec<usize> = (0..passages.len()).collect();
        ranked
            .sort_by(|a, b| cosine(&query, &vectors[*b]).total_cmp(&cosine(&query, &vectors[*a])));
        let mut first = [ranked[0], ranked[1]];
        first.sort_unstable();
        assert_eq!(first, answers, "{question}");
    }
}

#[test]
fn vectors_are_of_length_one_in_the_order_of_their_texts() {
    let mut model = E5::load(&files(), 1).unwrap();
    let long = "a long text about rivers ".repeat(40);
    let texts = [long.as_str(), "short", "", "🙂"];
    let together = model.passages(&texts).unwrap();
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(vector.len(), E5::DIMENSIONS);
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-3, "{text}");
        let alone = model.passages(&[text]).unwrap();
        assert!(cosine(vector, &alone[0]) > 0.999, "{text}");
    }
}

#[test]
fn a_missing_or_damaged_model_is_named() {
    let empty = tempfile::tempdir().unwrap();
    let files = ModelFiles { folder: empty.path().to_owned(), ..files() };
    let missing = E5::load(&files, 1).err().unwrap().to_string();
    assert!(missing.contains("tokenizer.json"), "{missing}");
    for name in [
        "tokenizer.json",
        "config.json",
        "special_tokens_map.json",
        "tokenizer_config.json",
        "model.onnx",
    ] {
        std::fs::write(empty.path().join(name), "{").unwrap();
    }
    let damaged = E5::load(&files, 1).err().unwrap().to_string();
    assert!(damaged.starts_with("load the embedding model multilingual-e5-small: "), "{damaged}");
}

#[test]
fn a_model_whose_file_is_damaged_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let whole = files();
    for file in std::fs::read_dir(&whole.folder).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let damaged = folder.path().join("model.onnx");
    let mut bytes = std::fs::read(&damaged).unwrap();
    let length = bytes.len();
    for sector in 0..400 {
        let at = (sector * 7_919 * 512) % (length - 512);
        bytes[at..at + 512].fill(0xff);
    }
    std::fs::write(&damaged, &bytes).unwrap();
    let files = ModelFiles { folder: folder.path().to_owned(), ..whole };
    let error = E5::load(&files, 1).err().expect("it is damaged").to_string();
    assert!(error.contains("model.onnx: the file is damaged"), "{error}");
}
