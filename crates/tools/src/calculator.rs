//! The tool `calculator`.
//!
//! What is written may run for ever, or nest so deep that no stack is enough:
//! it works on a thread of its own with a large one, takes no longer than its
//! limit, and knows no functions of the writer's own, which could call
//! themselves. The limit is looked at between two steps, so nothing is begun
//! of which one step could be long (`size`). Only a plain sum, which can do
//! none of this, is worth no thread. What would be read otherwise than it is
//! meant is put otherwise before (`written`).

mod size;
mod written;

use crate::{CallContext, Returned, Tool, describe, input};
use async_trait::async_trait;
use domain::{Effects, Risk, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use size::Refused;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Calculates exactly: arithmetic with numbers of any size, percentages,
/// roots, powers, logarithms, trigonometry, rounding, sums and means, and
/// conversion of units. Use it instead of calculating in your head.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What to calculate, such as `(1200 - 15%) / 12` (15% of the number before
    /// it), `17% of 250`, `sqrt(2) * 3`, `log(8, 2)`, `round(2.675, 2)`,
    /// `max(3, 7, 5)`, `17 // 5`, `17 mod 5`, `5 feet 11 inches to cm` or
    /// `255 to hex`. A point before decimals, nothing between thousands. At
    /// most 1000 characters. No currencies, no dates.
    #[schemars(length(min = 1, max = MOST_CHARACTERS))]
    expression: String,
}

const MOST_CHARACTERS: usize = 1000;

/// The deepest nesting of that many characters takes a quarter of it. Only
/// what is used is ever taken from the machine.
const STACK_BYTES: usize = 256 << 20;

const LIMIT: Duration = Duration::from_secs(2);

pub struct Calculator {
    spec: ToolSpec,
    limit: Duration,
}

impl Default for Calculator {
    fn default() -> Self {
        Calculator::new()
    }
}

impl Calculator {
    pub fn new() -> Self {
        let spec = describe::<Input>("calculator", Effects::None, Risk::Low);
        Calculator { spec, limit: LIMIT }
    }
}

#[async_trait]
impl Tool for Calculator {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        let expression = match input::<Input>(arguments) {
            Ok(input) => plain(&input.expression),
            Err(refusal) => return refusal,
        };
        if let Err(refusal) = fits(&expression) {
            return Returned::failed(refusal);
        }
        if is_simple(&expression) {
            return calculate(&expression, self.limit, with.stop.clone());
        }
        // Whatever ends this call, the thread hears of it.
        let stop = with.stop.child_token();
        let _guard = stop.clone().drop_guard();
        let Some(answer) = begin(expression, self.limit, stop) else {
            return Returned::failed("the calculator could not be started; try again later");
        };
        // The thread watches its limit itself, but not inside each step.
        let patience = self.limit + Duration::from_secs(1);
        tokio::select! {
            biased;
            () = with.stop.cancelled() => Returned::stopped(),
            answer = tokio::time::timeout(patience, answer) => match answer {
                Ok(Ok(returned)) => returned,
                Ok(Err(_)) => Returned::failed("the calculator broke on this; write it in another way"),
                Err(_) => too_long(self.limit),
            },
        }
    }
}

/// Calculates on a thread of its own. The answer fails to come when that panics.
fn begin(
    expression: String,
    limit: Duration,
    stop: CancellationToken,
) -> Option<oneshot::Receiver<Returned>> {
    let (answers, answer) = oneshot::channel();
    let work = move || {
        // Nobody may be there to hear it.
        let _ = answers.send(calculate(&expression, limit, stop));
    };
    let thread = std::thread::Builder::new().name("calculator".into()).stack_size(STACK_BYTES);
    thread.spawn(work).ok().map(|_| answer)
}

