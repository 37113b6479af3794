//! `coterie bench retrieval` from a terminal, with the bundled embedding model.

use super::terminal::terminal;
use serde_json::Value;
use std::path::Path;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/corpus.jsonl");
const QUERIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/queries.jsonl");
/// Both languages together, some lines with addresses and names of the other.
const MIXED_CORPUS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/mixed-corpus.jsonl");
const MIXED_QUERIES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/mixed-queries.jsonl");

/// What one person told in two languages, and questions and requests in both, most of them
/// in other words.
const BILINGUAL_CORPUS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/bilingual-corpus.jsonl");
const BILINGUAL_QUERIES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/bilingual-queries.jsonl");

/// Chinese notes among more English ones, with Chinese questions in other words.
const AMONG_CORPUS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/among-corpus.jsonl");
const AMONG_QUERIES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/among-queries.jsonl");

/// Turns of conversations, with texts between them that stand alone.
const TALK_CORPUS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/talk-corpus.jsonl");
const TALK_QUERIES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/talk-queries.jsonl");

/// Memories in three languages, questions that they answer in other words, and what has
/// to do with none of them.
const REWORDED_CORPUS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/reworded-corpus.jsonl");
const REWORDED_QUERIES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/retrieval/reworded-queries.jsonl");

/// What `coterie bench retrieval` says of a set with the bundled model.
fn measured(corpus: &str, queries: &str) -> Value {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets");
    let terminal = terminal().knowing("COTERIE_ASSETS", &assets.display().to_string());
    let set = ["--corpus", corpus, "--queries", queries, "--k", "1,5"];
    let measured = terminal.run(&[&["--json", "bench", "retrieval"], &set[..]].concat()).data();
    assert_eq!(measured["embedder"], "multilingual-e5-small-q4/query:,passage:");
    measured
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Both legs together are no worse than the better of them. The sets are small:
/// `one` is what one question counts.
fn check_legs(measured: &Value, figures: &[&str], one: f64) {
    for figure in figures {
        let [both, words, meaning] =
            ["hybrid", "lexical", "vector"].map(|leg| number(&measured[leg]["overall"][*figure]));
        assert!(both >= words.max(meaning) - one, "{figure}: {both} {words} {meaning}");
    }
}

#[test]
fn memories_are_found_in_the_language_they_are_in_and_across_languages() {
    let measured = measured(CORPUS, QUERIES);
    let (hybrid, lexical) = (&measured["hybrid"], &measured["lexical"]);
    assert_eq!(hybrid["overall"]["n"], 40);
    assert!(number(&hybrid["categories"]["same"]["recall@1"]) >= 0.9, "{hybrid}");
    assert!(number(&hybrid["categories"]["across"]["recall@1"]) >= 0.8, "{hybrid}");
    // Words are of no use across languages, and do no harm there either.
    assert!(number(&lexical["categories"]["across"]["recall@1"]) <= 0.2, "{lexical}");
    check_legs(&measured, &["recall@5", "ndcg@10"], 0.025);
}

#[test]
fn addresses_and_names_in_another_script_keep_nobody_from_being_found() {
    let measured = measured(MIXED_CORPUS, MIXED_QUERIES);
    let hybrid = &measured["hybrid"];
    assert_eq!(hybrid["overall"]["n"], 22);
    // Where two texts answer, the first can be but one of them.
    assert!(number(&hybrid["overall"]["mrr"]) >= 0.95, "{hybrid}");
    assert!(number(&hybrid["overall"]["recall@5"]) >= 0.9, "{hybrid}");
    check_legs(&measured, &["recall@1", "recall@5", "ndcg@10", "mrr"], 1.0 / 22.0);
}

#[test]
fn who_tells_things_in_two_languages_is_answered_from_both() {
    let measured = measured(BILINGUAL_CORPUS, BILINGUAL_QUERIES);
    let hybrid = &measured["hybrid"];
    assert_eq!(hybrid["overall"]["n"], 48);
    for (category, least) in [("en-en", 0.82), ("zh-zh", 0.92), ("en-zh", 0.85), ("zh-en", 0.6)] {
        assert!(number(&hybrid["categories"][category]["ndcg@10"]) >= least, "{hybrid}");
    }
    check_legs(&measured, &["recall@5", "ndcg@10"], 1.0 / 48.0);
}

#[test]
fn a_chinese_question_finds_its_chinese_answer_where_most_is_english() {
    let measured = measured(AMONG_CORPUS, AMONG_QUERIES);
    assert!(number(&measured["hybrid"]["overall"]["ndcg@10"]) >= 0.8, "{measured}");
    check_legs(&measured, &["recall@5", "ndcg@10"], 0.005);
}

#[test]
fn a_text_that_stands_alone_is_found_among_the_turns_of_conversations() {
    let measured = measured(TALK_CORPUS, TALK_QUERIES);
    let of = |leg: &str, category: &str, figure: &str| {
        number(&measured[leg]["categories"][category][figure])
    };
    for figure in ["recall@1", "recall@5"] {
        let [both, words, meaning] =
            ["hybrid", "lexical", "vector"].map(|leg| of(leg, "alone", figure));
        assert!(both >= words.max(meaning) - 0.005, "{figure}: {both} {words} {meaning}");
    }
    // And turns are found by what is said around them, as without those texts.
    let by_themselves = of("lexical", "talk", "recall@5").max(of("vector", "talk", "recall@5"));
    assert!(of("hybrid", "talk", "recall@5") >= by_themselves + 0.2, "{measured}");
    check_legs(&measured, &["recall@1", "recall@5", "ndcg@10", "mrr"], 0.005);
}

#[test]
fn a_turn_is_reminded_of_what_is_said_in_other_words_and_of_little_that_is_foreign() {
    let measured = measured(REWORDED_CORPUS, REWORDED_QUERIES);
    let in_a_turn = &measured["in_a_turn"];
    let (questions, requests) = (&in_a_turn["questions"], &in_a_turn["requests"]);
    assert_eq!((&questions["n"], &requests["n"]), (&98.into(), &60.into()));
    assert!(number(&questions["right"]) >= 68.0, "{in_a_turn}");
    assert!(number(&questions["foreign"]) <= 2.0, "{in_a_turn}");
    assert!(number(&requests["foreign"]) <= 1.3, "{in_a_turn}");
    // In every language, and across them.
    for (category, least) in
        [("english", 20.0), ("chinese", 14.0), ("japanese", 9.0), ("across", 23.0)]
    {
        assert!(number(&in_a_turn["categories"][category]["right"]) >= least, "{in_a_turn}");
    }
    // What concerns nothing is no question that could be answered well or badly.
    let hybrid = &measured["hybrid"]["overall"];
    assert_eq!(hybrid["n"], 98);
    // By the cosine alone it is 0.68.
    assert!(number(&hybrid["ndcg@10"]) >= 0.72, "{hybrid}");
}

#[test]
fn without_the_model_words_alone_are_measured_and_it_says_so() {
    let terminal = terminal();
    let ran =
        terminal.run(&["--json", "bench", "retrieval", "--corpus", CORPUS, "--queries", QUERIES]);
    assert!(ran.stderr.contains("words alone are measured"), "{}", ran.stderr);
    let answer: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let measured = &answer["data"];
    assert_eq!((&measured["embedder"], &measured["vector"]), (&Value::Null, &Value::Null));
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
    let unsaid = "{\"text\":\"tea?\"}\n";
    assert!(
        run(good, &format!("{asked}{unsaid}")).contains("queries.jsonl:2: missing field `gold`")
    );
    let listed = good.replace("\"a\"", "[1]");
    assert!(run(&listed, asked).contains("corpus.jsonl:1: a name is a text or a number"));
}

#[test]
fn a_file_may_begin_with_a_mark_of_its_encoding() {
    let terminal = terminal();
    let (corpus, queries) = (terminal.path("corpus.jsonl"), terminal.path("queries.jsonl"));
    std::fs::write(&corpus, "\u{feff}{\"id\":\"a\",\"text\":\"tea\"}\n").expect("written");
    std::fs::write(&queries, "\u{feff}{\"text\":\"tea?\",\"gold\":[\"a\"]}\n").expect("written");
    let set = ["--corpus", &corpus, "--queries", &queries];
    let ran = terminal.run(&[&["--json", "bench", "retrieval"], &set[..]].concat());
    let answer: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(answer["data"]["hybrid"]["overall"]["n"], 1);
}

#[test]
fn numbers_are_names_too() {
    let terminal = terminal();
    let (corpus, queries) = (terminal.path("corpus.jsonl"), terminal.path("queries.jsonl"));
    let text = "{\"id\":1,\"text\":\"tea\",\"session\":7,\"pool\":3}\n";
    let asked = "{\"id\":9,\"text\":\"tea?\",\"gold\":[1],\"category\":2,\"pool\":\"3\"}\n";
    std::fs::write(&corpus, text).expect("written");
    std::fs::write(&queries, asked).expect("written");
    let measure = ["--json", "bench", "retrieval", "--corpus", &corpus, "--queries", &queries];
    let answer: Value = serde_json::from_str(&terminal.run(&measure).stdout).expect("JSON");
    assert_eq!(answer["data"]["lexical"]["categories"]["2"]["recall@5"], 1.0);
}
