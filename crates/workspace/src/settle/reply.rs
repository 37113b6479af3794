//! What an agent has said: posted as its reply, or followed where it is a
//! supervisor's answer.

use super::{After, Settling};
use crate::feed::{self, Written};
use crate::served::Served;
use crate::stand::everybody_else;
use crate::supervisor::Answer;
use crate::turn_policy::is_handed_on;
use crate::{digest, echo, reactions, turns};
use agent::{Said, behind_pass, beside_pass, in_anothers_name, in_own_name};
use domain::{
    AgentId, Author, Body, Fault, GroupKind, Message, MessageId, Outcome, Reason, RunState,
    StepKind, TurnPolicy,
};
use store::table::{agents, messages, runs, settings, wakes};
use uuid::Uuid;

/// More of why somebody said nothing is not kept.
const LONGEST_WHY: usize = 200;

impl Settling<'_, '_> {
    /// What there is to post, or why nothing is.
    pub(super) fn words(
        &mut self,
        said: &Said,
        cut_short: bool,
    ) -> Result<Result<String, Reason>, Fault> {
        let Said { text, before, for_another, .. } = said;
        let has_answered = !before.is_empty() && self.is_waited_for()?;
        let Some(text) = text.clone().or_else(|| has_answered.then(String::new)) else {
            return Ok(Err(match for_another.clone() {
                Some(name) => Reason::SpokeForAnother { name },
                None => Reason::ChoseSilence { why: None },
            }));
        };
        // Whoever looks whether there is anything to do says so in other words too.
        let passed = match self.run.cause.reason == Reason::Heartbeat {
            true => beside_pass(&text).or_else(|| feed::is_silence(&text).then_some("")),
            false => behind_pass(&text),
        };
        let text = match passed {
            Some(why) if !has_answered => return Ok(Err(chose_silence(why))),
            Some(_) => String::new(),
            None => text,
        };
        let alone = || if text.is_empty() { before.as_str() } else { &text };
        let text = match self.group.kind {
            GroupKind::Post => match self.words_in_feed(alone(), cut_short)? {
                Ok(text) => text,
                Err(reason) => return Ok(Err(reason)),
            },
            GroupKind::Direct | GroupKind::Group | GroupKind::Task => before.followed_by(&text),
        };
        let said = messages::of_agents_since(self.write, self.run.root)?;
        let said: Vec<_> = said.into_iter().filter(|said| said.is_shown).collect();
        if self.is_among_agents()? && !said.is_empty() {
            if echo::is_bare_acknowledgement(&text) {
                reactions::agrees(self.write, &self.run, &text, self.now)?;
                return Ok(Err(Reason::BareAcknowledgement));
            }
            if said.iter().any(|said| echo::is_near_duplicate(&said.text, &text)) {
                return Ok(Err(Reason::NearDuplicate));
            }
        }
        Ok(Ok(text))
    }

    /// Whether somebody waits for what it says, so that it has answered with what it said beside
    /// its calls. Among others it may have looked first whether it has anything to say.
    pub(super) fn is_waited_for(&self) -> Result<bool, Fault> {
        Ok(match self.group.kind {
            _ if self.run.cause.reason == Reason::Heartbeat => false,
            GroupKind::Direct | GroupKind::Task => true,
            GroupKind::Group => !self.is_handed_on() && !self.is_among_agents()?,
            GroupKind::Post => false,
        })
    }

    /// Whether nobody but agents and programs waits for the words. Who is asked by a
    /// person is heard, whoever else has said something to it meanwhile.
    fn is_among_agents(&self) -> Result<bool, Fault> {
        // Several answer a post without having heard each other.
        if self.group.kind == GroupKind::Post {
            return Ok(true);
        }
        let answers_an_agent = matches!(
            self.run.cause.author,
            Author::Agent(_) | Author::Outside(_) | Author::Source(_)
        );
        let asks =
            |wake: &wakes::Wake| turns::is_of_a_person(wake) || wake.reason == Reason::AskedByUser;
        Ok((answers_an_agent || self.is_handed_on()) && !self.answers()?.iter().any(asks))
    }

    /// The words of what was written as JSON or plainly, with its reaction stored.
    fn words_in_feed(
        &mut self,
        answer: &str,
        cut_short: bool,
    ) -> Result<Result<String, Reason>, Fault> {
        let written = feed::read_answer(answer);
        let sign = written.as_ref().and_then(|written| written.sign.clone());
        let reacted = sign.clone().map(|sign| Reason::Reacted { sign });
        if let Some(reason) = feed::why_not_written(self.write, &self.run, sign, self.now)? {
            return Ok(Err(reason));
        }
        Ok(match written {
            None => Err(Reason::Unreadable),
            Some(_) if answer.is_empty() => Err(Reason::Unreadable),
            Some(Written { text: None, .. }) => {
                let silent = || chose_silence(beside_pass(answer).unwrap_or_default());
                Err(reacted.unwrap_or_else(silent))
            }
            Some(Written { text: Some(text), .. }) => match self.is_demo_in_feed() {
                true => {
                    let own = agents::get(self.write, self.run.agent)?.name;
                    feed::fit_of_demo(&text, &own, cut_short)
                }
                false => self.in_own_name(text)?,
            },
        })
    }

