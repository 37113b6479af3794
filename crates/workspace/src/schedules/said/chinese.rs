//! Times in Chinese sentences.

use super::{
    DAY, Found, HOUR, Half, LONGEST_SPAN, Next, OfMonth, Span, WEEKDAYS, WEEKEND, When, takes,
    through,
};
use domain::Day;
use jiff::civil::Date;

/// `None` where something is not understood.
pub(super) fn find(words: &str) -> Option<Found> {
    let plain: String = words.chars().filter(|c| !c.is_whitespace()).map(narrow).collect();
    let mut rest = Rest(&plain);
    let mut found = Found::default();
    while !rest.0.is_empty() {
        let understood = rest.eat_any(&["的", "在", "于", "、", ",", "和", "时候"]).is_some()
            || span(&mut rest, &mut found)
            || days(&mut rest, &mut found)
            || date(&mut rest, &mut found)
            || half(&mut rest, &mut found)
            || time(&mut rest, &mut found);
        if !understood {
            return None;
        }
    }
    Some(found)
}

/// Wide signs as narrow ones, traditional ones as simplified ones.
fn narrow(c: char) -> char {
    match c {
        '：' => ':',
        '，' => ',',
        '點' => '点',
        '鐘' | '鍾' => '钟',
        '時' => '时',
        '週' => '周',
        '禮' => '礼',
        '後' => '后',
        '個' => '个',
        '兩' => '两',
        '號' => '号',
        '於' => '于',
        '間' => '间',
        '裡' | '裏' => '里',
        '０'..='９' => {
            char::from_u32(u32::from(c) - u32::from('０') + u32::from('0')).unwrap_or(c)
        }
        other => other,
    }
}

/// What is still to be read.
#[derive(Clone, Copy)]
struct Rest<'a>(&'a str);

impl Rest<'_> {
    fn eat(&mut self, word: &str) -> bool {
        let after = self.0.strip_prefix(word);
        self.0 = after.unwrap_or(self.0);
        after.is_some()
    }

    /// The longer ones stand first.
    fn eat_any<'w>(&mut self, words: &[&'w str]) -> Option<&'w str> {
        words.iter().copied().find(|word| self.eat(word))
    }

    /// In digits or in words, up to 99.
    fn number(&mut self) -> Option<u32> {
        let digits = self.0.len() - self.0.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            let (number, rest) = self.0.split_at(digits);
            self.0 = rest;
            return number.parse().ok();
        }
        let tens = self.digit();
        if !self.eat("十") {
            return tens;
        }
        Some(tens.unwrap_or(1) * 10 + self.digit().unwrap_or(0))
    }

    fn digit(&mut self) -> Option<u32> {
        let words = [("零", 0), ("〇", 0), ("一", 1), ("两", 2), ("二", 2), ("三", 3), ("四", 4)];
        let more = [("五", 5), ("六", 6), ("七", 7), ("八", 8), ("九", 9)];
        words.into_iter().chain(more).find_map(|(word, value)| self.eat(word).then_some(value))
    }

    fn day(&mut self) -> Option<Day> {
        let days = [
            ("一", Day::Monday),
            ("二", Day::Tuesday),
            ("三", Day::Wednesday),
            ("四", Day::Thursday),
            ("五", Day::Friday),
            ("六", Day::Saturday),
            ("日", Day::Sunday),
            ("天", Day::Sunday),
        ];
        days.into_iter().find_map(|(word, day)| self.eat(word).then_some(day))
    }
}

