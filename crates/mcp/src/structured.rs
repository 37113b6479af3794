//! Whether what is structured in an answer stands in its words as well.

use serde_json::Value;

/// Whether the words say all of it, however they are laid out: as JSON, or with each of its
/// values somewhere in them.
pub(crate) fn is_told(data: &Value, words: &[String]) -> bool {
    let words = words.join("\n");
    // Many put what is no object into one.
    let inner = data.as_object().filter(|data| data.len() == 1).and_then(|data| data.get("result"));
    let is_same = |told: Value| told == *data || inner == Some(&told);
    serde_json::from_str(&words).is_ok_and(is_same) || all_stand_in(data, &words)
}

fn all_stand_in(data: &Value, words: &str) -> bool {
    match data {
        Value::Null | Value::Bool(_) => true,
        Value::Number(number) => words.contains(&number.to_string()),
        Value::String(text) => words.contains(text) || words.contains(&escaped(text)),
        Value::Array(all) => all.iter().all(|one| all_stand_in(one, words)),
        Value::Object(all) => all.values().all(|one| all_stand_in(one, words)),
    }
}

/// As it stands in JSON.
fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn what_only_a_summary_is_told_of_is_not_told() {
        let check = |data: serde_json::Value, words: &[&str], expected: bool| {
            let words: Vec<String> = words.iter().map(|&one| one.to_owned()).collect();
            assert_eq!(super::is_told(&data, &words), expected, "{data} in {words:?}");
        };
        let rows = || json!({"rows": [{"id": 17, "name": "Anna"}]});
        check(rows(), &["Here are the rows you asked for."], false);
        check(rows(), &["1 row"], false);
        check(rows(), &[], false);
        check(rows(), &[r#"{"rows":[{"id":17,"name":"Anna"}]}"#], true);
        check(rows(), &["17  Anna"], true);
        check(json!({"result": 5}), &["5"], true);
        check(json!({"result": ["a", "b"]}), &["a", "b"], true);
        check(json!({"result": "two\nlines"}), &["two\nlines"], true);
        check(json!({"said": "é"}), &[r#"{"said": "\u00e9"}"#], true);
        check(json!({"at": "two\nlines"}), &[r#"[{"at": "two\nlines"}, 1]"#], true);
        check(json!({"open": true}), &["it is open"], true);
    }
}
