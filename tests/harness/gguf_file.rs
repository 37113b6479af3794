//! Files of models that hold no model: their headers are all that is read.

/// A header with one tensor of 64 numbers, as llama.cpp's tools write it.
pub fn gguf_file(architecture: &str, context: u32, template: &str) -> Vec<u8> {
    let mut file = b"GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0".to_vec();
    let text = |file: &mut Vec<u8>, text: &str| {
        file.extend((text.len() as u64).to_le_bytes());
        file.extend(text.as_bytes());
    };
    text(&mut file, "general.architecture");
    file.extend(8_u32.to_le_bytes());
    text(&mut file, architecture);
    text(&mut file, "tokenizer.chat_template");
    file.extend(8_u32.to_le_bytes());
    text(&mut file, template);
    text(&mut file, &format!("{architecture}.context_length"));
    file.extend(4_u32.to_le_bytes());
    file.extend(context.to_le_bytes());
    text(&mut file, "output.weight");
    file.extend(1_u32.to_le_bytes());
    file.extend(64_u64.to_le_bytes());
    file.extend(2_u32.to_le_bytes());
    file.extend(0_u64.to_le_bytes());
    file.resize(file.len().next_multiple_of(32) + 36, 0);
    file
}
