//! The feed as text.

use crate::names::Names;
use crate::screen::Paint;
use crate::table::table;
use crate::{ids, transcript, visible, words};
use domain::{
    AgentState, Author, Community, CommunityId, FeedDay, FeedEventState, FeedItem, FeedQueue,
    FeedQuota, HeldAnswers, LeftOf, Message, MessageId, Moderated, Moderation, PostView, Reaction,
    Run, Thread,
};
use std::collections::{BTreeMap, HashMap};

pub(super) fn posts(
    paint: Paint,
    names: &Names,
    communities: &[Community],
    posts: &[PostView],
) -> String {
    if posts.is_empty() {
        return "no posts here; coterie feed post TEXT writes one".to_owned();
    }
    let shown = posts.iter().map(|view| {
        let community = community(communities, view.post.community);
        let head = match &view.item {
            Some(FeedItem { hidden: true, message, .. }) => {
                format!("#{} {}\n", message.seq, paint.faint("(hidden)"))
            }
            Some(item) => transcript::headline(paint, names, &item.message),
            None => paint.faint("is being written\n"),
        };
        let mut notes = vec![community, count(view.comments, "comment")];
        notes.extend((view.unread > 0).then(|| format!("{} new", view.unread)));
        notes.extend(
            (view.answers_to_come > 0)
                .then(|| format!("{} to come", count(view.answers_to_come, "answer"))),
        );
        notes.extend(held(view));
        notes.extend(view.post.locked.then(|| "locked".to_owned()));
        notes.extend(view.item.as_ref().and_then(|item| reactions(&item.reactions)));
        notes.push(words::ago(view.last_ms));
        format!("{head}  {}\n", paint.faint(&notes.join(" · ")))
    });
    shown.collect()
}

pub(super) fn thread(
    paint: Paint,
    names: &Names,
    communities: &[Community],
    thread: &Thread,
) -> String {
    let view = &thread.view;
    let mut head = vec![community(communities, view.post.community)];
    head.extend(view.post.locked.then(|| "locked".to_owned()));
    head.push(format!("{} left", left_of(thread.answers, "answer")));
    let mut text = format!("{}\n", paint.faint(&head.join(" · ")));
    match &view.item {
        Some(first) => text += &item(paint, names, first, &thread.moderated),
        None => text += "is being written\n",
    }
    for (comment, depth) in laid(&thread.comments) {
        let whole = item(paint, names, comment, &thread.moderated);
        let before = "  ".repeat(depth);
        text += &whole.lines().map(|line| format!("{before}{line}\n")).collect::<String>();
    }
    if view.answers_to_come > 0 {
        let more = count(view.answers_to_come, "answer");
        text += &format!("{}\n", paint.faint(&format!("{more} to come")));
    }
    if let Some(held) = held(view) {
        text += &format!("{}\n", paint.careful(&format!("{held}; coterie feed queue says why")));
    }
    text
}

/// Answers that do not come by themselves.
fn held(view: &PostView) -> Option<String> {
    let held = view.answers_held;
    (held > 0).then(|| format!("{} held up", count(held, "answer")))
}

pub(crate) fn comment(paint: Paint, names: &Names, message: &Message) -> String {
    transcript::entry(paint, names, message)
}

/// What is left of what may be.
fn left_of(LeftOf { left, of }: LeftOf, what: &str) -> String {
    format!("{left} of {}", count(of, what))
}

pub(super) fn interrupted(paint: Paint, names: &Names, runs: &[Run]) -> String {
    let line = |run: &Run| {
        let (agent, id) = (names.agent_name(run.agent), ids::end_of(run.id));
        let text = format!(
            "{agent}'s answer was interrupted; coterie run resume {id} goes on with it, coterie run drop {id} gives it up"
        );
        format!("{}\n", paint.careful(&visible::line(&text)))
    };
    runs.iter().map(line).collect()
}

pub(super) fn queue(paint: Paint, names: &Names, queue: &FeedQueue) -> String {
    let mut text = format!(
        "{} waiting, {} taken, {} done; {} to come\n",
        queue.waiting,
        queue.taken,
        queue.done,
        count(queue.answers_to_come, "answer")
    );
    if let Some(scope) = queue.no_room {
        let budget = words::budget(scope, |agent| names.agent_name(agent));
        text += &paint.careful(&format!(
            "what waits finds no room today: {budget} has none for another answer; coterie budget set raises it\n"
        ));
    }
    for event in &queue.failed {
        let why = event.fault.as_ref().map(ToString::to_string).unwrap_or_default();
        let next = match event.state {
            FeedEventState::Dead => format!("coterie feed retry {}", event.seq),
            _ => "the next tick tries it again".to_owned(),
        };
        let tries = count(event.tries, "time");
        text += &paint.bad(&format!("event {} failed {tries}: ", event.seq));
        text += &format!("{}; {next}\n", visible::line(&why));
    }
    text += &interrupted(paint, names, &queue.interrupted);
    if queue.interrupted.len() > 1 {
        text += "coterie feed resume goes on with all of them\n";
    }
    for held in &queue.held {
        text += &paint.careful(&resting(names, held));
    }
    for FeedQuota { agent, answers } in &queue.quotas {
        let left = left_of(*answers, "item");
        text += &format!("{}: {left} left in this hour\n", names.agent_name(*agent));
    }
    for problem in &queue.problems {
        text += &paint.careful(&format!("not used: {}\n", visible::line(problem)));
    }
    if queue.without_cap {
        text += &paint.careful(
            "no tick comes by itself: the feed has no limit; coterie feed on --tokens N --usd N gives it one\n",
        );
    }
    if let Some(next) = queue.next_tick_ms {
        let minutes = (next - words::now_ms()).max(0) / 60_000;
        text += &format!("the next tick comes by itself in {minutes} min\n");
    }
    text
}

