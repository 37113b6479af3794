//! What looks like a key, whoever it belongs to.

use super::chosen::{self, Named};
use super::{Find, random};
use aho_corasick::{AhoCorasick, PatternID};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use std::ops::Range;
use std::sync::OnceLock;

struct Shape {
    begins: &'static str,
    /// Whether what it begins with stays, because it only says what follows.
    announces: bool,
    least: usize,
    /// Beside letters and digits.
    also: &'static str,
    body: Body,
}

/// What tells a key from the ordinary words that stand in the same place.
enum Body {
    /// Letters and digits in no order.
    Random,
    /// Three parts of base64, as a signed token has.
    Signed,
    /// A name and a password in base64, behind the name of the header.
    NameAndPassword,
    /// Nothing ordinary begins so and is so long.
    Any,
    /// Told by what it is called.
    Chosen(Named),
}

const fn key(begins: &'static str, least: usize) -> Shape {
    Shape { begins, announces: false, least, also: "-_", body: Body::Random }
}

/// Letters and digits without a break.
const fn unbroken(begins: &'static str, least: usize) -> Shape {
    Shape { begins, announces: false, least, also: "", body: Body::Any }
}

const fn header(begins: &'static str) -> Shape {
    Shape { begins, announces: true, least: 16, also: "-_.~+/=", body: Body::Random }
}

/// A field of JSON, an environment file, an address.
const fn field(begins: &'static str) -> Shape {
    Shape { begins, announces: true, least: 12, also: "-_~+/=", body: Body::Random }
}

/// The part of an address that lets in whoever knows it.
const fn way(begins: &'static str, least: usize) -> Shape {
    Shape { begins, announces: true, least, also: WAY, body: Body::Random }
}

const WAY: &str = "-_/";

const fn named(begins: &'static str, named: Named) -> Shape {
    Shape { begins, announces: true, least: chosen::LEAST, also: "", body: Body::Chosen(named) }
}

const SHAPES: &[Shape] = &[
    key("sk-", 20),         // OpenAI, Anthropic, DeepSeek, OpenRouter and more
    key("sk_live_", 16),    // Stripe
    key("rk_live_", 16),    // Stripe
    key("sk_test_", 16),    // Stripe
    key("rk_test_", 16),    // Stripe
    key("whsec_", 20),      // Stripe
    key("dop_v1_", 40),     // DigitalOcean
    key("shpat_", 30),      // Shopify
    key("ntn_", 30),        // Notion
    key("lin_api_", 30),    // Linear
    key("pcsk_", 30),       // Pinecone
    key("pypi-", 40),       // PyPI
    key("GOCSPX-", 20),     // Google, OAuth
    key("AIza", 30),        // Google
    key("ya29.", 20),       // Google, OAuth
    key("ghp_", 30),        // GitHub
    key("gho_", 30),        // GitHub
    key("ghu_", 30),        // GitHub
    key("ghs_", 30),        // GitHub
    key("ghr_", 30),        // GitHub
    key("github_pat_", 30), // GitHub
    key("glpat-", 18),      // GitLab
    key("xai-", 20),        // xAI
    key("gsk_", 20),        // Groq
    key("hf_", 20),         // Hugging Face
    key("pplx-", 20),       // Perplexity
    key("csk-", 20),        // Cerebras
    key("nvapi-", 20),      // NVIDIA
    key("tgp_v1_", 20),     // Together
    key("fw_", 22),         // Fireworks
    key("r8_", 30),         // Replicate
    key("tvly-", 16),       // Tavily
    key("xoxb-", 20),       // Slack
    key("xoxp-", 20),       // Slack
    key("xapp-", 20),       // Slack
    key("xoxa-", 20),       // Slack
    key("xoxr-", 20),       // Slack
    key("xoxs-", 20),       // Slack
    key("npm_", 30),        // npm
    unbroken("AKIA", 16),   // AWS
    unbroken("ASIA", 16),   // AWS
    // SendGrid
    Shape { begins: "SG.", announces: false, least: 60, also: "-_.", body: Body::Any },
    Shape { begins: "eyJ", announces: false, least: 40, also: "-_.", body: Body::Signed },
    header("bearer "),
    header("bearer%20"),
    Shape {
        begins: "basic ",
        announces: true,
        least: 8,
        also: "-_+/=",
        body: Body::NameAndPassword,
    },
    field("api_key"),
    field("api-key"),
    field("apikey"),
    field("access_token"),
    field("refresh_token"),
    field("client_secret"),
    field("?key"),
    field("&key"),
    way(":AA", 33),            // Telegram
    way("/api/webhooks/", 40), // Discord
    way("hooks.slack.com/services/", 30),
    named("password", Named::Password),
    named("passwd", Named::Password),
    named("passphrase", Named::Password),
    named("_pass", Named::Password),
    named("pwd", Named::Password),
    named("secret", Named::Key),
    named("token", Named::Key),
    named("api_key", Named::Key),
    named("api-key", Named::Key),
    named("apikey", Named::Key),
    named("access_key", Named::Key),
    named("access-key", Named::Key),
    named("accesskey", Named::Key),
    named("private_key", Named::Key),
    named("private-key", Named::Key),
    named("privatekey", Named::Key),
    named("secret_key", Named::Key),
    named("secret-key", Named::Key),
    named("secretkey", Named::Key),
    named("secret_key_base", Named::Key), // Rails
    named("accountkey", Named::Key),      // Azure
    named("encryption_key", Named::Key),
    named("signing_key", Named::Key),
];

