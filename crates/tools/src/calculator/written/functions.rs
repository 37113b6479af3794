//! Functions of several numbers, of which the calculator has none, and `//`.

use super::{Writing, part, statement_inside, wrapped};
use crate::calculator::size::{self, Refused, Sign};

/// Those that are meant with one number too: `min` is a minute to the calculator.
const OURS: [&str; 11] =
    ["average", "avg", "gcd", "hypot", "lcm", "max", "mean", "median", "min", "pow", "sum"];

const ALL: &str = "`round(x, digits)`, `log(x, base)`, `min`, `max`, `sum`, `mean`, `median`, \
                   `gcd`, `lcm`, `hypot`, `pow(x, y)`, `comb(n, k)` and `perm(n, k)`";

/// What the calculator rounds it takes as a float, which has no more digits than this.
const MOST_EXACT: f64 = 9e15;
const MOST_DIGITS: u32 = 15;
/// A logarithm that may come out even.
const MOST_EVEN: u32 = 512;

impl Writing<'_, '_> {
    /// Whether a function of several numbers stands here.
    pub(super) fn is_call(&self, at: usize) -> bool {
        let (Some((Sign::Name, name)), Some((Sign::Open, open))) =
            (self.tokens.get(at), self.tokens.get(at + 1))
        else {
            return false;
        };
        let is_ours = OURS.contains(&self.word(at).to_ascii_lowercase().as_str());
        name.end == open.start && is_ours || self.has_comma(at + 1)
    }

    /// Whether commas part what is in the parentheses that open here.
    fn has_comma(&self, open: usize) -> bool {
        let mut depth = 0;
        for at in open..self.tokens.len() {
            match self.tokens[at].0 {
                Sign::Open => depth += 1,
                Sign::Close if depth == 1 => return false,
                Sign::Close => depth -= 1,
                _ if depth == 1 && self.word(at) == "," => return true,
                _ => {}
            }
        }
        false
    }

    pub(super) fn call(&mut self) -> Result<String, Refused> {
        let name = self.word(self.at);
        self.at += 2;
        let (mut given, mut commas) = (Vec::new(), Vec::new());
        loop {
            let one = self.group()?.trim().to_owned();
            if one.is_empty() {
                return Err(part(format!("`{name}` lacks a number")));
            }
            given.push(one);
            match self.next() {
                Some(Sign::Close) => {
                    self.at += 1;
                    break;
                }
                None => break,
                Some(Sign::Semicolon) => return Err(statement_inside()),
                Some(_) => {
                    commas.push(self.at);
                    self.at += 1;
                }
            }
        }
        self.part_numbers(&commas)?;
        // One value, whatever it was written beside.
        Ok(format!(" ({})", self.function(name, &given)?))
    }

    /// Commas that part numbers and others that may part thousands are refused together.
    fn part_numbers(&self, commas: &[usize]) -> Result<(), Refused> {
        let is_tight = |at: &&usize| {
            let next = self.word(**at + 1);
            let spans = [**at - 1, **at, **at + 1].map(|at| self.tokens[at].1.clone());
            matches!(self.tokens[**at - 1].0, Sign::Number(_))
                && next.len() == 3
                && next.bytes().all(|byte| byte.is_ascii_digit())
                && spans[0].end == spans[1].start
                && spans[1].end == spans[2].start
        };
        let tight: Vec<&usize> = commas.iter().filter(is_tight).collect();
        let has_zero = tight.iter().any(|at| self.word(**at + 1).starts_with('0'));
        let Some(first) = tight.first().filter(|_| has_zero || tight.len() < commas.len()) else {
            return Ok(());
        };
        let place = self.tokens[**first - 1].1.start..self.tokens[**first + 1].1.end;
        Err(part(format!(
            "`{}` may be one number or two: write nothing between thousands, and a space behind \
             a comma between numbers",
            &self.text[place]
        )))
    }

    fn function(&mut self, name: &str, given: &[String]) -> Result<String, Refused> {
        let lower = name.to_ascii_lowercase();
        let mut all = given.iter().map(|one| wrapped(one));
        Ok(match (lower.as_str(), given) {
            ("round", [x, digits]) => self.rounded(x, digits)?,
            ("log", [x, base]) => self.logarithm(x, base)?,
            ("pow", [x, y]) => format!("({} ^ {})", wrapped(x), wrapped(y)),
            ("comb" | "binomial", [n, k]) => format!("({} nCr {})", wrapped(n), wrapped(k)),
            ("c", [n, k]) if name == "C" => format!("({} nCr {})", wrapped(n), wrapped(k)),
            ("perm", [n, k]) => format!("({} nPr {})", wrapped(n), wrapped(k)),
            ("sum", _) => format!("({})", all.collect::<Vec<_>>().join(" + ")),
            // Of a throw of dice the calculator knows it.
            ("mean" | "average", [one]) => format!("{lower}({one})"),
            ("mean" | "average" | "avg", _) => {
                format!("(({}) / {})", all.collect::<Vec<_>>().join(" + "), given.len())
            }
            ("hypot", _) => {
                let squares: Vec<String> = all.map(|one| format!("{one}^2")).collect();
                format!("(sqrt({}))", squares.join(" + "))
            }
            ("min", _) => self.in_order(given)?.swap_remove(0),
            ("max", _) => self.in_order(given)?.pop().unwrap_or_default(),
            ("median", _) => self.median(given)?,
            ("gcd" | "lcm", _) => {
                let first = all.next().unwrap_or_default();
                let mut found = self.whole(name, &first)?;
                for next in all {
                    let next = self.whole(name, &next)?;
                    found = match lower.as_str() {
                        "gcd" => divisor(found, next),
                        _ => multiple(found, next).ok_or(Refused::TooBig)?,
                    };
                }
                found.to_string()
            }
            _ => {
                return Err(part(format!(
                    "`{name}` is no function of {} numbers here; those of several are {ALL}",
                    given.len()
                )));
            }
        })
    }

