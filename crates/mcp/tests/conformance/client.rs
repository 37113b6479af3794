//! What the official conformance suite drives: our client, the same way in
//! every scenario. It connects, lists the tools and uses each, as it is told
//! or with arguments made up from the schema. Scenarios that want a client to
//! refuse something pass when it refuses.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mcp::{
    Abilities, Address, Ask, Connection, Elicitation, Elicited, Era, Fault, Host, News, Part,
    Patience, Reach, Root, Sampled, Sampling, Setup, SignIn, Tool,
};
use processes::{Keeper, Log};
use serde_json::{Map, Value, json};

#[tokio::main]
async fn main() -> std::process::ExitCode {
    let Some(url) = std::env::args().next_back() else { return 2.into() };
    let context: Value =
        serde_json::from_str(&variable("MCP_CONFORMANCE_CONTEXT")).unwrap_or_default();
    let modern = variable("MCP_CONFORMANCE_PROTOCOL_VERSION").as_str() >= "2026";
    let setup = setup(url, &context, modern);
    match tokio::time::timeout(Duration::from_secs(25), run(&setup, &context)).await {
        Ok(Ok(())) => 0.into(),
        Ok(Err(fault)) => failed(&fault.to_string()),
        Err(_) => failed("it takes too long"),
    }
}

#[expect(clippy::print_stderr, reason = "the suite shows it")]
fn failed(why: &str) -> std::process::ExitCode {
    eprintln!("{why}");
    1.into()
}

#[expect(clippy::disallowed_methods, reason = "how the suite says what it wants")]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn setup(url: String, context: &Value, modern: bool) -> Setup {
    let given = |name: &str| context.get(name).and_then(Value::as_str).map(str::to_owned);
    let sign_in = SignIn {
        may_ask: true,
        client_id: given("client_id"),
        client_secret: given("client_secret"),
        // The suite knows this address as its own.
        about_us: Some("https://conformance-test.local/client-metadata.json".to_owned()),
        ..SignIn::default()
    };
    Setup {
        reach: Reach::Address(Address { url, headers: Vec::new(), sign_in }),
        keeper: Keeper("coterie-keeper".into()),
        era: (!modern).then_some(Era::Legacy),
        patience: Patience { to_connect: Duration::from_secs(15), ..Patience::default() },
    }
}

async fn run(setup: &Setup, context: &Value) -> Result<(), Fault> {
    let connection = Connection::open(setup, Arc::new(Suite), &Log::default()).await?;
    let (mut connection, mut tries) = (connection, 0);
    let tools = loop {
        match connection.tools().await {
            Err(Fault::SignIn { challenge, .. }) if tries < MOST_SIGN_INS => {
                tries += 1;
                connection = signed_in_again(setup, challenge).await?;
            }
            listed => break listed?,
        }
    };
    let told = context.get("toolCalls").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut calls: Vec<(String, Map<String, Value>)> = Vec::new();
    for call in &told {
        let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
        let arguments = call.get("arguments").and_then(Value::as_object).cloned();
        calls.push((name.to_owned(), arguments.unwrap_or_default()));
    }
    if calls.is_empty() {
        calls = tools.iter().map(|tool| (tool.name.clone(), made_up(tool))).collect();
    }
    let mut first_fault = None;
    for (name, arguments) in calls {
        let mut tries = 0;
        let fault = loop {
            match connection.call(&name, arguments.clone(), &Ask::default()).await {
                Ok(_) => break None,
                Err(Fault::SignIn { challenge, .. }) if tries < MOST_SIGN_INS => {
                    tries += 1;
                    connection = signed_in_again(setup, challenge).await?;
                }
                Err(fault) => break Some(fault),
            }
        };
        first_fault = first_fault.or(fault);
    }
    connection.close().await;
    first_fault.map_or(Ok(()), Err)
}

/// As often a person would do it for one use.
const MOST_SIGN_INS: usize = 3;

/// As when a person says so.
async fn signed_in_again(setup: &Setup, challenge: Option<String>) -> Result<Connection, Fault> {
    let mut again = setup.clone();
    if let Reach::Address(address) = &mut again.reach {
        address.sign_in.challenge = challenge;
    }
    Connection::open(&again, Arc::new(Suite), &Log::default()).await
}

fn made_up(tool: &Tool) -> Map<String, Value> {
    let required = tool.input.get("required").and_then(Value::as_array).into_iter().flatten();
    let value = |name: &str| match tool.input["properties"][name]["type"].as_str() {
        Some("number" | "integer") => json!(1),
        Some("string") => json!("test"),
        Some("boolean") => json!(true),
        _ => Value::Null,
    };
    let required = required.filter_map(Value::as_str);
    required.map(|name| (name.to_owned(), value(name))).collect()
}

struct Suite;

#[async_trait]
impl Host for Suite {
    fn abilities(&self) -> Abilities {
        Abilities { roots: true, sampling: true, elicitation: true }
    }

    async fn roots(&self) -> Vec<Root> {
        vec![Root { uri: "file:///tmp".to_owned(), name: None }]
    }

    /// With nothing but the form's own defaults, and what is required besides.
    async fn elicit(&self, asked: Elicitation, _: Vec<String>) -> Result<Elicited, String> {
        let Elicitation::Form { schema, .. } = asked else { return Ok(Elicited::Declined) };
        let mut given = defaults(&schema);
        let form = Tool {
            name: String::new(),
            title: None,
            description: String::new(),
            input: schema,
            output: None,
            hints: Default::default(),
            unfit: None,
        };
        for (name, value) in made_up(&form) {
            given.entry(name).or_insert(value);
        }
        Ok(Elicited::Accepted(given))
    }

    async fn sample(&self, asked: Sampling, _: Vec<String>) -> Result<Sampled, String> {
        let heard = asked.messages.first().and_then(|message| message.parts.first());
        let Some(Part::Text(heard)) = heard else { return Err("nothing was asked".to_owned()) };
        let text = format!("an answer to: {heard}");
        Ok(Sampled { text, model: "nobody".to_owned(), whole: true })
    }

    /// The page lets everybody in and sends the browser back to us.
    async fn show_page(&self, url: &str) -> Result<(), String> {
        let url = url.to_owned();
        tokio::spawn(async move { reqwest::get(url).await });
        Ok(())
    }

    fn news(&self, _news: News) {}
}

/// What a form holds before anybody filled it in.
fn defaults(schema: &Value) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let with_default = properties.into_iter().flatten().filter_map(|(name, property)| {
        Some((name.clone(), property.get("default").filter(|value| !value.is_null())?.clone()))
    });
    with_default.collect()
}
