//! What comes from a server unasked, on its way to the host.
#![expect(deprecated, reason = "servers of the older era still ask for folders and words")]

use std::collections::HashMap;
use std::sync::Arc;

use processes::Log;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability,
    FormElicitationCapability, Implementation, InputRequest, InputRequests, InputResponses,
    ListRootsResult, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
    ResourceUpdatedNotificationParam, Role as TheirRole, RootsCapabilities, SamplingCapability,
    SamplingMessage, SamplingMessageContentBlock, ServerNotification, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::sync::{Mutex, mpsc};

use crate::{
    Elicitation, Elicited, Host, News, Progress, Root, Sampling, defaults, misfit, translate,
};

/// A handle, cheap to clone.
#[derive(Clone)]
pub(crate) struct Handler {
    host: Arc<dyn Host>,
    log: Log,
    /// Who hears of the progress of which call.
    pub(crate) waiting: Arc<Mutex<HashMap<ProgressToken, mpsc::Sender<Progress>>>>,
}

impl Handler {
    pub(crate) fn new(host: Arc<dyn Host>, log: Log) -> Self {
        Handler { host, log, waiting: Arc::default() }
    }

    /// Answers what a server needs before it can answer us.
    pub(crate) async fn supply(&self, asked: InputRequests) -> Result<InputResponses, ErrorData> {
        let mut all = InputResponses::new();
        for (name, request) in asked {
            let answer = match request {
                InputRequest::Elicitation(request) => json_of(self.elicit(request.params).await?)?,
                InputRequest::CreateMessage(request) => {
                    json_of(self.sample(request.params).await?)?
                }
                InputRequest::ListRoots(_) => json_of(self.folders().await)?,
                _ => return Err(ErrorData::invalid_request("asked for something unknown", None)),
            };
            all.insert(name, answer);
        }
        Ok(all)
    }

    pub(crate) fn heard(&self, notification: &ServerNotification) {
        let news = match notification {
            ServerNotification::ToolListChangedNotification(_) => News::ToolsChanged,
            ServerNotification::ResourceListChangedNotification(_) => News::ResourcesChanged,
            ServerNotification::PromptListChangedNotification(_) => News::PromptsChanged,
            ServerNotification::ResourceUpdatedNotification(updated) => {
                News::ResourceChanged(updated.params.uri.clone())
            }
            _ => return,
        };
        self.host.news(news);
    }

    async fn elicit(&self, request: ElicitRequestParams) -> Result<ElicitResult, ErrorData> {
        let (asked, schema) = match request {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                let schema = json_of(requested_schema)?;
                (Elicitation::Form { message, schema: schema.clone() }, Some(schema))
            }
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
                (Elicitation::Page { message, url }, None)
            }
            _ => return Ok(ElicitResult::new(ElicitationAction::Decline)),
        };
        let given = match self.host.elicit(asked).await {
            Elicited::Accepted(given) => given,
            Elicited::Declined => return Ok(ElicitResult::new(ElicitationAction::Decline)),
            Elicited::Cancelled => return Ok(ElicitResult::new(ElicitationAction::Cancel)),
        };
        let accepted = ElicitResult::new(ElicitationAction::Accept);
        let Some(schema) = schema else { return Ok(accepted) };
        let mut filled = defaults(&schema);
        filled.extend(given);
        let filled = Value::Object(filled);
        if let Some(problem) = misfit(&schema, &filled) {
            self.log.push(&format!("an answer to the server's form was not sent: {problem}"));
            return Ok(ElicitResult::new(ElicitationAction::Cancel));
        }
        Ok(accepted.with_content(filled))
    }

    async fn sample(
        &self,
        request: CreateMessageRequestParams,
    ) -> Result<CreateMessageResult, ErrorData> {
        let asked = Sampling {
            messages: request.messages.into_iter().map(translate::spoken).collect(),
            system_prompt: request.system_prompt,
            max_tokens: request.max_tokens,
            temperature: request.temperature,
            stop_sequences: request.stop_sequences.unwrap_or_default(),
        };
        let refused = |why: String| ErrorData::invalid_request(why, None);
        let said = self.host.sample(asked).await.map_err(refused)?;
        let block = SamplingMessageContentBlock::text(said.text);
        let message = SamplingMessage::new(TheirRole::Assistant, block);
        let reason = if said.whole {
            CreateMessageResult::STOP_REASON_END_TURN
        } else {
            CreateMessageResult::STOP_REASON_END_MAX_TOKEN
        };
        Ok(CreateMessageResult::new(message, said.model).with_stop_reason(reason))
    }

    async fn folders(&self) -> ListRootsResult {
        let named = |root: Root| {
            let mut theirs = rmcp::model::Root::new(root.uri);
            theirs.name = root.name;
            theirs
        };
        ListRootsResult::new(self.host.roots().await.into_iter().map(named).collect())
    }
}

fn json_of(value: impl serde::Serialize) -> Result<Value, ErrorData> {
    serde_json::to_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let able = self.host.abilities();
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = able.roots.then(RootsCapabilities::default);
        capabilities.sampling = able.sampling.then(SamplingCapability::default);
        capabilities.elicitation = able.elicitation.then(|| {
            let form = FormElicitationCapability::new().with_schema_validation(true);
            ElicitationCapability::new().with_form(form).with_url(UrlElicitationCapability::new())
        });
        let us = Implementation::new("coterie", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, us)
            .with_protocol_version(rmcp::model::ProtocolVersion::V_2025_11_25)
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.sample(params).await
    }

    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(self.folders().await)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.elicit(request).await
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let waiting = self.waiting.lock().await.get(&params.progress_token).cloned();
        if let Some(waiting) = waiting {
            let (done, total) = (params.progress, params.total);
            // Who is busy with earlier progress misses nothing by missing this.
            let _ = waiting.try_send(Progress { done, total, message: params.message });
        }
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let level = json!(params.level);
        let text = match &params.data {
            Value::String(text) => text.clone(),
            data => data.to_string(),
        };
        let shown: String = text.chars().take(MOST_OF_A_LINE).collect();
        self.log.push(&format!("[{}] {shown}", level.as_str().unwrap_or("log")));
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.host.news(News::ResourceChanged(params.uri));
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.host.news(News::ResourcesChanged);
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.host.news(News::ToolsChanged);
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.host.news(News::PromptsChanged);
    }
}

const MOST_OF_A_LINE: usize = 2000;
