//! A server over HTTP, where a person may have to let us in.

use std::collections::HashMap;
use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use rmcp::ClientServiceExt;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::time::timeout;

use super::{Service, lifecycle};
use crate::handler::Handler;
use crate::sign_in::{self, Client};
use crate::{Address, Era, Fault, Host, Patience, SignIn};

pub(super) struct Signed {
    pub(super) address: Address,
    pub(super) client: Client,
    pub(super) host: Arc<dyn Host>,
}

/// Who was asked to sign in that often will not be let in.
const MOST_SIGN_INS: usize = 3;

impl Signed {
    pub(super) async fn connect(
        &self,
        handler: &Handler,
        era: Option<Era>,
        patience: Patience,
    ) -> Result<Service, Fault> {
        let SignIn { may_ask, challenge, .. } = &self.address.sign_in;
        if *may_ask && challenge.is_some() {
            self.let_in(challenge.as_deref(), patience).await?;
        }
        for _ in 0..MOST_SIGN_INS {
            let transport = StreamableHttpClientTransport::with_client(
                self.client.clone(),
                self.config(patience)?,
            );
            let serving = handler.clone().serve_with_lifecycle(transport, lifecycle(era));
            let served = timeout(patience.to_connect, serving).await;
            match served.map_err(|_| Fault::Silent(patience.to_connect))? {
                Ok(service) => {
                    self.client.http_client.can_be_asked().await;
                    return Ok(service);
                }
                Err(error) => match Fault::connecting(error) {
                    Fault::SignIn { challenge, .. } if *may_ask => {
                        self.let_in(challenge.as_deref(), patience).await?;
                    }
                    fault => return Err(fault),
                },
            }
        }
        Err(Fault::sign_in("what it gave us does not let us in"))
    }

    async fn let_in(&self, challenge: Option<&str>, patience: Patience) -> Result<(), Fault> {
        let host = self.host.as_ref();
        sign_in::authorize(&self.address, &self.client, challenge, host, patience.to_sign_in).await
    }

    fn config(&self, patience: Patience) -> Result<StreamableHttpClientTransportConfig, Fault> {
        let mut headers = HashMap::new();
        for (name, value) in &self.address.headers {
            let wrong = || Fault::Unreachable(format!("the header {name} can't be sent"));
            let known = HeaderName::try_from(name.as_str()).map_err(|_| wrong())?;
            let mut value = HeaderValue::try_from(value.as_str()).map_err(|_| wrong())?;
            value.set_sensitive(true);
            headers.insert(known, value);
        }
        Ok(StreamableHttpClientTransportConfig::with_uri(self.address.url.as_str())
            .custom_headers(headers)
            .max_sse_event_size(patience.most_bytes)
            .max_json_response_size(patience.most_bytes))
    }
}
