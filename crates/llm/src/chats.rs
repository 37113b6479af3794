//! Which models chat, where nothing but their names says so.

/// Words in the names of models that make vectors, sounds or pictures, or judge
/// what others write.
const NO_CHAT: &[&str] = &[
    "asr",
    "audio",
    "babbage",
    "bge",
    "dall",
    "davinci",
    "diffusion",
    "embed",
    "embedding",
    "embeddings",
    "flux",
    "image",
    "imagen",
    "images",
    "imagine",
    "lyria",
    "moderation",
    "moderations",
    "realtime",
    "rerank",
    "reranker",
    "sora",
    "speech",
    "stt",
    "transcribe",
    "transcription",
    "tts",
    "veo",
    "video",
    "videos",
    "whisper",
];
/// OpenAI's that answer under another interface only: `gpt-5-pro`, `o3-deep-research`.
const ELSEWHERE: [&str; 3] = ["pro", "codex", "deep"];

/// Words in the names of models that make vectors.
const VECTORS: &[&str] = &["bge", "e5", "embed", "embedding", "embeddings", "gte", "minilm"];

pub(crate) fn makes_vectors(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| VECTORS.contains(&word) || word.starts_with("embedding"))
}

pub(crate) fn by_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = || name.split(|c: char| !c.is_ascii_alphanumeric());
    let is_openais = ["gpt-", "o1", "o3", "o4"].iter().any(|begin| name.starts_with(begin));
    !words().any(|word| NO_CHAT.contains(&word) || is_openais && ELSEWHERE.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::by_name;

    #[test]
    fn what_makes_sounds_pictures_or_vectors_or_answers_elsewhere_does_not_chat() {
        for name in [
            "gpt-4o-audio-preview",
            "davinci-002",
            "gpt-5-pro",
            "gpt-5-codex",
            "o3-deep-research",
            "gemini-2.5-flash-preview-tts",
            "gemini-2.5-flash-image",
            "text-embedding-3-small",
        ] {
            assert!(!by_name(name), "{name}");
        }
        for name in
            ["gpt-5", "o3", "gemini-2.5-pro", "deepseek-chat", "qwen3-coder", "gemma-3-27b-it"]
        {
            assert!(by_name(name), "{name}");
        }
    }
}
