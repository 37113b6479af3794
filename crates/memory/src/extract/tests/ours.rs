//! What is said of *us*: the speaker is one of those, but what they do at work is nobody's own.

use super::*;

#[test]
fn where_we_live_is_where_the_speaker_lives() {
    for message in [
        "We live in Bergen",
        "We moved to Bergen.",
        "We've just moved to Bergen last month",
        "We recently moved from Oslo to Bergen",
        "We have lived in Bergen since 2019",
        "We live in Bergen and have two cats",
        "We no longer live in Oslo but in Bergen",
        "We have two kids and live in Bergen",
        "We live in Bergen, can you recommend a restaurant?",
    ] {
        says(message, &["The user lives in Bergen"]);
    }
    for message in [
        "我们住在上海",
        "我们搬到了上海",
        "我们刚从杭州搬到上海",
        "我们一家去年搬到上海来工作了",
        "我們搬到了上海",
    ] {
        let told = notice(message).into_iter().filter_map(|one| one.statement);
        let told: Vec<_> = told.map(|one| (one.attribute, one.value)).collect();
        assert_eq!(told, [("住在".to_owned(), "上海".to_owned())], "{message}");
    }
}

#[test]
fn where_we_live_no_more_the_speaker_does_not_live() {
    for message in [
        "We no longer live in Oslo",
        "We don't live in Oslo anymore",
        "We moved away from Oslo",
        "我们不住在Oslo了",
        "我们从Oslo搬走了",
    ] {
        let was = statement("lives in", "Oslo");
        assert!(endings(message).iter().any(|one| one.ends(&was)), "{message}");
    }
}

#[test]
fn what_we_do_and_use_is_no_fact_of_the_speaker() {
    for message in [
        "We use Rust at work",
        "We moved to Jira",
        "We moved to Google Workspace",
        "We moved to GitLab last year",
        "We moved to Thursdays",
        "We moved to New Relic",
        "We work at Statoil",
        "We like short meetings",
        "We live in fear of the next release",
        "We might move to Bergen",
        "We are from the support team",
        "If we move to Bergen, we pay less",
        "我们搬到新系统了",
        "我们搬到新办公室了",
        "我们搬到AWS了",
        "我们公司搬到了上海",
        "我们在讨论这个问题",
    ] {
        says(message, &[]);
    }
}