    /// From the smallest to the largest, each as one value.
    fn in_order(&mut self, all: &[String]) -> Result<Vec<String>, Refused> {
        let mut sorted: Vec<String> = Vec::new();
        for one in all {
            let one = wrapped(one);
            let mut at = sorted.len();
            while at > 0 && self.value(&format!("{one} - {}", sorted[at - 1]))?.starts_with('-') {
                at -= 1;
            }
            sorted.insert(at, one);
        }
        Ok(sorted)
    }

    fn median(&mut self, all: &[String]) -> Result<String, Refused> {
        let sorted = self.in_order(all)?;
        let middle = sorted.len() / 2;
        Ok(match sorted.len() % 2 {
            0 => format!("(({} + {}) / 2)", sorted[middle - 1], sorted[middle]),
            _ => sorted[middle].clone(),
        })
    }

    fn rounded(&mut self, x: &str, digits: &str) -> Result<String, Refused> {
        let places = self.value(digits)?.parse::<i32>().ok();
        let places =
            places.filter(|places| places.unsigned_abs() <= MOST_DIGITS).ok_or_else(|| {
                part(format!("`round` takes a whole number of digits, and `{digits}` is none"))
            })?;
        let moved = format!("{} * 10^({places})", wrapped(x));
        self.fits_a_float(&moved)?;
        Ok(format!("(round({moved}) / 10^({places}))"))
    }

    /// The whole number of times that one goes into the other.
    pub(super) fn divided(&mut self, what: &str, by: &str) -> Result<String, Refused> {
        if what.trim().is_empty() || by.trim().is_empty() {
            return Err(part("there is a `//` that lacks a number".to_owned()));
        }
        let quotient = format!("{} / {}", wrapped(what), wrapped(by));
        self.fits_a_float(&quotient)?;
        Ok(format!(" (floor({quotient}))"))
    }

    fn fits_a_float(&mut self, what: &str) -> Result<(), Refused> {
        let shown = self.value(what)?;
        let size = shown.split(' ').next().and_then(|number| number.parse::<f64>().ok());
        match size.is_some_and(|size| size.abs() < MOST_EXACT) {
            true => Ok(()),
            false => Err(part(format!("{shown} cannot be rounded exactly"))),
        }
    }

    /// As a whole number where it is one, and not only nearly.
    fn logarithm(&mut self, x: &str, base: &str) -> Result<String, Refused> {
        let (x, base) = (wrapped(x), wrapped(base));
        let ratio = format!("ln({x}) / ln({base})");
        let even = self.value(&format!("round({ratio})"))?.parse::<i32>().ok();
        if let Some(even) = even.filter(|even| even.unsigned_abs() <= MOST_EVEN)
            && self.value(&format!("{base}^({even}) == {x}")).is_ok_and(|shown| shown == "true")
        {
            return Ok(format!("({even})"));
        }
        Ok(format!("({ratio})"))
    }

    fn whole(&mut self, name: &str, one: &str) -> Result<u128, Refused> {
        let shown = self.value(one)?;
        shown.trim_start_matches('-').parse::<u128>().map_err(|_| {
            part(format!("`{name}` takes whole numbers of up to 38 digits, and {shown} is none"))
        })
    }

    /// What a part comes to, as it is shown.
    fn value(&mut self, part: &str) -> Result<String, Refused> {
        let asked = format!("{} ({part})", self.done);
        size::check(&asked, self.calculate)?;
        let shown = (self.calculate)(&asked).map_err(Refused::Part)?;
        Ok(shown.strip_prefix("approx. ").unwrap_or(&shown).to_owned())
    }
}

fn divisor(one: u128, other: u128) -> u128 {
    if other == 0 { one } else { divisor(other, one % other) }
}

fn multiple(one: u128, other: u128) -> Option<u128> {
    match divisor(one, other) {
        0 => Some(0),
        divisor => (one / divisor).checked_mul(other),
    }
}
