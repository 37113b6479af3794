//! `coterie skill …`: folders of instructions that agents load when they need them.

use crate::names::Names;
use crate::paths::whole;
use crate::problems::{self, place};
use crate::screen::{Failure, Paint, Screen};
use crate::session::{Session, answered};
use crate::table::{pairs, table};
use crate::visible;
use clap::Subcommand;
use domain::{Command as Order, Fault, Query, Skill, SkillDetail, SkillTool};
use std::path::{Path, PathBuf};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// All skills, who has each, and what is wrong with them
    List,
    /// What a skill says, what it uses, and whether its agents have that
    Show {
        /// The skill's name
        name: String,
    },
    /// Copy a folder with a SKILL.md to the skills
    Add {
        /// The folder, called as the skill is
        folder: PathBuf,
    },
    /// Take a skill's folder away, for good
    Remove {
        /// The skill's name
        name: String,
    },
    /// Check a folder; prints FILE:LINE:COLUMN: what is wrong
    Check {
        /// A skill's folder, wherever it lies
        folder: PathBuf,
    },
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List => list(session).await,
        Command::Show { name } => show(session, name).await,
        Command::Add { folder } => add(session, &folder).await,
        Command::Remove { name } => {
            let skill = name.clone();
            session.order(Order::RemoveSkill { skill }).await?;
            session.screen.one(&(), |_| format!("{} is gone", visible::line(&name)));
            Ok(())
        }
        Command::Check { folder } => check(&session.screen, &folder),
    }
}

async fn list(session: &Session) -> Result<(), Failure> {
    let skills = answered!(session.ask(Query::Skills).await?, Skills)?;
    let names = session.names().await?;
    session.screen.many(&skills, |paint| {
        if skills.is_empty() {
            return "there are no skills; coterie skill add FOLDER adds one\n".to_owned();
        }
        let row = |skill: &Skill| {
            let short: String = skill.description.chars().take(60).collect();
            [skill.name.clone(), holders(skill, &names), short, standing(skill)]
        };
        table(paint, ["skill", "agents", "what it is for", ""], skills.iter().map(row).collect())
    });
    Ok(())
}

fn holders(skill: &Skill, names: &Names) -> String {
    let name = |holder: &domain::SkillHolder| names.agent_name(holder.agent);
    skill.agents.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn standing(skill: &Skill) -> String {
    let Some(problem) = &skill.problem else {
        return match skill.warnings.len() {
            0 => String::new(),
            count => format!("{count} warnings"),
        };
    };
    let instead = match skill.hash {
        Some(_) => ", and its last valid text stays in force",
        None => "",
    };
    format!("not in force{instead}: {}", place(&skill.path, "", problem))
}

async fn show(session: &Session, skill: String) -> Result<(), Failure> {
    let detail = answered!(session.ask(Query::Skill { skill }).await?, SkillDetail)?;
    let names = session.names().await?;
    session.screen.one(&*detail, |paint| shown(&detail, &names, paint));
    if detail.skill.problem.is_some() {
        session.screen.aside(&standing(&detail.skill));
    }
    Ok(())
}

fn shown(detail: &SkillDetail, names: &Names, paint: Paint) -> String {
    let SkillDetail { skill, text, files } = detail;
    let uses = |tool: &SkillTool| match &tool.tool {
        Some(here) if *here == tool.said => here.clone(),
        Some(here) => format!("{} (here {here})", tool.said),
        None => format!("{} (not known here)", tool.said),
    };
    let agents = skill.agents.iter().map(|holder| {
        let name = names.agent_name(holder.agent);
        match holder.lacks.is_empty() {
            true => name,
            false => format!("{name}, without {}", holder.lacks.join(" and ")),
        }
    });
    let tools: Vec<String> = skill.tools.iter().map(uses).collect();
    let mut rows = vec![
        ("skill", skill.name.clone()),
        ("what it is for", skill.description.clone()),
        ("agents", agents.collect::<Vec<_>>().join("; ")),
        ("says it uses", tools.join(", ")),
        ("says it needs", skill.compatibility.clone().unwrap_or_default()),
        ("license", skill.license.clone().unwrap_or_default()),
    ];
    let metadata: Vec<String> =
        skill.metadata.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    rows.push(("metadata", metadata.join(", ")));
    rows.push(("file", skill.path.clone()));
    rows.retain(|(_, value)| !value.is_empty());
    let mut shown = pairs(paint, &rows);
    for warning in &skill.warnings {
        shown += &format!("{}\n", place(&skill.path, "warning: ", warning));
    }
    for file in files {
        shown += &format!("  {} ({} bytes)\n", visible::line(&file.path), file.bytes);
    }
    format!("{shown}\n{}", visible::lines(text))
}

async fn add(session: &Session, folder: &Path) -> Result<(), Failure> {
    let path = whole(folder)?;
    let skill = answered!(session.order(Order::AddSkill { path }).await?, Skill)?;
    session.screen.one(&*skill, |_| {
        format!(
            "{name} is there; a soul has it with skills: [{name}]",
            name = visible::line(&skill.name)
        )
    });
    Ok(())
}

/// Needs no workspace: the folder may lie anywhere.
pub(crate) fn check(screen: &Screen, folder: &Path) -> Result<(), Failure> {
    let folder = folder.canonicalize().map_err(|error| {
        Fault::not_found(format!("read {}: {error}", folder.display()), "give a skill's folder")
    })?;
    let found = door::check_skill(&folder);
    let file = folder.join("SKILL.md").display().to_string();
    let invalid = format!("{} is not a valid skill", folder.display());
    problems::tell(screen, &file, (&found.errors, &found.warnings), invalid)
}
