//! What people and models write, put as the calculator reads it.
//!
//! It drops a comma between digits, takes `//` for a division by one over something, `%` for
//! a hundredth wherever it stands, and gives a function its first number alone: figures that
//! are wrong without a word. So what has one of these in it is put otherwise here, or refused
//! where it can be meant in two ways. Everything else goes on as it is written.

mod functions;

use super::size::{self, Calculate, Refused, Sign, Token};

/// The expression as the calculator is to be given it. Which of several numbers is the
/// largest is calculated on the way.
pub(super) fn as_read(text: &str, calculate: &mut Calculate<'_>) -> Result<String, Refused> {
    let tokens = size::tokens(text)?;
    let writing = Writing { text, tokens, at: 0, done: String::new(), calculate };
    writing.digits_are_together()?;
    if writing.says_more() { writing.statements() } else { Ok(text.to_owned()) }
}

struct Writing<'a, 'b> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    /// The statements before this one, as they are read.
    done: String,
    calculate: &'a mut Calculate<'b>,
}

/// What is multiplied and divided.
struct Term {
    written: String,
    /// As it was written, where it is nothing but a percentage.
    percent: Option<String>,
}

impl<'a> Writing<'a, '_> {
    /// Digits in groups are one number to who writes them, and two to the calculator.
    fn digits_are_together(&self) -> Result<(), Refused> {
        for at in 1..self.tokens.len() {
            let word = self.word(at);
            if word.len() != 3 || !word.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            let first = match self.tokens[at - 1].0 {
                Sign::Number(_) => at - 1,
                // Feet and inches have a sign behind the inches too.
                Sign::Name if self.word(at - 1) == "'" && self.word(at + 1) != "\"" => {
                    at.saturating_sub(2)
                }
                _ => continue,
            };
            let place = &self.text[self.tokens[first].1.start..self.tokens[at].1.end];
            return Err(part(format!(
                "`{place}` may be one number or two: write nothing between thousands, as in `1234.5`"
            )));
        }
        Ok(())
    }

    /// Whether anything in it would be read otherwise than it is meant.
    fn says_more(&self) -> bool {
        (0..self.tokens.len()).any(|at| {
            self.word(at) == ","
                || self.is_percent(at)
                || self.is_whole_division(at)
                || self.is_call(at)
        })
    }

    fn statements(mut self) -> Result<String, Refused> {
        loop {
            let statement = self.group()?;
            self.done.push_str(&statement);
            match self.next() {
                None => return Ok(self.done),
                Some(Sign::Semicolon) => {
                    self.done.push(';');
                    self.at += 1;
                }
                Some(_) if self.word(self.at) == "," => return Err(self.stray_comma()),
                Some(_) => return Err(part("there is a `)` that closes nothing".to_owned())),
            }
        }
    }

    /// Up to what ends it, which stays: a semicolon, a comma, a parenthesis.
    fn group(&mut self) -> Result<String, Refused> {
        let (mut written, mut sum, mut sign) = (String::new(), Sum::default(), "");
        loop {
            let term = self.term()?;
            sum.add(sign, term)?;
            sign = "";
            if self.next().is_none() || self.is_end() {
                return Ok(written + &sum.written);
            }
            if self.next() == Some(Sign::Plus) {
                sign = self.take();
                continue;
            }
            written += &std::mem::take(&mut sum).written;
            written += &self.between_sums()?;
        }
    }

    fn is_end(&self) -> bool {
        matches!(self.next(), Some(Sign::Semicolon | Sign::Close)) || self.word(self.at) == ","
    }

    /// What stands between two sums, and what a value is converted to.
    fn between_sums(&mut self) -> Result<String, Refused> {
        let converts = self.is_conversion(self.at);
        let mut written = self.take().to_owned();
        let mut is_first = true;
        while converts && self.next().is_some() && !self.is_end() && !self.is_conversion(self.at) {
            // `to %` is a form.
            let is_form = is_first && self.is_percent(self.at);
            is_first = false;
            if self.next() == Some(Sign::Open) {
                written += &self.parentheses()?;
            } else if self.is_whole_division(self.at)
                || self.is_call(self.at)
                || self.is_percent(self.at) && !is_form
            {
                return Err(part(format!(
                    "`{}` stands behind `to`: put what is converted in parentheses, and convert last",
                    self.word(self.at)
                )));
            } else {
                written += self.take();
            }
        }
        Ok(written)
    }

    fn term(&mut self) -> Result<Term, Refused> {
        let Term { mut written, mut percent } = self.factor()?;
        let mut is_behind_percent = percent.is_some();
        loop {
            let by = if is_behind_percent && self.word(self.at) == "of" {
                self.at += 1;
                let of = self.factor()?;
                written = format!("{written} * {}", wrapped(&of.written));
                of.percent
            } else if self.is_whole_division(self.at) {
                self.at += 2;
                let by = self.factor()?;
                written = self.divided(&written, &by.written)?;
                by.percent
            } else if self.is_percent(self.at) {
                self.at += 1;
                let by = self.factor()?;
                written = format!("{written} mod {}", wrapped(&by.written));
                by.percent
            } else if self.next() == Some(Sign::Times) {
                written += self.take();
                let by = self.factor()?;
                written += &by.written;
                by.percent
            } else {
                return Ok(Term { written, percent });
            };
            is_behind_percent = by.is_some();
            percent = None;
        }
    }

    fn factor(&mut self) -> Result<Term, Refused> {
        let mut written = String::new();
        while self.next() == Some(Sign::Plus) {
            written += self.take();
        }
        loop {
            match self.next() {
                Some(Sign::Number(_) | Sign::High(_) | Sign::Factorial) => written += self.take(),
                Some(Sign::Open) => written += &self.parentheses()?,
                Some(Sign::Power) => {
                    written += self.take();
                    while self.next() == Some(Sign::Plus) {
                        written += self.take();
                    }
                }
                Some(Sign::Name) if self.is_call(self.at) => written += &self.call()?,
                Some(Sign::Name) if self.is_percent(self.at) => {
                    if written.trim().is_empty() {
                        return Err(part("there is a `%` with no number before it".to_owned()));
                    }
                    if self.is_remainder()? {
                        return Ok(Term { written, percent: None });
                    }
                    let percent = format!("{}%", written.trim());
                    written = format!(" ({} / 100)", wrapped(&written));
                    self.at += 1;
                    return Ok(Term { written, percent: Some(percent) });
                }
                Some(Sign::Name) if !self.is_conversion(self.at) => written += self.take(),
                Some(_) | None => return Ok(Term { written, percent: None }),
            }
        }
    }

    /// What parentheses hold, with them.
    fn parentheses(&mut self) -> Result<String, Refused> {
        let mut written = self.take().to_owned();
        written += &self.group()?;
        match self.next() {
            Some(Sign::Close) => written += self.take(),
            // The last ones may be left open.
            None => written.push(')'),
            Some(Sign::Semicolon) => return Err(statement_inside()),
            Some(_) => return Err(self.stray_comma()),
        }
        Ok(written)
    }

    /// Whether the percent sign here is that of a remainder, as in most languages of programs:
    /// a number stands behind it. One that has its number before it without a space and another
    /// behind it with one is of either kind.
    fn is_remainder(&self) -> Result<bool, Refused> {
        let at = self.at;
        let next = self.tokens.get(at + 1).map(|(sign, _)| *sign);
        let is_value = match next {
            Some(Sign::Number(_) | Sign::Open) => true,
            Some(Sign::Name) => !self.is_conversion(at + 1) && self.word(at + 1) != "of",
            Some(_) | None => false,
        };
        if !is_value {
            return Ok(false);
        }
        let touches = |one: usize| self.tokens[one].1.end == self.tokens[one + 1].1.start;
        let is_number = matches!(next, Some(Sign::Number(_)));
        let is_plain = !touches(at - 1) || touches(at) && is_number;
        if self.word(at) != "%" || !is_plain || self.is_percent(at + 1) {
            let place = &self.text[self.tokens[at - 1].1.start..self.tokens[at + 1].1.end];
            return Err(part(format!(
                "`{place}` may be a percentage or a remainder: write `17% of 5` or `17 mod 5`"
            )));
        }
        Ok(true)
    }

    fn is_percent(&self, at: usize) -> bool {
        matches!(self.word(at), "%" | "percent")
    }

    /// `//`, which divides and leaves the remainder.
    fn is_whole_division(&self, at: usize) -> bool {
        self.word(at) == "/" && self.word(at + 1) == "/"
    }

    fn is_conversion(&self, at: usize) -> bool {
        match self.word(at) {
            "to" | "as" => true,
            // An inch is called so too.
            "in" => {
                matches!(self.tokens.get(at + 1), Some((Sign::Name, _)))
                    && !matches!(self.word(at + 1), "to" | "as" | "in" | "of")
            }
            _ => false,
        }
    }

    /// The comma here stands in no function.
    fn stray_comma(&self) -> Refused {
        let belongs = |at: usize| {
            self.word(at) == "," || matches!(self.tokens.get(at), Some((Sign::Number(_), _)))
        };
        let (mut from, mut to) = (self.at, self.at);
        while from > 0 && belongs(from - 1) {
            from -= 1;
        }
        while belongs(to + 1) {
            to += 1;
        }
        let place = &self.text[self.tokens[from].1.start..self.tokens[to].1.end];
        part(format!(
            "`{place}` has a comma, which stands only between the numbers of a function: write a \
             point before decimals and nothing between thousands, as in `1234.5`"
        ))
    }

    fn next(&self) -> Option<Sign> {
        self.tokens.get(self.at).map(|(sign, _)| *sign)
    }

    /// Empty behind the last one.
    fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |(_, span)| &self.text[span.clone()])
    }

    /// The word here with the space before it, and on to the next one.
    fn take(&mut self) -> &'a str {
        let before = self.at.checked_sub(1).map_or(0, |before| self.tokens[before].1.end);
        let end = self.tokens[self.at].1.end;
        self.at += 1;
        &self.text[before..end]
    }
}

