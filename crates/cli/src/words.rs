//! What records mean, in the words that the window uses.

pub(crate) mod memory;

use domain::{
    Agent, AgentId, AgentState, ApprovalState, Attachment, Body, BudgetScope, CallState, Fault,
    FaultCode, Message, Notice, Outcome, Reason, Restored, RunState, Usage, Verdict,
};

/// Why an agent speaks or does not, to follow a colon.
pub(crate) fn reason(reason: &Reason, name_of: impl Fn(AgentId) -> String) -> String {
    let words = match reason {
        Reason::DefaultResponder => "answers when nobody is mentioned",
        Reason::Mentioned => "mentioned",
        Reason::Turn { round } => return format!("its turn, round {round}"),
        Reason::Broadcast => "everyone answers here",
        Reason::AskedByUser => "you asked",
        Reason::NextInOrder => "next in order",
        Reason::Drawn { weight, of, roll } => {
            return format!("drawn with {weight} of {of}, the lot was {roll}");
        }
        Reason::Supervising { round } => return format!("names the next speaker, round {round}"),
        Reason::LookingBack => "looks back for what is worth remembering",
        Reason::ChosenBySupervisor { by, .. } => return format!("chosen by {}", name_of(*by)),
        Reason::SupervisorFailed { .. } => "the supervisor named nobody",
        Reason::Delegated { by } => return format!("has a task from {}", name_of(*by)),
        Reason::NotMentioned => "not mentioned",
        Reason::NotTheDefaultResponder => "nobody mentioned, another agent answers",
        Reason::NotItsTurn => "not its turn",
        Reason::NotDrawn { weight, of, roll } => {
            return format!("not drawn with {weight} of {of}, the lot was {roll}");
        }
        Reason::NotChosen { by } => return format!("not chosen by {}", name_of(*by)),
        Reason::SupervisorEnded => "the supervisor says that it is over",
        Reason::OnlyWhenAsked => "speaks only when you ask",
        Reason::Muted => "muted",
        Reason::NobodyAddressed => "nobody was addressed",
        Reason::ChoseSilence { why: None } => "chose silence",
        Reason::ChoseSilence { why: Some(why) } => return format!("chose silence, “{why}”"),
        Reason::Reacted { sign } => return format!("only reacted, with {sign}"),
        Reason::SpokeForAnother { name } => {
            return format!("its model wrote in the name of {name}, which is not its to say");
        }
        Reason::BareAcknowledgement => "had only thanks or agreement",
        Reason::NearDuplicate => "would have repeated what was said",
        Reason::ChainDepth { limit } => return format!("replies are {limit} deep, the limit"),
        Reason::MessageCap { limit } => return format!("cap of {limit} messages reached"),
        Reason::PairHops { limit, with } => {
            return format!("{limit} turns back and forth with {}, the limit", name_of(*with));
        }
        Reason::HourlyQuota { limit } => return format!("{limit} runs this hour, the limit"),
        Reason::OverBudget { scope } => {
            return format!("{} has no room for it", budget(*scope, name_of));
        }
        Reason::RepliedTo => "somebody answered it",
        Reason::Interested { interest, percent: Some(percent) } => {
            return format!("interested in {interest}, which is {percent} % near");
        }
        Reason::Interested { interest, percent: None } => {
            return format!("interested in {interest}");
        }
        Reason::NobodyElse => "interests nobody in particular, and it has rested longest",
        Reason::AskedToPost => "you asked it to post",
        Reason::Scheduled => "its schedule said so",
        Reason::Heartbeat => "looks whether there is anything to do",
        Reason::AskedForDigest => "tells what has happened",
        Reason::Busy => "it had something else to do",
        Reason::NotInterested => "nothing of its interests fits",
        Reason::CoolingDown { minutes } => {
            return format!("was given something here in the last {minutes} min");
        }
        Reason::EnoughAnswers { limit } => {
            return format!("others fit better, and {limit} may answer");
        }
        Reason::FeedQuota { limit } => {
            return format!("was given {limit} things of the feed this hour, the limit");
        }
        Reason::ThreadLocked => "the post is locked",
        Reason::OutOfSight => "what it was to answer is hidden or removed",
        Reason::Unreadable => "its model wrote nothing that can be read as a comment",
        Reason::OutOfPersona => {
            "its model left gaps to be filled in, or spoke as a model and not as the agent"
        }
        Reason::UnknownLanguage => "its model does not know the language",
        Reason::NotInCommunity => "is not in this community",
        Reason::DemoModel => "the starter model can only talk",
        Reason::Superseded => "newer messages arrived first",
        Reason::PolicyChanged => "the group's turn policy was changed meanwhile",
        Reason::SetAside => "what it was to answer was set aside",
        Reason::AnswersQuestion => "answers its question, and the turn that asked goes on",
        Reason::StoppedByUser => "stopped by you",
        Reason::LeftTheGroup => "left the group",
        Reason::Archived => "the conversation or its community was archived",
        Reason::Terminated => "ended",
        Reason::Failed => "the run failed",
        Reason::Paused => "paused",
        Reason::InError => "has an error to fix first",
        Reason::NoRoomYet { scope, tokens, .. } => {
            let budget = budget(*scope, name_of);
            return format!("no room in {budget} for {tokens} tokens; answered when there is");
        }
    };
    words.to_owned()
}

