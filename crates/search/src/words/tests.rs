//! Which words stand for a text, script by script.

use super::*;
use proptest::prelude::*;

fn text(text: &str) -> Vec<String> {
    of_text(text).counted
}

#[test]
fn english_is_found_by_its_stems_in_any_case_and_with_or_without_accents() {
    assert_eq!(text("Painted paintings, PAINTING"), ["paint", "paint", "paint"]);
    assert_eq!(text("Café crème"), text("cafe creme"));
    assert_eq!(text("ＡＢＣ ﬁne"), text("abc fine"));
}

#[test]
fn chinese_and_japanese_are_found_by_pairs_and_by_single_characters() {
    assert_eq!(text("小猫在睡觉"), ["小猫", "猫在", "在睡", "睡觉"]);
    assert_eq!(of_text("小猫").uncounted, ["小", "猫"]);
    assert_eq!(text("東京タワー"), ["東京", "京タ", "タワ", "ワー"]);
    assert_eq!(of_query("猫"), ["猫"]);
}

#[test]
fn scripts_are_parted_in_mixed_text() {
    assert_eq!(text("用Rust写3个工具"), ["用", "rust", "写", "3", "个工", "工具"]);
}

#[test]
fn names_in_code_are_found_whole_and_by_their_parts() {
    assert_eq!(text("parseHTTPRequest"), ["pars", "http", "request", "parsehttprequest"]);
    assert_eq!(text("max_tokens"), ["max", "token"]);
    assert_eq!(text("v2 x86_64"), ["v2", "x86", "64"]);
}

#[test]
fn a_query_drops_what_only_asks() {
    assert_eq!(
        of_query("When did Caroline go to the LGBTQ support group?"),
        ["carolin", "go", "lgbtq", "support", "group"]
    );
    assert_eq!(of_query("我的婶婶的爱好是什么？"), ["婶婶", "爱好"]);
}

#[test]
fn a_query_of_nothing_but_question_words_looks_for_them() {
    assert_eq!(of_query("what is it"), ["what", "is", "it"]);
    assert_eq!(of_query("你是谁"), ["你是", "是谁"]);
    assert_eq!(of_query("?!"), Vec::<String>::new());
}

#[test]
fn the_script_of_a_text_is_that_of_most_of_it() {
    assert!(is_dense("用 Rust 写的检索工具好用吗"));
    assert!(!is_dense("what does 你好 mean"));
}

proptest! {
    #[test]
    fn any_text_is_found_by_a_query_of_any_of_its_words(s in "\\PC{0,60}") {
        let words = of_text(&s);
        let all: Vec<&String> = words.counted.iter().chain(&words.uncounted).collect();
        for word in of_query(&s) {
            prop_assert!(all.contains(&&word), "{word:?} of {s:?}");
        }
    }
}
