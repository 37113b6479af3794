//! `coterie group forget|react`: a message's words gone for ever, or answered by a sign.

use crate::memory::told;
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::sure::sure;
use crate::why;
use domain::{Command as Order, Forgetting, GroupId, Query};

/// A person is shown what goes, and asked.
pub(super) async fn forget(
    session: &Session,
    group: GroupId,
    wanted: &str,
    yes: bool,
) -> Result<(), Failure> {
    let message = why::message(session, group, wanted).await?.id;
    let what = answered!(session.ask(Query::Forgetting { message }).await?, Forgetting)?;
    if !yes {
        sure(&question(&what))?;
    }
    let gone = answered!(session.order(Order::ForgetMessage { message }).await?, Message)?;
    session.screen.one(&gone, |_| {
        "forgotten: its words are gone from the conversation and its forks, from what was \
         remembered of it, from summaries, what agents did with it, and what models were sent; \
         what others said of it stays, and copies made before (backups, exports) keep it"
            .to_owned()
    });
    Ok(())
}

fn question(what: &Forgetting) -> String {
    let words = what.message.text().unwrap_or_default();
    let mut question = format!("Forget “{}” for ever?", words.trim());
    for shown in &what.message.attachments {
        question += &format!("\nwith the file {}", shown.name);
    }
    match what.copies.len() {
        0 => {}
        1 => question += "\nwith its copy in a fork",
        copies => question += &format!("\nwith its {copies} copies in forks"),
    }
    for memory in &what.memories {
        question += &format!("\nwith what is remembered of it: {}", told::line(memory));
    }
    question
}

pub(super) async fn react(
    session: &Session,
    group: GroupId,
    wanted: &str,
    sign: String,
    off: bool,
) -> Result<(), Failure> {
    let item = why::message(session, group, wanted).await?.id;
    session.order(Order::React { item, sign, on: !off }).await?;
    session.screen.one(&(), |_| if off { "taken back" } else { "noted" }.to_owned());
    Ok(())
}