/// `每2小时`, `每隔30分钟`, `20分钟后`.
fn span(rest: &mut Rest<'_>, found: &mut Found) -> bool {
    let mut ahead = *rest;
    let every = ahead.eat_any(&["每隔", "每"]).is_some();
    let half = ahead.eat("半");
    let count = if half { None } else { ahead.number() };
    let counted = ahead.eat("个");
    let Some(unit) = ahead.eat_any(&["分钟", "小时", "钟头", "天", "星期", "周"]) else {
        return false;
    };
    let later = ahead.eat_any(&["之后", "以后", "后"]).is_some();
    // Only a number makes a span of days; without one it is each of them.
    if (!later && !every) || (!half && count.is_none() && (unit != "小时" && unit != "分钟")) {
        return false;
    }
    // `每2周一` is no span.
    if (half && unit != "小时" && unit != "钟头")
        || (unit == "周" && !counted && !later && !ahead.0.is_empty())
    {
        return false;
    }
    let length = match unit {
        "分钟" => 1,
        "天" => DAY,
        "周" | "星期" => 7 * DAY,
        _ => HOUR,
    };
    let minutes = if half { length / 2 } else { length.saturating_mul(count.unwrap_or(1)) };
    // `3天后9点` says when on that day.
    if later && length >= DAY && !ahead.0.is_empty() {
        *rest = ahead;
        let days = i32::try_from(minutes.min(LONGEST_SPAN) / DAY).unwrap_or(0);
        return takes(&mut found.date, When::Ahead(days)) || refused(rest);
    }
    *rest = ahead;
    let span = if later { Span::In(minutes) } else { Span::Every(minutes) };
    takes(&mut found.span, span) || refused(rest)
}

/// `每天`, `每晚`, `工作日`, `每周一、三`, `周一到周五`, `下周一`.
fn days(rest: &mut Rest<'_>, found: &mut Found) -> bool {
    if rest.eat_any(&["每天", "每日", "天天"]).is_some() {
        found.every = true;
        found.days.extend(WEEKDAYS.into_iter().chain(WEEKEND));
        return true;
    }
    let each = [("每晚", Half::Night), ("每夜", Half::Night), ("每早", Half::Morning)];
    if let Some((_, half)) = each.into_iter().find(|(word, _)| rest.eat(word)) {
        found.every = true;
        found.days.extend(WEEKDAYS.into_iter().chain(WEEKEND));
        // `每早上` is the same.
        rest.eat_any(&["上", "间", "里"]);
        return takes(&mut found.half, half) || refused(rest);
    }
    if rest.eat_any(&["每个工作日", "每工作日", "工作日"]).is_some() {
        found.every = true;
        found.days.extend(WEEKDAYS);
        return true;
    }
    if rest.eat_any(&["每个周末", "每周末", "周末"]).is_some() {
        found.every = true;
        found.days.extend(WEEKEND);
        return true;
    }
    if rest.eat_any(&["每个月", "每月"]).is_some() {
        return of_month(rest, found).is_some() || refused(rest);
    }
    let mut ahead = *rest;
    let every = ahead.eat_any(&["每个", "每"]).is_some();
    let of_next_week = !every && ahead.eat_any(&["下个", "下"]).is_some();
    if ahead.eat_any(&["周", "星期", "礼拜"]).is_none() {
        return false;
    }
    let Some(mut last) = ahead.day() else { return false };
    found.every |= every;
    found.next = of_next_week.then_some(Next::Week).or(found.next);
    found.days.insert(last);
    loop {
        let before = ahead;
        let is_through = ahead.eat_any(&["到", "至", "-"]).is_some();
        if !is_through {
            ahead.eat_any(&["、", ",", "和"]);
        }
        ahead.eat_any(&["每周", "周", "星期", "礼拜"]);
        let Some(day) = ahead.day() else {
            ahead = before;
            break;
        };
        if is_through {
            found.every = true;
            found.days.extend(through(last, day));
        }
        found.days.insert(day);
        last = day;
    }
    *rest = ahead;
    true
}

/// `1号`, `最后一天`, `月底`, `第一个周一`, behind `每月`.
fn of_month(rest: &mut Rest<'_>, found: &mut Found) -> Option<()> {
    (found.every, found.is_monthly) = (true, true);
    rest.eat("的");
    if rest.eat_any(&["最后一天", "最后1天", "月底", "月末", "底", "末"]).is_some() {
        return takes(&mut found.of_month, OfMonth::Last).then_some(());
    }
    let is_last = rest.eat_any(&["最后一个", "最后1个"]).is_some();
    let is_day = !is_last && !rest.eat("第");
    let which = match is_last {
        true => OfMonth::Last,
        false => OfMonth::Number(u16::try_from(rest.number()?).ok()?),
    };
    if is_day {
        rest.eat_any(&["号", "日"])?;
    } else {
        rest.eat("个");
        rest.eat_any(&["周", "星期", "礼拜"])?;
        found.days.insert(rest.day()?);
    }
    takes(&mut found.of_month, which).then_some(())
}

