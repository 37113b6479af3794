//! What people do in the soak: they post without a pause, and now and then
//! change everything else that can be changed.

use crate::caller::Caller;
use crate::company::{Company, SOULS, soul_name, soul_text};
use crate::readers::Window;
use domain::{
    AgentState, BudgetScope, Command, GroupId, History, MessageId, Query, Reply, Target, TurnPolicy,
};
use futures::stream::{self, StreamExt};
use tests::thought;

/// People who post at the same time.
const AT_ONCE: usize = 8;
/// A broadcast that never rests, so that its members meet their hourly quota.
const BUSY: usize = 6;

pub(crate) struct People<'a> {
    pub caller: Caller,
    pub company: &'a Company,
    pub window: &'a Window,
    /// Posts a step.
    pub posts: usize,
    pub posted: Vec<MessageId>,
}

impl People<'_> {
    pub(crate) async fn post(&mut self, step: usize) {
        let first = step * self.posts;
        let posts = (first..first + self.posts).map(|n| self.letter(n)).chain([self.to_busy(step)]);
        let caller = &self.caller;
        let sent = stream::iter(posts.collect::<Vec<_>>())
            .map(|(group, text)| caller.post(group, text))
            .buffer_unordered(AT_ONCE);
        let sent: Vec<MessageId> = sent.collect().await;
        self.posted.extend(sent);
    }

    /// Everything that is not said, each now and then.
    pub(crate) async fn manage(&self, step: usize) {
        let Company { agents, groups, .. } = self.company;
        let place = &groups[step * 5 % groups.len()];
        let of_group = |at: usize| agents[place.members[at % place.members.len()]];
        self.caller.may(Command::PauseAgent { agent: agents[step * 13 % agents.len()] }).await;
        if let Some(long_ago) = step.checked_sub(3) {
            let agent = agents[long_ago * 13 % agents.len()];
            self.caller.may(Command::ResumeAgent { agent }).await;
        }
        for manual in groups.iter().filter(|place| place.policy == TurnPolicy::Manual) {
            let agent = agents[manual.members[step % manual.members.len()]];
            self.caller.may(Command::SpeakNow { group: manual.id, agent }).await;
        }
        if step.is_multiple_of(2) {
            self.caller.may(Command::MarkRead { group: place.id, seq: i64::MAX }).await;
        }
        if step % 7 == 3 {
            self.edit_soul(step / 7).await;
        }
        if step % 9 == 4 {
            self.caller.may(Command::Stop { target: Target::Group(place.id) }).await;
        }
        // Who leaves comes back at once, to what was said before.
        if step % 11 == 5 {
            let (group, agent) = (place.id, of_group(step));
            self.caller.may(Command::RemoveMember { group, agent }).await;
            let sees = History::Last { messages: 20 };
            self.caller.may(Command::AddMember { group, agent, sees }).await;
        }
        if step % 10 == 9 {
            self.resume_those_who_failed().await;
        }
    }

    /// Everybody back to work, with enough to spend, until nobody owes
    /// anything.
    pub(crate) async fn finish(&self) {
        let Company { poor, .. } = self.company;
        for agent in poor {
            let scope = BudgetScope::Agent(*agent);
            self.caller.must(Command::ResetBudget { scope }).await;
        }
        self.window.quiet(&self.caller).await;
        while self.resume_those_who_rest().await {
            self.window.quiet(&self.caller).await;
        }
    }

    /// A post with what it says and where.
    fn letter(&self, n: usize) -> (GroupId, String) {
        let Company { agents, directs, groups, .. } = self.company;
        let (first, second) = (thought(n), thought(n / 5));
        if n.is_multiple_of(6) {
            return (directs[n * 7919 % agents.len()], format!("{first} {n}"));
        }
        let place = &groups[n * 31 % groups.len()];
        let member = place.members[n % place.members.len()];
        let text = match n % 3 {
            0 => format!("@p{member} {first} And {second} {n}"),
            _ if place.policy == TurnPolicy::Mention => format!("@p{member} {first} {n}"),
            _ => format!("{first} What do you make of {n}?"),
        };
        (place.id, text)
    }

    fn to_busy(&self, step: usize) -> (GroupId, String) {
        let text = format!("{} Once more, in minute {step}.", thought(step));
        (self.company.groups[BUSY].id, text)
    }

    async fn edit_soul(&self, n: usize) {
        let soul = soul_name(n % SOULS);
        let query = Query::Soul { soul: soul.clone() };
        let Some(Reply::SoulDetail(detail)) = self.caller.look(query).await else { return };
        let text = soul_text(n % SOULS, &format!("and are in mood {n}"));
        let base_hash = detail.soul.file_hash;
        self.caller.may(Command::SaveSoul { soul, text, base_hash }).await;
    }

    async fn resume_those_who_failed(&self) {
        for agent in self.window.agents_in(&[AgentState::Error]) {
            self.caller.may(Command::ResumeAgent { agent }).await;
        }
    }

    /// False when there was nobody.
    async fn resume_those_who_rest(&self) -> bool {
        let resting = self.window.agents_in(&[AgentState::Error, AgentState::Paused]);
        for agent in &resting {
            self.caller.may(Command::ResumeAgent { agent: *agent }).await;
        }
        !resting.is_empty()
    }
}
