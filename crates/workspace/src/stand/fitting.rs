//! How many tools of servers an agent is offered at most.
//!
//! What a model is told of its tools goes along with every question. A server with
//! thousands of them would leave no room for what was said, and use up the budget of
//! a turn with its first calls. So what servers bring together may take a part of
//! what the model reads, and no more than so much of it in any; the rest is left out,
//! and both the agent and the person are told of which server it is.

use crate::servers;
use crate::tokens;
use crate::window::Window;
use domain::ToolSpec;
use std::collections::{BTreeMap, BTreeSet};
use tools::Offer;

/// Tools of servers take no more of any window. A turn has 200,000 tokens unless the
/// person says otherwise, and asks more than once.
const MOST_TOKENS: u32 = 32_000;
/// The part of a window that they may take.
const SHARE: u32 = 3;

/// What is left out of an offer; mostly nothing.
pub(crate) fn left_out(tools: &Offer, window: Window) -> BTreeSet<String> {
    let room = window.known().map_or(MOST_TOKENS, |tokens| (tokens / SHARE).min(MOST_TOKENS));
    let specs = tools.specs();
    if tokens::of_tools(&specs) <= room {
        return BTreeSet::new();
    }
    let mut servers: BTreeMap<&str, Brought<'_>> = BTreeMap::new();
    for spec in specs.iter() {
        if let Some(server) = servers::server_of(&spec.name) {
            servers.entry(server).or_default().add(spec);
        }
    }
    choose(servers.into_values().collect(), room)
}

/// What one server brings.
#[derive(Default)]
struct Brought<'a> {
    tools: Vec<(&'a str, u32)>,
    tokens: u32,
}

impl<'a> Brought<'a> {
    fn add(&mut self, spec: &'a ToolSpec) {
        let tokens = tokens::of_tool(spec);
        self.tools.push((&spec.name, tokens));
        self.tokens = self.tokens.saturating_add(tokens);
    }
}

/// The servers that bring least come first, so that one with thousands takes nothing from
/// the others; of each its tools in order.
fn choose(mut servers: Vec<Brought<'_>>, mut room: u32) -> BTreeSet<String> {
    servers.sort_by_key(|server| server.tokens);
    let mut left_out = BTreeSet::new();
    for (name, tokens) in servers.into_iter().flat_map(|server| server.tools) {
        match room.checked_sub(tokens) {
            Some(rest) => room = rest,
            None => {
                left_out.insert(name.to_owned());
            }
        }
    }
    left_out
}

/// How many tools of which server are left out, as models and people read it.
pub(crate) fn told(left_out: &BTreeSet<String>) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for server in left_out.iter().filter_map(|name| servers::server_of(name)) {
        *counts.entry(server).or_default() += 1;
    }
    counts.into_iter().map(|(server, n)| format!("{server} ({n})")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brought(tools: &[(&'static str, u32)]) -> Brought<'static> {
        Brought { tools: tools.to_vec(), tokens: tools.iter().map(|(_, tokens)| tokens).sum() }
    }

    #[test]
    fn a_server_with_too_much_takes_nothing_from_the_others() {
        let check = |room: u32, expected: &[&str]| {
            let many = brought(&[("a__1", 40), ("a__2", 70), ("a__3", 20)]);
            let few = brought(&[("b__1", 30), ("b__2", 10)]);
            let left: Vec<String> = choose(vec![many, few], room).into_iter().collect();
            assert_eq!(left, expected, "{room}");
        };
        check(170, &[]);
        check(100, &["a__2"]);
        check(40, &["a__1", "a__2", "a__3"]);
        check(35, &["a__1", "a__2", "a__3", "b__2"]);
        check(0, &["a__1", "a__2", "a__3", "b__1", "b__2"]);
    }

    #[test]
    fn what_is_left_out_is_told_by_server() {
        let names = ["a__1", "a__2", "b__x"].map(str::to_owned).into();
        assert_eq!(told(&names), ["a (2)", "b (1)"]);
    }
}
