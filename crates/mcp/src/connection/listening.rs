//! Hearing of changes from a server of the newer era.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::SubscriptionFilter;
use rmcp::service::Peer;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::About;
use crate::handler::Handler;

/// Passes on what changed; a server of that era tells nobody who did not ask.
pub(super) async fn listen(
    peer: Peer<RoleClient>,
    handler: Handler,
    about: About,
    stop: CancellationToken,
) {
    let mut wanted = SubscriptionFilter::builder();
    if about.has.tools_change {
        wanted = wanted.tools_list_changed();
    }
    if about.has.resources_change {
        wanted = wanted.resources_list_changed();
    }
    if about.has.prompts_change {
        wanted = wanted.prompts_list_changed();
    }
    if !(about.has.tools_change || about.has.resources_change || about.has.prompts_change) {
        return;
    }
    let wanted = wanted.build();
    let mut rest = FIRST_REST;
    let listening = async {
        while !peer.is_transport_closed() {
            if let Ok(mut heard) = peer.listen(wanted.clone()).await {
                rest = FIRST_REST;
                while let Ok(Some(notification)) = heard.next().await {
                    handler.heard(&notification);
                }
            }
            sleep(rest).await;
            rest = (rest * 2).min(LONGEST_REST);
        }
    };
    tokio::select! {
        () = listening => {}
        () = stop.cancelled() => {}
    }
}

const FIRST_REST: Duration = Duration::from_secs(1);
const LONGEST_REST: Duration = Duration::from_secs(60);
