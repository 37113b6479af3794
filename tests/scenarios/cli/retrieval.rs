//! `coterie bench retrieval` from a terminal, with the bundled embedding model.

use super::terminal::terminal;
use std::path::Path;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/corpus.jsonl");
const QUERIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/queries.jsonl");

#[test]
fn memories_are_found_in_the_language_they_are_in_and_across_languages() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets");
    let terminal = terminal().knowing("COTERIE_ASSETS", &assets.display().to_string());
    let measured = terminal
        .run(&[
            "--json",
            "bench",
            "retrieval",
            "--corpus",
            CORPUS,
            "--queries",
            QUERIES,
            "--k",
            "1,5",
        ])
        .data();
    assert_eq!(measured["embedder"], "multilingual-e5-small-q4/query:,passage:");
    let [hybrid, lexical, vector] = ["hybrid", "lexical", "vector"].map(|leg| &measured[leg]);
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    assert_eq!(hybrid["overall"]["n"], 40);
    assert!(number(&hybrid["categories"]["same"]["recall@1"]) >= 0.9, "{hybrid}");
    assert!(number(&hybrid["categories"]["across"]["recall@1"]) >= 0.8, "{hybrid}");
    // Words are of no use across languages, and do no harm there either.
    assert!(number(&lexical["categories"]["across"]["recall@1"]) <= 0.2, "{lexical}");
    for figure in ["recall@5", "ndcg@10"] {
        let [both, words, meaning] =
            [hybrid, lexical, vector].map(|leg| number(&leg["overall"][figure]));
        // One question of forty is 0.025.
        assert!(both >= words.max(meaning) - 0.03, "{figure}: {both} {words} {meaning}");
    }
}

#[test]
fn without_the_model_words_alone_are_measured_and_it_says_so() {
    let terminal = terminal();
    let ran =
        terminal.run(&["--json", "bench", "retrieval", "--corpus", CORPUS, "--queries", QUERIES]);
    assert!(ran.stderr.contains("words alone are measured"), "{}", ran.stderr);
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let measured = &answer["data"];
    assert_eq!(
        (&measured["embedder"], &measured["vector"]),
        (&serde_json::Value::Null, &serde_json::Value::Null)
    );
    assert_eq!(measured["hybrid"]["overall"]["n"], 40);
}

#[test]
fn a_wrong_line_is_named_with_its_file() {
    let terminal = terminal();
    let corpus = terminal.path("corpus.jsonl");
    let queries = terminal.path("queries.jsonl");
    let run = |texts: &str, questions: &str| {
        std::fs::write(&corpus, texts).expect("written");
        std::fs::write(&queries, questions).expect("written");
        let ran = terminal.run(&["bench", "retrieval", "--corpus", &corpus, "--queries", &queries]);
        ran.failed(2).stderr
    };
    let good = "{\"id\":\"a\",\"text\":\"tea\"}\n";
    let asked = "{\"text\":\"tea?\",\"gold\":[\"a\"]}\n";
    assert!(run("{\"id\":\"a\"}\n", asked).contains("corpus.jsonl:1: missing field `text`"));
    assert!(run(&good.repeat(2), asked).contains("corpus.jsonl:2: the id a is also on line 1"));
    assert!(
        run(good, &asked.replace("\"a\"", "\"b\""))
            .contains("queries.jsonl:1: no text of the pool")
    );
    assert!(run("", asked).contains("corpus.jsonl has no lines"));
}
