//! What is called otherwise in another language is the same attribute: where somebody
//! lives is one matter, whether they say so in English, Chinese or Japanese.

/// Each line is one attribute, by what it is called in English first.
const SAME: [&[&str]; 21] = [
    &["lives in", "住在", "住まい"],
    &["comes from", "来自", "來自", "出身"],
    &["name", "名字", "名前"],
    &["wants to be called", "称呼", "稱呼", "呼び名"],
    &["diet", "饮食", "飲食"],
    &["mobile number", "cell number", "手机号", "手机号码", "手機號", "手機號碼", "携帯番号"],
    &["phone number", "telephone number", "电话号码", "电话", "電話號碼", "電話", "電話番号"],
    &["works at", "工作单位", "工作單位", "勤務先"],
    &["works as", "職業"],
    &["wife", "妻子", "老婆", "太太", "妻", "奥さん", "嫁"],
    &["husband", "丈夫", "老公", "夫", "旦那", "主人"],
    &["girlfriend", "女朋友", "彼女"],
    &["boyfriend", "男朋友", "彼氏"],
    &["mother", "mum", "mom", "妈妈", "母亲", "媽媽", "母親", "母", "お母さん"],
    &["father", "dad", "爸爸", "父亲", "父親", "父", "お父さん"],
    &["daughter", "女儿", "女兒", "娘"],
    &["son", "儿子", "兒子", "息子"],
    &["favourite colour", "favorite color", "最喜欢的颜色", "最喜歡的顏色", "好きな色"],
    &["email address", "email", "e-mail", "e-mail address", "邮箱", "邮箱地址", "电子邮箱"],
    &["answers in", "preferred language", "回答语言", "回答語言", "回答の言語"],
    &["answer length", "回答篇幅", "回答の長さ"],
];

/// Whatever it is called, itself among them.
pub fn called(attribute: &str) -> Vec<&str> {
    let known = |name: &&str| name.eq_ignore_ascii_case(attribute.trim());
    match SAME.iter().find(|names| names.iter().any(known)) {
        Some(names) => names.to_vec(),
        None => vec![attribute],
    }
}

/// Whether it is how the person wants to be answered.
pub fn is_of_answers(attribute: &str) -> bool {
    ["answers in", "answer length"].contains(&name_of(attribute))
}

/// Whether it can be several at once: who has one brother may have another.
pub(crate) fn holds_several(attribute: &str) -> bool {
    const SEVERAL: [&str; 28] = [
        "brother",
        "sister",
        "son",
        "daughter",
        "child",
        "friend",
        "colleague",
        "cousin",
        "aunt",
        "uncle",
        "哥哥",
        "弟弟",
        "姐姐",
        "妹妹",
        "儿子",
        "女儿",
        "朋友",
        "同事",
        "兄",
        "弟",
        "姉",
        "妹",
        "息子",
        "娘",
        "友人",
        "友達",
        "同僚",
        "親友",
    ];
    let lower = attribute.trim().to_lowercase();
    let is_preference =
        lower.starts_with("prefers over ") || lower.starts_with('比') && lower.ends_with("更喜欢");
    is_preference || called(&lower).iter().any(|name| SEVERAL.contains(name))
}

/// Whether both are the same of two things: `allergic to eggs`, `allergic to nuts`.
pub fn is_one_sort(one: &str, other: &str) -> bool {
    const SORTS: [(&str, &str); 6] = [
        ("allergic to ", ""),
        ("likes ", ""),
        ("对", "过敏"),
        ("喜欢", ""),
        ("", "アレルギー"),
        ("", "が好き"),
    ];
    SORTS.iter().any(|(begins, ends)| {
        [one, other].iter().all(|name| name.starts_with(begins) && name.ends_with(ends))
    })
}

/// What it is called where it is compared.
pub(crate) fn name_of(attribute: &str) -> &str {
    called(attribute)[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_is_the_same_in_every_language_and_no_other_is() {
        assert_eq!(name_of("住在"), name_of("Lives in"));
        assert_eq!(name_of("老婆"), name_of("wife"));
        assert_eq!(name_of("奥さん"), name_of("wife"));
        assert_eq!(called("lives in"), ["lives in", "住在", "住まい"]);
        assert_eq!(called("shoe size"), ["shoe size"]);
    }

    #[test]
    fn who_has_one_brother_may_have_another_and_one_wife() {
        for several in ["Brother", "弟弟", "daughter", "女兒", "prefers over tea", "比茶更喜欢"]
        {
            assert!(holds_several(several), "{several}");
        }
        for one in ["wife", "老婆", "mother", "lives in", "name", "likes tea"] {
            assert!(!holds_several(one), "{one}");
        }
    }

    #[test]
    fn no_name_stands_for_two() {
        let all: Vec<&str> = SAME.iter().flat_map(|names| names.iter().copied()).collect();
        let once: std::collections::HashSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), once.len());
    }
}
