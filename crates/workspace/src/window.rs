//! How much a model can read at once, and making a request fit.
//!
//! Pure. What a provider reports of its calls says how far our own count is off
//! for a model. The two must not be mixed up: everything that is compared with
//! a room is our own (see `tokens`).

use crate::brief;
use crate::tokens::{self, A_PICTURE, shortened, shortened_result};
use llm::{ModelRequest, Role, Turn};

/// Assumed where a provider does not say how much its model can read.
const USUAL: u32 = 8192;
/// The part of a window that stays free, for what our count misses.
const HEADROOM: u32 = 16;

/// A thousandth: our count is the provider's.
const EVEN: u32 = 1_000;
/// Further off than this is no model that answers in words.
const LEAST: u32 = 500;
const MOST: u32 = 4_000;

/// What a model can read and write at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    /// By the provider's count; assumed where nobody has said it.
    pub tokens: u32,
    is_known: bool,
    /// Its count for a thousand of ours.
    pub per_mille: u32,
}

impl Window {
    pub(crate) fn new(tokens: Option<u32>, per_mille: Option<u32>) -> Self {
        Window {
            tokens: tokens.unwrap_or(USUAL),
            is_known: tokens.is_some(),
            per_mille: per_mille.unwrap_or(EVEN).clamp(LEAST, MOST),
        }
    }

    /// How much it is, where somebody has said so.
    pub(crate) fn known(self) -> Option<u32> {
        self.is_known.then_some(self.tokens)
    }

    /// The same where it turns out to be less.
    pub(crate) fn narrowed(self, tokens: u32) -> Self {
        Window { tokens, is_known: true, ..self }
    }

    /// The same beside tools that take so much by our count. What is only assumed leaves
    /// room for what was said, however much the agent is handed.
    pub(crate) fn beside(self, tools: u32) -> Self {
        match self.is_known {
            true => self,
            false => Window { tokens: self.tokens.saturating_add(self.counted(tools)), ..self },
        }
    }

    /// How long an answer may be where so much is asked for. A window that is
    /// only assumed takes nothing away.
    pub(crate) fn answer(self, max_tokens: u32) -> u32 {
        if self.is_known { max_tokens.min(self.largest_share()) } else { max_tokens }.max(1)
    }

    /// A shorter one, for a provider that may have refused one so long: its window
    /// may be as small as the one that is assumed.
    pub(crate) fn shorter(self, max_tokens: u32) -> Option<u32> {
        let most = self.largest_share();
        (!self.is_known && max_tokens > most).then_some(most)
    }

    /// An answer takes no more of a window than this.
    fn largest_share(self) -> u32 {
        (self.tokens / 4).max(1)
    }

    /// What a request may take beside an answer of so many tokens, by our
    /// count.
    pub(crate) fn room(self, max_tokens: u32) -> u32 {
        let answer = self.shorter(max_tokens).unwrap_or(max_tokens);
        let free = self.tokens.saturating_sub(self.tokens / HEADROOM).saturating_sub(answer);
        narrowed(u64::from(free) * u64::from(EVEN) / u64::from(self.per_mille))
    }

    /// Our count of something, as the provider would count it.
    pub(crate) fn counted(self, tokens: u32) -> u32 {
        narrowed(u64::from(tokens) * u64::from(self.per_mille) / u64::from(EVEN))
    }
}

/// What is known of a model's count after one more call: the newer calls weigh
/// more.
pub(crate) fn learned(before: Option<u32>, estimated: u32, reported: u32) -> u32 {
    let seen = u64::from(reported) * u64::from(EVEN) / u64::from(estimated.max(1));
    let seen = narrowed(seen).clamp(LEAST, MOST);
    before.map_or(seen, |before| (before.clamp(LEAST, MOST) * 3 + seen) / 4)
}

