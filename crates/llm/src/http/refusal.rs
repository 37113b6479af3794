//! How servers say no, and what it means for whoever asked.

mod window;

use super::endpoint::{Key, Manner};
use super::said::Said;
use crate::{ModelFault, Trouble};
use domain::{FaultKind, ModelTrouble};
use std::time::Duration;

/// Whom was asked for what: words for the message.
#[derive(Clone)]
pub struct Asked {
    pub server: String,
    pub model: String,
    /// Servers like to repeat the key that they refuse; here it is taken out.
    pub key: Option<Key>,
    pub(crate) manner: Manner,
}

impl Asked {
    /// Of a server that speaks OpenAI's chat completions.
    pub fn new(server: impl Into<String>, model: impl Into<String>) -> Self {
        let (server, model) = (server.into(), model.into());
        Asked { server, model, key: None, manner: Manner::default() }
    }

    pub(crate) fn fix_address(&self) -> String {
        let Asked { server, manner, .. } = self;
        let ends = manner.address_ends;
        format!(
            "correct its address, which usually ends in {ends}, in Settings or with \
             coterie provider add {server} --url URL"
        )
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// Something on the way said no, not the server.
    OnTheWay,
    /// It will not answer this question.
    Withheld,
    /// The model wrote a call that the server cannot read.
    BadCall,
    Key,
    NoCredit,
    /// Nobody is served who asks from this country.
    NotHere,
    Busy,
    TooLong,
    NoSight,
    NoTools,
    UnknownModel,
    WrongAddress,
    ServerError,
    Refused,
}

/// Applies where the status is one of these (or none are given) and a phrase
/// occurs (or none are given). The first row wins.
struct Row {
    statuses: &'static [u16],
    phrases: &'static [&'static str],
    meaning: Meaning,
}

