//! `coterie group templates`: what a new group can begin with.

use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::table::table;
use domain::{GroupTemplate, Query, TemplateView};

pub(super) fn template(word: &str) -> Result<GroupTemplate, String> {
    let found = GroupTemplate::ALL.into_iter().find(|template| name(*template) == word);
    found.ok_or_else(|| {
        let all: Vec<&str> = GroupTemplate::ALL.into_iter().map(name).collect();
        format!("say one of {}", all.join(", "))
    })
}

pub(super) async fn list(session: &Session) -> Result<(), Failure> {
    let all = answered!(session.ask(Query::GroupTemplates).await?, GroupTemplates)?;
    session.screen.many(&all, |paint| {
        let row = |view: &TemplateView| {
            let members: Vec<&str> = view.members.iter().map(|one| one.name.as_str()).collect();
            [
                name(view.template).to_owned(),
                view.policy.word().to_owned(),
                members.join(", "),
                about(view.template).to_owned(),
            ]
        };
        table(paint, ["template", "policy", "members", ""], all.iter().map(row).collect())
    });
    Ok(())
}

fn name(template: GroupTemplate) -> &'static str {
    match template {
        GroupTemplate::PairReview => "pair_review",
        GroupTemplate::Debate => "debate",
        GroupTemplate::WritersRoom => "writers_room",
        GroupTemplate::ResearchTeam => "research_team",
    }
}

fn about(template: GroupTemplate) -> &'static str {
    match template {
        GroupTemplate::PairReview => "one thinks it through, one looks for the weak spot",
        GroupTemplate::Debate => "two sides, and one who sees to it that they answer each other",
        GroupTemplate::WritersRoom => "an idea, a doubt, and an editor",
        GroupTemplate::ResearchTeam => "numbers, doubts and a plan; one gives the next task",
    }
}
