//! `coterie open`: what a link names.
//!
//! The links that the window opens, as a digest has them and the window copies them. It
//! shows, and does nothing else, whoever made the link.

use crate::names::Names;
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::{approval, feed, group, memory, question, soul, transcript};
use clap::Args;
use domain::{Fault, FaultCode, Message, Query, RunId};
use percent_encoding::percent_decode_str;

#[derive(Args)]
pub(crate) struct Open {
    /// Such as coterie://run/ID or coterie://group/First%20group
    link: String,
}

/// What a link can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Is {
    Group,
    Message,
    Run,
    Memory,
    Soul,
    Approval,
    Question,
}

pub(crate) async fn run(session: &Session, open: Open) -> Result<(), Failure> {
    let Some((is, name)) = named(&open.link) else {
        return Err(Fault::bad_input(
            format!("{:?} is no link to anything in a workspace", open.link),
            "give one such as coterie://run/ID; group, message, run, memory, soul, approval and question can be named",
        )
        .into());
    };
    show(session, is, name).await.map_err(|failure| match failure.fault.code {
        FaultCode::NotFound => Fault::not_found(
            format!("what {} names is not in this workspace, or not any more", open.link),
            "coterie search finds what is there",
        )
        .into(),
        _ => failure,
    })
}

async fn show(session: &Session, is: Is, name: String) -> Result<(), Failure> {
    match is {
        Is::Group => {
            let names = session.names().await?;
            match (names.group(&name), name.parse()) {
                (Ok(view), _) => group::show_log(session, &names, view.group.id).await,
                // A post is in no list of conversations.
                (Err(_), Ok(post)) => feed::show_thread(session, post).await,
                (Err(fault), Err(_)) => Err(fault.into()),
            }
        }
        Is::Message => {
            let message = name.parse().map_err(|_| no_id(&name))?;
            let message = answered!(session.ask(Query::Message { message }).await?, Message)?;
            let names = session.names().await?;
            let is_listed = names.overview.groups.iter().any(|one| one.group.id == message.group);
            // What is hidden there is hidden here too.
            if !is_listed && feed::show_item(session, &message).await? {
                return Ok(());
            }
            session.screen.one(&message, |paint| {
                let entry = transcript::entry(paint, &names, &message);
                format!("{}{entry}", paint.faint(&format!("{}\n", place(&names, &message))))
            });
            Ok(())
        }
        Is::Run => {
            let id = name.parse::<RunId>().map_err(|_| no_id(&name))?.to_string();
            crate::run::run(session, crate::run::Command::Show { id, prompt: false }).await
        }
        Is::Memory => memory::run(session, memory::Command::Show { id: name }).await,
        Is::Soul => soul::run(session, soul::Command::Show { name }).await,
        Is::Approval => approval::show(session, &name).await,
        Is::Question => question::run(session, question::Command::Show { id: name }).await,
    }
}

/// Where it was said.
fn place(names: &Names, message: &Message) -> String {
    let views = &names.overview.groups;
    match views.iter().find(|view| view.group.id == message.group) {
        Some(view) => format!("in {}", names.group_name(view)),
        None => "in a task that has ended".to_owned(),
    }
}

fn no_id(name: &str) -> Fault {
    Fault::not_found(format!("{name:?} is no id"), "copy the whole link")
}

/// `None` for anything that is not such a link.
fn named(link: &str) -> Option<(Is, String)> {
    let (is, name) = link.strip_prefix("coterie://")?.split_once('/')?;
    let name = name.strip_suffix('/').unwrap_or(name);
    if name.is_empty() || name.contains(['/', '?', '#']) {
        return None;
    }
    let is = match is {
        "group" => Is::Group,
        "message" => Is::Message,
        "run" => Is::Run,
        "memory" => Is::Memory,
        "soul" => Is::Soul,
        "approval" => Is::Approval,
        "question" => Is::Question,
        _ => return None,
    };
    let name = percent_decode_str(name).decode_utf8().ok()?;
    Some((is, name.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(link: &str, expected: Option<(Is, &str)>) {
        let expected = expected.map(|(is, name)| (is, name.to_owned()));
        assert_eq!(named(link), expected, "{link}");
    }

    #[test]
    fn a_link_names_one_thing_and_can_mean_nothing_else() {
        check("coterie://group/First%20group", Some((Is::Group, "First group")));
        check("coterie://run/0193/", Some((Is::Run, "0193")));
        check("coterie://soul/%E6%9E%97%E5%A4%8F", Some((Is::Soul, "林夏")));
        check("coterie://message/0193", Some((Is::Message, "0193")));
        for link in [
            "https://example.org/group/a",
            "coterie://group/",
            "coterie://settings/keys",
            "coterie://group/a/delete",
            "coterie://group/a?do=b",
            "coterie://group/a#b",
            "coterie://group/%E6%9E",
        ] {
            check(link, None);
        }
    }
}
