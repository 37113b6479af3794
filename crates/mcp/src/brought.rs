//! A tool that a server brings, as agents use it.

use std::sync::{Arc, Weak};

use async_trait::async_trait;
use domain::{Effects, Risk, ToolSpec};
use serde_json::Value;
use tools::{CallContext, Picture, Returned, Tool, effort};

use crate::config::Config;
use crate::servers::Inner;
use crate::structured;
use crate::{Answer, Ask, Contents, Data, Fault, Part};

pub(crate) struct Brought {
    spec: ToolSpec,
    /// The server says that it only looks.
    looks: bool,
    /// As the server knows it.
    name: String,
    /// Where its server is looked for at each use: it may have been started anew.
    servers: Weak<Inner>,
    server: String,
    /// Where that is, as a person set it up; nothing secret is in it.
    place: String,
}

/// How much of what a server says of a tool a model reads at each turn.
const MOST_OF_A_DESCRIPTION: usize = 2000;

impl Brought {
    /// An error says why no agent can use it.
    pub(crate) fn new(
        config: &Config,
        tool: &crate::Tool,
        servers: &Arc<Inner>,
    ) -> Result<Self, String> {
        unfit(tool).map_or(Ok(()), Err)?;
        let (effects, risk) = weight(config.trusted, tool);
        let described: String = tool.description.chars().take(MOST_OF_A_DESCRIPTION).collect();
        let spec = ToolSpec {
            name: offered_name(&config.name, &tool.name),
            description: format!("From the server {}. {described}", config.name),
            input: tool.input.clone(),
            effects,
            risk,
        };
        let (servers, server) = (Arc::downgrade(servers), config.name.clone());
        let place = serde_json::to_string(&config.place).map_err(|error| error.to_string())?;
        let looks = tool.hints.read_only == Some(true);
        Ok(Brought { spec, looks, name: tool.name.clone(), servers, server, place })
    }
}

/// Why no agent can use it, whichever server it is of: one that can't be checked is left
/// out, and the others are not.
pub(crate) fn unfit(tool: &crate::Tool) -> Option<String> {
    let of_output = |why| format!("its output is no schema to check by: {why}");
    let checked = || {
        tool.output.as_ref().map_or(Ok(()), effort::check).map_err(of_output)?;
        tools::check_input(&tool.input)
    };
    tool.unfit.clone().or_else(|| checked().err())
}

/// What a server claims of a tool counts only if a person trusts the server.
fn weight(trusted: bool, tool: &crate::Tool) -> (Effects, Risk) {
    let claims = |hint: Option<bool>| trusted && hint == Some(true);
    let closed = trusted && tool.hints.open_world == Some(false);
    match (claims(tool.hints.read_only), claims(tool.hints.idempotent)) {
        (true, _) => (Effects::None, if closed { Risk::Low } else { Risk::High }),
        (false, true) => (Effects::Repeatable, Risk::High),
        (false, false) => (Effects::Once, Risk::High),
    }
}

/// A name that every provider takes, and no two tools share.
pub(crate) fn offered_name(server: &str, tool: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let plain: String =
        tool.chars().map(|letter| if fits(letter) { letter } else { '_' }).collect();
    let name = format!("{server}__{plain}");
    if plain == tool && name.len() <= LONGEST {
        return name;
    }
    let mark = blake3::hash(tool.as_bytes()).to_hex();
    let kept: String = name.chars().take(LONGEST - MARK - 1).collect();
    format!("{kept}_{}", &mark[..MARK])
}

const LONGEST: usize = 64;
const MARK: usize = 8;

#[async_trait]
impl Tool for Brought {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_usual(&self) -> bool {
        false
    }

    /// Whoever lies here only has its own uses overtake each other.
    fn stands_alone(&self) -> bool {
        self.looks
    }