/// What a limit is about.
pub(crate) fn budget(scope: BudgetScope, name_of: impl Fn(AgentId) -> String) -> String {
    match scope {
        BudgetScope::Message => "the budget of a message".to_owned(),
        BudgetScope::Run => "the budget of a run".to_owned(),
        BudgetScope::Day => "the budget of the day".to_owned(),
        BudgetScope::Feed => "the day's budget of the feed and of schedules".to_owned(),
        BudgetScope::AnyAgent => "the agent's budget of the day".to_owned(),
        BudgetScope::AnyGroup => "the group's budget of the day".to_owned(),
        BudgetScope::Agent(agent) => format!("{}'s budget of the day", name_of(agent)),
        BudgetScope::Group(_) => "the group's own budget of the day".to_owned(),
    }
}

pub(crate) fn call_state(state: CallState) -> &'static str {
    match state {
        CallState::Refused => "refused",
        CallState::Dispatched => "running",
        CallState::Succeeded => "done",
        CallState::Failed => "failed",
        CallState::Denied => "denied",
        CallState::Expired => "unanswered",
        CallState::Blocked => "blocked",
        CallState::Skipped => "skipped",
        CallState::Cancelled => "stopped",
        CallState::OutcomeUnknown => "outcome unknown",
    }
}

pub(crate) fn approval(state: ApprovalState) -> &'static str {
    match state {
        ApprovalState::Waiting => "waits",
        ApprovalState::Allowed | ApprovalState::Used => "allowed",
        ApprovalState::Covered => "allowed by a permission",
        ApprovalState::Denied => "denied",
        ApprovalState::Expired => "unanswered",
        ApprovalState::Withdrawn => "withdrawn",
    }
}

pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Speak => "speaks",
        Verdict::Pass => "stays silent",
        Verdict::Wait => "waits",
    }
}

/// What is said when a person has given an agent a turn.
pub(crate) fn given_a_turn(agent: &Agent) -> String {
    let why = match agent.state {
        AgentState::Paused => "is paused",
        AgentState::Error => "has an error to fix first",
        AgentState::Idle
        | AgentState::Running
        | AgentState::WaitingApproval
        | AgentState::Terminated => return "done".to_owned(),
    };
    let name = &agent.name;
    format!("{name} {why}: it answers when you resume it, with coterie agent resume {name}")
}

pub(crate) fn agent_state(state: AgentState) -> &'static str {
    match state {
        AgentState::Idle => "idle",
        AgentState::Running => "running",
        AgentState::WaitingApproval => "needs you",
        AgentState::Paused => "paused",
        AgentState::Error => "error",
        AgentState::Terminated => "ended",
    }
}

pub(crate) fn run_state(state: RunState) -> &'static str {
    match state {
        RunState::Running => "running",
        RunState::Settled => "settled",
        RunState::Failed => "failed",
        RunState::Stopped => "stopped",
        RunState::Interrupted => "interrupted",
        RunState::Resumed => "taken up again",
        RunState::Dropped => "dropped",
    }
}

pub(crate) fn outcome(outcome: Option<&Outcome>, name_of: impl Fn(AgentId) -> String) -> String {
    match outcome {
        None => String::new(),
        Some(Outcome::Replied { .. }) => "replied".to_owned(),
        Some(Outcome::Silent { reason: why }) => format!("silent: {}", reason(why, name_of)),
        Some(Outcome::Failed { fault }) => fault.message.clone(),
    }
}

/// What is wrong with an agent, with what brings it back once that is put
/// right.
pub(crate) fn with_way_back(fault: &Fault, agent: Option<&Agent>) -> Fault {
    let stopped = agent.filter(|agent| agent.state == AgentState::Error);
    // Choosing a model brings back everybody who stopped for want of one, and
    // raising a budget those who stopped for that.
    let back_by_itself = matches!(fault.code, FaultCode::NoModel | FaultCode::Budget);
    let Some(agent) = stopped.filter(|_| !back_by_itself) else {
        return fault.clone();
    };
    let back = format!("coterie agent resume {}", quoted(&agent.name));
    let fix = if fault.fix.is_empty() { back } else { format!("{}; then: {back}", fault.fix) };
    Fault { fix, ..fault.clone() }
}

/// A name as it can be typed into a shell.
pub(crate) fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if !name.is_empty() && name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}

