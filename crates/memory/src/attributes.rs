//! What is called otherwise in another language is the same attribute: where somebody
//! lives is one matter, whether they say so in English or in Chinese.

/// Each line is one attribute, by what it is called in English first.
const SAME: [&[&str]; 12] = [
    &["lives in", "住在"],
    &["comes from", "来自"],
    &["name", "名字"],
    &["works at", "工作单位"],
    &["wife", "妻子", "老婆", "太太"],
    &["husband", "丈夫", "老公"],
    &["girlfriend", "女朋友"],
    &["boyfriend", "男朋友"],
    &["mother", "mum", "mom", "妈妈", "母亲"],
    &["father", "dad", "爸爸", "父亲"],
    &["daughter", "女儿"],
    &["son", "儿子"],
];

/// Whatever it is called, itself among them.
pub fn called(attribute: &str) -> Vec<&str> {
    let known = |name: &&str| name.eq_ignore_ascii_case(attribute.trim());
    match SAME.iter().find(|names| names.iter().any(known)) {
        Some(names) => names.to_vec(),
        None => vec![attribute],
    }
}

/// What it is called where it is compared.
pub(crate) fn name_of(attribute: &str) -> &str {
    called(attribute)[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_is_the_same_in_both_languages_and_no_other_is() {
        assert_eq!(name_of("住在"), name_of("Lives in"));
        assert_eq!(name_of("老婆"), name_of("wife"));
        assert_eq!(called("lives in"), ["lives in", "住在"]);
        assert_eq!(called("favourite colour"), ["favourite colour"]);
    }

    #[test]
    fn no_name_stands_for_two() {
        let all: Vec<&str> = SAME.iter().flat_map(|names| names.iter().copied()).collect();
        let once: std::collections::HashSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), once.len());
    }
}