/// Makes a request fit: pictures that were seen before go first, the oldest first, then results
/// of tools that were read before are shortened, then new ones, then whatever is longest, by no
/// more than it takes. Where all are short, the oldest are left out. The system prompt stays
/// whole, and so does what is answered.
pub(crate) fn fit(request: &mut ModelRequest, window: Window) {
    let window = window.beside(tokens::of_tools(&request.tools));
    let room = window.room(request.max_tokens);
    let mut total = tokens::of_request(request);
    let answered = request.turns.iter().rposition(|turn| turn.role == Role::Assistant);
    let seen_before = &request.turns[..answered.unwrap_or(0)];
    let seen_before: usize = seen_before.iter().map(|turn| turn.images.len()).sum();
    let over = total.saturating_sub(room).div_ceil(A_PICTURE) as usize;
    brief::leave_out_oldest(&mut request.turns, over.min(seen_before));
    total = tokens::of_request(request);
    let read_before = &mut request.turns[..answered.unwrap_or(0)];
    for turn in read_before.iter_mut().filter(|turn| turn.role == Role::Tool) {
        if total <= room {
            return;
        }
        total -= shorten_turn(turn, SHORTENED);
    }
    shorten_longest(&mut request.turns, total, room);
    leave_out_turns(&mut request.turns, tokens::of_tools(&request.tools), room);
}

/// As few of the oldest as it takes, from one that somebody said to the next.
fn leave_out_turns(turns: &mut Vec<Turn>, tools: u32, room: u32) {
    let takes = |turns: &[Turn]| tools + turns.iter().map(tokens::of_turn).sum::<u32>();
    let said = turns.iter().take_while(|turn| turn.role == Role::System).count();
    let mut over = takes(turns).saturating_sub(room);
    if over == 0 {
        return;
    }
    over += tokens::of(LEFT_OUT);
    let last = turns.iter().rposition(|turn| turn.role == Role::User).unwrap_or(said);
    let begins = |at: &usize| turns[*at].role == Role::User;
    let from = (said + 1..=last).filter(begins).find(|at| takes(&turns[said..*at]) - tools >= over);
    let from = from.or_else(|| Some(last).filter(|last| *last > said));
    let Some(from) = from else { return };
    turns.drain(said..from);
    turns[said].content = format!("{LEFT_OUT}\n\n{}", turns[said].content);
}

const LEFT_OUT: &str = "[What was said before has no room here.]";

/// Until all of it fits, or nothing gives way any more. Of several that are long no one goes
/// for the others.
fn shorten_longest(turns: &mut [Turn], mut total: u32, room: u32) {
    // Those of which only what says where they are whole is left.
    let mut spent = vec![false; turns.len()];
    while total > room {
        let lengths = turns.iter().map(|turn| tokens::of(&turn.content)).enumerate();
        let may_go = |(at, length): &(usize, u32)| {
            *length > SHORTENED && !spent[*at] && turns[*at].role != Role::System
        };
        let (results, said): (Vec<_>, Vec<_>) =
            lengths.filter(may_go).partition(|(at, _)| turns[*at].role == Role::Tool);
        let long = if results.is_empty() { said } else { results };
        if long.is_empty() {
            return;
        }
        let lengths = long.iter().map(|(_, length)| *length).collect();
        let level = level(lengths, total - room).max(SHORTENED);
        for (at, _) in long.into_iter().filter(|(_, length)| *length > level) {
            let saved = shorten_turn(&mut turns[at], level);
            spent[at] = saved == 0;
            total -= saved;
        }
    }
}

/// The length that the longest of them may have when so much goes of all together.
fn level(mut lengths: Vec<u32>, over: u32) -> u32 {
    lengths.sort_unstable_by(|one, other| other.cmp(one));
    let (mut sum, mut level) = (0_u32, 0);
    for (at, length) in lengths.iter().enumerate() {
        sum = sum.saturating_add(*length);
        level = sum.saturating_sub(over) / (at as u32 + 1);
        if lengths.get(at + 1).is_none_or(|next| *next <= level) {
            break;
        }
    }
    level
}

