//! How big the numbers of an expression can get, told before they are made.
//!
//! The calculator asks between its steps whether it is to end, but one step on
//! a number of millions of digits may take minutes, and one shift fills the
//! memory. So nothing is calculated whose numbers could grow beyond a bound:
//! within it, no single step is long.
//!
//! Every literal, unit and function counts with the digits it can bring, and
//! sums and products with those of both sides. What multiplies digits is a
//! power, a factorial, a shift or a choice: the number behind it is calculated
//! first, as exactly as the calculator does. The extents of operands are those
//! of the calculator's grammar or larger.

use std::collections::HashMap;
use std::ops::Range;

/// Why an expression is not calculated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refused {
    /// Its numbers could get too big.
    TooBig,
    /// Its parentheses take too long to be read.
    TooNested,
    /// Something in it that is no calculation.
    Foreign(&'static str),
    /// What a part of it, calculated beforehand, has come to.
    Part(String),
}

/// Calculates a part and gives what the calculator shows of it.
pub(super) type Calculate<'a> = dyn FnMut(&str) -> Result<String, String> + 'a;

/// The most that all numbers of an expression may take together, in bits:
/// about 30,000 digits.
const MOST_BITS: f64 = 100_000.0;
/// What a unit or a constant may bring, and what a float does.
const BITS_OF_UNIT: f64 = 128.0;
const BITS_OF_FUNCTION: f64 = 1_100.0;
const BITS_OF_DIGIT: f64 = 4.0;
const MOST_FACES: u32 = 10_000;
/// See `nesting`.
const MOST_READINGS: usize = 5_000;

