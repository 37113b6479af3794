//! The tools that a server lists, each by itself: one that makes no sense takes none
//! of the others with it.

use std::collections::HashSet;

use rmcp::model::{self, ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult};
use rmcp::service::Peer;
use rmcp::{RoleClient, ServiceError};
use serde_json::Value;

use crate::brought::unfit;
use crate::{Hints, Tool, translate};

type Page = (Vec<Tool>, Option<String>);

pub(crate) async fn page(
    peer: &Peer<RoleClient>,
    from: PaginatedRequestParams,
) -> Result<Page, ServiceError> {
    match peer.list_tools(Some(from.clone())).await {
        Ok(page) => Ok((page.tools.into_iter().map(translate::tool).collect(), page.next_cursor)),
        // The SDK reads all of them or none.
        Err(ServiceError::UnexpectedResponse) => one_by_one(peer, from).await,
        Err(error) => Err(error),
    }
}

/// One that has no name is called by its place. Of those that are called the same, the first
/// that can be used is the one: the server could not tell them apart either.
pub(crate) fn told_apart(mut tools: Vec<Tool>) -> Vec<Tool> {
    let mut names = HashSet::new();
    for (tool, nth) in tools.iter_mut().zip(1..) {
        if tool.name.is_empty() {
            (tool.name, tool.unfit) = (nameless(nth), Some("it has no name".to_owned()));
        }
        if unfit(tool).is_none() && !names.insert(tool.name.clone()) {
            tool.unfit = Some(SAME_NAME.to_owned());
        }
    }
    tools
}

const SAME_NAME: &str = "the server lists another tool of this name before it, which agents get";

async fn one_by_one(
    peer: &Peer<RoleClient>,
    from: PaginatedRequestParams,
) -> Result<Page, ServiceError> {
    let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(from));
    match peer.send_request(request).await? {
        ServerResult::ListToolsResult(page) => {
            Ok((page.tools.into_iter().map(translate::tool).collect(), page.next_cursor))
        }
        ServerResult::CustomResult(page) => read(&page.0).ok_or(ServiceError::UnexpectedResponse),
        _ => Err(ServiceError::UnexpectedResponse),
    }
}

/// `None` for what is no list of tools at all.
fn read(page: &Value) -> Option<Page> {
    let tools = page.get("tools")?.as_array()?;
    let next = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
    Some((tools.iter().zip(1..).map(|(tool, nth)| one(tool, nth)).collect(), next))
}

fn nameless(nth: usize) -> String {
    format!("(the {nth}. of the list, without a name)")
}

fn one(told: &Value, nth: usize) -> Tool {
    let error = match serde_json::from_value::<model::Tool>(told.clone()) {
        Ok(tool) => return translate::tool(tool),
        Err(error) => error,
    };
    let text = |name: &str| told.get(name).and_then(Value::as_str).map(str::to_owned);
    let why = match told.get("inputSchema") {
        None => "it has no inputSchema".to_owned(),
        Some(Value::Object(_)) => format!("it makes no sense: {error}"),
        Some(_) => "its inputSchema is no object".to_owned(),
    };
    Tool {
        name: text("name").unwrap_or_else(|| nameless(nth)),
        title: text("title"),
        description: text("description").unwrap_or_default(),
        input: Value::Null,
        output: None,
        hints: Hints::default(),
        unfit: Some(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tool_without_a_name_is_called_by_its_place_and_left_out() {
        let told = |name| one(&json!({"name": name, "inputSchema": {"type": "object"}}), 1);
        let told = told_apart(vec![told("look"), told(""), told("")]);
        let told: Vec<_> =
            told.iter().map(|tool| (tool.name.as_str(), tool.unfit.as_deref())).collect();
        let why = Some("it has no name");
        let nameless = [
            ("(the 2. of the list, without a name)", why),
            ("(the 3. of the list, without a name)", why),
        ];
        assert_eq!(told, [("look", None), nameless[0], nameless[1]]);
    }
}