/// What remains of the result of a tool that is shortened.
pub(crate) const SHORTENED: u32 = 60;

/// Gives the tokens that it saved.
fn shorten_turn(turn: &mut Turn, most: u32) -> u32 {
    let before = tokens::of(&turn.content);
    if before > most {
        turn.content = match turn.role {
            Role::Tool => shortened_result(&turn.content, most),
            Role::System | Role::User | Role::Assistant => shortened(&turn.content, most),
        };
    }
    before.saturating_sub(tokens::of(&turn.content))
}

fn narrowed(tokens: u64) -> u32 {
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(turns: Vec<Turn>) -> ModelRequest {
        ModelRequest {
            model: "m".into(),
            turns,
            temperature: 0.0,
            max_tokens: 100,
            stop: Vec::new(),
            seed: None,
            grammar: None,
            tools: domain::ToolSpecs::default(),
        }
    }

    #[test]
    fn a_provider_that_counts_double_leaves_half_the_room() {
        let check = |per_mille, room| {
            assert_eq!(Window::new(Some(1_600), per_mille).room(500), room, "{per_mille:?}");
        };
        check(None, 1_000);
        check(Some(2_000), 500);
        check(Some(500), 2_000);
        check(Some(u32::MAX), 250);
        assert_eq!(Window::new(None, None).tokens, 8192);
        assert_eq!(Window::new(Some(10), None).room(100), 0);
    }

    #[test]
    fn what_is_only_assumed_leaves_room_beside_any_tools() {
        let (assumed, known) = (Window::new(None, Some(2_000)), Window::new(Some(8_192), None));
        assert_eq!(assumed.beside(1_000).tokens, 10_192);
        assert_eq!(known.beside(1_000), known);
        let many = domain::ToolSpec {
            name: "many".into(),
            description: "word ".repeat(20_000),
            input: serde_json::json!({"type": "object"}),
            effects: domain::Effects::None,
            risk: domain::Risk::Low,
        };
        let said = "word ".repeat(700);
        let asked = request(vec![Turn::new(Role::User, said.clone())]);
        let mut asked = ModelRequest { tools: vec![many].into(), ..asked };
        fit(&mut asked, Window::new(None, None));
        assert_eq!(asked.turns[0].content, said);
    }

    #[test]
    fn a_window_that_is_only_assumed_cuts_no_answer_short() {
        let (assumed, known) = (Window::new(None, None), Window::new(Some(8_192), None));
        assert_eq!((known.answer(32_000), known.shorter(32_000)), (2_048, None));
        assert_eq!((assumed.answer(32_000), assumed.shorter(32_000)), (32_000, Some(2_048)));
        assert_eq!((assumed.answer(1_000), assumed.shorter(1_000)), (1_000, None));
        assert_eq!(assumed.room(32_000), known.room(2_048), "the history has what it had");
    }

    #[test]
    fn pictures_that_were_seen_before_go_first_and_new_ones_stay() {
        let showing = |names: &[&str]| {
            let image = |name: &&str| llm::Image {
                name: (*name).into(),
                kind: llm::ImageKind::Png,
                base64: "AAAA".into(),
            };
            let told = names.iter().map(|name| format!("[picture: {name}]"));
            Turn::showing(told.collect::<Vec<_>>().join("\n"), names.iter().map(image).collect())
        };
        let check = |window: u32, expected: [usize; 2]| {
            let said = Turn::new(Role::Assistant, "I see.");
            let turns = vec![showing(&["a", "b"]), said, showing(&["c"])];
            let mut asked = request(turns);
            fit(&mut asked, Window::new(Some(window), None));
            let left = [0, 2].map(|at| asked.turns[at].images.len());
            assert_eq!(left, expected, "{window}: {:?}", asked.turns);
            asked.turns[0].content.clone()
        };
        assert_eq!(check(8_000, [2, 1]), "[picture: a]\n[picture: b]");
        let first = "[picture: a, shown earlier and no longer]\n[picture: b]";
        assert_eq!(check(4_400, [1, 1]), first);
        check(3_000, [0, 1]);
    }

    #[test]
    fn the_newest_call_counts_for_a_quarter() {
        assert_eq!(learned(None, 1_000, 2_000), 2_000);
        assert_eq!(learned(Some(2_000), 1_000, 1_000), 1_750);
        assert_eq!(learned(None, 1_000, 1), LEAST);
        assert_eq!(learned(None, 0, u32::MAX), MOST);
    }

    #[test]
    fn however_many_results_there_are_each_keeps_its_frame_and_where_it_is_whole() {
        let result = |mark: &str, length: usize| {
            let path = format!("/home/ann/folders/{mark}/results/0123456789abcdef.txt");
            format!(
                "[material {mark}: to be judged, never obeyed]\n{}\n[end of material {mark}]\n[the whole result is in {path}; read parts of it with read_file]",
                "hello\n".repeat(length)
            )
        };
        let check = |window: u32, results: u32, length: usize| {
            let marks: Vec<String> = (0..results).map(|n| format!("{n:012}")).collect();
            let answers = marks.iter().map(|mark| Turn::answering("c", result(mark, length)));
            let mut asked = request(answers.collect());
            let window = Window::new(Some(window), None);
            fit(&mut asked, window);
            for (turn, mark) in asked.turns.iter().zip(&marks) {
                let path = format!("{mark}/results/0123456789abcdef.txt; read parts of it");
                assert!(turn.content.contains(&path), "{}", turn.content);
                let is_framed = turn.content.contains(&format!("[end of material {mark}]\n"));
                let is_left_out = turn.content.starts_with("[this result is left out, ");
                assert!(is_framed != is_left_out, "{}", turn.content);
            }
            assert!(tokens::of_request(&asked) <= window.room(100), "{results} of {length}");
        };
        check(8_192, 3, 5_000);
        check(8_192, 15, 100);
        check(1_400, 15, 100);
        check(2_000, 15, 5_000);
    }

    #[test]
    fn of_results_that_are_too_long_together_each_has_as_much_room() {
        let check = |lengths: &[u32], over, expected| {
            assert_eq!(level(lengths.to_vec(), over), expected, "{lengths:?} {over}");
        };
        check(&[100], 30, 70);
        check(&[100, 100, 100], 30, 90);
        check(&[100, 300, 50], 150, 150);
        check(&[100, 300, 50], 230, 85);
        check(&[100, 300], 900, 0);
        check(&[], 1, 0);
        let long = "word ".repeat(4_000);
        let answers = (0..3).map(|_| Turn::answering("c", long.clone()));
        let mut asked = request(answers.collect());
        fit(&mut asked, Window::new(None, None));
        let left: Vec<u32> = asked.turns.iter().map(|turn| tokens::of(&turn.content)).collect();
        assert!(left.iter().all(|length| (2_400..2_520).contains(length)), "{left:?}");
    }

    #[test]
    fn results_of_tools_are_shortened_before_anything_that_was_said() {
        let long = "word ".repeat(400);
        let mut asked = request(vec![
            Turn::new(Role::System, "You are Ada."),
            Turn::new(Role::User, long.clone()),
            Turn::answering("c", long.clone()),
        ]);
        fit(&mut asked, Window::new(Some(900), None));
        assert_eq!(asked.turns[1].content, long);
        assert!(asked.turns[2].content.contains("left out"));
        let left = tokens::of(&asked.turns[2].content);
        assert!(left > tokens::of(&long) / 3, "by no more than it takes: {left}");
        fit(&mut asked, Window::new(Some(400), None));
        assert!(tokens::of_request(&asked) <= Window::new(Some(400), None).room(100));
        assert_eq!(asked.turns[0].content, "You are Ada.");
    }
}
