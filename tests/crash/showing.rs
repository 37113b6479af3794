//! Somebody who shows files with what they say.

use super::{Outcome, must, new, order, overview, plan};
use domain::{Command, GroupKind, Reply};
use door::Door;

/// "leaf 0", "leaf 1" and "leaf 2".
const LEAVES: [&str; 3] = ["bGVhZiAw", "bGVhZiAx", "bGVhZiAy"];

/// Each is kept in every life, and shown once.
pub(crate) async fn post(door: &Door) -> Outcome<()> {
    let there = overview(door).await?;
    let ines = there.agents.iter().find(|agent| agent.name == "Ines").map(|agent| agent.id);
    let own = there
        .groups
        .iter()
        .find(|view| view.group.kind == GroupKind::Direct && view.group.default_agent == ines);
    let group = own.ok_or("Ines has no group")?.group.id;
    for (n, leaf) in LEAVES.iter().enumerate() {
        let base64 = leaf.repeat(1_000);
        let attach = Command::Attach { name: format!("leaf-{n}.txt"), base64 };
        let attachments = match order(door, new(), attach).await {
            Ok(Reply::Attachment(attachment)) => vec![attachment],
            other => return Err(format!("no attachment: {other:?}")),
        };
        let text = format!("Here is leaf {n}");
        let post = Command::Post { group, text, reply_to: None, attachments };
        must(door, plan::request("leaf", n), post).await?;
    }
    Ok(())
}