/// Whose agent rests, why, and what has it go on.
fn resting(names: &Names, held: &HeldAnswers) -> String {
    let (name, answers) = (names.agent_name(held.agent), count(held.answers, "answer"));
    let agent = names.overview.agents.iter().find(|agent| agent.id == held.agent);
    let why = match agent.map(|agent| (agent.state, &agent.problem)) {
        Some((_, Some(fault))) => visible::line(&fault.to_string()),
        Some((AgentState::Paused, None)) => "it is paused".to_owned(),
        Some(_) | None => "it rests".to_owned(),
    };
    format!("{name} owes {answers}: {why}; coterie agent resume {name}\n")
}

pub(super) fn activity(paint: Paint, names: &Names, rows: &[FeedDay]) -> String {
    if rows.is_empty() {
        return "nothing happened in the feed in these days".to_owned();
    }
    let cells = rows.iter().map(|row| {
        // Only agents are given anything.
        let decided = |n: u32| match row.who {
            Author::Agent(_) => n.to_string(),
            Author::User | Author::Outside(_) | Author::Source(_) | Author::System => String::new(),
        };
        [
            row.day.clone(),
            names.author(row.who),
            row.posts.to_string(),
            row.comments.to_string(),
            decided(row.given),
            decided(row.refused),
        ]
    });
    table(paint, ["day", "who", "posts", "comments", "given", "not given"], cells.collect())
}

pub(super) fn item(
    paint: Paint,
    names: &Names,
    item: &FeedItem,
    moderated: &[Moderated],
) -> String {
    let mut text = if item.hidden {
        format!("#{} {}\n", item.message.seq, paint.faint("(hidden)"))
    } else {
        transcript::entry(paint, names, &item.message)
    };
    let mut notes: Vec<String> = reactions(&item.reactions).into_iter().collect();
    notes.extend(item.message.run.map(|run| format!("run {run}")));
    let of_this = moderated.iter().filter(|one| one.item == item.message.id);
    notes.extend(of_this.map(|one| {
        let why = one.why.as_ref().map(|why| format!(": {}", visible::line(why)));
        format!("{} {}{}", how(one.how), words::ago(one.at_ms), why.unwrap_or_default())
    }));
    if !notes.is_empty() {
        text += &format!("  {}\n", paint.faint(&notes.join(" · ")));
    }
    text
}

fn how(how: Moderation) -> &'static str {
    match how {
        Moderation::Hide => "hidden",
        Moderation::Show => "shown",
        Moderation::Lock => "locked",
        Moderation::Unlock => "unlocked",
        Moderation::Remove => "removed",
    }
}

/// How many comments stand between it and the post.
/// In the order in which they are read, each below what it answers, and how deep it stands.
fn laid(comments: &[FeedItem]) -> Vec<(&FeedItem, usize)> {
    const DEEPEST: usize = 6;
    let known = |id: MessageId| comments.iter().any(|one| one.message.id == id);
    let above = |one: &FeedItem| one.message.parent.filter(|id| known(*id));
    let mut below: HashMap<Option<MessageId>, Vec<&FeedItem>> = HashMap::new();
    for comment in comments {
        below.entry(above(comment)).or_default().push(comment);
    }
    let mut laid = Vec::new();
    let mut next: Vec<(&FeedItem, usize)> = Vec::new();
    let mut push = |next: &mut Vec<_>, parent, depth| {
        let answers = below.remove(&parent).unwrap_or_default();
        next.extend(answers.into_iter().rev().map(|one| (one, depth)));
    };
    push(&mut next, None, 1);
    while let Some((comment, depth)) = next.pop() {
        laid.push((comment, depth.min(DEEPEST)));
        push(&mut next, Some(comment.message.id), depth + 1);
    }
    laid
}

fn reactions(all: &[Reaction]) -> Option<String> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for reaction in all {
        *counts.entry(&reaction.sign).or_default() += 1;
    }
    let shown: Vec<String> =
        counts.iter().map(|(sign, count)| format!("{} {count}", visible::line(sign))).collect();
    (!shown.is_empty()).then(|| shown.join("  "))
}

fn community(all: &[Community], id: CommunityId) -> String {
    let found = all.iter().find(|community| community.id == id);
    found.map_or_else(
        || id.to_string(),
        |community| {
            let archived = if community.archived { " (archived)" } else { "" };
            format!("{}{archived}", visible::line(&community.name))
        },
    )
}

fn count(n: u32, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
