//! The SDK's words in ours.
#![expect(deprecated, reason = "servers of the older era still ask for a model's words")]

use rmcp::model::{self, ContentBlock, SamplingMessageContentBlock};
use serde_json::Value;

use crate::{
    About, Answer, Argument, Contents, Data, Era, Has, Hints, Part, Prompt, PromptText, Resource,
    ResourceTemplate, Role, Spoken, Tool, misfit,
};

pub(crate) fn about(peer: &model::ServerPeerInfo) -> About {
    let can = &peer.capabilities;
    let modern = peer.protocol_version >= model::ProtocolVersion::V_2026_07_28;
    let named = peer.server_info.as_ref();
    About {
        name: named.map(|server| server.name.clone()),
        version: named.map(|server| server.version.clone()),
        instructions: peer.instructions.clone(),
        era: if modern { Era::Modern } else { Era::Legacy },
        has: Has {
            tools: can.tools.is_some(),
            resources: can.resources.is_some(),
            prompts: can.prompts.is_some(),
            completions: can.completions.is_some(),
            tools_change: can.tools.as_ref().and_then(|tools| tools.list_changed) == Some(true),
            resources_change: can.resources.as_ref().and_then(|all| all.list_changed) == Some(true),
            prompts_change: can.prompts.as_ref().and_then(|all| all.list_changed) == Some(true),
        },
    }
}

pub(crate) fn tool(tool: model::Tool) -> Tool {
    let hints = tool.annotations.unwrap_or_default();
    Tool {
        name: tool.name.into_owned(),
        title: tool.title.or(hints.title),
        description: tool.description.unwrap_or_default().into_owned(),
        input: Value::Object(tool.input_schema.as_ref().clone()),
        output: tool.output_schema.map(|schema| Value::Object(schema.as_ref().clone())),
        hints: Hints {
            read_only: hints.read_only_hint,
            destructive: hints.destructive_hint,
            idempotent: hints.idempotent_hint,
            open_world: hints.open_world_hint,
        },
        unfit: None,
    }
}

pub(crate) fn resource(resource: model::Resource) -> Resource {
    Resource {
        uri: resource.uri,
        name: resource.name,
        title: resource.title,
        description: resource.description,
        mime_type: resource.mime_type,
        bytes: resource.size,
    }
}

pub(crate) fn template(template: model::ResourceTemplate) -> ResourceTemplate {
    ResourceTemplate {
        uri_template: template.uri_template,
        name: template.name,
        title: template.title,
        description: template.description,
        mime_type: template.mime_type,
    }
}

pub(crate) fn prompt(prompt: model::Prompt) -> Prompt {
    let arguments = prompt.arguments.unwrap_or_default().into_iter().map(|argument| Argument {
        name: argument.name,
        description: argument.description,
        required: argument.required == Some(true),
    });
    Prompt {
        name: prompt.name,
        title: prompt.title,
        description: prompt.description,
        arguments: arguments.collect(),
    }
}

pub(crate) fn prompt_text(text: model::GetPromptResult) -> PromptText {
    let messages = text
        .messages
        .into_iter()
        .map(|message| Spoken { role: role(&message.role), parts: vec![part(message.content)] });
    PromptText { description: text.description, messages: messages.collect() }
}

pub(crate) fn answer(result: model::CallToolResult, tool: Option<&Tool>) -> Answer {
    let failed = result.is_error == Some(true);
    let promised = tool.and_then(|tool| tool.output.as_ref()).filter(|_| !failed);
    let misfit = promised.and_then(|schema| match &result.structured_content {
        Some(value) => misfit(schema, value),
        None => Some("nothing structured came, which was promised".to_owned()),
    });
    Answer {
        parts: result.content.into_iter().map(part).collect(),
        structured: result.structured_content,
        failed,
        misfit,
    }
}

pub(crate) fn contents(contents: model::ResourceContents) -> Option<Contents> {
    use model::ResourceContents::{BlobResourceContents, TextResourceContents};
    match contents {
        TextResourceContents { uri, mime_type, text, .. } => {
            Some(Contents { uri, mime_type, data: Data::Text(text) })
        }
        BlobResourceContents { uri, mime_type, blob, .. } => {
            Some(Contents { uri, mime_type, data: Data::Base64(blob) })
        }
        _ => None,
    }
}

fn part(block: ContentBlock) -> Part {
    match block {
        ContentBlock::Text(text) => Part::Text(text.text),
        ContentBlock::Image(image) => {
            Part::Image { mime_type: image.mime_type, base64: image.data }
        }
        ContentBlock::Audio(audio) => {
            Part::Audio { mime_type: audio.mime_type, base64: audio.data }
        }
        ContentBlock::Resource(embedded) => match contents(embedded.resource) {
            Some(contents) => Part::Resource(contents),
            None => Part::Unknown("a resource".to_owned()),
        },
        ContentBlock::ResourceLink(link) => Part::Link(resource(link)),
        other => Part::Unknown(format!("{other:?}").chars().take(40).collect()),
    }
}

pub(crate) fn spoken(message: model::SamplingMessage) -> Spoken {
    let parts = message.content.into_vec().into_iter().map(|block| match block {
        SamplingMessageContentBlock::Text(text) => Part::Text(text.text),
        SamplingMessageContentBlock::Image(image) => {
            Part::Image { mime_type: image.mime_type, base64: image.data }
        }
        SamplingMessageContentBlock::Audio(audio) => {
            Part::Audio { mime_type: audio.mime_type, base64: audio.data }
        }
        SamplingMessageContentBlock::ToolUse(call) => Part::Unknown(call.name),
        other => Part::Unknown(format!("{other:?}").chars().take(40).collect()),
    });
    Spoken { role: role(&message.role), parts: parts.collect() }
}

fn role(role: &model::Role) -> Role {
    match role {
        model::Role::User => Role::User,
        model::Role::Assistant => Role::Assistant,
    }
}
