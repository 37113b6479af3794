//! A set of texts and questions about them, as JSON lines.

use search::Hit;
use serde::{Deserialize, Deserializer};
use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

/// One text.
#[derive(Debug, Deserialize)]
pub(super) struct Passage {
    #[serde(deserialize_with = "name")]
    pub(super) id: String,
    pub(super) text: String,
    /// Its order in the pool; without it, the order of the lines.
    pub(super) seq: Option<u64>,
    #[serde(default, deserialize_with = "name_if_any")]
    pub(super) session: Option<String>,
    pub(super) speaker: Option<String>,
    #[serde(default, deserialize_with = "name")]
    pub(super) pool: String,
}

/// One question.
#[derive(Debug, Deserialize)]
pub(super) struct Question {
    pub(super) text: String,
    /// The ids of the texts that answer it; none, where it has to do with none of them.
    #[serde(deserialize_with = "names")]
    pub(super) gold: Vec<String>,
    /// The only texts it looks at are those of the same pool.
    #[serde(default, deserialize_with = "name")]
    pub(super) pool: String,
    #[serde(default, deserialize_with = "name_if_any")]
    pub(super) category: Option<String>,
}

/// A name as sets have them: a text, or a number.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a name is a text or a number")]
enum Name {
    Text(String),
    Number(serde_json::Number),
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        match name {
            Name::Text(text) => text,
            Name::Number(number) => number.to_string(),
        }
    }
}

fn name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(Name::deserialize(from)?.into())
}

fn name_if_any<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<Name>::deserialize(from)?.map(String::from))
}

fn names<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(Vec::<Name>::deserialize(from)?.into_iter().map(String::from).collect())
}

pub(super) struct Set {
    pub(super) passages: Vec<Passage>,
    pub(super) questions: Vec<Question>,
}

impl Set {
    /// Reads both files. What is wrong is told with file and line.
    pub(super) fn read(corpus: &Path, queries: &Path) -> Result<Set, String> {
        let passages: Vec<Passage> = lines(corpus)?;
        let questions: Vec<Question> = lines(queries)?;
        let mut ids = HashMap::new();
        for (line, passage) in (1..).zip(&passages) {
            if let Some(first) = ids.insert((&passage.pool, &passage.id), line) {
                return Err(format!(
                    "{}:{line}: the id {} is also on line {first}",
                    corpus.display(),
                    passage.id
                ));
            }
        }
        for (line, question) in (1..).zip(&questions) {
            if let Some(gold) =
                question.gold.iter().find(|gold| !ids.contains_key(&(&question.pool, *gold)))
            {
                let file = queries.display();
                return Err(format!(
                    "{file}:{line}: no text of the pool {:?} has the id {gold}",
                    question.pool
                ));
            }
        }
        Ok(Set { passages, questions })
    }

    /// The questions that some text answers, with their places.
    pub(super) fn answered(&self) -> impl Iterator<Item = (usize, &Question)> {
        self.questions.iter().enumerate().filter(|(_, question)| !question.gold.is_empty())
    }

    pub(super) fn id(&self, hit: &Hit) -> &str {
        &self.passages[hit.key as usize].id
    }
}

fn lines<T: serde::de::DeserializeOwned>(file: &Path) -> Result<Vec<T>, String> {
    let opened =
        std::fs::File::open(file).map_err(|error| format!("read {}: {error}", file.display()))?;
    let mut read = Vec::new();
    for (line, text) in (1..).zip(std::io::BufReader::new(opened).lines()) {
        let text = text.map_err(|error| format!("{}:{line}: {error}", file.display()))?;
        // Programs on Windows begin a file so.
        let text = text.trim_start_matches('\u{feff}');
        if !text.trim().is_empty() {
            read.push(
                serde_json::from_str(text)
                    .map_err(|error| format!("{}:{line}: {error}", file.display()))?,
            );
        }
    }
    if read.is_empty() {
        return Err(format!("{} has no lines", file.display()));
    }
    Ok(read)
}