const ROWS: &[Row] = &[
    Row { statuses: &[401], phrases: &[], meaning: Meaning::Key },
    Row {
        statuses: &[],
        phrases: &[
            "invalid_api_key",
            "incorrect api key",
            "api key not valid",
            "api key expired",
            "api key not found",
            "authentication_error",
            "api_key_invalid",
        ],
        meaning: Meaning::Key,
    },
    Row { statuses: &[402], phrases: &[], meaning: Meaning::NoCredit },
    Row {
        statuses: &[],
        phrases: &[
            "insufficient_quota",
            "exceeded your current quota",
            "exceeded_current_quota",
            "credit balance",
            "insufficient credit",
            "insufficient balance",
            "balance is insufficient",
            "have any credits",
            "billing_error",
            "in good standing",
            "余额不足",
            "欠费",
        ],
        meaning: Meaning::NoCredit,
    },
    // Waiting makes it no shorter.
    Row { statuses: &[], phrases: &["tokens must be reduced"], meaning: Meaning::TooLong },
    Row { statuses: &[429, 529], phrases: &[], meaning: Meaning::Busy },
    Row {
        statuses: &[],
        phrases: &[
            "rate limit",
            "rate_limit",
            "too many requests",
            "tokens per min",
            "resource_exhausted",
            "overloaded",
            "loading model",
        ],
        meaning: Meaning::Busy,
    },
    Row { statuses: &[413], phrases: &[], meaning: Meaning::TooLong },
    Row {
        statuses: &[],
        phrases: &[
            "context_length_exceeded",
            "exceed_context_size",
            "exceeds the available context size",
            "context size has been exceeded",
            "maximum context length",
            "model's context length",
            "context window",
            "context the overflows",
            "context length of only",
            "prompt is too long",
            "`inputs` must have less than",
            "input is too long",
            "input token count",
            "too many tokens",
            "maximum prompt length",
            "reduce the length of",
            "exceed context limit",
            "exceeds the context",
            "exceeded max context length",
            "exceeds maximum context length",
            "exceeds the maximum number of tokens",
            "exceeded model token limit",
            "max_new_tokens` must be",
            "is too large to process",
            "greater than the context length",
            "range of input length should be",
            "must be less than max_seq_len",
            "exceeds the maximum length",
            "prompt 超长",
        ],
        meaning: Meaning::TooLong,
    },
    Row {
        statuses: &[],
        phrases: &[
            "image input is not supported",
            "support image input",
            "support image inputs",
            "support images",
            "support vision",
            "not support image",
            "image_url is only supported by certain models",
            "unknown variant `image_url`",
            "missing data required for image input",
            "not a multimodal model",
            "image input modality is not enabled",
            "at most 0 image",
        ],
        meaning: Meaning::NoSight,
    },
    Row {
        statuses: &[],
        phrases: &[
            "not support tool",
            "not support function",
            "support tool use",
            "support tool calling",
            "tool use is not supported",
            "tool calling is not supported",
            "`tool calling` is not supported",
            "tool call is not supported",
            "tools are not supported",
            "tools is not supported",
            "tools parameter is not supported",
            "support parameters: ['tools'",
            "function calling is not",
            "function call is not supported",
            "enable-auto-tool-choice",
            "tools param requires",
            "unsupported parameter: 'tools'",
            "不支持工具",
            "不支持函数",
        ],
        meaning: Meaning::NoTools,
    },
    // The form of the answer, not the model that these name beside it.
    Row {
        statuses: &[400, 404, 422],
        phrases: &["response_format", "response format", "json_schema", "json schema"],
        meaning: Meaning::Refused,
    },
    Row {
        statuses: &[],
        phrases: &[
            "model_not_found",
            "model not found",
            "not found, try pulling",
            "no such model",
            "is not found for api version",
            "unknown model",
            "invalid_model",
            "invalid model",
            "not a valid model",
            "no models loaded",
            "does not exist or your team",
            "not found the model",
            "not have access to model",
            "no endpoints found",
            "supported in v1/responses",
            "not a chat model",
        ],
        meaning: Meaning::UnknownModel,
    },
    Row {
        statuses: &[],
        phrases: &["requires moderation", "input was flagged", "content_policy", "content_filter"],
        meaning: Meaning::Withheld,
    },
    Row { statuses: &[], phrases: &["tool_use_failed"], meaning: Meaning::BadCall },
    // Another key would be refused there too.
    Row {
        statuses: &[],
        phrases: &[
            "country, region, or territory not supported",
            "unsupported_country_region_territory",
            "location is not supported",
        ],
        meaning: Meaning::NotHere,
    },
    Row { statuses: &[403], phrases: &[], meaning: Meaning::Key },
    Row {
        statuses: &[400, 404],
        phrases: &["model `", "model '", "model \"", "model: "],
        meaning: Meaning::UnknownModel,
    },
    Row {
        statuses: &[300, 301, 302, 303, 307, 308, 404, 405],
        phrases: &[],
        meaning: Meaning::WrongAddress,
    },
    Row {
        statuses: &[],
        phrases: &["unexpected endpoint or method"],
        meaning: Meaning::WrongAddress,
    },
    Row { statuses: &[408, 425], phrases: &[], meaning: Meaning::ServerError },
    Row {
        statuses: &[],
        phrases: &["server_error", "api_error", "internal error"],
        meaning: Meaning::ServerError,
    },
    // Also in an answer that had begun: asked again, it comes to the same.
    Row {
        statuses: &[],
        phrases: &["invalid_request_error", "invalid_argument"],
        meaning: Meaning::Refused,
    },
];

/// The fault for an answer whose status says no.
pub(super) fn in_status(
    asked: &Asked,
    status: u16,
    pause: Option<Duration>,
    body: &[u8],
) -> ModelFault {
    let said = Said { status: Some(status), pause, ..Said::of(body) };
    fault(asked, &said, Meaning::Refused)
}

/// The fault for an error inside an answer that had begun well. Without more
/// to go by it is the server's, since it had accepted the question.
pub(crate) fn in_answer(asked: &Asked, said: &Said) -> ModelFault {
    fault(asked, said, Meaning::ServerError)
}

