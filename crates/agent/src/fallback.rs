//! What an agent says when no valid answer came.

/// Says that there is no answer, after how many tries, and what failed last.
pub(crate) fn words(language: &str, rounds: u32, last_failure: Option<&str>) -> String {
    if language.starts_with("zh") {
        let failed = last_failure.map(|text| format!("最后一次失败：{text}"));
        return format!("我试了 {rounds} 步，没有得出答案。{}", failed.unwrap_or_default());
    }
    let failed = last_failure.map(|text| format!(" The last thing that failed: {text}"));
    format!("I found no answer in {rounds} steps.{}", failed.unwrap_or_default())
}
