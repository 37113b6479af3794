//! How servers say no, and what it means for whoever asked.

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
    Key,
    NoCredit,
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
    Row { statuses: &[401, 403], phrases: &[], meaning: Meaning::Key },
    Row {
        statuses: &[],
        phrases: &[
            "invalid_api_key",
            "incorrect api key",
            "api key not valid",
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
            "credit balance",
            "insufficient credit",
            "billing_error",
        ],
        meaning: Meaning::NoCredit,
    },
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
            "tools are not supported",
            "function calling is not",
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
        ],
        meaning: Meaning::UnknownModel,
    },
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
        Meaning::Busy => new(
            Trouble::Busy { retry_after: said.pause },
            format!("{server} is busy"),
            "wait a little, then try again",
        ),
        Meaning::TooLong => new(
            Trouble::TooLong,
            format!("the conversation is too long for {model}"),
            "start a new group, or choose a model with a larger context window",
        ),
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
mod tests {
    use super::*;

    fn asked(key: Option<&str>) -> Asked {
        Asked { key: key.map(Key::new), ..Asked::new("acme", "m1") }
    }

    fn check(status: u16, body: &str, trouble: Trouble, message: &str) {
        let fault = in_status(&asked(None), status, None, body.as_bytes());
        assert_eq!((fault.trouble, fault.message.as_str()), (trouble, message), "{status} {body}");
        assert!(!fault.fix.is_empty());
    }

    #[test]
    fn each_no_is_told_apart_by_what_to_do_next() {
        check(
            401,
            r#"{"error":{"message":"No key."}}"#,
            Trouble::Key,
            "acme wants a key (401: No key)",
        );
        check(403, "", Trouble::Key, "acme wants a key (403)");
        check(
            400,
            r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#,
            Trouble::Key,
            "acme wants a key (400: API key not valid. Please pass a valid API key)",
        );
        check(
            403,
            "<!DOCTYPE html><title>Access denied</title>",
            Trouble::Refused,
            "something on the way to acme refused the question with a web page (403)",
        );
        check(402, "{}", Trouble::Refused, "acme has no credit left for this key (402)");
        check(
            429,
            r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
            Trouble::Refused,
            "acme has no credit left for this key (429: You exceeded your current quota)",
        );
        check(
            429,
            "slow down",
            Trouble::Busy { retry_after: None },
            "acme is busy (429: slow down)",
        );
        check(
            503,
            r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
            Trouble::Busy { retry_after: None },
            "acme is busy (503: Loading model)",
        );
        check(500, "<html>no</html>", Trouble::ServerError, "acme failed (500)");
        check(502, "", Trouble::ServerError, "acme failed (502)");
        check(418, "tea", Trouble::Refused, "acme did not accept the question (418: tea)");
        check(
            422,
            r#"{"detail":[{"msg":"bad"}]}"#,
            Trouble::Refused,
            "acme did not accept the question (422: bad)",
        );
    }

    #[test]
    fn a_model_that_is_not_there_is_told_from_a_wrong_address() {
        let no_model = "acme does not have the model m1";
        for body in [
            r#"{"error":{"message":"The model `m1` does not exist","code":"model_not_found"}}"#,
            r#"{"error":{"message":"model \"m1\" not found, try pulling it first","type":"not_found_error"}}"#,
            r#"{"object":"error","message":"The model `m1` does not exist.","type":"NotFoundError","code":404}"#,
        ] {
            let fault = in_status(&asked(None), 404, None, body.as_bytes());
            assert_eq!(fault.trouble, Trouble::UnknownModel, "{body}");
            assert!(fault.message.starts_with(no_model), "{}", fault.message);
        }
        let no_path = "acme does not take questions at this address";
        check(
            404,
            "404 page not found",
            Trouble::Refused,
            &format!("{no_path} (404: 404 page not found)"),
        );
        check(
            404,
            r#"{"detail":"Not Found"}"#,
            Trouble::Refused,
            &format!("{no_path} (404: Not Found)"),
        );
        check(301, "", Trouble::Refused, &format!("{no_path} (301)"));
        check(405, "", Trouble::Refused, &format!("{no_path} (405)"));
    }

    #[test]
    fn every_way_of_saying_too_long_is_known() {
        for body in [
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","code":"context_length_exceeded"}}"#,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}"#,
            r#"{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}"#,
            r#"{"message":"prompt is too long: 215000 tokens > 200000 maximum"}"#,
            r#"{"error":{"message":"The input token count (1200000) exceeds the maximum number of tokens allowed"}}"#,
            r#"{"error":{"message":"Please reduce the length of the messages or completion."}}"#,
        ] {
            assert_eq!(
                in_status(&asked(None), 400, None, body.as_bytes()).trouble,
                Trouble::TooLong,
                "{body}"
            );
        }
        let per_minute = br#"{"error":{"message":"Request too large: tokens per min (TPM)"}}"#;
        let busy = Trouble::Busy { retry_after: None };
        assert_eq!(in_status(&asked(None), 429, None, per_minute).trouble, busy);
        assert_eq!(in_status(&asked(None), 413, None, b"").trouble, Trouble::TooLong);
    }