/// What is added and taken away, as far as it is written.
#[derive(Default)]
struct Sum {
    written: String,
    terms: usize,
    /// The first term, where it and all others are percentages.
    percent: Option<String>,
}

impl Sum {
    /// A percentage behind a number is of that number, as on a pocket calculator.
    fn add(&mut self, sign: &str, term: Term) -> Result<(), Refused> {
        let Term { written, percent } = term;
        self.terms += 1;
        if self.terms == 1 {
            (self.written, self.percent) = (written, percent);
            return Ok(());
        }
        match (&self.percent, percent) {
            (Some(_), Some(_)) | (None, None) => {
                self.written += sign;
                self.written += &written;
            }
            (None, Some(_)) if self.terms == 2 => {
                let (of, share) = (wrapped(&self.written), written.trim());
                self.written = format!(" {of} * (1 {} {share})", sign.trim());
            }
            (None, Some(percent)) => {
                return Err(part(format!(
                    "it is not plain what {percent} is taken of: put that in parentheses, as in `(100 + 50) - 15%`"
                )));
            }
            (Some(percent), None) => {
                return Err(part(format!(
                    "it is not plain what {percent} is taken of: write `{percent} of` before it"
                )));
            }
        }
        Ok(())
    }
}

/// As one value, whatever stands beside it.
fn wrapped(text: &str) -> String {
    let text = text.trim();
    let is_number = |char: char| char.is_ascii_digit() || char == '.';
    match !text.is_empty() && text.chars().all(is_number) {
        true => text.to_owned(),
        false => format!("({text})"),
    }
}

fn part(why: String) -> Refused {
    Refused::Part(why)
}

fn statement_inside() -> Refused {
    part("there is a `;` within parentheses".to_owned())
}