    /// What stood in data was not heard as it came, so that nobody has looked whose it is.
    fn in_own_name(&self, text: String) -> Result<Result<String, Reason>, Fault> {
        let own = agents::get(self.write, self.run.agent)?;
        let others = everybody_else(self.write, self.run.group, &own)?;
        let own = own.name;
        let said = in_own_name(&own, &others, &text).filter(|said| !said.is_empty());
        Ok(said.ok_or_else(|| {
            let theirs = in_anothers_name(&own, &others, &text).unwrap_or_default();
            let name = others.into_iter().find(|name| theirs.contains(name)).unwrap_or_default();
            Reason::SpokeForAnother { name }
        }))
    }

    pub(super) fn is_demo_in_feed(&self) -> bool {
        let asked = self.run.asked_instead.as_deref().unwrap_or(&self.run.model);
        let served = || Served::find(self.write, asked);
        self.group.kind == GroupKind::Post && served().is_ok_and(|served| served.is_demo())
    }

    /// Posts the text and gives whom it wakes and whose turn follows.
    pub(super) fn reply(&mut self, text: String, cut_short: bool) -> Result<Vec<AgentId>, Fault> {
        let message = self.add_reply(text, cut_short)?;
        let answered = self.answered()?;
        // Where the policy hands on, names in a text wake nobody.
        let mut woken = match self.is_handed_on() {
            true => Vec::new(),
            false => turns::give(self.write, self.shared, &self.group, &message)?,
        };
        woken.extend(self.hand_on(&answered)?);
        Ok(woken)
    }

    pub(super) fn add_reply(&mut self, text: String, cut_short: bool) -> Result<Message, Fault> {
        let text = self.with_links(text)?;
        let most = settings::get(self.write)?.limits.message_characters as usize;
        let (text, cut_short) = match text.char_indices().nth(most) {
            Some((end, _)) => (text[..end].to_owned(), true),
            None => (text, cut_short),
        };
        let in_feed = self.group.kind == GroupKind::Post;
        let is_asked_for = self.run.cause.reason == Reason::AskedToPost;
        let new = messages::New {
            id: MessageId(Uuid::now_v7()),
            group: self.run.group,
            parent: (in_feed && !is_asked_for).then_some(self.run.cause.message),
            author: Author::Agent(self.run.agent),
            body: Body::Text { text, cut_short },
            attachments: Vec::new(),
            chain_depth: self.run.depth,
            root: self.run.root,
            run: Some(self.run.id),
            at_ms: self.now,
        };
        let message = messages::add(self.write, new)?;
        if in_feed {
            feed::settled(self.write, &self.run, &message)?;
        }
        if self.run.cause.reason == Reason::AskedForDigest {
            digest::told_upto(self.write, &self.run)?;
        }
        self.step(StepKind::MessagePosted { message: message.id })?;
        self.run.outcome = Some(Outcome::Replied { message: message.id, gave_up: false });
        Ok(message)
    }

    /// What a digest tells by its number leads there.
    fn with_links(&self, text: String) -> Result<String, Fault> {
        if self.run.cause.reason != Reason::AskedForDigest {
            return Ok(text);
        }
        let links = runs::context(self.write, self.run.id)?.links;
        Ok(digest::linked(&text, &links))
    }

    /// A supervisor has answered: nothing is posted, and whoever it named speaks.
    pub(super) fn supervised(mut self, round: u32, text: Option<&str>) -> Result<After, Fault> {
        self.run.state = RunState::Settled;
        let said = turns::supervised(self.write, &self.group, self.run.root, text)?;
        let reason = match said.as_ref().map(|said| said.answer) {
            Some(Answer::Next(_)) => Reason::Supervising { round },
            Some(Answer::Nobody) => Reason::SupervisorEnded,
            Some(Answer::Unusable) => Reason::SupervisorFailed { round },
            None if self.group.policy == TurnPolicy::Supervisor => Reason::Superseded,
            None => Reason::PolicyChanged,
        };
        // Naming somebody is what it was asked for, and no silence.
        if !is_handed_on(&reason) {
            self.record_silence(&reason)?;
        }
        self.run.outcome = Some(Outcome::Silent { reason });
        let answered = self.answers()?;
        wakes::settle(self.write, self.run.id)?;
        let mut woken = match said {
            Some(said) => turns::follow(self.write, &self.group, self.run.agent, round, &said)?,
            None => Vec::new(),
        };
        for wake in &answered {
            woken.extend(turns::rule_anew(self.write, self.shared, &self.group, wake)?);
        }
        self.close()?;
        Ok(After::waking(woken))
    }
}

/// With what was said beside the marker.
fn chose_silence(why: &str) -> Reason {
    let why = why.lines().next().map(str::trim).filter(|why| !why.is_empty());
    Reason::ChoseSilence { why: why.map(|why| why.chars().take(LONGEST_WHY).collect()) }
}
