//! One conversation with a server, from its beginning to its end.

use std::sync::{Arc, Mutex, PoisonError};

use processes::{Log, Meter, Process};
use rmcp::model::{
    ArgumentInfo, CallToolRequest, CallToolRequestParams, ClientRequest, CompleteRequestParams,
    GetPromptRequest, GetPromptRequestParams, InputResponses, ProtocolVersion, ReadResourceRequest,
    ReadResourceRequestParams, Reference, ServerResult, SubscribeRequestParams,
};
use rmcp::service::{Peer, RunningService};
use rmcp::{ClientLifecycleMode, RoleClient, ServiceError};
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

mod held;
mod lines;
mod listening;
mod signed;

use crate::asked::{self, ask};
use crate::handler::Handler;
use crate::web::Web;
use crate::{
    About, Answer, Ask, Contents, Era, Fault, Host, Patience, Prompt, PromptText, Reach, Resource,
    ResourceTemplate, Setup, Tool, listed, lists, sign_in, translate,
};
use held::{BREATH, Other, piped, until_over};
use listening::listen;
use signed::Signed;

/// A server that was reached. Dropped, it is let go of in the background, and
/// its process ended.
pub struct Connection {
    peer: Peer<RoleClient>,
    handler: Handler,
    about: About,
    patience: Patience,
    /// As they were listed last: what each promised to answer.
    tools: Mutex<Arc<[Tool]>>,
    web: Option<Web>,
    meter: Option<Meter>,
    /// Why it ended, or nothing more can be had by it, once that is so.
    over: Arc<watch::Sender<Option<Fault>>>,
    stop: CancellationToken,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

type Service = RunningService<RoleClient, Handler>;

impl Connection {
    /// Reaches a server. What it logs goes to `log`.
    pub async fn open(setup: &Setup, host: Arc<dyn Host>, log: &Log) -> Result<Self, Fault> {
        let opened = match Self::open_as(setup, setup.era, host.clone(), log).await {
            // It may speak another protocol than it did.
            Err(Fault::Unreachable(_) | Fault::Refused { .. } | Fault::Ended { .. })
                if setup.era.is_some() =>
            {
                Self::open_as(setup, None, host.clone(), log).await
            }
            opened => opened,
        };
        match opened {
            Err(Fault::Late(era)) => Self::open_as(setup, Some(era), host, log).await,
            opened => opened,
        }
    }

    async fn open_as(
        setup: &Setup,
        era: Option<Era>,
        host: Arc<dyn Host>,
        log: &Log,
    ) -> Result<Self, Fault> {
        let handler = Handler::new(host.clone(), log.clone());
        let patience = setup.patience;
        match &setup.reach {
            Reach::Program(program) => {
                let process = Process::start(&setup.keeper, program).await;
                let process = process.map_err(|error| Fault::NotStarted(error.to_string()))?;
                let meter = process.meter();
                let (service, held) = piped(process, &handler, era, patience, log).await?;
                let other = Other::Program(Box::new(held));
                Ok(Self::of(service, other, handler, patience, None, Some(meter)))
            }
            Reach::Address(address) => {
                let client = sign_in::client(address).await?;
                let signed = Signed { address: address.clone(), client, host };
                let service = signed.connect(&handler, era, patience).await?;
                let web = signed.client.http_client;
                Ok(Self::of(service, Other::Web(web.clone()), handler, patience, Some(web), None))
            }
        }
    }

    fn of(
        service: Service,
        other: Other,
        handler: Handler,
        patience: Patience,
        web: Option<Web>,
        meter: Option<Meter>,
    ) -> Self {
        let peer = service.peer().clone();
        let info = peer.peer_info();
        let about = info.map(|info| translate::about(&info)).unwrap_or(About {
            name: None,
            version: None,
            instructions: None,
            era: Era::Legacy,
            has: Default::default(),
        });
        let stop = CancellationToken::new();
        let over = Arc::new(watch::Sender::new(None));
        if about.era == Era::Modern {
            tokio::spawn(listen(peer.clone(), handler.clone(), about.clone(), stop.child_token()));
        }
        let (stopped, tell_over) = (stop.clone(), over.clone());
        tokio::spawn(async move {
            let fault = until_over(service, other, stopped, patience).await;
            tell_first(&tell_over, fault);
        });
        Connection {
            peer,
            handler,
            about,
            patience,
            tools: Mutex::new(Arc::new([])),
            web,
            meter,
            over,
            stop,
        }
    }

    pub fn about(&self) -> &About {
        &self.about
    }

    /// What its process and all that it started take of the memory.
    pub fn memory_bytes(&self) -> Option<u64> {
        self.meter.and_then(Meter::bytes)
    }

    /// Waits until it is over, and says why. One that a person has to sign in for again
    /// is, too; who still waits for an answer then may have it.
    pub async fn over(&self) -> Fault {
        let mut over = self.over.subscribe();
        let why = over.wait_for(Option::is_some).await;
        why.ok().and_then(|why| why.clone()).unwrap_or(Fault::Stopped)
    }

    /// Looks whether nobody is there any more, where nothing tells that by itself.
    pub(crate) async fn is_gone(&self) -> bool {
        match &self.web {
            Some(web) => web.is_gone().await,
            None => false,
        }
    }

    /// Lets go of the server. Its process has ended afterwards, and everybody
    /// that it started.
    pub async fn close(&self) {
        self.stop.cancel();
        self.over().await;
    }

    pub async fn tools(&self) -> Result<Vec<Tool>, Fault> {
        if !self.about.has.tools {
            return Ok(Vec::new());
        }
        let page = |from| listed::page(&self.peer, from);
        let tools = listed::told_apart(self.in_time(lists::whole(page)).await?);
        *self.tools.lock().unwrap_or_else(PoisonError::into_inner) = tools.clone().into();
        Ok(tools)
    }