/// What stands in a message: its text, or what happened.
pub(crate) fn body(message: &Message, name_of: impl Fn(AgentId) -> String) -> String {
    let text = match &message.body {
        Body::Text { text, cut_short: false } => text.clone(),
        Body::Text { text, cut_short: true } => format!("{text} […]"),
        Body::Notice { notice: happened } => return notice(happened, name_of),
    };
    let shown = message.attachments.iter().map(|Attachment { name, kind, from, .. }| {
        let what = if kind.is_picture() { "picture" } else { "file" };
        match from {
            Some(from) => format!("[{what}: {name}, from {}]", from.server),
            None => format!("[{what}: {name}]"),
        }
    });
    let lines: Vec<String> =
        Some(text).filter(|text| !text.is_empty()).into_iter().chain(shown).collect();
    lines.join("\n")
}

fn notice(notice: &Notice, name_of: impl Fn(AgentId) -> String) -> String {
    match notice {
        Notice::Joined { agent, sees: None } => format!("{} joined", name_of(*agent)),
        Notice::Joined { agent, sees: Some(0) } => {
            format!("{} joined and sees nothing from before", name_of(*agent))
        }
        Notice::Joined { agent, sees: Some(1) } => {
            format!("{} joined and sees the last message", name_of(*agent))
        }
        Notice::Joined { agent, sees: Some(n) } => {
            format!("{} joined and sees the last {n} messages", name_of(*agent))
        }
        Notice::Left { agent } => format!("{} left", name_of(*agent)),
        Notice::SoulChanged { agent, .. } => {
            format!("{}’s soul changed, applies from here", name_of(*agent))
        }
        Notice::SoulMissing { agent, soul } => format!(
            "{} has lost its soul and is a plain agent without tools until souls/{soul}.md is there",
            name_of(*agent)
        ),
        Notice::ProposalDeclined { text, .. } => text.clone(),
        Notice::PolicyChanged { policy } => format!("turn policy changed: {}", policy.word()),
        Notice::RunFailed { agent, fault } => {
            format!("{} could not answer: {fault}", name_of(*agent))
        }
        Notice::StoodIn { agent, model, by, fault } => {
            format!("{by} answers for {} in the place of {model}: {fault}", name_of(*agent))
        }
        Notice::AskedToPost { agent } => format!("{} is to write a post", name_of(*agent)),
        Notice::Scheduled { agent, text, .. } => {
            format!("by schedule, to {}: {text}", name_of(*agent))
        }
        Notice::Heartbeat { agent } => {
            format!("{} looks whether there is anything to do", name_of(*agent))
        }
        Notice::AskedForDigest { agent, since_ms } => {
            format!(
                "{} tells what has happened since {}",
                name_of(*agent),
                memory::moment(*since_ms)
            )
        }
        Notice::AskedToForget { found: 0, .. } => {
            "nothing that is remembered of you says that, and nothing was forgotten".to_owned()
        }
        Notice::AskedToForget { found, memories } => {
            let ids: Vec<String> = memories.iter().map(ToString::to_string).collect();
            let more = if *found as usize > ids.len() { " …" } else { "" };
            let (many, stay) = match found {
                1 => ("one memory says that and stays".to_owned(), "it"),
                many => (format!("{many} memories say that and stay"), "them"),
            };
            let ids = ids.join(" ");
            format!("{many} until you forget {stay} (coterie memory forget ID): {ids}{more}")
        }
        Notice::SecretNotKept => {
            "a secret is not remembered, since every agent reads memories: keep it with the keys \
             (coterie key set)"
                .to_owned()
        }
        Notice::Removed => "its words are gone for ever".to_owned(),
    }
}

pub(crate) fn usage(usage: &Usage) -> String {
    match (usage.input_tokens, usage.output_tokens) {
        (None, None) => String::new(),
        (input, output) => {
            let count =
                |tokens: Option<u32>| tokens.map_or("?".to_owned(), |tokens| tokens.to_string());
            format!("{} + {}", count(input), count(output))
        }
    }
}

/// How long something took.
pub(crate) fn duration(ms: i64) -> String {
    match ms {
        ..1000 => format!("{ms} ms"),
        1000..60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000),
    }
}

/// What a backup has put in place, and why everybody rests since.
pub(crate) fn restored(restored: &Restored) -> String {
    let Restored { made_ms, agents, messages, .. } = restored;
    let when = made_ms.map_or(String::new(), |made_ms| format!(" of {}", ago(made_ms)));
    format!(
        "this is the backup{when}: agents {agents}, messages {messages}; everybody rests, so that \
         nothing is done twice, until coterie resume"
    )
}

/// How long ago something was.
pub(crate) fn ago(at_ms: i64) -> String {
    let seconds = (now_ms() - at_ms).max(0) / 1000;
    match seconds {
        ..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// The time of this machine.
pub(crate) fn now_ms() -> i64 {
    #[expect(
        clippy::disallowed_methods,
        reason = "a binary may look at the clock, to say how long ago"
    )]
    let now = std::time::SystemTime::now();
    let since_epoch = now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_be_typed_as_it_is_quoted() {
        assert_eq!(quoted("Garden"), "Garden");
        assert_eq!(quoted("林夏"), "林夏");
        assert_eq!(quoted("First group"), "'First group'");
        assert_eq!(quoted("Ada's $HOME"), r"'Ada'\''s $HOME'");
    }
}
