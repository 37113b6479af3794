//! Models that use no tools: which, and what they are asked.
//!
//! Few providers say of a model whether it uses tools, and some servers take none
//! for any model unless they were started so. So a model is handed its agent's
//! tools until it says that it uses none; then it is asked again at once without, and
//! without from then on, for as long as this process lasts. It answers in words,
//! as a person would who has no calculator.

use crate::shared::Shared;
use domain::{FaultKind, ModelTrouble};
use futures::stream::{self, BoxStream, StreamExt};
use llm::{Delta, Model, ModelFault, ModelRequest, Role, Turn};
use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// Those that said so, as `provider/model`.
#[derive(Default)]
pub(crate) struct Handless(Mutex<HashSet<String>>);

impl Handless {
    fn has(&self, model: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(model)
    }

    fn add(&self, model: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(model.to_owned());
    }
}

/// A model that is asked without tools where it uses none.
pub(crate) struct Handed {
    shared: Arc<Shared>,
    /// `provider/model`.
    name: String,
    model: Arc<dyn Model>,
}

impl Handed {
    pub(crate) fn over(shared: &Arc<Shared>, name: &str, model: Arc<dyn Model>) -> Arc<dyn Model> {
        Arc::new(Handed { shared: shared.clone(), name: name.to_owned(), model })
    }
}

impl Model for Handed {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        if request.tools.is_empty() && !tells_of_tools(&request.turns) {
            return self.model.ask(request);
        }
        if self.shared.handless.has(&self.name) {
            return self.model.ask(without_tools(request));
        }
        let (shared, name, model) = (self.shared.clone(), self.name.clone(), self.model.clone());
        let asked = async move {
            let mut answer = model.ask(request.clone());
            match answer.next().await {
                Some(Delta::Failed { fault, .. }) if is_for_tools(&fault) => {
                    shared.handless.add(&name);
                    model.ask(without_tools(request))
                }
                first => stream::iter(first).chain(answer).boxed(),
            }
        };
        stream::once(asked).flatten().boxed()
    }
}

fn is_for_tools(fault: &ModelFault) -> bool {
    let no_tools = FaultKind::Model { trouble: ModelTrouble::NoTools };
    fault.kind.as_deref() == Some(&no_tools)
}

fn tells_of_tools(turns: &[Turn]) -> bool {
    turns.iter().any(|turn| !turn.calls.is_empty() || turn.answers.is_some())
}

/// What another model used, and what came of it, is told in words.
fn without_tools(mut request: ModelRequest) -> ModelRequest {
    let mut used = HashMap::new();
    let mut turns: Vec<Turn> = Vec::new();
    for mut turn in mem::take(&mut request.turns) {
        for call in mem::take(&mut turn.calls) {
            used.insert(call.id, format!("{}({})", call.name, call.arguments));
        }
        if let Some(id) = turn.answers.take() {
            let what = used.get(&id).map_or("a tool", String::as_str);
            turn.role = Role::User;
            turn.content = format!("[Result of {what}]\n{}", turn.content);
        }
        let says_nothing = turn.content.is_empty() && turn.images.is_empty();
        match turns.last_mut() {
            _ if says_nothing => {}
            // Servers want the roles to take turns.
            Some(last) if last.role == turn.role && turn.role == Role::User => {
                last.content.push_str("\n\n");
                last.content.push_str(&turn.content);
                last.images.append(&mut turn.images);
            }
            _ => turns.push(turn),
        }
    }
    ModelRequest { turns, tools: domain::ToolSpecs::default(), ..request }
}

#[cfg(test)]
mod tests {
    use super::*;
    use llm::Called;

    #[test]
    fn what_was_called_before_is_told_in_words() {
        let call = |id: &str, arguments: &str| Called {
            id: id.into(),
            name: "calculator".into(),
            arguments: arguments.into(),
        };
        let request = ModelRequest {
            model: "m".into(),
            turns: vec![
                Turn::new(Role::User, "6 * 7 and 1 + 1?"),
                Turn::calling("", vec![call("a", "{6 * 7}"), call("b", "{1 + 1}")]),
                Turn::answering("a", "42"),
                Turn::answering("b", "2"),
                Turn::new(Role::Assistant, "42 and 2."),
                Turn::new(Role::User, "Thanks."),
            ],
            temperature: 0.0,
            max_tokens: 64,
            stop: Vec::new(),
            seed: None,
            grammar: None,
            tools: domain::ToolSpecs::default(),
        };
        let told = without_tools(request);
        let said: Vec<_> = told.turns.iter().map(|turn| (turn.role, &*turn.content)).collect();
        let asked = "6 * 7 and 1 + 1?\n\n[Result of calculator({6 * 7})]\n42\n\n[Result of calculator({1 + 1})]\n2";
        let after = [(Role::Assistant, "42 and 2."), (Role::User, "Thanks.")];
        assert_eq!(said, [&[(Role::User, asked)][..], &after].concat());
        assert!(!tells_of_tools(&told.turns));
    }
}