/// Refuses what could take long in one step.
pub(super) fn check(expression: &str, calculate: &mut Calculate<'_>) -> Result<(), Refused> {
    let tokens = tokens(expression)?;
    nesting(&tokens)?;
    let mut sizes =
        Sizes { text: expression, tokens, at: 0, before: 0, variables: HashMap::new(), calculate };
    while sizes.at < sizes.tokens.len() {
        sizes.statement()?;
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sign {
    /// A number that is written out, with the bits it takes.
    Number(f64),
    Name,
    Open,
    Close,
    Power,
    /// Small digits set high: a power of the number before them.
    High(f64),
    Factorial,
    /// Or minus.
    Plus,
    Times,
    ShiftLeft,
    Choose,
    /// Ends what is shifted, and what shifts. A comma too.
    Other,
    Equals,
    Semicolon,
}

pub(super) type Token = (Sign, Range<usize>);

struct Sizes<'a, 'b> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    /// Where the statement begins: what stands before it is done before it.
    before: usize,
    variables: HashMap<&'a str, f64>,
    calculate: &'a mut Calculate<'b>,
}

impl<'a> Sizes<'a, '_> {
    /// Up to the next semicolon.
    fn statement(&mut self) -> Result<(), Refused> {
        self.before = self.tokens[self.at].1.start;
        let assigned = match self.tokens.get(self.at..self.at + 2) {
            Some([(Sign::Name, name), (Sign::Equals, _)]) => Some(&self.text[name.clone()]),
            Some(_) | None => None,
        };
        let bits = self.group()?;
        if let Some(name) = assigned {
            self.variables.insert(name, bits);
        }
        // Past the semicolon, or a parenthesis that closes nothing.
        self.at += 1;
        Ok(())
    }

    /// Up to what closes this, which stays.
    fn group(&mut self) -> Result<f64, Refused> {
        let (mut sum, mut run): (f64, f64) = (0.0, 0.0);
        let mut operand: Option<Range<usize>> = None;
        let mut shift: Option<usize> = None;
        let (mut part, mut chooses) = (self.here(), false);
        loop {
            let token = self.tokens.get(self.at).cloned();
            let (sign, span) = token.unwrap_or((Sign::Semicolon, self.text.len()..self.text.len()));
            if matches!(
                sign,
                Sign::ShiftLeft
                    | Sign::Choose
                    | Sign::Other
                    | Sign::Equals
                    | Sign::Semicolon
                    | Sign::Close
            ) && let Some(from) = shift.take()
            {
                sum += self.number(from..span.start)?.value;
            }
            let ends = matches!(sign, Sign::Semicolon | Sign::Close);
            if sign == Sign::Choose || chooses && (ends || sign == Sign::Equals) {
                sum += factorial(self.number(part..span.start)?.value);
            }
            if ends {
                return bounded(sum + run);
            }
            match sign {
                Sign::Number(_) | Sign::Name | Sign::Open => {
                    let (bits, span) = self.primary()?;
                    run += bits;
                    operand = Some(span);
                    bounded(sum + run)?;
                    continue;
                }
                Sign::Factorial => {
                    // One with nothing before it is refused by the calculator.
                    if let Some(of) = &mut operand {
                        run += self.factorials(of)?;
                        continue;
                    }
                }
                Sign::Power => {
                    self.at += 1;
                    let Raised { bits, exponent, .. } = self.exponent()?;
                    run = run * exponent.multiplies.max(1.0) + exponent.root_bits() + bits;
                    operand = None;
                    bounded(sum + run)?;
                    continue;
                }
                Sign::High(exponent) => run *= exponent.max(1.0),
                Sign::Choose => {
                    (part, chooses) = (span.end, true);
                    (sum, run) = (sum + run, 0.0);
                }
                Sign::ShiftLeft => {
                    shift = Some(span.end);
                    (sum, run) = (sum + run, 0.0);
                }
                Sign::Equals => {
                    part = span.end;
                    (sum, run) = (sum + run, 0.0);
                }
                Sign::Plus | Sign::Times | Sign::Other => {
                    (sum, run) = (sum + run, 0.0);
                    operand = None;
                }
                Sign::Close | Sign::Semicolon => {}
            }
            bounded(sum + run)?;
            self.at += 1;
        }
    }

    /// A number, a name, or what parentheses hold: its bits, and where it is.
    fn primary(&mut self) -> Result<(f64, Range<usize>), Refused> {
        let (sign, span) = self.tokens[self.at].clone();
        self.at += 1;
        match sign {
            Sign::Number(bits) => Ok((bits, span)),
            Sign::Open => {
                let bits = self.group()?;
                let end = match self.tokens.get(self.at) {
                    Some((Sign::Close, close)) => close.end,
                    Some(_) | None => self.here(),
                };
                self.at += usize::from(end > self.here());
                Ok((bits, span.start..end))
            }
            _ => self.named(span),
        }
    }

    fn named(&mut self, span: Range<usize>) -> Result<(f64, Range<usize>), Refused> {
        let name = &self.text[span.clone()];
        if let Some(bits) = self.variables.get(name) {
            return Ok((*bits, span));
        }
        if name.eq_ignore_ascii_case("fibonacci") {
            let Some(Sign::Number(_) | Sign::Name | Sign::Open) = self.next() else {
                return Err(Refused::Foreign("`fibonacci` needs its number in parentheses"));
            };
            let (bits, of) = self.primary()?;
            let bits = bits + self.number(of.clone())?.value;
            return Ok((bounded(bits)?, span.start..of.end));
        }
        let bits = match name {
            "%" => 8.0,
            _ if FAR_REACHING.contains(&name) => BITS_OF_FUNCTION,
            _ => BITS_OF_UNIT,
        };
        Ok((bits, span))
    }

    /// What a power is raised to: signs, one operand with its factorials, and
    /// the power that this is raised to.
    fn exponent(&mut self) -> Result<Raised, Refused> {
        let start = self.here();
        while let Some((Sign::Plus | Sign::Times, _)) = self.tokens.get(self.at) {
            self.at += 1;
        }
        let is_bare = self.here() == start;
        let Some((first @ (Sign::Number(_) | Sign::Name | Sign::Open), _)) =
            self.tokens.get(self.at).cloned()
        else {
            return Err(Refused::Part("a power lacks its exponent".to_owned()));
        };
        let (mut bits, mut span) = self.primary()?;
        let calls = first == Sign::Name && self.next() == Some(Sign::Open);
        if calls && self.number(span.clone()).is_err() {
            // The name of a function, and what it is given.
            let (given, to) = self.primary()?;
            (bits, span) = (bits + given, span.start..to.end);
        }
        let mut number = None;
        if let (Sign::Number(_), true) = (first, is_bare) {
            number = self.text[span.clone()].parse::<u32>().ok().map(f64::from);
        }
        loop {
            match self.tokens.get(self.at).cloned() {
                Some((Sign::Factorial, _)) => {
                    bits = bounded(bits + self.factorials(&mut span)?)?;
                    number = None;
                }
                Some((Sign::High(exponent), sign)) => {
                    bits = bounded(bits * exponent.max(1.0))?;
                    (span.end, number) = (sign.end, None);
                    self.at += 1;
                }
                Some((Sign::Power, _)) => {
                    self.at += 1;
                    let next = self.exponent()?;
                    let by = &next.exponent;
                    let bits = bits * by.multiplies.max(1.0) + by.root_bits() + next.bits;
                    let bits = bounded(bits)?;
                    let exponent = match number.zip(next.number) {
                        Some((base, by)) => Exponent::whole(base.powf(by)),
                        None => self.number(start..next.end)?,
                    };
                    let number = number.zip(next.number).map(|_| exponent.value);
                    return Ok(Raised { bits, end: next.end, exponent, number });
                }
                Some(_) | None => {
                    let exponent = match number {
                        Some(number) => Exponent::whole(number),
                        None => self.number(start..span.end)?,
                    };
                    return Ok(Raised { bits, end: span.end, exponent, number });
                }
            }
        }
    }

    /// All that stand behind this operand, which then ends behind them: what
    /// they add.
    fn factorials(&mut self, of: &mut Range<usize>) -> Result<f64, Refused> {
        let mut value = self.number(of.clone())?.value;
        let mut bits = 0.0;
        while let Some((Sign::Factorial, span)) = self.tokens.get(self.at) {
            of.end = span.end;
            self.at += 1;
            bits = bounded(bits + factorial(value))?;
            // Past twenty, the next one is refused for any value.
            value = (2..=value.min(20.0) as u32).fold(1.0, |value, n| value * f64::from(n));
        }
        Ok(bits)
    }

    fn next(&self) -> Option<Sign> {
        self.tokens.get(self.at).map(|(sign, _)| *sign)
    }

    /// What a part comes to whose own numbers are known to be small enough.
    fn number(&mut self, part: Range<usize>) -> Result<Exponent, Refused> {
        let part = self.text[part].trim();
        if let Ok(number) = part.trim_start_matches(['(', '+', '-', ' ']).parse::<u32>() {
            return Ok(Exponent::whole(f64::from(number)));
        }
        let before = &self.text[..self.before];
        let asked = format!("{before} (({part}) to base 10) to fraction");
        let shown = (self.calculate)(&asked).map_err(Refused::Part)?;
        Exponent::read(&shown).ok_or(Refused::TooBig)
    }

    fn here(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.len(), |(_, span)| span.start)
    }
}

