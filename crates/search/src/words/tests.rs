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
fn letters_that_many_keyboards_lack_are_found_as_people_write_them_there() {
    assert_eq!(text("Straße in Łódź, Øresund, Ærø"), text("strasse in lodz, oresund, aero"));
    assert_eq!(marked("In der Straße 5", "strasse"), "In der [Straße] 5");
}

#[test]
fn languages_that_end_in_signs_are_words_of_their_own() {
    assert_eq!(text("C, C++, c# und F#"), ["c", "c++", "c#", "und", "f#"]);
    assert_eq!(text("C++17, (C#), c#3, x++, a+b, #c"), text("c++ 17 c# c 3 x a b c"));
    assert_eq!(text("用Ｃ＋＋写"), ["用", "c++", "写"]);
    assert_eq!(of_query("Who knows C++?"), ["know", "c++"]);
    assert_eq!(marked("Learn C++ and C", "c++"), "Learn [C++] and C");
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
fn the_script_of_a_text_is_that_of_most_of_its_words() {
    let is_dense = |text| Writing::of(text).is_dense();
    assert!(is_dense("用 Rust 写的检索工具好用吗"));
    assert!(!is_dense("what does 你好 mean"));
    assert!(is_dense("我舅舅的邮箱地址是wangzhihong1220@htjz.com。"));
    assert!(is_dense("公司网址：https://www.example.com/about/index.html"));
}

#[test]
fn a_text_may_be_written_in_both_sorts_of_script_or_in_none() {
    let has = |text| {
        let writing = Writing::of(text);
        (writing.has(true), writing.has(false))
    };
    assert_eq!(has("我对花生过敏"), (true, false));
    assert_eq!(has("Ana is allergic to peanuts."), (false, true));
    assert_eq!(has("服务器地址是 db-01.internal:5432"), (true, false));
    assert_eq!(has("王丽娟 wang@ex.cn"), (true, false));
    assert_eq!(has("用 Rust 写的检索工具好用吗"), (true, false));
    assert_eq!(has("会议改到 Friday afternoon"), (true, true));
    assert_eq!(has("Met 王芳 at the cafe on the corner"), (false, true));
    assert_eq!(has("2026-11-23 10:42"), (true, true), "it is no stranger to anybody");
}

/// The text with what a query finds in brackets.
fn marked(text: &str, query: &str) -> String {
    let mut marked = text.to_owned();
    for place in places(text, query, true).into_iter().rev() {
        marked.insert(place.end, ']');
        marked.insert(place.start, '[');
    }
    marked
}

#[test]
fn the_places_of_a_querys_words_are_told_in_the_text_as_it_is_written() {
    assert_eq!(marked("She was Painting boats.", "the paint"), "She was [Painting] boats.");
    assert_eq!(marked("She paints, I paint", "painting"), "She [paints], I [paint]");
    assert_eq!(marked("a Cafe\u{301}, ＣＡＦÉ", "café"), "a [Cafe\u{301}], [ＣＡＦÉ]");
    assert_eq!(marked("茶馆里的猫喜欢晒太阳", "猫在哪里晒太阳？"), "茶馆里的[猫]喜欢[晒太阳]");
    assert_eq!(marked("用 Rust 写3个工具", "rust工具"), "用 [Rust] 写3个[工具]");
    assert_eq!(marked("call parseHTTPRequest(x)", "http"), "call parse[HTTP]Request(x)");
    assert_eq!(
        marked("call parseHTTPRequest(x)", "parseHttpRequest"),
        "call [parseHTTPRequest](x)"
    );
    assert_eq!(marked("nothing of it", "elsewhere"), "nothing of it");
}

#[test]
fn a_word_that_is_still_being_written_is_marked_where_others_begin_so() {
    assert_eq!(marked("the heat and the heater", "hea"), "the [heat] and the [heater]");
    assert_eq!(marked("she was painting", "painti"), "she was [painting]");
    assert_eq!(marked("heat", "hea "), "heat");
    assert_eq!(unfinished("street tre").as_deref(), Some("tre"));
    assert_eq!((unfinished("猫"), unfinished("tree.")), (None, None));
}

proptest! {
    #[test]
    fn any_place_is_a_part_of_the_text(s in "\\PC{0,60}", query in "\\PC{0,12}") {
        let mut end = 0;
        for place in places(&s, &query, true) {
            prop_assert!(s.get(place.clone()).is_some_and(|part| !part.is_empty()));
            prop_assert!(place.start >= end);
            end = place.end;
        }
    }

    #[test]
    fn any_text_has_places_for_its_own_words(s in "[a-zA-Zé猫狗的上下 ,.?3]{0,40}") {
        prop_assert_eq!(places(&s, &s, false).is_empty(), of_query(&s).is_empty());
    }

    #[test]
    fn any_text_is_found_by_a_query_of_any_of_its_words(s in "\\PC{0,60}") {
        let words = of_text(&s);
        let all: Vec<&String> = words.counted.iter().chain(&words.uncounted).collect();
        for word in of_query(&s) {
            prop_assert!(all.contains(&&word), "{word:?} of {s:?}");
        }
    }
}
