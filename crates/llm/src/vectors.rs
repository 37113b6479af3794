//! Texts turned into vectors by a provider's model.
//!
//! One file per interface says the question (`openai::vectors`, `ollama::vectors`,
//! `gemini::vectors`); here is what they share, and what models were trained to find
//! before a text.

use crate::ModelFault;
use crate::http::{Broken, Endpoint};
use serde_json::Value;

/// What a text is turned into a vector for. Models answer each differently, and have to
/// be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Somebody looks for what answers it.
    Query,
    /// It is to be found.
    Passage,
}

/// Texts for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    /// The provider's own name for it.
    pub model: String,
    pub purpose: Purpose,
    pub texts: Vec<String>,
}

/// What came back: a vector of length 1 for each text, in order, all with as many numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    pub vectors: Vec<Vec<f32>>,
    /// As the provider counted; most do.
    pub input_tokens: Option<u32>,
}

/// What stands before a query and before a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefixes {
    pub query: &'static str,
    pub passage: &'static str,
}

/// As their makers say, by words of which all are in a model's name; the first row that
/// fits holds. Servers send a text on as it comes.
const TRAINED_WITH: &[(&[&str], Prefixes)] = &[
    (
        &["e5", "instruct"],
        of_queries(
            "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ",
        ),
    ),
    (&["e5"], Prefixes { query: "query: ", passage: "passage: " }),
    (&["nomic-embed"], Prefixes { query: "search_query: ", passage: "search_document: " }),
    (
        &["embeddinggemma"],
        Prefixes { query: "task: search result | query: ", passage: "title: none | text: " },
    ),
    (
        &["qwen3-embedding"],
        of_queries(
            "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
        ),
    ),
    (&["arctic-embed2"], of_queries("query: ")),
    (&["arctic-embed", "v2"], of_queries("query: ")),
    (&["arctic-embed"], SENTENCE),
    (&["mxbai-embed"], SENTENCE),
    (&["bge-m3"], NONE),
    (&["bge-", "-zh"], of_queries("为这个句子生成表示以用于检索相关文章：")),
    (&["bge-", "-v1"], SENTENCE),
];
const SENTENCE: Prefixes = of_queries("Represent this sentence for searching relevant passages: ");
const NONE: Prefixes = of_queries("");

const fn of_queries(query: &'static str) -> Prefixes {
    Prefixes { query, passage: "" }
}

impl Prefixes {
    pub fn of(model: &str) -> Prefixes {
        let name = model.to_ascii_lowercase();
        let fits = |row: &&(&[&str], Prefixes)| row.0.iter().all(|part| name.contains(part));
        TRAINED_WITH.iter().find(fits).map_or(NONE, |(_, prefixes)| *prefixes)
    }
}

impl Texts {
    /// The texts with what the model was trained to find before them.
    pub(crate) fn prefixed(&self) -> Vec<String> {
        let prefixes = Prefixes::of(&self.model);
        let before = match self.purpose {
            Purpose::Query => prefixes.query,
            Purpose::Passage => prefixes.passage,
        };
        self.texts.iter().map(|text| format!("{before}{text}")).collect()
    }
}

/// The vectors out of an answer, if there is one for each text that can be compared
/// with others.
pub(crate) fn checked<'a>(
    endpoint: &Endpoint,
    texts: &Texts,
    came: impl Iterator<Item = &'a Value>,
) -> Result<Vec<Vec<f32>>, ModelFault> {
    let vectors: Option<Vec<Vec<f32>>> = came.map(vector).collect();
    let vectors = vectors.filter(|all| {
        all.len() == texts.texts.len() && all.windows(2).all(|two| two[0].len() == two[1].len())
    });
    let why = || format!("it was to be one vector for each of {} texts", texts.texts.len());
    vectors.ok_or_else(|| Broken::Garbled(why()).fault(&endpoint.asked(&texts.model)))
}

/// Of length 1; `None` for what points nowhere.
fn vector(numbers: &Value) -> Option<Vec<f32>> {
    let numbers: Option<Vec<f64>> = numbers.as_array()?.iter().map(Value::as_f64).collect();
    let numbers = numbers?;
    let length = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    let points = length.is_finite() && length > 0.0;
    points.then(|| numbers.iter().map(|number| (number / length) as f32).collect())
}

pub(crate) fn tokens(count: &Value) -> Option<u32> {
    count.as_u64().and_then(|tokens| tokens.try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_begins_as_its_model_was_trained_for() {
        let check = |model: &str, query: &str, passage: &str| {
            let prefixed = |purpose| {
                let texts = vec!["tea".to_owned()];
                Texts { model: model.to_owned(), purpose, texts }.prefixed().remove(0)
            };
            assert_eq!(prefixed(Purpose::Query), format!("{query}tea"), "{model}");
            assert_eq!(prefixed(Purpose::Passage), format!("{passage}tea"), "{model}");
        };
        check("text-embedding-3-small", "", "");
        check("nomic-embed-text:latest", "search_query: ", "search_document: ");
        check("intfloat/multilingual-e5-large", "query: ", "passage: ");
        check("bge-m3", "", "");
        check("BAAI/bge-large-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", "");
        check("snowflake-arctic-embed2", "query: ", "");
        check("mxbai-embed-large", SENTENCE.query, "");
    }

    #[test]
    fn vectors_have_length_1_and_one_that_points_nowhere_is_none() {
        assert_eq!(vector(&json!([3.0, 4])), Some(vec![0.6, 0.8]));
        for nowhere in [json!([]), json!([0, 0.0]), json!([1, null]), json!("AAAA"), json!(null)] {
            assert_eq!(vector(&nowhere), None, "{nowhere}");
        }
    }
}