/// What something is raised to.
struct Raised {
    /// What is in it takes.
    bits: f64,
    end: usize,
    exponent: Exponent,
    /// Where it is nothing but whole numbers that are written out.
    number: Option<f64>,
}

/// A number by which the digits of others grow.
#[derive(Debug, PartialEq)]
struct Exponent {
    value: f64,
    /// The numerator: what is raised is raised to this first.
    multiplies: f64,
    denominator: f64,
}

impl Exponent {
    fn whole(value: f64) -> Self {
        Exponent { value, multiplies: value, denominator: 1.0 }
    }

    /// As the calculator shows it: `-3`, `5/12`, `1 1/2`, `50%`. `None` where it
    /// is not a plain number, or not an exact one.
    fn read(shown: &str) -> Option<Self> {
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let shown = shown.trim().trim_start_matches('-');
        let (shown, of) = match shown.strip_suffix('%') {
            Some(hundredths) => (hundredths, 100.0),
            None => (shown, 1.0),
        };
        let (whole, fraction) = shown.split_once(' ').unwrap_or(match shown.contains('/') {
            true => ("0", shown),
            false => (shown, "0/1"),
        });
        let (over, under) = fraction.split_once('/')?;
        let (whole, over, under) = (number(whole)?, number(over)?, number(under)? * of);
        let multiplies = whole * under / of + over;
        Some(Exponent { value: multiplies / under, multiplies, denominator: under })
    }

