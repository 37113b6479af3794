//! The other way round: a server of ours, for programs that are clients.
//!
//! It speaks both eras of the protocol, over a pair of pipes. What there is to use
//! and what comes of it is the business of whoever offers it.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Effects, Risk, ToolSpec};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool as TheirTool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, serve_server};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use schemars::JsonSchema;
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::Fault;

/// What a client can have here.
#[async_trait]
pub trait Offer: Send + Sync + 'static {
    /// For whoever works with it, in a few sentences.
    fn about(&self) -> String;

    fn tools(&self) -> Vec<Offered>;

    /// What comes of a use with arguments that fit: a value for programs, or why nothing came
    /// of it, in words for a model.
    async fn used(&self, tool: &str, arguments: Value) -> Result<Value, String>;
}

/// A tool as a client sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Offered {
    spec: ToolSpec,
    title: &'static str,
}

impl Offered {
    /// The doc comments of `Input` are what the client's model reads.
    pub fn of<Input: JsonSchema>(name: &str, title: &'static str, effects: Effects) -> Self {
        Offered { spec: tools::describe::<Input>(name, effects, Risk::Low), title }
    }
}

/// Answers one client until it closes its end.
pub async fn serve<R, W>(offer: Arc<dyn Offer>, input: R, output: W) -> Result<(), Fault>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let desk = Desk { offer };
    let broken = |why: String| Fault::Broken(format!("the client cannot be served: {why}"));
    let serving = match serve_server(desk, (input, output)).await {
        Ok(serving) => serving,
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(broken(error.to_string())),
    };
    serving.waiting().await.map(drop).map_err(|error| broken(error.to_string()))
}

struct Desk {
    offer: Arc<dyn Offer>,
}

impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let us = Implementation::new("coterie", env!("CARGO_PKG_VERSION")).with_title("Coterie");
        ServerConfig::new(capabilities).with_server_info(us).with_instructions(self.offer.about())
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.offer.tools().into_iter().map(theirs).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = request.name.into_owned();
        let offered = self.offer.tools().into_iter().find(|offered| offered.spec.name == tool);
        let Some(Offered { spec, .. }) = offered else {
            return Err(ErrorData::invalid_params(format!("there is no tool {tool}"), None));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let used = async {
            tools::check_arguments(&spec, &arguments)?;
            self.offer.used(&tool, arguments).await
        };
        let came = tokio::select! {
            biased;
            () = context.ct.cancelled() => Err("cancelled".to_owned()),
            came = used => came,
        };
        Ok(match came {
            Ok(value) => {
                let mut result =
                    CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
                result.structured_content = Some(value);
                result.into()
            }
            Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]).into(),
        })
    }
}

fn theirs(offered: Offered) -> TheirTool {
    let Offered { spec, title } = offered;
    let looks_only = spec.effects == Effects::None;
    let hints = ToolAnnotations::new().read_only(looks_only).destructive(false).open_world(false);
    let input = match spec.input {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    TheirTool::new(spec.name, spec.description, Arc::new(input))
        .with_title(title)
        .with_annotations(hints)
}
