//! `coterie digest`: what happened while you were away, told by an agent.

use crate::quiet::Patience;
use crate::schedule;
use crate::screen::Failure;
use crate::session::Session;
use clap::Args;
use domain::Command as Order;

#[derive(Args)]
pub(crate) struct Digest {
    /// Who tells it
    agent: String,
    #[command(flatten)]
    pub patience: Patience,
}

pub(crate) async fn run(session: &Session, digest: Digest) -> Result<(), Failure> {
    let agent = session.names().await?.agent(&digest.agent)?.id;
    schedule::given(session, Order::AskForDigest { agent }, &digest.patience).await
}