    /// What drawing a root takes: it is narrowed in fifty halvings, each tried
    /// by raising it to the power again.
    fn root_bits(&self) -> f64 {
        if self.denominator > 1.0 { self.denominator * 64.0 } else { 0.0 }
    }
}

fn factorial(of: f64) -> f64 {
    of * of.max(2.0).log2()
}

fn bounded(bits: f64) -> Result<f64, Refused> {
    if bits <= MOST_BITS { Ok(bits) } else { Err(Refused::TooBig) }
}

/// Functions that make much of little, as far as a float can; what others give
/// takes as much as a unit more than what they are given.
const FAR_REACHING: [&str; 5] = ["exp", "sinh", "cosh", "tan", "tanh"];

/// The calculator reads what is in parentheses once more for each operand that
/// stands before them in those around them, and those again.
fn nesting(tokens: &[Token]) -> Result<(), Refused> {
    // How often what is open here is read, and the operands in it so far.
    let mut open: Vec<(usize, usize)> = vec![(1, 0)];
    let mut readings: usize = 0;
    for (at, (sign, _)) in tokens.iter().enumerate() {
        let (times, before) = open.last().copied().unwrap_or((1, 0));
        match sign {
            Sign::Open => {
                let is_of_function = before == 1 && tokens[at - 1].0 == Sign::Name;
                let times = if is_of_function { times } else { times.saturating_mul(before + 1) };
                readings = readings.saturating_add(times);
                if readings > MOST_READINGS {
                    return Err(Refused::TooNested);
                }
                open.push((times, 0));
            }
            Sign::Close => {
                open.pop();
                if let Some((_, operands)) = open.last_mut() {
                    *operands += 1;
                }
            }
            Sign::Number(_) | Sign::Name => {
                if let Some((_, operands)) = open.last_mut() {
                    *operands += 1;
                }
            }
            Sign::Semicolon => {
                if let Some((_, operands)) = open.last_mut() {
                    *operands = 0;
                }
            }
            Sign::Power
            | Sign::High(_)
            | Sign::Factorial
            | Sign::Plus
            | Sign::Times
            | Sign::ShiftLeft
            | Sign::Choose
            | Sign::Other
            | Sign::Equals => {}
        }
    }
    Ok(())
}

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Refused> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(char) = text[at..].chars().next() {
        let rest = &text[at..];
        let (sign, length) = match char {
            _ if char.is_whitespace() => {
                at += char.len_utf8();
                continue;
            }
            '0'..='9' | '.' => number(rest)?,
            '(' => (Sign::Open, 1),
            ')' => (Sign::Close, 1),
            '^' => (Sign::Power, 1),
            '*' | '×' | '✕' => match rest[char.len_utf8()..].starts_with('*') {
                true => (Sign::Power, char.len_utf8() + 1),
                false => (Sign::Times, char.len_utf8()),
            },
            '/' | '÷' | '∕' => (Sign::Times, char.len_utf8()),
            '+' | '-' => (Sign::Plus, 1),
            '!' if rest.starts_with("!=") => (Sign::Other, 2),
            '!' => (Sign::Factorial, 1),
            '<' if rest.starts_with("<<") => (Sign::ShiftLeft, 2),
            '=' if rest.starts_with("==") => (Sign::Other, 2),
            '=' => (Sign::Equals, 1),
            ';' => (Sign::Semicolon, 1),
            '&' | '|' | '<' | '>' | '≠' | ',' => (Sign::Other, char.len_utf8()),
            '@' => return Err(Refused::Foreign("dates are not possible here")),
            '#' => return Err(Refused::Foreign("remarks are not possible here")),
            '\'' | '"' if follows_a_number(&tokens, at) => (Sign::Name, 1),
            '\'' | '"' => return Err(Refused::Foreign("texts are not possible here")),
            _ => match high(rest) {
                Some(high) => high,
                None => name(rest),
            },
        };
        tokens.push((sign, at..at + length));
        at += length;
    }
    Ok(tokens)
}

