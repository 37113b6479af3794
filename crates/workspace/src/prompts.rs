//! The prompts' templates, rendered.
//!
//! They hold no clock and nothing that changes from turn to turn, so that a
//! provider's prompt cache keeps hitting.

mod own;
mod plain;

use crate::feed::{Kind, Task};
use crate::souls::SoulInForce;
use crate::tokens;
use domain::{Community, Fault, FaultCode, Group, GroupKind};
use minijinja::{Environment, UndefinedBehavior, Value, context};
use own::Own;
use serde::Serialize;
use std::path::PathBuf;

pub(crate) struct Prompts {
    templates: Environment<'static>,
    own: Own,
}

/// Those that ship with Coterie. Each of them can be replaced.
const BUNDLED: [(&str, &str); 20] = [
    ("base", include_str!("prompts/base.md")),
    ("about_person", include_str!("prompts/about_person.md")),
    ("preferences", include_str!("prompts/preferences.md")),
    ("group", include_str!("prompts/group.md")),
    ("direct", include_str!("prompts/direct.md")),
    ("feed", include_str!("prompts/feed.md")),
    ("tools", include_str!("prompts/tools.md")),
    ("skills", include_str!("prompts/skills.md")),
    ("remembered", include_str!("prompts/remembered.md")),
    ("plan", agent::HOW_TO_PLAN),
    ("supervise", include_str!("prompts/supervise.md")),
    ("summarise", include_str!("prompts/summarise.md")),
    ("so_far", include_str!("prompts/so_far.md")),
    ("look_back", include_str!("prompts/look_back.md")),
    ("heartbeat", include_str!("prompts/heartbeat.md")),
    ("digest", include_str!("prompts/digest.md")),
    ("draft_soul", include_str!("prompts/draft_soul.md")),
    (Kind::CreatePost.template(), include_str!("prompts/create-post.md")),
    (Kind::ReplyToPost.template(), include_str!("prompts/reply-to-post.md")),
    (Kind::ReplyToComment.template(), include_str!("prompts/reply-to-comment.md")),
];

/// Somebody else in the group, as the prompt names them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Other {
    pub name: String,
    pub role: String,
}

/// A skill, as the prompt names it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Listed {
    pub name: String,
    pub description: String,
}

/// What a system prompt is made of. Changes only when one of these does.
pub(crate) struct Standing<'a> {
    /// The agent's name.
    pub name: &'a str,
    pub soul: &'a SoulInForce,
    pub group: &'a Group,
    pub others: &'a [Other],
    /// Where the group is a post.
    pub community: Option<&'a Community>,
    /// What agents call the person, and what that person says of themselves.
    pub user: &'a str,
    pub profile: &'a str,
    /// What that person likes or wants, one to a line.
    pub preferences: &'a str,
    /// The folders of its tools; `None` where it has no tools.
    pub roots: Option<&'a [String]>,
    /// Servers with tools that are left out, with how many.
    pub left_out: &'a [String],
    /// What it can load, by name; none where it has no tools.
    pub skills: &'a [Listed],
    /// What the model reads at once, by its provider's word. What was learned
    /// of its count stays out of this, or the prompt would change with it.
    pub window_tokens: u32,
    /// A demo model loses itself in long prompts, so it is told only how the
    /// soul begins; whoever looks at the prompt sees exactly that.
    pub for_demo_model: bool,
}

/// The part of a window that soul and profile may take together, in percent.
const SHARE: u32 = 30;
/// The same for what is said of all skills.
const SKILLS_SHARE: u32 = 10;
/// Stands where the rest was.
const CUT: &str = "[cut here: the rest does not fit what this model can read]";

impl Prompts {
    /// `folder` is where a person's own may lie.
    pub(crate) fn new(folder: PathBuf) -> Result<Self, Fault> {
        let mut templates = Environment::new();
        templates.set_undefined_behavior(UndefinedBehavior::Strict);
        for (name, text) in BUNDLED {
            templates.add_template(name, text).map_err(|error| unusable(name, &error))?;
        }
        Ok(Prompts { templates, own: Own::new(folder) })
    }

