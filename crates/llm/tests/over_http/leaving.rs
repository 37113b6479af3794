//! What every provider does when somebody leaves in the middle.

use crate::fake_server::{FakeServer, Reply};
use crate::{ask, endpoint, http, question, recorded};
use futures::StreamExt;
use llm::anthropic::Anthropic;
use llm::gemini::Gemini;
use llm::http::Endpoint;
use llm::ollama::Ollama;
use llm::openai::OpenAi;
use llm::{Delta, Model, ModelFault, Trouble};
use std::collections::HashMap;
use std::time::Duration;

/// Where nothing will come, however long the test waits.
const SHORT: Duration = Duration::from_millis(400);

struct Provider {
    model: Box<dyn Model>,
    /// Where it asks.
    line: &'static str,
    answer: Vec<u8>,
    /// Stands in the event that says why the model stopped.
    end: &'static str,
}

fn each(at: Endpoint) -> [Provider; 4] {
    [
        Provider {
            model: Box::new(OpenAi::new(http(), at.clone())),
            line: "POST /v1/chat/completions",
            answer: recorded("answers/plain.sse"),
            end: "\"finish_reason\":\"stop\"",
        },
        Provider {
            model: Box::new(Anthropic::new(http(), at.clone())),
            line: "POST /v1/messages",
            answer: recorded("anthropic/no_event_names.sse"),
            end: "\"message_delta\"",
        },
        Provider {
            model: Box::new(Gemini::new(http(), at.clone())),
            line: "POST /v1/models/m1:streamGenerateContent?alt=sse",
            answer: recorded("gemini/plain.sse"),
            end: "\"finishReason\"",
        },
        Provider {
            model: Box::new(Ollama::new(http(), at, HashMap::new())),
            line: "POST /api/chat",
            answer: recorded("ollama/plain.ndjson"),
            end: "\"done\":true",
        },
    ]
}

impl Provider {
    async fn fault(&self) -> ModelFault {
        let deltas = ask(&*self.model, question("m1")).await;
        match deltas.last() {
            Some(Delta::Failed { fault, .. }) => fault.clone(),
            other => panic!("{}: {other:?}", self.line),
        }
    }

    /// The event in which this stands.
    fn event(&self, text: &str) -> String {
        let answer = str::from_utf8(&self.answer).expect("recordings are UTF-8");
        answer.lines().find(|line| line.contains(text)).expect("it is in the recording").into()
    }

    fn reply(&self) -> Reply {
        Reply::raw(self.answer.clone())
    }
}

#[tokio::test]
async fn dropping_an_answer_hangs_up() {
    let server = FakeServer::start().await;
    for (nth, provider) in each(endpoint(&server.base_url())).iter().enumerate() {
        server.once(provider.line, provider.reply().silent_before(&provider.event("世界")));
        let mut answer = provider.model.ask(question("m1"));
        let mut first = answer.next().await;
        if let Some(Delta::Counted(_)) = first {
            first = answer.next().await;
        }
        assert_eq!(first, Some(Delta::Text("Grüße, ".into())), "{}", provider.line);
        drop(answer);
        server.hung_up(nth + 1).await;
    }
}

#[tokio::test]
async fn a_server_that_leaves_in_the_middle_has_broken_off_its_answer() {
    let server = FakeServer::start().await;
    for provider in each(endpoint(&server.base_url())) {
        server.once(provider.line, provider.reply().cut_before(&provider.event(provider.end)));
        let fault = provider.fault().await;
        assert_eq!(fault.trouble, Trouble::BrokenAnswer, "{}: {}", provider.line, fault.message);
    }
}

#[tokio::test]
async fn a_server_that_falls_silent_is_given_up() {
    let server = FakeServer::start().await;
    for provider in each(endpoint(&server.base_url()).with_idle(SHORT)) {
        server.once(provider.line, provider.reply().silent_before(&provider.event("世界")));
        let message = provider.fault().await.message;
        assert_eq!(message, "acme sent nothing for 0.4 s", "{}", provider.line);
    }
}

#[tokio::test]
async fn signs_of_life_are_no_answer() {
    let server = FakeServer::start().await;
    let pause = Duration::from_millis(10);
    let signs = [": ping\n\n", "event: ping\ndata: {\"type\": \"ping\"}\n\n"];
    for provider in each(endpoint(&server.base_url()).with_idle(SHORT)) {
        for sign in signs.iter().filter(|_| !provider.line.ends_with("/chat")) {
            let reply = provider.reply().forever_before(&provider.event("世界"), sign, pause);
            server.once(provider.line, reply);
            let message = provider.fault().await.message;
            assert_eq!(message, "acme sent nothing for 0.4 s", "{} {sign}", provider.line);
        }
    }
}

#[tokio::test]
async fn an_answer_that_never_ends_is_given_up_although_it_goes_on() {
    let server = FakeServer::start().await;
    for provider in each(endpoint(&server.base_url()).with_whole(SHORT)) {
        let (again, end) = (provider.event("世界") + "\n\n", provider.event(provider.end));
        let pause = Duration::from_millis(1);
        server.once(provider.line, provider.reply().forever_before(&end, &again, pause));
        let ModelFault { trouble, message, .. } = provider.fault().await;
        assert_eq!(message, "acme was still writing after 0.4 s", "{}", provider.line);
        assert_eq!(trouble, Trouble::Endless, "it would be as long again");
    }
}
