//! Whether a request asks for several things, by its words alone.
//!
//! What is worth a plan: two or more items of a list, two or more questions,
//! words of sequence ("and then", "首先 … 然后"), or great length. Everything
//! else goes straight to the tools. A wrong guess costs one call of the model
//! or loses an order of steps that the model may still find by itself.

pub(crate) fn asks_for_several(text: &str) -> bool {
    list_items(text) >= 2
        || steps_in_a_row(text)
        || questions(text) >= 2
        || says_what_comes_next(text)
        || length(text) >= LONG
}

/// In characters; a Han character says as much as three others.
const LONG: usize = 1200;

fn length(text: &str) -> usize {
    text.chars().map(|c| if c as u32 >= 0x2E80 { 3 } else { 1 }).sum()
}

fn list_items(text: &str) -> usize {
    text.lines().filter(|line| begins_an_item(line.trim_start())).count()
}

/// `- x`, `* x`, `• x`, `1. x`, `2) x`, `（3）x`, `4、x`, `①x`.
fn begins_an_item(line: &str) -> bool {
    if ["- ", "* ", "• ", "+ "].iter().any(|bullet| line.starts_with(bullet)) {
        return true;
    }
    if line.chars().next().is_some_and(|c| ('①'..='⑳').contains(&c)) {
        return true;
    }
    let line = line.trim_start_matches(['(', '（']);
    let numbered =
        line.trim_start_matches(|c: char| c.is_ascii_digit() || "一二三四五六七八九十".contains(c));
    let digits = line.len() - numbered.len();
    let ends = [". ", ") ", "、", "）", "．"];
    (1..=6).contains(&digits) && ends.iter().any(|end| numbered.starts_with(end))
}

/// `1. list them 2. read each`, in one line.
fn steps_in_a_row(text: &str) -> bool {
    let begins = |number: &str| {
        let at = [". ", ") ", "、", "．", "）"].into_iter();
        let ends = at.filter_map(|end| text.find(&format!("{number}{end}")));
        ends.filter(|at| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '.')).min()
    };
    begins("1").zip(begins("2")).is_some_and(|(first, second)| first < second)
}

/// Question marks in a row are one question.
fn questions(text: &str) -> usize {
    let is_mark = |c: char| matches!(c, '?' | '？' | '!' | '！');
    let ends = text.split(|c: char| !is_mark(c)).filter(|marks| marks.contains(['?', '？']));
    ends.count()
}

fn says_what_comes_next(text: &str) -> bool {
    const ENGLISH: &[&str] = &[
        "and then",
        ", then",
        ". then",
        "; then",
        "\nthen",
        "after that",
        "afterwards",
        "once that",
        "firstly",
        "secondly",
        "first,",
        "second,",
        "finally,",
        "step by step",
        "as well as the",
        "followed by",
    ];
    const CHINESE: &[&str] = &[
        "首先",
        "其次",
        "然后",
        "接着",
        "随后",
        "最后再",
        "之后再",
        "第一步",
        "第二步",
        "分别",
        "依次",
        "并且再",
        "另外还",
    ];
    // First this, and behind it that.
    let behind = text.split_once('先').map(|(_, behind)| behind);
    if behind.is_some_and(|behind| ["再", "最后"].iter().any(|then| behind.contains(then))) {
        return true;
    }
    let low = text.to_lowercase();
    ENGLISH.iter().chain(CHINESE).any(|words| low.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_asks_for_several_things_is_worth_a_plan() {
        let check = |expected: bool, texts: &[&str]| {
            for text in texts {
                assert_eq!(asks_for_several(text), expected, "{text}");
            }
        };
        check(
            false,
            &[
                "",
                "hi",
                "What is 17% of 250?",
                "Really??!",
                "Is it more than then?",
                "2. is my favourite number",
                "Version 1. 2 is out, and 1.2. too",
                "先生，你好",
                "Lin: tea?",
                "把 2 和 3 加起来",
                "最后一次是什么时候？",
                "- only one item",
                &"word ".repeat(100),
            ],
        );
        check(
            true,
            &[
                "Read notes.md and then add up the numbers",
                "First, read it. Then add it up.",
                "What is 2+2? And what is 3*7?",
                "Please:\n- read a.md\n- read b.md",
                "1. read\n2. add\n3. tell me",
                "（1）读文件\n（2）算总和",
                "一、读\n二、算",
                "①读②算\n③说",
                "1. list the folder 2. read each file 3. sum the numbers",
                "请 1、读文件 2、算总和",
                "先列出文件夹，再逐个读取文件，最后汇总",
                "首先读 notes.md，算出总和",
                "读取文件，然后求和",
                "2+2等于几？3*7等于几？",
                &"word ".repeat(300),
                &"字".repeat(400),
            ],
        );
    }
}