    /// Base identity, the soul, the person, where the agent is, its tools.
    pub(crate) fn system(&self, standing: &Standing<'_>) -> Result<String, Fault> {
        let persona = standing.soul.persona.trim();
        if standing.for_demo_model {
            let first = persona
                .split("\n\n")
                .find(|part| !part.trim_start().starts_with('#'))
                .unwrap_or(persona);
            return Ok(format!("{} You answer in a few short sentences.", first.trim()));
        }
        let (persona, profile) = within_share(persona, standing.profile, standing.window_tokens);
        let name = standing.name;
        let mut parts = vec![self.render("base", context! { name })?, persona];
        if !profile.is_empty() {
            parts.push(self.render("about_person", context! { user => standing.user, profile })?);
        }
        let members = Value::from(minijinja::value::Serde(standing.others));
        if !standing.preferences.is_empty() {
            let values = context! { user => standing.user, notes => standing.preferences };
            parts.push(self.render("preferences", values)?);
        }
        parts.push(match standing.group.kind {
            GroupKind::Direct | GroupKind::Task => {
                self.render("direct", context! { name, members })?
            }
            GroupKind::Group => {
                let group = standing.group.name.as_str();
                self.render("group", context! { name, group, members })?
            }
            GroupKind::Post => {
                let (community, rules) = standing
                    .community
                    .map_or(("", ""), |community| (&community.name, &community.rules));
                self.render("feed", context! { name, community, rules })?
            }
        });
        if let Some(roots) = standing.roots {
            let left_out = standing.left_out.to_vec();
            parts.push(self.render("tools", context! { roots => roots.to_vec(), left_out })?);
        }
        if !standing.skills.is_empty() {
            let skills = described(standing.skills, standing.window_tokens);
            let skills = Value::from(minijinja::value::Serde(skills));
            parts.push(self.render("skills", context! { skills, user => standing.user })?);
        }
        let parts: Vec<&str> = parts.iter().map(|part| part.trim()).collect();
        Ok(parts.join("\n\n") + "\n")
    }

    /// What whoever summarises is told; `most_tokens` is how long it may get.
    pub(crate) fn summarise(&self, name: &str, most_tokens: u32) -> Result<String, Fault> {
        // A word is a little more than a token; a list has marks too.
        self.render("summarise", context! { name, words => most_tokens / 2 })
    }

    /// A summary, as it stands in front of what is still read word for word.
    pub(crate) fn so_far(&self, notes: &str) -> Result<String, Fault> {
        self.render("so_far", context! { notes })
    }

    /// What whoever looks back at a conversation is told.
    pub(crate) fn look_back(&self, name: &str, user: &str) -> Result<String, Fault> {
        self.render("look_back", context! { name, user })
    }

    /// Memories, as they stand in front of the newest words.
    pub(crate) fn remembered(&self, notes: &str) -> Result<String, Fault> {
        self.render("remembered", context! { notes })
    }

    /// What an agent is to do that nobody has spoken to.
    pub(crate) fn heartbeat(&self, name: &str, user: &str) -> Result<String, Fault> {
        self.render("heartbeat", context! { name, user })
    }

    /// What whoever writes a persona is told.
    pub(crate) fn draft_soul(&self, name: &str, sentence: &str) -> Result<String, Fault> {
        self.render("draft_soul", context! { name, sentence })
    }

    /// What an agent is to tell of what happened.
    pub(crate) fn digest(&self, name: &str, user: &str, happened: &str) -> Result<String, Fault> {
        self.render("digest", context! { name, user, happened })
    }

    /// What an agent is to write in the feed.
    pub(crate) fn feed_task(&self, kind: Kind, task: &Task) -> Result<String, Fault> {
        self.render(kind.template(), Value::from(minijinja::value::Serde(task)))
    }

    /// What a model is told that is to plan; what can be used follows it.
    pub(crate) fn plan(&self) -> Result<String, Fault> {
        self.render("plan", context! {})
    }

    /// What whoever leads a group is asked; who may speak follows it.
    pub(crate) fn supervise(&self) -> Result<String, Fault> {
        self.render("supervise", context! {})
    }

    /// Why a person's own templates are not used, where they are not.
    pub(crate) fn problems(&self) -> Vec<String> {
        BUNDLED.iter().filter_map(|(name, _)| self.own.problem(name, sample)).collect()
    }

    /// As the person's own template has it, if there is one that can be used.
    fn render(&self, name: &'static str, values: Value) -> Result<String, Fault> {
        if let Some(own) = self.own.render(name, sample, &values) {
            return Ok(own);
        }
        let template = self.templates.get_template(name).map_err(|error| unusable(name, &error))?;
        template.render(values).map_err(|error| unusable(name, &error))
    }
}