fn fault(asked: &Asked, said: &Said, otherwise: Meaning) -> ModelFault {
    let Asked { server, model, .. } = asked;
    let why = said.why(asked);
    let fixed =
        |trouble, message: String, fix: String| ModelFault::new(trouble, message + &why, fix);
    let new = |trouble, message, fix: &str| fixed(trouble, message, fix.to_owned());
    match meaning(said, otherwise) {
        Meaning::OnTheWay => known(fixed(
            Trouble::Refused,
            format!("something on the way to {server} refused the question with a web page"),
            format!(
                "check whether a firewall or a proxy lets it through, and the address of \
                 {server} in Settings or with coterie provider list"
            ),
        )),
        Meaning::Withheld => ModelFault::withheld(format!("{server} will not answer this{why}")),
        Meaning::BadCall => new(
            Trouble::BrokenAnswer,
            format!("{model} wrote a call that {server} cannot read"),
            "try again, or choose another model",
        ),
        Meaning::Key if asked.key.is_some() => new(
            Trouble::Key,
            format!("{server} refused the key"),
            "correct the key in the variable that coterie provider list shows, \
             and start Coterie again",
        ),
        Meaning::Key => fixed(
            Trouble::Key,
            format!("{server} wants a key"),
            format!(
                "name the variable that holds its key, in Settings or with \
                 coterie provider add {server} --url URL --key-env VARIABLE"
            ),
        ),
        Meaning::NoCredit => known(new(
            Trouble::Refused,
            format!("{server} has no credit left for this key"),
            "add credit with the provider, or choose another model",
        )),
        Meaning::NotHere => known(new(
            Trouble::Refused,
            format!("{server} serves nobody in the country that this is asked from"),
            "choose a model of another provider",
        )),
        Meaning::Busy => new(
            Trouble::Busy { retry_after: said.pause },
            format!("{server} is busy"),
            "wait a little, then try again",
        ),
        Meaning::TooLong => ModelFault {
            window: window::told(&said.text),
            ..fixed(
                Trouble::TooLong,
                format!("the conversation is too long for {model}"),
                format!(
                    "say how much it reads, in Settings or with \
                     coterie model window {server}/{model} TOKENS, or choose another model"
                ),
            )
        },
        Meaning::NoSight => lacking(
            ModelTrouble::NoSight,
            new(
                Trouble::Refused,
                format!("{model} does not see pictures"),
                "leave the picture out, or choose a model that sees",
            ),
        ),
        Meaning::NoTools => lacking(
            ModelTrouble::NoTools,
            new(
                Trouble::Refused,
                format!("{model} uses no tools"),
                "take the tools out of the soul, or choose a model that uses tools",
            ),
        ),
        Meaning::UnknownModel => fixed(
            Trouble::UnknownModel,
            format!("{server} does not have the model {model}"),
            format!(
                "choose one of its models in Settings, or with \
                 coterie model use default {server}/MODEL"
            ),
        ),
        Meaning::WrongAddress => known(fixed(
            Trouble::Refused,
            format!("{server} does not take questions at this address"),
            asked.fix_address(),
        )),
        Meaning::ServerError => new(
            Trouble::ServerError,
            format!("{server} failed"),
            "try again; if it happens often, look at the server's log",
        ),
        Meaning::Refused => new(
            Trouble::Refused,
            format!("{server} did not accept the question"),
            "check the model and its options, or choose another model",
        ),
    }
}

/// Refused for a reason that has nothing to do with what was asked. Without a
/// kind it may be for anything in the question.
fn known(fault: ModelFault) -> ModelFault {
    lacking(ModelTrouble::Refused, fault)
}

fn lacking(trouble: ModelTrouble, fault: ModelFault) -> ModelFault {
    ModelFault { kind: Some(Box::new(FaultKind::Model { trouble })), ..fault }
}

fn meaning(said: &Said, otherwise: Meaning) -> Meaning {
    let words = format!("{} {}", said.codes, said.text).to_lowercase();
    let applies = |row: &&Row| {
        (row.statuses.is_empty()
            || said.status.is_some_and(|status| row.statuses.contains(&status)))
            && (row.phrases.is_empty() || row.phrases.iter().any(|phrase| words.contains(phrase)))
    };
    if said.is_page && said.status == Some(403) {
        return Meaning::OnTheWay;
    }
    let found = ROWS.iter().find(applies).map(|row| row.meaning);
    let meaning = found.unwrap_or(match said.status {
        Some(500..) => Meaning::ServerError,
        Some(400..500) => Meaning::Refused,
        _ => otherwise,
    });
    match (meaning, said.status) {
        // Who names a pause will take questions again.
        (Meaning::NoCredit, Some(429)) | (Meaning::ServerError, _) if said.pause.is_some() => {
            Meaning::Busy
        }
        _ => meaning,
    }
}

#[cfg(test)]
mod tests;
