//! What comes from a server unasked, on its way to the host.
#![expect(deprecated, reason = "servers of the older era still ask for folders and words")]

use std::collections::HashMap;
use std::sync::Arc;

use processes::Log;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
    CustomNotification, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, FormElicitationCapability, Implementation, InputRequest, InputRequests,
    InputResponses, ListRootsResult, LoggingMessageNotificationParam, ProgressNotificationParam,
    ProgressToken, ResourceUpdatedNotificationParam, Role as TheirRole, RootsCapabilities,
    SamplingCapability, SamplingMessage, SamplingMessageContentBlock, ServerNotification,
    UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::sync::{Mutex, broadcast, watch};
use tools::Progress;

use crate::config::host_of;
use crate::open::Open;
use crate::{Elicitation, Elicited, Host, News, Root, Sampling, misfit, pages, translate};

/// A handle, cheap to clone.
#[derive(Clone)]
pub(crate) struct Handler {
    host: Arc<dyn Host>,
    log: Log,
    /// Who hears of the progress of which call.
    pub(crate) waiting: Arc<Mutex<HashMap<ProgressToken, watch::Sender<Option<Progress>>>>>,
    /// The uses in progress.
    pub(crate) open: Open,
    /// How many questions wait for us: so long nobody waits for the server.
    asked: Arc<watch::Sender<usize>>,
    /// Tells what a person has brought to its end on a page, by the server's name for it.
    pub(crate) done_elsewhere: broadcast::Sender<String>,
}

impl Handler {
    pub(crate) fn new(host: Arc<dyn Host>, log: Log) -> Self {
        let (waiting, open, asked) = Default::default();
        Handler { host, log, waiting, open, asked, done_elsewhere: broadcast::Sender::new(16) }
    }

    /// How many questions wait for us.
    pub(crate) fn asked(&self) -> watch::Receiver<usize> {
        self.asked.subscribe()
    }

    /// Answers what a server needs before it can answer us about this use.
    pub(crate) async fn supply(
        &self,
        asked: InputRequests,
        key: Option<&str>,
    ) -> Result<InputResponses, ErrorData> {
        let uses = || key.map(str::to_owned).into_iter().collect();
        let mut all = InputResponses::new();
        for (name, request) in asked {
            let answer = match request {
                InputRequest::Elicitation(request) => {
                    json_of(self.elicit(request.params, uses()).await?)?
                }
                InputRequest::CreateMessage(request) => {
                    json_of(self.sample(request.params, uses()).await?)?
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

    pub(crate) async fn elicit(
        &self,
        request: ElicitRequestParams,
        uses: Vec<String>,
    ) -> Result<ElicitResult, ErrorData> {
        let (asked, schema) = match request {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                let schema = json_of(requested_schema)?;
                (Elicitation::Form { message, schema: schema.clone() }, Some(schema))
            }
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
                let Some(host) = host_of(&url) else {
                    self.log.push(&format!("[coterie] {url:?} is no page that can be gone to"));
                    return Ok(ElicitResult::new(ElicitationAction::Decline));
                };
                (Elicitation::Page { message, url, host }, None)
            }
            _ => return Ok(ElicitResult::new(ElicitationAction::Decline)),
        };
        let asking = Asking::begin(&self.asked);
        let elicited = self.host.elicit(asked, uses).await;
        drop(asking);
        let given = match elicited {
            Ok(Elicited::Accepted(given)) => given,
            Ok(Elicited::Declined) => return Ok(ElicitResult::new(ElicitationAction::Decline)),
            Ok(Elicited::Cancelled) => return Ok(ElicitResult::new(ElicitationAction::Cancel)),
            Err(why) => {
                self.log.push(&format!("[coterie] the person was not asked: {why}"));
                return Ok(ElicitResult::new(ElicitationAction::Cancel));
            }
        };
        let accepted = ElicitResult::new(ElicitationAction::Accept);
        let Some(schema) = schema else { return Ok(accepted) };
        let filled = Value::Object(given);
        if let Some(problem) = misfit(&schema, &filled) {
            self.log.push(&format!("an answer to the server's form was not sent: {problem}"));
            return Ok(ElicitResult::new(ElicitationAction::Cancel));
        }
        Ok(accepted.with_content(filled))
    }

    async fn sample(
        &self,
        request: CreateMessageRequestParams,
        uses: Vec<String>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let asked = Sampling {
            messages: request.messages.into_iter().map(translate::spoken).collect(),
            system_prompt: request.system_prompt,
            max_tokens: request.max_tokens,
            temperature: request.temperature,
            stop_sequences: request.stop_sequences.unwrap_or_default(),
        };
        let refused = |why: String| ErrorData::invalid_request(why, None);
        let asking = Asking::begin(&self.asked);
        let said = self.host.sample(asked, uses).await.map_err(refused)?;
        drop(asking);
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

/// A question that waits for us.
struct Asking<'a>(&'a watch::Sender<usize>);

impl<'a> Asking<'a> {
    fn begin(asked: &'a watch::Sender<usize>) -> Self {
        asked.send_modify(|count| *count += 1);
        Asking(asked)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

fn json_of(value: impl serde::Serialize) -> Result<Value, ErrorData> {
    serde_json::to_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// A server may want its answer no more.
async fn unless_cancelled<T>(
    context: &RequestContext<RoleClient>,
    answer: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    tokio::select! {
        biased;
        () = context.ct.cancelled() => Err(ErrorData::invalid_request("cancelled", None)),
        answer = answer => answer,
    }
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
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        unless_cancelled(&context, self.sample(params, self.open.keys())).await
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
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        unless_cancelled(&context, self.elicit(request, self.open.keys())).await
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let waiting = self.waiting.lock().await.get(&params.progress_token).cloned();
        if let Some(waiting) = waiting {
            let (done, total) = (params.progress, params.total);
            let message = params.message.map(|text| text.chars().take(MOST_OF_A_LINE).collect());
            let now = Progress { done, total, message };
            // Whoever waits knows that the server is alive, whatever it says.
            waiting.send_modify(|newest| {
                // It only ever grows: less than there is was said before, and came later.
                let is_late = |last: &Progress| last.total == now.total && last.done > now.done;
                if !newest.as_ref().is_some_and(is_late) {
                    *newest = Some(now);
                }
            });
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

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _context: NotificationContext<RoleClient>,
    ) {
        if let Some(done) = pages::done(&notification) {
            let _ = self.done_elsewhere.send(done.to_owned());
        }
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