/// What a template is given, with something to try it with.
fn sample(name: &str) -> Value {
    let [name_, user, group, notes] = ["Ada", "Lin", "Garden", "- Grows roses."];
    let members = || vec![context! { name => "Bo", role => "sceptic" }];
    match name {
        "base" => context! { name => name_ },
        "about_person" => context! { user, profile => "Grows roses." },
        "preferences" => context! { user, notes },
        "group" => context! { name => name_, group, members => members() },
        "direct" => context! { name => name_, members => members() },
        "feed" => context! { name => name_, community => group, rules => "Be kind." },
        "tools" => context! { roots => ["garden"], left_out => ["maps (900)"] },
        "skills" => {
            context! { skills => vec![context! { name => "tea", description => "Makes tea" }], user }
        }
        "remembered" | "so_far" => context! { notes },
        "summarise" => context! { name => name_, words => 200 },
        "look_back" | "heartbeat" => context! { name => name_, user },
        "digest" => context! { name => name_, user, happened => notes },
        "draft_soul" => context! { name => name_, sentence => "Grows roses." },
        "plan" | "supervise" => context! {},
        _ => {
            let words = || "words".to_owned();
            let task = Task {
                name: words(),
                community: words(),
                rules: words(),
                author: words(),
                item: words(),
                quoted: words(),
                post: words(),
            };
            Value::from(minijinja::value::Serde(&task))
        }
    }
}

/// With less said of each where all of it would take too much of the window.
fn described(skills: &[Listed], window_tokens: u32) -> Vec<Listed> {
    let most = (window_tokens * SKILLS_SHARE / 100) as usize / skills.len();
    let short = |skill: &Listed| {
        let description = tokens::beginning(&skill.description, most as u32);
        let end = if description.len() < skill.description.len() { "…" } else { "" };
        Listed { name: skill.name.clone(), description: format!("{description}{end}") }
    };
    skills.iter().map(short).collect()
}

/// What a profile may take beside the longest soul, in tokens.
pub(crate) fn profile_share(window_tokens: u32) -> u32 {
    window_tokens * SHARE / 100 / 3
}

/// Soul and profile, cut to their share where they are too long. The profile
/// gives way first, down to a third of the share.
fn within_share(persona: &str, profile: &str, window_tokens: u32) -> (String, String) {
    let share = window_tokens * SHARE / 100;
    let left = share.saturating_sub(tokens::of(persona));
    let profile = cut(profile, left.max(profile_share(window_tokens)));
    let persona = cut(persona, share.saturating_sub(tokens::of(&profile)));
    (persona, profile)
}

/// The lines that fit, and a mark if that is not all.
fn cut(text: &str, most: u32) -> String {
    if tokens::of(text) <= most {
        return text.to_owned();
    }
    let fitting = tokens::beginning(text, most.saturating_sub(tokens::of(CUT) + 1));
    // A whole line reads better; one that never ends is cut where it must be.
    let whole = fitting.rfind('\n').filter(|end| *end > fitting.len() / 2).unwrap_or(fitting.len());
    format!("{}\n{CUT}", fitting[..whole].trim_end())
}

fn unusable(name: &str, error: &minijinja::Error) -> Fault {
    Fault::new(FaultCode::Internal, format!("the prompt {name} cannot be used: {error:#}"), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_soul_and_a_profile_that_are_too_long_are_cut_with_a_mark() {
        let long = "one line of it\n".repeat(100);
        let (persona, profile) = within_share(&long, &long, 1_000);
        assert!(persona.ends_with(CUT) && profile.ends_with(CUT));
        assert!(tokens::of(&profile) <= 100, "a third of 300");
        assert!(tokens::of(&persona) + tokens::of(&profile) <= 300);
        assert!(persona.starts_with("one line of it\none line of it\n"));

        let (persona, profile) = within_share("Short.", &long, 1_000);
        assert_eq!(persona, "Short.");
        assert!(tokens::of(&profile) > 250, "what the soul leaves is the profile's");
        let both = within_share(&long, "Short.", 100_000);
        assert_eq!(both, (long, "Short.".to_owned()));
    }

    #[test]
    fn a_line_that_never_ends_is_cut_in_the_middle() {
        let cut = cut(&"字".repeat(100), 50);
        assert!(cut.ends_with(CUT));
        assert!(cut.starts_with(&"字".repeat(30)));
    }
}
