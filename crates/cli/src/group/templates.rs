//! `coterie group templates`: what a new group can begin with.

use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::table::table;
use domain::{Query, TemplateView};

pub(super) async fn list(session: &Session) -> Result<(), Failure> {
    let all = answered!(session.ask(Query::GroupTemplates).await?, GroupTemplates)?;
    session.screen.one(&all, |paint| {
        let row = |view: &TemplateView| {
            let members: Vec<&str> = view.members.iter().map(|one| one.name.as_str()).collect();
            [
                view.template.clone(),
                view.policy.word().to_owned(),
                members.join(", "),
                view.about.clone(),
            ]
        };
        let rows = all.templates.iter().map(row).collect();
        let mut text = table(paint, ["template", "policy", "members", ""], rows);
        for wrong in &all.wrong {
            text.push_str(&format!("\nnot used: {wrong}"));
        }
        text
    });
    Ok(())
}