/// The few signs of a sum as people type it: it takes microseconds, and a small
/// part of any thread's stack.
fn is_simple(expression: &str) -> bool {
    let is_sign = |char: char| matches!(char, '+' | '-' | '*' | '/');
    let signs = expression.chars().filter(|char| !char.is_whitespace());
    let in_a_row = signs.clone().zip(signs.clone().skip(1));
    let words = expression.split_whitespace();
    let is_of_number = |char: char| char.is_ascii_digit() || char == '.';
    let apart =
        |(one, next): (&str, &str)| one.ends_with(is_of_number) && next.starts_with(is_of_number);
    expression.len() <= 40
        && !words.clone().zip(words.skip(1)).any(apart)
        && signs
            .clone()
            .all(|char| char.is_ascii_digit() || matches!(char, '.' | '(' | ')') || is_sign(char))
        && signs.filter(|char| *char == '(').count() <= 1
        && !in_a_row.into_iter().any(|(a, b)| is_sign(a) && is_sign(b))
}

fn calculate(expression: &str, limit: Duration, stop: CancellationToken) -> Returned {
    let watch = Watch { until: Instant::now() + limit, stop };
    let mut evaluate = |expression: &str| {
        let mut context = fend_core::Context::new();
        let evaluated = fend_core::evaluate_with_interrupt(expression, &mut context, &watch);
        evaluated.map(|result| result.get_main_result().to_owned())
    };
    let read = match is_simple(expression) {
        true => Ok(expression.to_owned()),
        false => written::as_read(expression, &mut evaluate).and_then(|read| {
            size::check(&read, &mut evaluate)?;
            Ok(read)
        }),
    };
    let answer = read.and_then(|read| {
        let answer = evaluate(&read).map_err(Refused::Part)?;
        Ok(with_usual_digits(&read, answer, &mut evaluate))
    });
    match answer {
        Ok(answer) if answer.is_empty() => {
            Returned::failed(format!("there is nothing to calculate in it; {HINT}"))
        }
        Ok(answer) => Returned::ok(answer),
        Err(Refused::Part(_)) if watch.stop.is_cancelled() => Returned::stopped(),
        Err(Refused::Part(_)) if watch.is_over() => too_long(limit),
        Err(Refused::Part(error)) => Returned::failed(format!("{error}; {HINT}")),
        Err(Refused::Foreign(what)) => Returned::failed(format!("{what}; {HINT}")),
        Err(Refused::TooBig) => Returned::failed(TOO_BIG),
        Err(Refused::TooNested) => Returned::failed(TOO_NESTED),
    }
}

/// A number that is given as `0x1F` is meant as a number: who wants such digits back asks for
/// them.
fn with_usual_digits(read: &str, answer: String, evaluate: &mut size::Calculate<'_>) -> String {
    let digits = answer.trim_start_matches('-');
    let is_based = ["0x", "0o", "0b"].iter().any(|base| digits.starts_with(base));
    let converts = read.split_whitespace().any(|word| matches!(word, "to" | "as" | "in"));
    if !is_based || converts {
        return answer;
    }
    let last = read.rfind(';').map_or(0, |at| at + 1);
    let (before, last) = read.split_at(last);
    evaluate(&format!("{before}({last}) to decimal")).unwrap_or(answer)
}

const TOO_BIG: &str =
    "the numbers in this get too big to calculate; ask for smaller numbers or an estimate";
const TOO_NESTED: &str = "there are too many parentheses inside each other; calculate it in parts";

const HINT: &str = "write plain arithmetic, such as `(3 + 4) * 2^10` or `5 feet to cm`";

fn too_long(limit: Duration) -> Returned {
    Returned::failed(format!(
        "this takes longer than {} s to calculate; ask for smaller numbers or an estimate",
        limit.as_secs_f32()
    ))
}

struct Watch {
    until: Instant,
    stop: CancellationToken,
}

impl Watch {
    fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}

impl fend_core::Interrupt for Watch {
    fn should_interrupt(&self) -> bool {
        self.is_over() || self.stop.is_cancelled()
    }
}

