//! The same over real connections, with a server that does wrong what a server
//! can do wrong.

use super::{last, paid, said, told};
use domain::{Command, Price, SettingsPatch, StepKind};
use serde_json::{Value, json};
use std::time::{Duration, UNIX_EPOCH};
use tests::connected;
use tests::fake_server::{FakeServer, Reply};
use workspace::{Clock, SystemClock};

fn error(message: &str) -> Value {
    json!({"error": {"message": message}})
}

// Seen in earendil-works/pi#9595, mastra#19906, opensre#3171.
#[tokio::test]
async fn a_pause_is_understood_in_each_of_its_forms_and_waited() {
    const ASKED_MS: u64 = 40;
    let busy = |body: &Value| Reply::refusal("429 Too Many Requests", body);
    let google = json!({"error": {"message": "busy", "details": [{"retryDelay": "0.04s"}]}});
    // The clock of whoever reads it has gone on by then.
    let now = Duration::from_millis(u64::try_from(SystemClock.now_ms()).expect("after 1970"));
    let soon = httpdate::fmt_http_date(UNIX_EPOCH + now + Duration::from_secs(2));
    for (form, reply, least_ms) in [
        ("seconds", busy(&error("busy")).header("retry-after", "0.04"), ASKED_MS),
        ("milliseconds", busy(&error("busy")).header("retry-after-ms", "40"), ASKED_MS),
        ("words", busy(&error("Please try again in 40ms.")), ASKED_MS),
        ("Google's", busy(&google), ASKED_MS),
        ("a date", busy(&error("busy")).header("retry-after", &soon), 0),
    ] {
        let server = FakeServer::start().await;
        server.answer(reply);
        server.answer(Reply::saying("here I am"));
        let stage = connected(&server).await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, "hello").await;
        assert_eq!(said(&stage, ada).await, ["Ada: here I am"], "{form}");
        let waited = last(&stage).await.steps.into_iter().find_map(|step| match step.kind {
            StepKind::Retried { after_ms, .. } => Some(after_ms),
            _ => None,
        });
        let waited = waited.unwrap_or_else(|| panic!("{form} is no pause"));
        assert!((least_ms..=2_000).contains(&waited), "{form}: {waited} ms");
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_off_is_asked_for_again_and_takes_its_place() {
    let server = FakeServer::start().await;
    server.answer(Reply::saying("one two three").cut_before("three"));
    server.answer(Reply::refusal("503 Service Unavailable", &error("overloaded")));
    server.answer(Reply::saying("four five"));
    let stage = connected(&server).await;
    let price = Price {
        model: "acme/*".into(),
        input_microusd: 1_000_000,
        cached_microusd: None,
        cache_write_microusd: None,
        output_microusd: 1_000_000,
        as_of: None,
        by_provider: false,
    };
    let patch = SettingsPatch { price: Some(price.into()), ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "count").await;
    assert_eq!(said(&stage, ada).await, ["Ada: four five"]);
    let run = last(&stage).await;
    let expected = [
        "asks acme/m1",
        "try 1 failed, again after 0 ms, replaces",
        "try 2 failed, again after 0 ms",
    ];
    assert_eq!(told(&run), expected);
    // What was cut off is counted by us, what was refused is free, and the
    // answer is as its server says.
    let [(_, cut), (_, refused), (_, answered)] = paid(&run.calls)[..] else { panic!("{run:?}") };
    assert!(cut > Some(0) && run.calls[0].estimated);
    assert_eq!((refused, answered), (None, Some(15)));
    assert_eq!(run.run.cost_microusd, cut.map(|cut| cut + 15));
}

#[tokio::test]
async fn each_call_has_its_times_on_record() {
    let server = FakeServer::start().await;
    server.answer(Reply::refusal("500 Internal Server Error", &error("oh")));
    server.answer(Reply::saying("one two"));
    let stage = connected(&server).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "count").await;
    let run = last(&stage).await;
    let [failed, answered] = &run.calls[..] else { panic!("{:?}", run.calls) };
    assert!(failed.took_ms.is_some() && failed.first_token_ms.is_none());
    assert!(answered.first_token_ms.is_some() && answered.first_token_ms <= answered.took_ms);
    assert!(run.run.first_token_ms.is_some());
}
