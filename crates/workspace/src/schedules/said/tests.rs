//! Sentences, and what is no sentence about times.

use super::*;
use domain::Day::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};
use jiff::Timestamp;

const ALL: [Day; 7] = [Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday];

/// On a Thursday afternoon in Shanghai.
fn said(words: &str) -> Result<Times, Unsaid> {
    let now: Timestamp = "2026-05-28T15:30:00+08:00".parse().expect("it is a moment");
    let zone = TimeZone::get("Asia/Shanghai").expect("it is known");
    read(words, now.as_millisecond(), &zone)
}

fn days(days: &[Day], hour: u16, minute: u16) -> Result<Times, Unsaid> {
    Ok(Times::Days { days: days.into(), minute: hour * 60 + minute })
}

fn once(moment: &str) -> Result<Times, Unsaid> {
    let moment: Timestamp = format!("{moment}:00+08:00").parse().expect("it is a moment");
    Ok(Times::Once { at_ms: moment.as_millisecond() })
}

fn every(minutes: u32) -> Result<Times, Unsaid> {
    let now: Timestamp = "2026-05-28T15:30:00+08:00".parse().expect("it is a moment");
    Ok(Times::Every { minutes, from_ms: now.as_millisecond() })
}

fn cron(expression: &str) -> Result<Times, Unsaid> {
    Ok(Times::Cron { expression: expression.into() })
}

#[test]
fn english_is_understood() {
    for (words, expected) in [
        ("every weekday at 9", days(&WEEKDAYS, 9, 0)),
        ("Weekdays at 9:30 pm", days(&WEEKDAYS, 21, 30)),
        ("every day at 09:00", days(&ALL, 9, 0)),
        ("daily at 6am", days(&ALL, 6, 0)),
        ("at noon every day", days(&ALL, 12, 0)),
        ("every morning at 7.15", days(&ALL, 7, 15)),
        ("every Monday and Wednesday at 18:30", days(&[Monday, Wednesday], 18, 30)),
        ("on mondays, fridays at 8 in the evening", days(&[Monday, Friday], 20, 0)),
        ("every weekend at 10", days(&WEEKEND, 10, 0)),
        ("every 2 hours", every(120)),
        ("every hour", every(60)),
        ("hourly", every(60)),
        ("every half hour", every(30)),
        ("every 45 minutes", every(45)),
        ("every other day", every(2 * 24 * 60)),
        ("@daily", cron("0 0 * * *")),
        ("@Weekly", cron("0 0 * * 0")),
        ("in 20 minutes", once("2026-05-28T15:50")),
        ("in an hour", once("2026-05-28T16:30")),
        ("in two days", once("2026-05-30T15:30")),
        ("tomorrow at 9", once("2026-05-29T09:00")),
        ("today at 17:00", once("2026-05-28T17:00")),
        ("tonight at 8", once("2026-05-28T20:00")),
        ("at 9", once("2026-05-29T09:00")),
        ("at 16:00", once("2026-05-28T16:00")),
        ("on Monday at 9", once("2026-06-01T09:00")),
        ("thursday at 9", once("2026-06-04T09:00")),
        ("on 2026-12-24 at 18:00", once("2026-12-24T18:00")),
        ("next friday at 9", once("2026-05-29T09:00")),
        ("next thursday at 9", once("2026-06-04T09:00")),
        ("next Thursday at 18:00", once("2026-06-04T18:00")),
        ("monday to friday at 9", days(&WEEKDAYS, 9, 0)),
        ("from friday through monday at 9", days(&[Monday, Friday, Saturday, Sunday], 9, 0)),
        ("every mon-fri at 9", days(&WEEKDAYS, 9, 0)),
        ("saturday and sunday at 10", days(&WEEKEND, 10, 0)),
        ("every night at 2", days(&ALL, 2, 0)),
        ("every night at 11", days(&ALL, 23, 0)),
        ("tonight at 1", once("2026-05-29T01:00")),
        ("tonight at 11:30", once("2026-05-28T23:30")),
        ("at 2 at night", once("2026-05-29T02:00")),
        ("every month on the 1st at 9", cron("0 9 1 * *")),
        ("on the first of every month at 9", cron("0 9 1 * *")),
        ("on the last day of every month at 6 pm", cron("0 18 L * *")),
        ("first monday of every month at 9", cron("0 9 * * 1#1")),
        ("every month on the 2nd sunday at 9:30", cron("30 9 * * 0#2")),
        ("the last Friday of the month at 17:00", cron("0 17 * * 5L")),
        ("0  9 * * 1-5", cron("0 9 * * 1-5")),
        ("*/15 * * * *", cron("*/15 * * * *")),
        ("in 3 days at noon", once("2026-05-31T12:00")),
        ("in two weeks at 9", once("2026-06-11T09:00")),
        ("at 12 noon tomorrow", once("2026-05-29T12:00")),
        ("today at 9", Err(Unsaid::Past)),
        ("2020-01-01 9:00", Err(Unsaid::Past)),
    ] {
        assert_eq!(said(words), expected, "{words}");
    }
}

