//! Signing in with a server over HTTP, by OAuth 2.1.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::redirect::{Attempt, Policy};
use rmcp::transport::auth::{
    AuthClient, AuthError, AuthorizationManager, AuthorizationMetadataResolution,
    AuthorizationRequest, AuthorizationSession, CredentialStore, StoredCredentials,
    WWWAuthenticateParams,
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::fault::chain;
use crate::refused::LACKS_A_KEY;
use crate::web::Web;
use crate::{Address, Fault, Host};

/// How we sign in with a server that asks for it.
#[derive(Clone)]
pub struct SignIn {
    /// Whether a page may be shown to a person now, while we connect. If not, a
    /// server that asks is a [`Fault::SignIn`].
    pub may_ask: bool,
    /// What the server said when it refused a use of it: by what we were given
    /// before it would let us in, and refuse the use again.
    pub challenge: Option<String>,
    pub tokens: Arc<dyn Tokens>,
    /// For servers that know us already. Others let us make ourselves known.
    pub client_id: Option<String>,
    pub client_secret: Option<String>,
    /// The address of a document that says who we are.
    pub about_us: Option<String>,
    /// What to ask leave for; what the server says, if there is nothing here.
    pub scopes: Vec<String>,
}

/// Where what a server gave us to prove who we are is kept. It is a secret.
#[async_trait]
pub trait Tokens: Send + Sync {
    /// An error says why not.
    async fn load(&self) -> Result<Option<String>, String>;
    async fn save(&self, secret: Option<String>) -> Result<(), String>;
    /// Whether it could be kept now, looked at before a person is sent to a page.
    async fn can_save(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Keeps it as long as the process lives.
#[derive(Debug, Default)]
pub struct InMemory(Mutex<Option<String>>);

#[async_trait]
impl Tokens for InMemory {
    async fn load(&self) -> Result<Option<String>, String> {
        Ok(self.0.lock().await.clone())
    }

    async fn save(&self, secret: Option<String>) -> Result<(), String> {
        *self.0.lock().await = secret;
        Ok(())
    }
}

impl Default for SignIn {
    fn default() -> Self {
        SignIn {
            may_ask: false,
            challenge: None,
            tokens: Arc::new(InMemory::default()),
            client_id: None,
            client_secret: None,
            about_us: None,
            scopes: Vec::new(),
        }
    }
}

impl std::fmt::Debug for SignIn {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("SignIn").field("may_ask", &self.may_ask).finish_non_exhaustive()
    }
}

pub(crate) type Client = AuthClient<Web>;

/// A client that shows what we were given, if we were given anything.
pub(crate) async fn client(address: &Address) -> Result<Client, Fault> {
    let http = reqwest::Client::builder()
        .connect_timeout(TO_REACH)
        // Many servers close a connection that rests for five seconds, and a
        // request that meets that end on its way must not be sent again.
        .pool_idle_timeout(RESTS)
        // What we show a server is for that server alone.
        .redirect(Policy::custom(|attempt| match within_its_server(&attempt) {
            true => attempt.follow(),
            false => attempt.stop(),
        }))
        .build()
        .map_err(|error| Fault::Unreachable(chain(&error)))?;
    let mut manager = manager(address).await?;
    if let Err(error) = manager.initialize_from_store().await {
        return Err(match error {
            AuthError::CredentialStoreError(why) => Fault::Locked(why),
            error => Fault::Unreachable(chain(&error)),
        });
    }
    Ok(AuthClient::new(Web::new(http, &address.url), manager))
}

/// Whether a redirection stays where the first request went.
fn within_its_server(attempt: &Attempt<'_>) -> bool {
    let first = attempt.previous().first();
    let is_same = first.is_some_and(|first| first.origin() == attempt.url().origin());
    is_same && attempt.previous().len() < MOST_REDIRECTIONS
}

/// Has a person let us in. `challenge` is what the server said when it did not. The client is
/// as it was until that is done.
pub(crate) async fn authorize(
    address: &Address,
    client: &Client,
    challenge: Option<&str>,
    host: &dyn Host,
    patience: Duration,
) -> Result<(), Fault> {
    // Else the person would sign in, and nobody could remember it.
    address.sign_in.tokens.can_save().await.map_err(Fault::sign_in)?;
    let failed = |error: AuthError| Fault::sign_in(chain(&error));
    let mut manager = manager(address).await?;
    // Many who want a key ask for it in the words of those with whom one signs in.
    let unknown = |error: AuthError| {
        Fault::sign_in(format!("it does not say where: {}; {LACKS_A_KEY}", chain(&error)))
    };
    let found = manager.resolve_metadata_from_challenge(challenge).await.map_err(unknown)?;
    if !takes_proof(&found) {
        return Err(Fault::sign_in(without_proof(&found)));
    }
    let is_known = found.source.is_discovered();
    manager.set_metadata(found.metadata);
    let listener = Listener::bind().await.map_err(|error| {
        Fault::sign_in(format!("nothing can be heard on this machine: {error}"))
    })?;
    let request = request(address, &listener, challenge).await;
    let session = AuthorizationSession::new(manager, request).await;
    let session = session.map_err(|(_, error)| match is_known {
        true => failed(error),
        false => unknown(error),
    })?;
    let page = session.get_authorization_url();
    host.show_page(page).await.map_err(Fault::sign_in)?;
    let back = timeout(patience, listener.back(said(page, "state")))
        .await
        .map_err(|_| Fault::sign_in("nobody came back from the page in time"))?;
    let back = back.map_err(|error| Fault::sign_in(error.to_string()))?;
    if let Some(why) = refused(&back) {
        return Err(Fault::sign_in(format!("it was refused there: {why}")));
    }
    session.handle_callback_url(&back).await.map_err(failed)?;
    *client.auth_manager.lock().await = session.auth_manager;
    Ok(())
}

/// Whether whoever lets people in says that they take a proof of who began it (PKCE), without
/// which the protocol has us refuse. An old server says nothing of itself at all.
fn takes_proof(found: &AuthorizationMetadataResolution) -> bool {
    let said = found.metadata.code_challenge_methods_supported.as_deref().unwrap_or_default();
    !found.source.is_discovered() || said.iter().any(|method| method == PROOF)
}

fn without_proof(found: &AuthorizationMetadataResolution) -> String {
    let metadata = &found.metadata;
    let who = metadata.issuer.as_ref().unwrap_or(&metadata.authorization_endpoint);
    format!(
        "{who}, which lets people in there, does not say that it takes a proof by PKCE ({PROOF}); \
         without one, whoever sees what it sends back could use it in your place"
    )
}

const PROOF: &str = "S256";

const MOST_REDIRECTIONS: usize = 5;
const TO_REACH: Duration = Duration::from_secs(15);
const RESTS: Duration = Duration::from_secs(3);

async fn manager(address: &Address) -> Result<AuthorizationManager, Fault> {
    let unusable = |error: AuthError| Fault::Unreachable(chain(&error));
    let mut manager = AuthorizationManager::new(&address.url).await.map_err(unusable)?;
    manager.set_credential_store(Stored(address.sign_in.tokens.clone()));
    Ok(manager)
}

async fn request(
    address: &Address,
    listener: &Listener,
    challenge: Option<&str>,
) -> AuthorizationRequest {
    let SignIn { client_id, client_secret, about_us, .. } = &address.sign_in;
    // Where we say nothing, what the server wants goes before all that it knows.
    let mut request = AuthorizationRequest::new(listener.address())
        .with_client_name("Coterie")
        .with_initial_scope_selection()
        .with_scopes(scopes(&address.sign_in, challenge).await);
    if let Some(id) = client_id {
        request = request.with_preregistered_client(id.clone());
        if let Some(secret) = client_secret {
            request = request.with_client_secret(secret.clone());
        }
    }
    if let Some(url) = about_us {
        request = request.with_client_metadata_url(url.clone());
    }
    request
}

/// What to ask leave for: what we have it for, too, where the server wants more. Nothing for
/// what it says of itself.
async fn scopes(sign_in: &SignIn, challenge: Option<&str>) -> Vec<String> {
    if !sign_in.scopes.is_empty() {
        return sign_in.scopes.clone();
    }
    let before = Stored(sign_in.tokens.clone()).load().await.ok().flatten();
    let mut scopes = before.map(|before| before.granted_scopes).unwrap_or_default();
    let wanted = challenge.and_then(read).and_then(|challenge| challenge.scope);
    let (Some(wanted), false) = (wanted, scopes.is_empty()) else { return Vec::new() };
    for scope in wanted.split_whitespace() {
        if !scopes.iter().any(|had| had == scope) {
            scopes.push(scope.to_owned());
        }
    }
    scopes
}

/// Why a server refuses us, as far as it says so.
pub(crate) fn why_challenged(challenge: &str) -> Option<String> {
    let said = read(challenge)?;
    match said.scope {
        Some(scope) if said.error.as_deref() == Some("insufficient_scope") => {
            Some(format!("it wants leave for {scope}"))
        }
        _ => said.error_description,
    }
}

fn read(challenge: &str) -> Option<WWWAuthenticateParams> {
    // What may be relative in it is not looked at.
    let anywhere = reqwest::Url::parse("http://localhost").ok()?;
    Some(WWWAuthenticateParams::parse(challenge, &anywhere))
}

/// Hears where the browser is sent back to: to us, on this machine only.
struct Listener {
    socket: TcpListener,
    port: u16,
}

impl Listener {
    async fn bind() -> std::io::Result<Self> {
        let socket = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = socket.local_addr()?.port();
        Ok(Listener { socket, port })
    }

    fn address(&self) -> String {
        format!("http://127.0.0.1:{}/callback", self.port)
    }

    /// The whole address, once the browser has been sent there. Whoever comes with another
    /// state than the page was opened with comes from somewhere else.
    async fn back(&self, state: Option<String>) -> std::io::Result<String> {
        loop {
            let (stream, _) = self.socket.accept().await?;
            // Whoever connects and says nothing must not keep the browser waiting.
            let heard = timeout(TO_SPEAK, self.hear(stream, state.as_deref())).await;
            if let Ok(Some(back)) = heard {
                return Ok(back);
            }
        }
    }

    async fn hear(&self, stream: TcpStream, state: Option<&str>) -> Option<String> {
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        let mut limited = tokio::io::AsyncReadExt::take(&mut stream, MOST_OF_A_REQUEST);
        limited.read_line(&mut line).await.ok()?;
        let path = line.strip_prefix("GET ")?.split(' ').next()?;
        let back = format!("http://127.0.0.1:{}{path}", self.port);
        let brought = said(&back, "state");
        // Some that refuse say nothing else.
        let is_answer =
            brought.as_deref() == state || (brought.is_none() && refused(&back).is_some());
        let ours = path.starts_with("/callback?") && is_answer;
        let (status, said) = match ours {
            true if refused(&back).is_some() => {
                ("200 OK", "You were not let in. You can close this page; Coterie says why.")
            }
            // Whether what it brings lets us in is seen only then.
            true => ("200 OK", "You can close this page. Coterie says whether you are signed in."),
            false => ("404 Not Found", "There is nothing here."),
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{said}",
            said.len()
        );
        stream.get_mut().write_all(answer.as_bytes()).await.ok()?;
        let _ = stream.get_mut().shutdown().await;
        ours.then_some(back)
    }
}

/// Why the person, or whoever lets people in, did not let us in.
fn refused(back: &str) -> Option<String> {
    let error = said(back, "error")?;
    Some(said(back, "error_description").map_or(error.clone(), |more| format!("{more} ({error})")))
}

/// What an address says under a name.
fn said(url: &str, name: &str) -> Option<String> {
    let url = reqwest::Url::parse(url).ok()?;
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

const TO_SPEAK: Duration = Duration::from_secs(5);
const MOST_OF_A_REQUEST: u64 = 16 << 10;

/// Our store, as the SDK wants it.
struct Stored(Arc<dyn Tokens>);

#[async_trait]
impl CredentialStore for Stored {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let secret = self.0.load().await.map_err(AuthError::CredentialStoreError)?;
        // What can't be read any more was written by another version: signed in anew.
        Ok(secret.and_then(|secret| serde_json::from_str(&secret).ok()))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let secret = serde_json::to_string(&credentials)
            .map_err(|error| AuthError::CredentialStoreError(error.to_string()))?;
        self.0.save(Some(secret)).await.map_err(AuthError::CredentialStoreError)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.0.save(None).await.map_err(AuthError::CredentialStoreError)
    }
}