const PRIVATE_KEY: &str = "-----BEGIN ";
const PRIVATE_KEY_ENDS: &[u8] = b"-----END ";
const ADDRESS: &str = "://";

/// What a beginning begins.
enum Begun {
    Shape(&'static Shape),
    PrivateKey,
    Address,
}

/// They stand in the automaton in this order.
fn begun(pattern: PatternID) -> Begun {
    match (SHAPES.get(pattern.as_usize()), pattern.as_usize() == SHAPES.len()) {
        (Some(shape), _) => Begun::Shape(shape),
        (None, true) => Begun::PrivateKey,
        (None, false) => Begun::Address,
    }
}

pub(super) fn find(text: &[u8]) -> Vec<Find> {
    let hits = automaton().find_overlapping_iter(text);
    hits.filter_map(|hit| match begun(hit.pattern()) {
        Begun::Shape(shape) => shape.find(text, hit.range()),
        Begun::PrivateKey => private_key(text, hit.start()),
        Begun::Address => chosen::in_address(text, hit.end()),
    })
    .collect()
}

/// Where the end of the text begins that may grow into a key: a beginning behind
/// `from` that is cut short, or one whose key is still too short to tell.
pub(super) fn beginning(text: &[u8], from: usize) -> Option<usize> {
    let longest = SHAPES.iter().map(|shape| shape.begins.len()).max().unwrap_or_default();
    let begins_with = |begins: &str, end: &[u8]| {
        begins.len() > end.len() && begins.as_bytes()[..end.len()].eq_ignore_ascii_case(end)
    };
    let cut_short = |at: &usize| {
        let end = &text[*at..];
        let any = SHAPES.iter().filter(|shape| shape.waits_for_its_name()).any(|shape| {
            begins_with(shape.begins, end) && (shape.announces || is_boundary(text, *at))
        });
        any || begins_with(PRIVATE_KEY, end)
    };
    let cut = (text.len().saturating_sub(longest).max(from)..text.len()).find(cut_short);
    let grows = automaton().find_overlapping_iter(text).filter(|hit| {
        match begun(hit.pattern()) {
            Begun::Shape(shape) => shape.may_grow(text, hit.range()),
            Begun::PrivateKey => match private_key(text, hit.start()) {
                Some(find) => find.is_open,
                // What it is stands in its first line.
                None => !text[hit.end()..].contains(&b'\n'),
            },
            Begun::Address => chosen::may_grow_in_address(text, hit.end()),
        }
    });
    grows.map(|hit| hit.start()).chain(cut).min()
}

impl Shape {
    fn find(&self, text: &[u8], begins: Range<usize>) -> Option<Find> {
        if !self.fits(text, &begins) {
            return None;
        }
        let start = self.key_at(text, begins.end)?;
        let (name, between) = (&text[begins.clone()], &text[begins.end..start]);
        let length = self.length(&text[start..]);
        let is_open = start + length == text.len();
        // A sentence may end behind it.
        let dots = text[start..start + length].iter().rev().take_while(|byte| **byte == b'.');
        let length = length - dots.count();
        let body = &text[start..start + length];
        let is_key = length >= self.least && self.body.fits(name, between, body);
        is_key.then(|| Find {
            range: (if self.announces { start } else { begins.start })..start + length,
            name: None,
            is_open,
        })
    }

    fn may_grow(&self, text: &[u8], begins: Range<usize>) -> bool {
        let reaches_end = |start: usize| start + self.length(&text[start..]) == text.len();
        self.fits(text, &begins)
            && match self.key_at(text, begins.end) {
                Some(start) => reaches_end(start),
                None => text[begins.end..].iter().all(|byte| SEPARATORS.contains(byte)),
            }
    }