    #[test]
    fn a_model_without_sight_is_told_from_a_server_that_failed() {
        for (status, body) in [
            (
                500,
                r#"{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}"#,
            ),
            (
                404,
                r#"{"error":{"message":"No endpoints found that support image input","code":404}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text`"}}"#,
            ),
            (400, r#"{"error":"this model is missing data required for image input"}"#),
            (
                400,
                r#"{"error":{"message":"m1 is not a multimodal model","type":"BadRequestError"}}"#,
            ),
            (400, r#"{"error":{"message":"At most 0 image(s) may be provided in one prompt."}}"#),
            (
                400,
                r#"{"error":{"code":400,"message":"Image input modality is not enabled for models/m1","status":"INVALID_ARGUMENT"}}"#,
            ),
        ] {
            let fault = in_status(&asked(None), status, None, body.as_bytes());
            assert_eq!(fault.trouble, Trouble::Refused, "{body}");
            assert!(fault.message.starts_with("m1 does not see pictures ("), "{}", fault.message);
            assert_eq!(fault.fix, "leave the picture out, or choose a model that sees");
        }
    }

    #[test]
    fn a_model_without_tools_is_told_from_a_wrong_address_and_a_server_that_failed() {
        for (status, body) in [
            (400, r#"{"error":"registry.ollama.ai/library/gemma2:2b does not support tools"}"#),
            (
                404,
                r#"{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs","code":404}}"#,
            ),
            (
                400,
                r#"{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError"}"#,
            ),
            (
                500,
                r#"{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}"#,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"Function calling is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}"#,
            ),
        ] {
            let fault = in_status(&asked(None), status, None, body.as_bytes());
            let no_tools = FaultKind::Model { trouble: ModelTrouble::NoTools };
            assert_eq!(fault.kind.as_deref(), Some(&no_tools), "{body}");
            assert_eq!(fault.trouble, Trouble::Refused, "{body}");
        }
        let history = br#"{"error":{"message":"messages with role 'tool' must be a response to a preceding message with 'tool_calls'"}}"#;
        assert_eq!(in_status(&asked(None), 400, None, history).kind, None);
    }

    #[test]
    fn only_a_refusal_that_may_be_for_the_question_itself_has_no_kind() {
        let kind = |status, body: &str| in_status(&asked(None), status, None, body.as_bytes()).kind;
        for body in [
            r#"{"error":{"message":"Could not process image"}}"#,
            r#"{"error":{"message":"messages[1].content must be a string"}}"#,
            r#"{"error":{"message":"Unsupported MIME type: image/gif"}}"#,
            r#"{"error":{"message":"image dimensions exceed max allowed size: 8000 pixels"}}"#,
            r#"{"error":{"message":"You uploaded an unsupported image"}}"#,
        ] {
            let fault = in_status(&asked(None), 400, None, body.as_bytes());
            assert_eq!((fault.trouble, fault.kind), (Trouble::Refused, None), "{body}");
        }
        assert!(kind(402, "{}").is_some());
        assert!(kind(403, "<html>").is_some());
        assert!(kind(405, "").is_some());
    }

    #[test]
    fn a_pause_makes_it_busy_rather_than_broken_or_broke() {
        let pause = Some(Duration::from_secs(3));
        let busy = Trouble::Busy { retry_after: pause };
        let quota = br#"[{"error":{"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED"}}]"#;
        assert_eq!(in_status(&asked(None), 429, pause, quota).trouble, busy);
        let failing = br#"{"error":{"type":"server_error","message":"It failed."}}"#;
        for status in [408, 500, 502, 503, 504] {
            for body in [&b""[..], failing] {
                assert_eq!(in_status(&asked(None), status, pause, body).trouble, busy);
                assert_eq!(
                    in_status(&asked(None), status, None, body).trouble,
                    Trouble::ServerError
                );
            }
        }
    }

    #[test]
    fn a_pause_is_heard_in_an_answer_that_had_begun_well() {
        let heard = |chunk: &str| {
            let chunk = serde_json::from_str(chunk).unwrap();
            in_answer(&asked(None), &Said::in_chunk(&chunk).unwrap()).trouble
        };
        let busy = |seconds| Trouble::Busy { retry_after: Some(Duration::from_secs(seconds)) };
        let details = r#"{"error":{"message":"It failed.","details":[{"retryDelay":"3s"}]}}"#;
        assert_eq!(heard(details), busy(3));
        assert_eq!(heard(r#"{"error":{"message":"Try again in 4s"}}"#), busy(4));
        assert_eq!(heard(r#"{"error":{"message":"It failed."}}"#), Trouble::ServerError);
    }

    #[test]
    fn a_refused_key_never_stands_in_the_message() {
        let body = br#"{"error":{"message":"Incorrect API key provided: sk-12345678."}}"#;
        let fault = in_status(&asked(Some("sk-12345678")), 401, None, body);
        assert_eq!(fault.message, "acme refused the key (401: Incorrect API key provided: [key])");
    }

    #[test]
    fn a_strangers_long_text_becomes_one_short_line() {
        let body = "é\n".repeat(1000);
        let fault = in_status(&asked(None), 400, None, body.as_bytes());
        assert_eq!(fault.message.chars().filter(|c| *c == 'é').count(), 100);
        assert!(fault.message.ends_with("…)"), "{}", fault.message);
        assert!(!fault.message.contains('\n'));
    }
}
