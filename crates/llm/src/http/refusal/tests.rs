//! Each no that servers say, and what it means.

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
fn what_each_provider_calls_it_means_the_same() {
    let check = |status: u16, body: &str, trouble: Trouble, begins: &str| {
        let told = in_status(&Asked::new("acme", "m1"), status, None, body.as_bytes());
        assert_eq!(told.trouble, trouble, "{body}");
        assert!(told.message.starts_with(begins), "{body}: {}", told.message);
    };
    let error = |message: &str, code: &str| {
        format!(r#"{{"error":{{"message":"{message}","code":"{code}"}}}}"#)
    };
    let key = r#"{"error":{"code":400,"message":"Renew it.","status":"INVALID_ARGUMENT",
        "details":[{"reason":"API_KEY_INVALID"}]}}"#;
    check(400, key, Trouble::Key, "acme wants a key");
    for (status, message, code) in [
        (403, "Your newly created team doesn't have any credits or licenses yet", ""),
        (403, "Sorry, your account balance is insufficient", "30001"),
        (429, "Please recharge", "exceeded_current_quota_error"),
        (429, "余额不足或无可用资源包，请充值。", "1113"),
    ] {
        let body = error(message, code);
        check(status, &body, Trouble::Refused, "acme has no credit left for this key");
    }
    for (status, message, code) in [
        (
            403,
            "Country, region, or territory not supported",
            "unsupported_country_region_territory",
        ),
        (400, "User location is not supported for the API use.", "FAILED_PRECONDITION"),
    ] {
        let expected = "acme serves nobody in the country that this is asked from";
        check(status, &error(message, code), Trouble::Refused, expected);
    }
    for (status, message, code) in [
        (403, "Project `p` does not have access to model `m1`", "model_not_found"),
        (404, "The model m1 does not exist or your team t does not have access to it", ""),
        (404, "Not found the model m1 or Permission denied", "resource_not_found_error"),
        (404, "No endpoints found matching your data policy", ""),
        (404, "This model is only supported in v1/responses and not here", ""),
        (404, "This is not a chat model and thus not supported here", ""),
    ] {
        let body = error(message, code);
        check(status, &body, Trouble::UnknownModel, "acme does not have the model m1");
    }
    for (status, message) in [
        (400, "Your request exceeded model token limit: 8192 (requested: 9000)"),
        (422, "`inputs` tokens + `max_new_tokens` must be <= 8193"),
        (400, "Trying to keep the first 9000 tokens, greater than the context length"),
        (400, "Range of input length should be [1, 30720]"),
        (500, "input (5002 tokens) is too large to process. increase the physical batch size"),
        (
            429,
            "Request too large for m1 (TPM): Limit 9. The input or output tokens must be reduced",
        ),
    ] {
        let body = error(message, "");
        check(status, &body, Trouble::TooLong, "the conversation is too long for m1");
    }
    let flagged = error("Your chosen model requires moderation and your input was flagged", "");
    check(403, &flagged, Trouble::Refused, "acme will not answer this");
    let call = error("Failed to call a function. Please adjust your prompt.", "tool_use_failed");
    check(400, &call, Trouble::BrokenAnswer, "m1 wrote a call that acme cannot read");
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
    check(429, "slow down", Trouble::Busy { retry_after: None }, "acme is busy (429: slow down)");
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
        (404, r#"{"error":{"message":"No endpoints found that support image input","code":404}}"#),
        (
            400,
            r#"{"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text`"}}"#,
        ),
        (400, r#"{"error":"this model is missing data required for image input"}"#),
        (400, r#"{"error":{"message":"m1 is not a multimodal model","type":"BadRequestError"}}"#),
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
        (
            400,
            r#"{"error":{"message":"`tool calling` is not supported with this model","type":"invalid_request_error"}}"#,
        ),
        (
            400,
            r#"{"code":20037,"message":"Function call is not supported for this model.","data":null}"#,
        ),
        (
            400,
            r#"{"error":{"message":"<400> InternalError.Algo.InvalidParameter: The tool call is not supported.","code":"invalid_parameter_error"}}"#,
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
            assert_eq!(in_status(&asked(None), status, None, body).trouble, Trouble::ServerError);
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