    /// Keys are as they are written and begin a word. What announces one may be
    /// the end of another word, as in `OPENAI_API_KEY=`.
    fn fits(&self, text: &[u8], begins: &Range<usize>) -> bool {
        match (self.announces, &self.body) {
            (true, Body::NameAndPassword) => is_authorization(&text[..begins.start]),
            (true, Body::Random | Body::Signed | Body::Any | Body::Chosen(_)) => true,
            (false, _) => {
                text[begins.clone()] == *self.begins.as_bytes() && is_boundary(text, begins.start)
            }
        }
    }

    fn is_field(&self) -> bool {
        self.announces && self.also != WAY && !self.begins.ends_with([' ', '0'])
    }

    /// Words that are as common as these are shown as they come: the value behind them is
    /// taken out alone, and what they are is looked back at.
    fn waits_for_its_name(&self) -> bool {
        !matches!(self.body, Body::Chosen(_)) && self.also != WAY
    }

    /// Where the key itself would begin.
    fn key_at(&self, text: &[u8], after: usize) -> Option<usize> {
        if !self.is_field() {
            return Some(after);
        }
        let separators = text[after..].iter().take_while(|byte| SEPARATORS.contains(byte)).count();
        let between = &text[after..after + separators];
        let separates = between.contains(&b':') || between.contains(&b'=');
        (separates && separators <= 8).then_some(after + separators)
    }

    fn length(&self, text: &[u8]) -> usize {
        if let Body::Chosen(_) = self.body {
            return chosen::length(text);
        }
        let also = self.also.as_bytes();
        text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || also.contains(byte)).count()
    }
}

impl Body {
    fn fits(&self, name: &[u8], between: &[u8], body: &[u8]) -> bool {
        match self {
            Body::Chosen(named) => chosen::is_secret(*named, name, between, body),
            Body::Random => random::is_key(body),
            Body::Signed => {
                let dots = body.iter().filter(|byte| **byte == b'.').count();
                dots >= 2 && body.iter().any(u8::is_ascii_digit)
            }
            Body::NameAndPassword => is_name_and_password(body),
            Body::Any => true,
        }
    }
}

/// Whether the header whose value follows is the one for names and passwords.
fn is_authorization(before: &[u8]) -> bool {
    const NAME: &[u8] = b"authorization";
    let separators = before.iter().rev().take_while(|byte| SEPARATORS.contains(byte)).count();
    let name = &before[..before.len() - separators];
    (1..=8).contains(&separators)
        && name.len() >= NAME.len()
        && name[name.len() - NAME.len()..].eq_ignore_ascii_case(NAME)
}

/// Cut off it may be, as in a log.
fn is_name_and_password(body: &[u8]) -> bool {
    let letters = body.iter().take_while(|byte| **byte != b'=').count();
    let whole = &body[..letters - letters % 4];
    let decoded = STANDARD_NO_PAD.decode(whole).or_else(|_| URL_SAFE_NO_PAD.decode(whole));
    decoded.is_ok_and(|plain| plain.contains(&b':'))
}

/// What may stand between the name of a field and its value, also in JSON in JSON.
const SEPARATORS: &[u8] = b"\"'\\:= ";

/// Whether a word may begin here: not in the middle of another one, except after
/// `\n` in JSON or `%3D` in an address.
fn is_boundary(text: &[u8], at: usize) -> bool {
    match text[..at] {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', one, two] if one.is_ascii_hexdigit() && two.is_ascii_hexdigit() => true,
        [.., last] => !last.is_ascii_alphanumeric(),
        [] => true,
    }
}

/// To its last line, or to the end of the text where that is missing.
fn private_key(text: &[u8], start: usize) -> Option<Find> {
    let first_line = &text[start + PRIVATE_KEY.len()..];
    let dashes = find_in(first_line, b"-----")?;
    if !first_line[..dashes].ends_with(b"PRIVATE KEY") {
        return None;
    }
    let body = start + PRIVATE_KEY.len() + dashes + 5;
    let end = find_in(&text[body..], PRIVATE_KEY_ENDS).and_then(|at| {
        let last = body + at + PRIVATE_KEY_ENDS.len();
        Some(last + find_in(&text[last..], b"-----")? + 5)
    });
    let range = start..end.unwrap_or(text.len());
    Some(Find { range, name: None, is_open: end.is_none() })
}

fn find_in(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

/// The beginnings of all shapes, then the private key's and that of an address.
fn automaton() -> &'static AhoCorasick {
    static AUTOMATON: OnceLock<AhoCorasick> = OnceLock::new();
    AUTOMATON.get_or_init(|| {
        let begins = SHAPES.iter().map(|shape| shape.begins).chain([PRIVATE_KEY, ADDRESS]);
        AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(begins)
            .expect("a few short words fit")
    })
}