/// Digits and signs as they are written between Chinese and Japanese characters.
fn plain(expression: &str) -> String {
    let narrow = |char| match char {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(char as u32 - 0xfee0).unwrap_or(char),
        '\u{3000}' => ' ',
        '−' => '-',
        other => other,
    };
    expression.chars().map(narrow).collect()
}

fn fits(expression: &str) -> Result<(), String> {
    let length = expression.chars().count();
    if length > MOST_CHARACTERS {
        return Err(format!(
            "the expression has {length} characters and {MOST_CHARACTERS} is the most; calculate it in parts"
        ));
    }
    if expression.contains([':', '\\', 'λ']) || expression.contains("=>") {
        return Err(format!("functions of your own are not possible here; {HINT}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;
    use domain::{AgentId, CallId, RunId};
    use serde_json::json;
    use uuid::Uuid;

    fn context() -> CallContext {
        CallContext {
            key: CallId(Uuid::nil()),
            agent: AgentId(Uuid::nil()),
            run: RunId(Uuid::nil()),
            place: Place::default(),
            target: None,
            stop: CancellationToken::new(),
            progress: Default::default(),
        }
    }

    async fn calculate(expression: &str, limit: Duration) -> Returned {
        let calculator = Calculator { limit, ..Calculator::new() };
        calculator.call(json!({"expression": expression}), &context()).await
    }

    #[tokio::test]
    async fn it_calculates_what_people_ask() {
        let check = async |expression: &str, expected: &str| {
            assert_eq!(calculate(expression, LIMIT).await, Returned::ok(expected), "{expression}");
        };
        check("1 + 1", "2").await;
        check("0.1 + 0.2", "0.3").await;
        check("2^100", "1267650600228229401496703205376").await;
        check("17% of 250", "42.5").await;
        check("1/3", "approx. 0.3333333333").await;
        check("sqrt(2)", "approx. 1.4142135624").await;
        check("5 feet to cm", "152.4 cm").await;
        check("255 to hex", "ff").await;
        check("0x1F", "31").await;
        check("0x1F + 0x1", "32").await;
        check("-0b101", "-5").await;
        check("x = 0x10; x * 2", "32").await;
        check("0x1F to hex", "1f").await;
        check("x = 3; x * 2", "6").await;
        check("２×（３＋４）－１", "13").await;
        check("5 − 3", "2").await;
    }

    #[tokio::test]
    async fn functions_of_several_numbers_are_given_all_of_them() {
        let check = async |expression: &str, expected: &str| {
            assert_eq!(calculate(expression, LIMIT).await, Returned::ok(expected), "{expression}");
        };
        check("round(3.14159,2)", "3.14").await;
        check("round(3.14159, 2)", "3.14").await;
        check("round(2.675, 2)", "2.68").await;
        check("round(-2.5)", "-3").await;
        check("round(1234, -2)", "1200").await;
        check("round(sqrt(2), 2)", "approx. 1.41").await;
        check("log(8,2)", "3").await;
        check("log(100,10)", "2").await;
        check("log(1/8, 2)", "-3").await;
        check("log(10, 3)", "approx. 2.0959032743").await;
        check("mean(1,2)", "1.5").await;
        check("avg(2, 4, 9)", "5").await;
        check("median(9, 1, 5)", "5").await;
        check("median(1, 2, 3, 10)", "2.5").await;
        check("sum(1, 2, 3) * 2", "12").await;
        check("max(1, 7, 3) - min(4, 2, 8)", "5").await;
        check("MAX(1,2)", "2").await;
        check("min(5)", "5").await;
        check("max(1 km, 900 m)", "1 km").await;
        check("2max(1, 3)", "6").await;
        check("x = 3; max(x, 2) + 1", "4").await;
        check("max(min(9, 8), round(2.25, 1))", "8").await;
        check("gcd(12,18)", "6").await;
        check("lcm(4, 6, 10)", "60").await;
        check("C(10,3)", "120").await;
        check("perm(5, 2)", "20").await;
        check("pow(2, 10)", "1024").await;
        check("hypot(3, 4)", "5").await;
    }

    #[tokio::test]
    async fn whole_division_and_its_remainder_are_what_programs_make_of_them() {
        let check = async |expression: &str, expected: &str| {
            assert_eq!(calculate(expression, LIMIT).await, Returned::ok(expected), "{expression}");
        };
        check("5//2", "2").await;
        check("7 // 2", "3").await;
        check("17//5*2", "6").await;
        check("-7 // 2", "-4").await;
        check("10 - 7//2", "7").await;
        check("0.3 // 0.1", "3").await;
        check("17 % 5", "2").await;
        check("3*7 % 5", "1").await;
        check("17 mod 5 + 1", "3").await;
    }

    #[tokio::test]
    async fn a_percentage_is_of_the_number_before_it() {
        let check = async |expression: &str, expected: &str| {
            assert_eq!(calculate(expression, LIMIT).await, Returned::ok(expected), "{expression}");
        };
        check("(1200 - 15%) / 12", "85").await;
        check("1200 - 15%", "1020").await;
        check("100 + 19%", "119").await;
        check("1200 - 15 percent", "1020").await;
        check("1200 - 15% + 3", "1023").await;
        check("2 * 100 + 10%", "220").await;
        check("200*15%", "30").await;
        check("15% * 80", "12").await;
        check("7.5% of (100 + 20)", "9").await;
        check("1200 - 15% of 200", "1170").await;
        check("100 * (1 + 5%)^2", "110.25").await;
        check("1000 * (1 + 6%/12)", "1005").await;
        check("5% + 3%", "0.08").await;
        check("50%", "0.5").await;
        check("0.25 to %", "25%").await;
        check("100 kg - 10%", "90 kg").await;
        check("x = 200; x + 10%", "220").await;
    }

    #[tokio::test]
    async fn what_can_be_meant_in_two_ways_is_refused_with_its_place() {
        let check = async |expression: &str, place: &str| {
            let refused = calculate(expression, LIMIT).await;
            assert!(!refused.ok && refused.text.contains(place), "{expression}: {refused:?}");
        };
        check("12,5*2", "`12,5` has a comma").await;
        check("99,9*2", "`99,9` has a comma").await;
        check("0,5*10", "write a point before decimals").await;
        check("1,234 * 2", "nothing between thousands").await;
        check("2 + 1,23,456", "`1,23,456`").await;
        check("１，５ ＋ １", "`1,5`").await;
        check("(1,2)", "`1,2` has a comma").await;
        check("1 234 + 1", "`1 234` may be one number or two").await;
        check("1'000 * 2", "`1'000` may be one number or two").await;
        check("max(1,000, 2)", "`1,000` may be one number or two").await;
        check("floor(7,5)", "`floor` is no function of 2 numbers here").await;
        check("round(1, 2, 3)", "`round` is no function of 3 numbers here").await;
        check("round(2.5, 0.5)", "`0.5` is none").await;
        check("round(12345678901234567.891, 2)", "cannot be rounded exactly").await;
        check("max(1, )", "`max` lacks a number").await;
        check("gcd(1.5, 3)", "`gcd` takes whole numbers").await;
        check("max(1; 2)", "`;` within parentheses").await;
        check("7 //", "a `//` that lacks a number").await;
        check("1 // 0", "division by zero").await;
        check("100 + 50 - 10%", "what 10% is taken of").await;
        check("15% + 100", "write `15% of` before it").await;
        check("50% 80", "`50% 80` may be a percentage or a remainder").await;
        check("50%(80)", "may be a percentage or a remainder").await;
        check("% 5", "a `%` with no number before it").await;
        check("100 kg to lb + 10%", "stands behind `to`").await;
    }

    #[tokio::test]
    async fn it_says_what_is_wrong_so_that_the_next_try_is_better() {
        let check = async |expression: &str, expected: &str| {
            let expected = Returned::failed(format!("{expected}; {HINT}"));
            assert_eq!(calculate(expression, LIMIT).await, expected, "{expression}");
        };
        check("1/0", "division by zero").await;
        check("2 +", "unexpected input found").await;
        check("apples * 2", "unknown identifier 'apples'").await;
        check(
            "1 kg + 1 m",
            "cannot convert from m to kg: units 'meter' and 'kilogram' are incompatible",
        )
        .await;
        check("3 USD to EUR", "exchange rates are not available").await;
        check(" ", "there is nothing to calculate in it").await;
        check("一加一", "unknown identifier '一加一'").await;
    }

    #[tokio::test]
    async fn what_would_run_for_ever_is_given_up() {
        let expected = Returned::failed(
            "this takes longer than 0.05 s to calculate; ask for smaller numbers or an estimate",
        );
        let given_up = calculate("100000d6", Duration::from_millis(50)).await;
        assert_eq!(given_up, expected);
    }

    /// Without a limit of time: each of them has a step that nothing can end.
    #[tokio::test]
    async fn nothing_is_begun_of_which_one_step_could_be_long() {
        let check = async |expression: &str| {
            let refused = calculate(expression, Duration::from_secs(3600)).await;
            assert_eq!(refused, Returned::failed(TOO_BIG), "{expression}");
        };
        for runaway in [
            "9^9^9^9",
            "9^9^9",
            "9**9**9",
            "(10^1000)!",
            "1e9999999",
            "1e-9999999",
            "1 << 99999999999",
            "1<<99999999999",
            "1 ＜＜ 99999999999",
            "1 << 10^11",
            "1 << (3 + 10^11)",
            "1 << 3 * 99999999999",
            "1 << 1 << 99999999999",
            "x = 99999999999; 1 << x",
            "x = 10; y = x^11; 1 << y to hex",
            "(1 << 99999999999) & 1",
            "1 | 1 << 99999999999",
            "1 << 0xfffffffff",
            "1 << 5!!!",
            "1 << 99999 << 99999 << 99999",
            "log2(2^2000000)",
            "sqrt(2^2000000 / 3^100000)",
            "(2/3)^1000000 > 0",
            "100000!",
            "5!!!",
            "x = 1000000; x!",
            "1000000 nCr 2",
            "2 choose 10^7",
            "x = 5 permute 99999999",
            "fibonacci(99999999999)",
            "fibonacci 999999999",
            "2^sqrt(2)",
            "2^pi",
            "7^0.123456789",
            "2⁹⁹⁹⁹⁹⁹⁹⁹⁹",
            "2^3⁹⁹⁹⁹",
            "1d4000000000",
            "(2 km)^9999999 to m^9999999",
            "1 km^999999",
            &format!("x = 7; {}x", "x=x*x; ".repeat(60)),
            &format!("2{}", "^2".repeat(100)),
        ] {
            check(runaway).await;
        }
        let nested =
            |open: &str, depth: usize| format!("{}1{}", open.repeat(depth), ")".repeat(depth));
        for open in ["1(", "1+(", "-1(", "1 1/(", "2x(", "1+1+1+1(", "x=1+("] {
            let refused = calculate(&nested(open, 40), Duration::from_secs(3600)).await;
            assert_eq!(refused, Returned::failed(TOO_NESTED), "{open}");
        }
        for foreign in ["@2020-01-01 + 9999999999999 days", "\"2^9\" to date", "1 # 2"] {
            let refused = calculate(foreign, Duration::from_secs(3600)).await;
            assert!(refused.text.contains("not possible here"), "{refused:?}");
        }
    }

    #[tokio::test]
    async fn big_numbers_that_people_ask_for_are_still_calculated() {
        let check = async |expression: &str, expected: &str| {
            let calculated = calculate(expression, Duration::from_secs(60)).await;
            assert_eq!(calculated, Returned::ok(expected), "{expression}");
        };
        check("1 << 10", "1024").await;
        check("x = 3; 1 << x + 2", "32").await;
        check("1.01^12", "1.126825030131969720661201").await;
        check("1.0512^(30/365)", "approx. 1.0041124634").await;
        check("e^-1.5", "approx. 0.2231301601").await;
        check("10^3m", "1000 m").await;
        check("sqrt(2)^4", "4").await;
        check("exp(2) * sin(1)", "approx. 6.2176763124").await;
        check("x = 2 kg; x^2 * 3", "12 kg^2").await;
        check("5 nCr 2", "10").await;
        check("log10(10^1000)", "approx. 1000").await;
        check("fibonacci(90)", "2880067194370816120").await;
        check("((1+2)*3+(4*(5+(6-(7+8)))))", "-7").await;
        check("2³ + 0xff", "263").await;
        check("5' 11\" to cm", "180.34 cm").await;
        for (big, digits) in [("2^20000", 6021), ("5000!", 16326), ("7^9999 mod 10^30", 30)] {
            let returned = calculate(big, Duration::from_secs(60)).await;
            assert_eq!((returned.ok, returned.text.len()), (true, digits), "{big}");
        }
    }

    #[tokio::test]
    async fn a_runaway_ends_when_it_is_stopped() {
        let calculator = Calculator { limit: Duration::from_secs(3600), ..Calculator::new() };
        let context = context();
        let calling = calculator.call(json!({"expression": "100000d6"}), &context);
        let (returned, ()) = tokio::join!(calling, async { context.stop.cancel() });
        assert_eq!(returned, Returned::stopped());
    }

    #[tokio::test]
    async fn nothing_that_calls_itself_can_be_written() {
        let expected =
            Returned::failed(format!("functions of your own are not possible here; {HINT}"));
        for expression in
            ["f = x: f(x); f(1)", r"(\x.x x)(\x.x x)", "λx.x", "x => x", "f = x：f(x)"]
        {
            assert_eq!(calculate(expression, LIMIT).await, expected, "{expression}");
        }
    }

    #[test]
    fn what_is_worth_no_thread_needs_little_of_its_own() {
        let sums = [
            "6 * 7".to_owned(),
            format!("{}1", "1+".repeat(19)),
            format!("(1{})", "*9".repeat(18)),
            format!("-(3{})", "/7".repeat(17)),
        ];
        let quarter_of_a_workers_stack = 512 << 10;
        let work = move || {
            for sum in sums {
                assert!(is_simple(&sum), "{sum}");
                let returned = super::calculate(&sum, LIMIT, CancellationToken::new());
                assert!(returned.ok, "{sum}: {returned:?}");
            }
        };
        let thread = std::thread::Builder::new().stack_size(quarter_of_a_workers_stack);
        thread.spawn(work).unwrap().join().unwrap();
        for other in ["9^9^9", "50!", "--1", "sqrt(2)", "((1))", "1 kg", "1e9999999", "1 2"] {
            assert!(!is_simple(other), "{other}");
        }
    }

    #[tokio::test]
    async fn the_deepest_nesting_does_not_break_the_process() {
        let nested = |open: &str, inner: &str, close: &str| {
            let depth = (MOST_CHARACTERS - inner.len()) / (open.len() + close.len());
            format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
        };
        let check = async |expression: String, expected: &str| {
            assert_eq!(calculate(&expression, LIMIT).await.text, expected, "{expression}");
        };
        check(nested("(", "1", ")"), "1").await;
        check(nested("1^", "1", ""), "1").await;
        check(nested("1+", "1", ""), "500").await;
        check(nested("--", "1", ""), "1").await;
        check(nested("-(", "1", ")"), "-1").await;
        check(nested("", "0", "!!"), "1").await;
        check(nested("abs(", "1", ")"), "1").await;
        let too_many = "1".repeat(MOST_CHARACTERS + 1);
        let refusal =
            "the expression has 1001 characters and 1000 is the most; calculate it in parts";
        check(too_many, refusal).await;
    }
}
