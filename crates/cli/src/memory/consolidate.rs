//! `coterie memory consolidate`: what would be, or was, made of memories.

use crate::screen::Failure;
use crate::session::{Session, answered};
use domain::{Command as Order, Consolidated};

pub(super) async fn run(session: &Session, preview: bool) -> Result<(), Failure> {
    let order = Order::ConsolidateMemories { preview };
    let done: Consolidated = *answered!(session.order(order).await?, Consolidated)?;
    session.screen.one(&done, |_| told(&done, preview));
    Ok(())
}

fn told(done: &Consolidated, preview: bool) -> String {
    let Consolidated { looked_at, merged, noticed, matters, left, waiting } = done;
    let mut lines: Vec<String> = Vec::new();
    for (stays, goes) in merged {
        lines.push(format!("says the same  {}\n    gives way    {}", stays.text, goes.text));
    }
    lines.extend(noticed.iter().map(|one| format!("noticed        {}", one.text)));
    lines.extend(matters.iter().map(|one| format!("matters more   {}", one.text)));
    let count = merged.len() + noticed.len() + matters.len();
    lines.push(match (count, preview) {
        (0, _) if *looked_at == 0 && *waiting > 0 => "nothing could be looked at".to_owned(),
        (0, _) => format!("{looked_at} looked at, nothing to do"),
        (_, true) => format!("{looked_at} looked at; this is what would be done, and nothing was"),
        (_, false) => {
            format!("{looked_at} looked at; each change can be taken back: coterie memory undo")
        }
    });
    if *waiting > 0 {
        lines.push(format!(
            "{waiting} wait until the model has made out what they mean: coterie memory status says how far it is"
        ));
    }
    if *left > 0 {
        lines.push(format!("{left} left for the next time: no more may give way at once"));
    }
    lines.join("\n")
}
