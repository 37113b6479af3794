//! A small model's header, whole, cut, damaged, and made up of anything.

use super::*;
use kinds::{ARRAY, TEXT, U32};
use proptest::prelude::*;
use std::io::Cursor;

fn text(file: &mut Vec<u8>, text: &str) {
    file.extend((text.len() as u64).to_le_bytes());
    file.extend(text.as_bytes());
}

fn named(file: &mut Vec<u8>, key: &str, kind: u32) {
    text(file, key);
    file.extend(kind.to_le_bytes());
}

/// A model of two tensors: 64 × q4_1 (40 bytes) at 0, 5 × f32 (20 bytes) at 64.
fn model() -> Vec<u8> {
    let mut file = b"GGUF".to_vec();
    file.extend(3_u32.to_le_bytes());
    file.extend(2_u64.to_le_bytes());
    file.extend(7_u64.to_le_bytes());
    named(&mut file, "general.architecture", TEXT);
    text(&mut file, "llama");
    named(&mut file, "general.name", TEXT);
    text(&mut file, "Tiny 茶");
    named(&mut file, "general.alignment", U32);
    file.extend(64_u32.to_le_bytes());
    named(&mut file, "general.file_type", U32);
    file.extend(3_u32.to_le_bytes());
    named(&mut file, "llama.context_length", U32);
    file.extend(8192_u32.to_le_bytes());
    named(&mut file, "tokenizer.ggml.tokens", ARRAY);
    file.extend(TEXT.to_le_bytes());
    file.extend(2_u64.to_le_bytes());
    text(&mut file, "a");
    text(&mut file, "bc");
    named(&mut file, "tokenizer.chat_template", TEXT);
    text(&mut file, "{% for message in messages %}{% endfor %}");
    for (name, elements, kind, offset) in [("one", 64_u64, 3_u32, 0_u64), ("two", 5, 0, 64)] {
        text(&mut file, name);
        file.extend(1_u32.to_le_bytes());
        file.extend(elements.to_le_bytes());
        file.extend(kind.to_le_bytes());
        file.extend(offset.to_le_bytes());
    }
    file.resize(file.len().next_multiple_of(64) + 64 + 20, 7);
    file
}

fn read_all(bytes: &[u8]) -> Result<About, Wrong> {
    read(Cursor::new(bytes), bytes.len() as u64)
}

#[test]
fn a_header_says_what_the_model_is() {
    let model = model();
    let about = About {
        name: Some("Tiny 茶".into()),
        architecture: Some("llama".into()),
        context_tokens: Some(8192),
        parameters: 69,
        quantisation: Some("Q4_1".into()),
        template: Some("{% for message in messages %}{% endfor %}".into()),
        parts: 1,
        bytes: model.len() as u64,
    };
    assert_eq!(read_all(&model).unwrap(), about);
}

#[test]
fn where_the_file_does_not_say_how_it_is_stored_most_of_its_tensors_do() {
    let mut model = model();
    let key = b"general.file_type";
    let at = model.windows(key.len()).position(|window| window == key).unwrap();
    model[at..at + key.len()].copy_from_slice(b"general.file_tipe");
    assert_eq!(read_all(&model).unwrap().quantisation.as_deref(), Some("Q4_1"));
}

#[test]
fn a_file_cut_anywhere_is_cut_off() {
    let whole = model();
    for length in 4..whole.len() {
        match read_all(&whole[..length]) {
            Err(Wrong::CutOff { needed_bytes, actual_bytes }) => {
                assert_eq!(actual_bytes, length as u64);
                assert!(needed_bytes > actual_bytes && needed_bytes <= whole.len() as u64);
            }
            other => panic!("{length} of {} bytes: {other:?}", whole.len()),
        }
    }
}

#[test]
fn another_file_is_not_a_gguf() {
    for bytes in [&b""[..], b"GG", b"<!DOCTYPE html>", b"PK\x03\x04 and more"] {
        assert!(matches!(read_all(bytes), Err(Wrong::NotGguf)), "{bytes:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(look(folder.path()), Err(Wrong::NotGguf)));
    assert!(matches!(look(&folder.path().join("no.gguf")), Err(Wrong::Missing)));
}

#[test]
fn counts_that_no_file_holds_are_damage_and_end_at_once() {
    let counts = |tensors: u64, values: u64| {
        let mut model = model();
        model[8..16].copy_from_slice(&tensors.to_le_bytes());
        model[16..24].copy_from_slice(&values.to_le_bytes());
        model.resize(4096, 0);
        read_all(&model)
    };
    assert!(matches!(counts(u64::MAX, 7), Err(Wrong::Damaged)));
    assert!(matches!(counts(2, u64::MAX), Err(Wrong::Damaged)));
    assert!(matches!(counts(100_001, 7), Err(Wrong::Damaged)));
    let mut words = b"GGUF".to_vec();
    words.extend(3_u32.to_le_bytes());
    words.extend(0_u64.to_le_bytes());
    words.extend(1_u64.to_le_bytes());
    named(&mut words, "tokens", ARRAY);
    words.extend(TEXT.to_le_bytes());
    words.extend(u64::MAX.to_le_bytes());
    words.resize(words.len() + 1000, 0);
    assert!(matches!(read_all(&words), Err(Wrong::Damaged)));
}

#[test]
fn a_later_version_is_not_known() {
    let mut model = model();
    model[4] = 4;
    assert!(matches!(read_all(&model), Err(Wrong::Unknown)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn a_damaged_header_neither_panics_nor_asks_for_absurd_memory(
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<proptest::sample::Index>(),
    ) {
        let mut file = model();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        drop(read_all(&file));
        drop(read_all(&file[..cut.index(file.len())]));
    }

    #[test]
    fn any_bytes_behind_the_first_four_are_read_without_a_panic(
        rest in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let mut file = b"GGUF\x03\0\0\0".to_vec();
        file.extend(rest);
        drop(read_all(&file));
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_model_and_nobody_waits_for_it() {
    let pipe = std::env::temp_dir().join(format!("coterie-pipe-{}", std::process::id()));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    assert!(matches!(look(&pipe), Err(Wrong::NotGguf)));
    std::fs::remove_file(&pipe).expect("it was made");
}
