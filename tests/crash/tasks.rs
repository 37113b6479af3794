//! What must hold for tasks that agents give to children of their own.

use super::truth::Truth;
use domain::{
    Agent, AgentState, Author, CallId, CallState, Message, Outcome, RunFilter, Step, StepKind,
};
use std::collections::{HashMap, HashSet};
use store::table::delegations::{self, Delegation};
use store::table::{agents, messages, runs, steps};
use store::{Read, StoreError};

/// Everything that was given to children, and what came of it.
pub(crate) struct Tasks {
    given: Vec<Task>,
    /// What each call returned, each time that it is on record.
    returned: HashMap<CallId, Vec<(CallState, String)>>,
}

struct Task {
    child: Agent,
    parent: Agent,
    delegation: Delegation,
    /// What stands in the child's group: the task, and perhaps an answer.
    messages: Vec<Message>,
    /// What the child has said as its answer.
    answer: Option<String>,
}

impl Tasks {
    pub(crate) fn look(read: &Read<'_>) -> Result<Tasks, StoreError> {
        let mut given = Vec::new();
        for child in agents::all(read)? {
            let Some(parent) = child.parent else { continue };
            let Some(delegation) = delegations::of_child(read, child.id)? else { continue };
            let messages = messages::page(read, delegation.group, 0, None, u32::MAX)?;
            let filter = RunFilter { group: Some(delegation.group), ..RunFilter::default() };
            let last = runs::page(read, &filter, None, 1)?.pop();
            let answer = match last.and_then(|run| run.outcome) {
                Some(Outcome::Replied { message, .. }) => messages::find(read, message)?,
                Some(Outcome::Silent { .. } | Outcome::Failed { .. }) | None => None,
            };
            let answer = answer.and_then(|message| message.text().map(str::to_owned));
            let parent = agents::get(read, parent)?;
            given.push(Task { child, parent, delegation, messages, answer });
        }
        let mut returned: HashMap<_, Vec<_>> = HashMap::new();
        for run in runs::page(read, &RunFilter::default(), None, u32::MAX)? {
            for Step { kind, .. } in steps::of_run(read, run.id)? {
                if let StepKind::ToolReturned { call, state, text } = kind {
                    returned.entry(call).or_default().push((state, text));
                }
            }
        }
        Ok(Tasks { given, returned })
    }

    /// What holds at any moment.
    pub(crate) fn hold(&self, truth: &Truth) {
        self.no_task_is_given_twice();
        self.a_child_lives_as_long_as_its_call(truth);
        self.a_result_comes_once();
    }

    /// What holds when nobody owes an answer.
    pub(crate) fn hold_at_the_end(&self, truth: &Truth) {
        for task in &self.given {
            let child = &task.child;
            assert_eq!(child.state, AgentState::Terminated, "left over: {child:?}");
        }
        self.what_was_found_is_told_once(truth);
    }

    fn no_task_is_given_twice(&self) {
        let mut seen = HashSet::new();
        for task in &self.given {
            let first = task.messages.first().and_then(Message::text).unwrap_or_default();
            assert!(seen.insert(first), "given twice: {first}");
        }
    }

    fn a_child_lives_as_long_as_its_call(&self, truth: &Truth) {
        for Task { child, parent, delegation, .. } in &self.given {
            let call = truth.calls.iter().find(|call| call.id == delegation.call);
            let is_open = call.is_some_and(|call| call.state == CallState::Dispatched);
            let lives = child.state != AgentState::Terminated;
            assert!(is_open || !lives, "{child:?} has outlived its call {call:?}");
            let parent_lives = parent.state != AgentState::Terminated;
            assert!(parent_lives || !lives, "{child:?} has outlived {parent:?}");
            // A parent that was ended itself ends its call with its turn.
            assert!(lives || !is_open || !parent_lives, "{call:?} has lost {child:?}");
        }
    }

    fn a_result_comes_once(&self) {
        for Task { child, delegation, answer, .. } in &self.given {
            let returned = self.returned.get(&delegation.call).map_or(&[][..], Vec::as_slice);
            assert!(returned.len() <= 1, "{child:?} was heard twice: {returned:?}");
            if let [(CallState::Succeeded, text)] = returned {
                assert_eq!(Some(text), answer.as_ref(), "{child:?}");
            }
        }
    }

    /// By those that people write to: what they heard they tell.
    fn what_was_found_is_told_once(&self, truth: &Truth) {
        let of_people = self.given.iter().filter(|task| task.parent.parent.is_none());
        for Task { parent, delegation, .. } in of_people {
            let returned = self.returned.get(&delegation.call).map_or(&[][..], Vec::as_slice);
            let [(CallState::Succeeded, text)] = returned else { continue };
            let told = truth.messages.iter().filter(|message| {
                let own = message.author == Author::Agent(parent.id);
                own && message.text().is_some_and(|said| said.contains(text.as_str()))
            });
            // A person may have given up the turn that had it.
            let was_dropped = truth.was_dropped(delegation.run);
            assert!(told.count() == 1 || was_dropped, "not told once: {text}");
        }
    }
}