    fn made_by(&self) -> &str {
        &self.place
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        if with.stop.is_cancelled() {
            return Returned::stopped();
        }
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let ask = Ask {
            key: Some(with.key.to_string()),
            stop: with.stop.clone(),
            progress: Some(with.progress.clone()),
        };
        let used = async {
            let closing = || Fault::Away("the servers were stopped".to_owned());
            let servers = self.servers.upgrade().ok_or_else(closing)?;
            let server = servers.server(&self.server, &with.stop).await?;
            server.call(&self.name, arguments, &ask).await
        };
        match used.await {
            Ok(answer) => {
                let (words, pictures) = (words(&answer), pictures(&answer));
                let returned = match answer.failed {
                    true => Returned::failed(failed(&words)),
                    false => Returned::ok(words),
                };
                returned.foreign().with_pictures(pictures)
            }
            Err(Fault::Stopped) if self.spec.effects == Effects::None => Returned::stopped(),
            // It is told to stop, and may be done by then.
            Err(Fault::Stopped) => Returned::cut_off(),
            // The server's own words may be in it.
            Err(fault) if fault.may_have_happened() && self.spec.effects != Effects::None => {
                Returned::failed(format!(
                    "{fault}; it may have been done all the same: check before you repeat it"
                ))
                .foreign()
            }
            Err(fault) => {
                Returned::failed(format!("not done: {}", fault.told(&self.server))).foreign()
            }
        }
    }
}

/// Those that stand by themselves, and those that are resources.
fn pictures(answer: &Answer) -> Vec<Picture> {
    answer.parts.iter().filter_map(picture).collect()
}

fn picture(part: &Part) -> Option<Picture> {
    let (media_type, base64) =
        match part {
            Part::Image { mime_type, base64 } => (mime_type, base64),
            Part::Resource(Contents {
                mime_type: Some(kind), data: Data::Base64(base64), ..
            }) if kind.starts_with("image/") => (kind, base64),
            Part::Text(_)
            | Part::Audio { .. }
            | Part::Resource(_)
            | Part::Link(_)
            | Part::Unknown(_) => return None,
        };
    Some(Picture { media_type: media_type.clone(), base64: base64.clone() })
}

fn words(answer: &Answer) -> String {
    let is_told = |part: &&Part| !matches!(part, Part::Image { .. });
    let mut lines: Vec<String> = answer.parts.iter().filter(is_told).map(Part::shown).collect();
    // Most servers say what is structured in words too, and some only how much of it there is.
    let untold = answer.structured.as_ref().filter(|data| !structured::is_told(data, &lines));
    lines.extend(untold.map(Value::to_string));
    lines.extend(
        answer.misfit.as_ref().map(|how| format!("[this is not what the tool promised: {how}]")),
    );
    lines.join("\n")
}

/// The words alone may read like an answer.
fn failed(words: &str) -> String {
    match words.is_empty() {
        true => "[the tool failed, and its server does not say why]".to_owned(),
        false => format!("[the tool failed; what its server says of it:]\n{words}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hints;

    #[test]
    fn a_name_fits_every_provider_and_stays_the_same() {
        let check = |tool: &str, expected: &str| assert_eq!(offered_name("files", tool), expected);
        check("read_file", "files__read_file");
        check("read file", "files__read_file_12b6d0b1");
        check("read.file", "files__read_file_3b9c574c");
        let long = "a".repeat(100);
        assert_eq!(offered_name("files", &long).len(), LONGEST);
        assert_ne!(offered_name("files", &long), offered_name("files", &"a".repeat(101)));
    }

    #[test]
    fn only_a_trusted_server_is_believed_what_its_tools_do() {
        let check = |trusted, hints, expected| {
            let tool = crate::Tool {
                name: "look".into(),
                title: None,
                description: String::new(),
                input: Value::Null,
                output: None,
                hints,
                unfit: None,
            };
            assert_eq!(weight(trusted, &tool), expected);
        };
        let yes = Some(true);
        let looks = Hints { read_only: yes, open_world: Some(false), ..Hints::default() };
        check(false, looks, (Effects::Once, Risk::High));
        check(true, looks, (Effects::None, Risk::Low));
        let abroad = Hints { open_world: yes, ..looks };
        check(true, abroad, (Effects::None, Risk::High));
        let again = Hints { idempotent: yes, ..Hints::default() };
        check(true, again, (Effects::Repeatable, Risk::High));
        check(true, Hints::default(), (Effects::Once, Risk::High));
    }
}