#[test]
fn chinese_is_understood() {
    for (words, expected) in [
        ("每天早上9点", days(&ALL, 9, 0)),
        ("每天 九点半", days(&ALL, 9, 30)),
        ("每天晚上十点一刻", days(&ALL, 22, 15)),
        ("每天中午12点", days(&ALL, 12, 0)),
        ("每个工作日上午９点", days(&WEEKDAYS, 9, 0)),
        ("工作日的下午3点15分", days(&WEEKDAYS, 15, 15)),
        ("周末早上十点", days(&WEEKEND, 10, 0)),
        ("每周一下午3点", days(&[Monday], 15, 0)),
        ("每周一、周三 18：30", days(&[Monday, Wednesday], 18, 30)),
        ("每周二四六的20:00", days(&[Tuesday, Thursday, Saturday], 20, 0)),
        ("周一到周五早上8点", days(&WEEKDAYS, 8, 0)),
        ("每星期天晚上8点", days(&[Sunday], 20, 0)),
        ("每2小时", every(120)),
        ("每两个小时", every(120)),
        ("每隔30分钟", every(30)),
        ("每半小时", every(30)),
        ("每小时", every(60)),
        ("20分钟后", once("2026-05-28T15:50")),
        ("半小时后", once("2026-05-28T16:00")),
        ("三天以后", once("2026-05-31T15:30")),
        ("明天上午9点", once("2026-05-29T09:00")),
        ("今晚八点", once("2026-05-28T20:00")),
        ("周一早上9点", once("2026-06-01T09:00")),
        ("下午5点", once("2026-05-28T17:00")),
        ("12月24日18点", once("2026-12-24T18:00")),
        ("2026年12月24日 18:00", once("2026-12-24T18:00")),
        ("每月1号上午9点", cron("0 9 1 * *")),
        ("每个月的15日下午3点", cron("0 15 15 * *")),
        ("每月最后一天18点", cron("0 18 L * *")),
        ("每月月底上午9点", cron("0 9 L * *")),
        ("每月第一个周一9点", cron("0 9 * * 1#1")),
        ("每个月第2个星期日上午9点半", cron("30 9 * * 0#2")),
        ("每月最后一个周五17:00", cron("0 17 * * 5L")),
        ("每周五到周一9点", days(&[Monday, Friday, Saturday, Sunday], 9, 0)),
        ("周六周日10点", days(&WEEKEND, 10, 0)),
        ("周六、周日10点", days(&WEEKEND, 10, 0)),
        ("每天晚上1点", days(&ALL, 1, 0)),
        ("今晚1点", once("2026-05-29T01:00")),
        ("每晚8点", days(&ALL, 20, 0)),
        ("每天夜里2点", days(&ALL, 2, 0)),
        ("每早7点", days(&ALL, 7, 0)),
        ("下周一9点", once("2026-06-01T09:00")),
        ("下周四下午3点", once("2026-06-04T15:00")),
        ("下个星期日9点", once("2026-06-07T09:00")),
        ("下星期五上午9点", once("2026-06-05T09:00")),
        ("每天9點", days(&ALL, 9, 0)),
        ("每週一、週三晚上8點半", days(&[Monday, Wednesday], 20, 30)),
        ("20分鐘後", once("2026-05-28T15:50")),
        ("每兩個小時", every(120)),
        ("3天后早上9点", once("2026-05-31T09:00")),
        ("今天早上9点", Err(Unsaid::Past)),
    ] {
        assert_eq!(said(words), expected, "{words}");
    }
}

#[test]
fn what_is_not_understood_is_refused() {
    for words in [
        "",
        "soon",
        "every",
        "every day",
        "every 9",
        "every blue moon at 9",
        "at 25",
        "at 9:75",
        "at 9 at 10",
        "tomorrow",
        "every tomorrow at 9",
        "in 0 minutes",
        "every 99999999999 hours",
        "every 4000000000 weeks",
        "on 2026-13-01 at 9",
        "every month at 9",
        "every month on the 32nd at 9",
        "0 9 * * 8",
        "every other day at 9",
        "every friday night at 2",
        "tomorrow night at 1",
        "every night at 5",
        "every evening at 2",
        "next month on the 1st at 9",
        "next week at 9",
        "next monday and friday at 9",
        "from monday at 9",
        "every day from 9 to 17",
        "every 3 days at noon",
        "every month on the 15th and 30th at 9",
        "first and third monday of every month at 9",
        "every third month on the 1st at 9",
        "every second month at 9",
        "every day at 9 and noon",
        "every day at noon and midnight",
        "every morning and evening at 9",
        "every monday morning and friday afternoon at 3",
        "today and tomorrow at 23:00",
        "every 1 second",
        "every day at 9 am pm",
        "每天早上和晚上9点",
        "明天和后天9点",
        "每月1号和每月15号9点",
        "每周一上午9点和周五下午",
        "每天9点和18点",
        "30分钟后和1小时后",
        "每小时和每2小时",
        "每周五晚上1点",
        "明晚1点",
        "下周9点",
        "下下周一9点",
        "下周一和周五9点",
        "每天",
        "每天25点",
        "等一下",
        "每周八9点",
        "每月40号9点",
        "2月30日9点",
    ] {
        assert_eq!(said(words), Err(Unsaid::NotUnderstood), "{words}");
    }
}

proptest::proptest! {
    #[test]
    fn no_words_break_it(words in "[每天周一二三十点半后个月日号0-9: a-z*/\\-年到、下晚夜周點]{0,24}") {
        let _ = said(&words);
    }
}
