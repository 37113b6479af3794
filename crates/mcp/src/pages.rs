//! A refusal that sends the person to a page first.
//!
//! A server of the older era may refuse whatever it is asked until somebody has been on
//! a page of its own. The person is asked as about every other page; when they agreed,
//! it is asked once more.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{CustomNotification, ElicitRequestParams, ElicitationAction};
use serde_json::Value;
use tokio::sync::broadcast;
use tokio::time::timeout;

use crate::handler::Handler;

/// How such a refusal is marked.
const TO_A_PAGE_FIRST: i32 = -32042;
/// To more pages nobody is sent at once.
const MOST_PAGES: usize = 3;
const DONE: &str = "notifications/elicitation/complete";

impl Handler {
    /// Sends the person to the pages that this refusal names, and waits until the server
    /// says that they are done there (`done`, heard since it was asked), but for no longer
    /// than `patience`: it need not say so. An error is why it is no use to ask again.
    pub(crate) async fn go_to_pages(
        &self,
        refused: ErrorData,
        key: Option<&str>,
        done: &mut broadcast::Receiver<String>,
        patience: Duration,
    ) -> Result<(), ErrorData> {
        let pages = pages(&refused);
        if pages.is_empty() {
            return Err(refused);
        }
        let mut waited_for = Vec::new();
        for page in pages {
            if let ElicitRequestParams::UrlElicitationParams { elicitation_id, .. } = &page {
                waited_for.push(elicitation_id.clone());
            }
            let uses = key.map(str::to_owned).into_iter().collect();
            if self.elicit(page, uses).await?.action != ElicitationAction::Accept {
                let why = format!("{}; the person did not go to its page", refused.message);
                return Err(ErrorData { message: why.into(), ..refused });
            }
        }
        let _ = timeout(patience, all_done(done, waited_for)).await;
        Ok(())
    }
}

async fn all_done(done: &mut broadcast::Receiver<String>, mut waited_for: Vec<String>) {
    while !waited_for.is_empty() {
        match done.recv().await {
            Ok(one) => waited_for.retain(|other| *other != one),
            // What was missed may have been the last of them.
            Err(_) => return,
        }
    }
}

/// Those that can be gone to; of forms, such a refusal may not speak.
fn pages(refused: &ErrorData) -> Vec<ElicitRequestParams> {
    if refused.code.0 != TO_A_PAGE_FIRST {
        return Vec::new();
    }
    let named = refused.data.as_ref().and_then(|data| data.get("elicitations"));
    let named = named.and_then(Value::as_array).into_iter().flatten();
    let pages = named.filter_map(|page| serde_json::from_value(page.clone()).ok());
    let is_page = |page: &ElicitRequestParams| {
        matches!(page, ElicitRequestParams::UrlElicitationParams { .. })
    };
    pages.filter(is_page).take(MOST_PAGES).collect()
}

/// The server's name for what is done on a page, if this tells of that.
pub(crate) fn done(notification: &CustomNotification) -> Option<&str> {
    let params = notification.params.as_ref().filter(|_| notification.method == DONE)?;
    params.get("elicitationId")?.as_str()
}
