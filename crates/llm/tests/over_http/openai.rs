//! OpenAI's chat completions, of a server that stands in no table.

use crate::fake_server::{CHAT, FakeServer, Reply};
use crate::{ask, endpoint, http, question, recorded, text};
use llm::Delta;
use llm::openai::OpenAi;

#[tokio::test]
async fn a_model_whose_template_begins_to_think_is_heard_to_think_from_the_second_answer_on() {
    let server = FakeServer::start().await;
    server.always(CHAT, Reply::raw(recorded("answers/think_opened_by_the_template.sse")));
    let model = OpenAi::new(http(), endpoint(&server.base_url()));
    for is_void in [true, false] {
        let deltas = ask(&model, question("r1")).await;
        let anew = deltas.iter().position(|delta| *delta == Delta::Anew);
        assert_eq!(anew.is_some(), is_void, "{deltas:?}");
        let counts = &deltas[anew.map_or(0, |at| at + 1)..];
        assert_eq!(text(counts), "Grüße, 世界 🌍");
        assert!(matches!(&counts[0], Delta::Reasoning(_)), "{deltas:?}");
    }
}