/// `明天`, `12月24日`, `2026年12月24日`, `2026-12-24`.
fn date(rest: &mut Rest<'_>, found: &mut Found) -> bool {
    let named = [("今天", 0), ("明天", 1), ("后天", 2)];
    if let Some((_, days)) = named.into_iter().find(|(word, _)| rest.eat(word)) {
        return takes(&mut found.date, When::Ahead(days)) || refused(rest);
    }
    let short = [("今晚", 0, Half::Night), ("明早", 1, Half::Morning), ("明晚", 1, Half::Night)];
    if let Some((_, days, half)) = short.into_iter().find(|(word, ..)| rest.eat(word)) {
        let is_first = takes(&mut found.date, When::Ahead(days));
        return (is_first && takes(&mut found.half, half)) || refused(rest);
    }
    if let Some((date, after)) = rest.0.split_at_checked(10)
        && let Ok(date) = date.parse::<Date>()
    {
        rest.0 = after;
        return takes(&mut found.date, When::On(date)) || refused(rest);
    }
    let mut ahead = *rest;
    let Some(mut month) = ahead.number() else { return false };
    let mut year = None;
    if ahead.eat("年") {
        year = i16::try_from(month).ok();
        let Some(after) = ahead.number() else { return false };
        month = after;
    }
    if !ahead.eat("月") {
        return false;
    }
    let Some(day) = ahead.number() else { return false };
    ahead.eat_any(&["日", "号"]);
    let on = |year| Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok();
    let date = match (year, u16::try_from(month), u16::try_from(day)) {
        (Some(year), ..) => on(year).map(When::On),
        (None, Ok(month), Ok(day)) => Some(When::MonthDay(month, day)),
        (None, ..) => None,
    };
    *rest = ahead;
    date.is_some_and(|date| takes(&mut found.date, date)) || refused(rest)
}

fn half(rest: &mut Rest<'_>, found: &mut Found) -> bool {
    let halves = [
        ("凌晨", Half::Morning),
        ("清晨", Half::Morning),
        ("早上", Half::Morning),
        ("早晨", Half::Morning),
        ("上午", Half::Morning),
        ("中午", Half::Noon),
        ("下午", Half::Afternoon),
        ("傍晚", Half::Afternoon),
        ("晚上", Half::Night),
        ("晚间", Half::Night),
        ("夜里", Half::Night),
        ("半夜", Half::Night),
        ("深夜", Half::Night),
    ];
    let half = halves.into_iter().find_map(|(word, half)| rest.eat(word).then_some(half));
    half.is_some_and(|half| takes(&mut found.half, half) || refused(rest))
}

/// `9点`, `九点半`, `9点15分`, `18:30`.
fn time(rest: &mut Rest<'_>, found: &mut Found) -> bool {
    let mut ahead = *rest;
    let Some(hour) = ahead.number() else { return false };
    let minute = match ahead.eat_any(&["点钟", "点", "时", ":"]) {
        Some("点" | "时") if ahead.eat("半") => 30,
        Some("点" | "时") if ahead.eat("一刻") => 15,
        Some("点" | "时") if ahead.eat("三刻") => 45,
        Some("点" | "时" | "点钟") if ahead.eat("整") => 0,
        Some(sign) => match ahead.number() {
            Some(minute) => minute,
            None if sign == ":" => return false,
            None => 0,
        },
        None => return false,
    };
    ahead.eat("分");
    let (Ok(hour), Ok(minute)) = (u16::try_from(hour), u16::try_from(minute)) else { return false };
    *rest = ahead;
    takes(&mut found.time, (hour, minute)) || refused(rest)
}

/// What cannot be meant, and nobody else reads otherwise.
fn refused(rest: &mut Rest<'_>) -> bool {
    rest.0 = UNREADABLE;
    false
}

const UNREADABLE: &str = "?";