/// As in `5' 11"`.
fn follows_a_number(tokens: &[Token], at: usize) -> bool {
    matches!(tokens.last(), Some((Sign::Number(_), span)) if span.end == at)
        && !matches!(tokens.iter().nth_back(1), Some((Sign::Name, name)) if name.end == tokens[tokens.len() - 1].1.start)
}

fn name(text: &str) -> (Sign, usize) {
    if text.starts_with('%') {
        return (Sign::Name, 1);
    }
    let goes_on = |char: char| char.is_alphanumeric() || matches!(char, '_' | '°' | '$' | '€');
    let first = text.chars().next().map_or(1, char::len_utf8);
    let rest = text[first..].find(|char| !goes_on(char) || is_high(char));
    let length = rest.map_or(text.len(), |rest| first + rest);
    let sign = match &text[..length] {
        "nCr" | "choose" | "nPr" | "permute" => Sign::Choose,
        "mod" => Sign::Times,
        "and" | "AND" | "or" | "OR" | "xor" | "XOR" => Sign::Other,
        _ => Sign::Name,
    };
    (sign, length)
}

const HIGH: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";

fn is_high(char: char) -> bool {
    HIGH.contains(char)
}

fn high(text: &str) -> Option<(Sign, usize)> {
    let digits: Vec<usize> =
        text.chars().map_while(|char| HIGH.chars().position(|digit| digit == char)).collect();
    let length: usize = text.chars().take(digits.len()).map(char::len_utf8).sum();
    let value = digits.iter().fold(0.0, |value, digit| value * 10.0 + *digit as f64);
    (!digits.is_empty()).then_some((Sign::High(value), length))
}

/// A number as the calculator reads it, with an exponent or the faces of dice.
fn number(text: &str) -> Result<(Sign, usize), Refused> {
    let is_digit = |char: char| char.is_ascii_digit() || matches!(char, '.' | '_');
    let based = ["0x", "0o", "0b", "0X", "0O", "0B"].iter().any(|base| text.starts_with(base));
    let digits = text.find(|char| !is_digit(char)).unwrap_or(text.len());
    if based || text[digits..].starts_with('#') {
        let goes_on = |char: char| char.is_ascii_alphanumeric() || matches!(char, '#' | '.' | '_');
        let length = text.find(|char| !goes_on(char)).unwrap_or(text.len());
        return Ok((Sign::Number(length as f64 * 12.0), length));
    }
    let point = if text[..digits].contains('.') { 2.0 } else { 1.0 };
    let mut bits = digits as f64 * BITS_OF_DIGIT * point;
    let mut length = digits;
    let signless =
        |text: &str| text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    let rest = &text[digits..];
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let of_exponent = signless(&exponent[sign..]);
        if of_exponent > 0 {
            let exponent: f64 = exponent[sign..sign + of_exponent].parse().unwrap_or(f64::MAX);
            bits += exponent * BITS_OF_DIGIT;
            length += 1 + sign + of_exponent;
        }
    } else if let Some(faces) = rest.strip_prefix(['d', 'D']) {
        let of_faces = signless(faces);
        let count = faces[..of_faces].parse::<u32>().unwrap_or(MOST_FACES + 1);
        if of_faces > 0 && count > MOST_FACES {
            return Err(Refused::TooBig);
        }
        length += if of_faces > 0 { 1 + of_faces } else { 0 };
    }
    Ok((Sign::Number(bounded(bits)?), length))
}