    /// Uses a tool. That a tool failed is an answer, too.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        with: &Ask,
    ) -> Result<Answer, Fault> {
        let result = self
            .ask(with, |supplied, state| {
                let mut params =
                    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.clone());
                (params.input_responses, params.request_state) = (supplied, state);
                ClientRequest::CallToolRequest(CallToolRequest::new(params))
            })
            .await?;
        let tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let tool = tools.iter().find(|known| known.name == tool);
        Ok(translate::answer(asked::tool_result(result)?, tool))
    }

    pub async fn resources(&self) -> Result<Vec<Resource>, Fault> {
        if !self.about.has.resources {
            return Ok(Vec::new());
        }
        let page = |from| async move {
            let page = self.peer.list_resources(Some(from)).await?;
            Ok((page.resources, page.next_cursor))
        };
        let listed = self.in_time(lists::whole(page)).await?;
        Ok(listed.into_iter().map(translate::resource).collect())
    }

    pub async fn resource_templates(&self) -> Result<Vec<ResourceTemplate>, Fault> {
        if !self.about.has.resources {
            return Ok(Vec::new());
        }
        let page = |from| async move {
            let page = self.peer.list_resource_templates(Some(from)).await?;
            Ok((page.resource_templates, page.next_cursor))
        };
        let listed = self.in_time(lists::whole(page)).await?;
        Ok(listed.into_iter().map(translate::template).collect())
    }

    pub async fn read(&self, uri: &str, with: &Ask) -> Result<Vec<Contents>, Fault> {
        let result = self
            .ask(with, |supplied, state| {
                let mut params = ReadResourceRequestParams::new(uri);
                (params.input_responses, params.request_state) = (supplied, state);
                ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
            })
            .await?;
        match result {
            ServerResult::ReadResourceResult(read) => {
                Ok(read.contents.into_iter().filter_map(translate::contents).collect())
            }
            _ => Err(unexpected()),
        }
    }

    /// Has the server tell when this resource changes. A server of the newer
    /// era is not asked: there each such wish is a stream of its own.
    pub async fn watch(&self, uri: &str) -> Result<(), Fault> {
        #[expect(deprecated, reason = "servers of the older era know no other way")]
        let watched = self.peer.subscribe(SubscribeRequestParams::new(uri));
        self.in_time(watched).await
    }

    pub async fn prompts(&self) -> Result<Vec<Prompt>, Fault> {
        if !self.about.has.prompts {
            return Ok(Vec::new());
        }
        let page = |from| async move {
            let page = self.peer.list_prompts(Some(from)).await?;
            Ok((page.prompts, page.next_cursor))
        };
        let listed = self.in_time(lists::whole(page)).await?;
        Ok(listed.into_iter().map(translate::prompt).collect())
    }

    pub async fn prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        with: &Ask,
    ) -> Result<PromptText, Fault> {
        let result = self
            .ask(with, |supplied, state| {
                let mut params = GetPromptRequestParams::new(name);
                params.arguments = Some(arguments.clone());
                (params.input_responses, params.request_state) = (supplied, state);
                ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
            })
            .await?;
        match result {
            ServerResult::GetPromptResult(text) => Ok(translate::prompt_text(text)),
            _ => Err(unexpected()),
        }
    }

    /// What an argument of a prompt that begins like this may be.
    pub async fn complete(
        &self,
        prompt: &str,
        argument: &str,
        begins: &str,
    ) -> Result<Vec<String>, Fault> {
        let params = CompleteRequestParams::new(
            Reference::for_prompt(prompt),
            ArgumentInfo::new(argument, begins),
        );
        let completed = self.in_time(self.peer.complete(params)).await?;
        Ok(completed.completion.values)
    }

    async fn ask(
        &self,
        with: &Ask,
        request: impl Fn(Option<InputResponses>, Option<String>) -> ClientRequest,
    ) -> Result<ServerResult, Fault> {
        let asked = ask(&self.peer, &self.handler, self.patience, with, request).await;
        self.answered(asked).await
    }

    async fn in_time<T>(
        &self,
        asked: impl Future<Output = Result<T, ServiceError>>,
    ) -> Result<T, Fault> {
        let silence = self.patience.silence;
        let late = |_| Err(ServiceError::Timeout { timeout: silence });
        self.answered(timeout(silence, asked).await.unwrap_or_else(late)).await
    }

    async fn answered<T>(&self, answer: Result<T, ServiceError>) -> Result<T, Fault> {
        let error = match answer {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let closed =
            matches!(error, ServiceError::TransportClosed | ServiceError::TransportSend(_));
        if closed && self.meter.is_some() {
            // Who hears nothing more from a process says how that ended.
            let why = timeout(self.patience.to_end * 2 + BREATH, self.over()).await;
            return Err(why.unwrap_or_else(|_| Fault::asked(error)));
        }
        let fault = Fault::asked(error);
        if matches!(fault, Fault::SignIn { .. }) {
            tell_first(&self.over, fault.clone());
        }
        Err(fault)
    }
}

fn tell_first(over: &watch::Sender<Option<Fault>>, why: Fault) {
    over.send_if_modified(|over| {
        let first = over.is_none();
        if first {
            *over = Some(why);
        }
        first
    });
}

fn lifecycle(era: Option<Era>) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match era {
        Some(Era::Modern) => ClientLifecycleMode::Discover { preferred_versions },
        Some(Era::Legacy) => ClientLifecycleMode::Initialize,
        None => ClientLifecycleMode::Auto {
            preferred_versions,
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        },
    }
}

fn unexpected() -> Fault {
    Fault::Broken("the server answered something else than was asked".to_owned())
}
