//! Calls and their results: one for each, in order, whatever happens.

use super::*;
use domain::{Kept, KeptPart, ProviderKind};
use std::time::Duration;
use tokio::time::Instant;

fn states(seen: &Seen) -> Vec<CallState> {
    seen.returned().into_iter().map(|(state, _)| state).collect()
}

/// The results that the model read, in order.
fn results(request: &ModelRequest) -> Vec<&str> {
    let results = request.turns.iter().filter(|turn| turn.role == Role::Tool);
    results.map(|turn| turn.content.as_str()).collect()
}

#[tokio::test]
async fn each_call_has_one_result_in_order_whatever_becomes_of_it() {
    let (echo, fails) = (TestTool::new("echo"), TestTool::new("fails").that(Does::Fails));
    let panics = TestTool::new("panics").that(Does::Panics);
    let strict = TestTool::new("strict").taking(json!({"type": "object", "required": ["x"]}));
    let offer = offer(vec![echo.clone(), fails.clone(), panics.clone(), strict.clone()]);
    let wanted = calls(&[
        ("1", "panics", "{}"),
        ("2", "gone", "{}"),
        ("3", "fails", "{}"),
        ("4", "echo", "{\"x\":1"),
        ("5", "strict", "{}"),
        ("6", "echo", "{\"x\":1}"),
    ]);
    for parallel_tools in [true, false] {
        let (model, seen) = (script(vec![wanted.clone()]), Seen::default());
        let limits = RunLimits { parallel_tools, ..RunLimits::default() };
        let said = take_turn(brief("go", &offer, limits), &model, &offer, &seen).await;
        assert_eq!(came_of(said), finished("done"));
        let requests = model.requests();
        let expected = [
            "panics broke off with a fault of its own",
            "there is no tool `gone`; your tools are: echo, fails, panics, strict",
            "fails is out of order",
            "`echo` was not called, its arguments are not a JSON object: it is cut off (EOF while parsing an object at line 1 column 6)",
            "`strict` was not called, its arguments are wrong:\n- `x` is missing",
            "echo {\"x\":1}",
        ];
        assert_eq!(results(&requests[1]), expected);
        assert_eq!(states(&seen).len(), 6, "each end is written down once");
    }
    assert_eq!([echo.uses(), fails.uses(), panics.uses(), strict.uses()], [2, 2, 2, 0]);
}

// Seen in anthropics/claude-code#86001.
#[tokio::test(start_paused = true)]
async fn a_stop_in_the_middle_of_three_parallel_calls_returns_at_once_and_says_how_each_ended() {
    let stop = CancellationToken::new();
    let hangs = TestTool::new("hangs").looking().that(Does::Hangs);
    let listens = TestTool::new("listens").looking().that(Does::Waits(Door::new()));
    let stops = TestTool::new("stops").looking().that(Does::Stops(stop.clone()));
    let offer = offer(vec![hangs.clone(), listens.clone(), stops.clone()]);
    let model =
        script(vec![calls(&[("1", "hangs", "{}"), ("2", "listens", "{}"), ("3", "stops", "{}")])]);
    let seen = Seen::default();
    let begun = Instant::now();
    let limits = RunLimits::default();
    let said = take_turn_until(brief("go", &offer, limits), &model, &offer, &seen, &stop).await;
    assert!(begun.elapsed() < Duration::from_millis(100));
    assert_eq!(came_of(said), (None, Ended::Stopped));
    let history = seen.history();
    let told: Vec<&str> = history[1..].iter().map(|turn| turn.content.as_str()).collect();
    let cut_off =
        "stopped while it ran: it may or may not have happened; check before you repeat it";
    assert_eq!(told, [cut_off, "stopped before it was done", "stops {}"]);
    let mut states = states(&seen);
    states.sort_by_key(|state| format!("{state:?}"));
    assert_eq!(states, [CallState::Cancelled, CallState::Cancelled, CallState::Succeeded]);
    assert_eq!([hangs.uses(), listens.uses(), stops.uses()], [1, 1, 1]);
}

#[tokio::test]
async fn what_changes_something_is_made_in_order_and_what_looks_beside_what_looks() {
    let looks = TestTool::new("looks").looking().that(Does::Yields);
    let changes = TestTool::new("changes").that(Does::Yields);
    let offer = offer(vec![looks, changes]);
    let wanted = [
        ("1", "looks", "{}"),
        ("2", "looks", "{}"),
        ("3", "changes", "{}"),
        ("4", "changes", "{}"),
        ("5", "looks", "{}"),
        ("6", "looks", "{}"),
    ];
    let (model, seen) = (script(vec![calls(&wanted)]), Seen::default());
    let said = take_turn(brief("go", &offer, RunLimits::default()), &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    let mut made = Vec::new();
    let mut ids = Vec::new();
    for step in seen.steps() {
        let nth = |call: CallId| ids.iter().position(|id| *id == call).expect("it was called") + 1;
        match step {
            StepKind::ToolProposed { call, .. } => ids.push(call),
            StepKind::ToolDispatched { call } => made.push(format!("{} begins", nth(call))),
            StepKind::ToolReturned { call, .. } => made.push(format!("{} ends", nth(call))),
            _ => {}
        }
    }
    // Which of two ends first that are made together is nobody's business.
    made.chunks_mut(2).for_each(<[String]>::sort);
    let expected = [
        ["1 begins", "2 begins", "1 ends", "2 ends"],
        ["3 begins", "3 ends", "4 begins", "4 ends"],
        ["5 begins", "6 begins", "5 ends", "6 ends"],
    ];
    assert_eq!(made, expected.concat());
}

#[tokio::test(start_paused = true)]
async fn what_was_never_begun_is_not_said_to_have_been_cut_off() {
    let skipped = "skipped: the turn was stopped before this was begun";
    // Stopped while the gate decides, and by the gate as it lets it through.
    for never in [true, false] {
        let (echo, stop) = (TestTool::new("echo"), CancellationToken::new());
        let offer = offer(vec![echo.clone()]);
        let model = script(vec![calls(&[("1", "echo", "{}"), ("2", "echo", "{}")])]);
        let seen = Seen { cancels: Some(stop.clone()), never, ..Seen::default() };
        let begun = Instant::now();
        let limits = RunLimits::default();
        let said = take_turn_until(brief("go", &offer, limits), &model, &offer, &seen, &stop).await;
        assert!(begun.elapsed() < Duration::from_millis(100));
        assert_eq!(said.ended, Ended::Stopped);
        assert_eq!(echo.uses(), 0);
        let expected = (CallState::Skipped, skipped.to_owned());
        assert_eq!(seen.returned(), [expected.clone(), expected]);
    }
}

#[tokio::test(start_paused = true)]
async fn the_gate_is_told_of_a_use_that_lasts_and_of_no_other() {
    let door = Door::new();
    let (echo, waits) =
        (TestTool::new("echo"), TestTool::new("waits").that(Does::Waits(door.clone())));
    let offer = offer(vec![echo.clone(), waits.clone()]);
    let model = script(vec![calls(&[("1", "echo", "{}"), ("2", "waits", "{}")])]);
    let seen = Seen { opens: Some(door), ..Seen::default() };
    let said = take_turn(brief("go", &offer, RunLimits::default()), &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    let steps = seen.steps().into_iter();
    let waiting = steps.filter_map(|step| match step {
        StepKind::ToolProposed { call, tool, .. } if tool == "waits" => Some(call),
        _ => None,
    });
    assert_eq!(*seen.lasted.lock().unwrap(), waiting.collect::<Vec<_>>());
}

/// A token that is cancelled when the run has been waited for so many times.
async fn take_turn_stopped_at(
    polls: usize,
    brief: Brief,
    model: &Scripted,
    offer: &Offer,
    seen: &Seen,
) -> (Said, bool) {
    let stop = CancellationToken::new();
    let turn = take_turn_until(brief, model, offer, seen, &stop);
    let mut turn = std::pin::pin!(turn);
    let mut polled = 0;
    let said = std::future::poll_fn(|context| {
        if polled == polls {
            stop.cancel();
        }
        polled += 1;
        let poll = turn.as_mut().poll(context);
        // Everything here is ready again at once, but for time.
        context.waker().wake_by_ref();
        poll
    });
    let said = said.await;
    (said, stop.is_cancelled())
}

/// Waits once before each step, so that a stop can come between any two.
struct Slow(TestTool);

#[async_trait]
impl Tool for Slow {
    fn spec(&self) -> &ToolSpec {
        self.0.spec()
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        tokio::task::yield_now().await;
        let returned = self.0.call(arguments, with).await;
        tokio::task::yield_now().await;
        returned
    }
}

// Seen in strands-agents/harness-sdk#3615.
#[tokio::test(start_paused = true)]
async fn a_stop_at_any_moment_uses_each_tool_at_most_once_and_leaves_each_call_a_result() {
    let plan = r#"{"steps":[{"id":"a","tool":"count"},{"id":"b","tool":"count"},{"id":"c","tool":"count","after":["a"]}]}"#;
    for (mode, first) in [
        (
            domain::PlanMode::Never,
            calls(&[("1", "count", "{}"), ("2", "count", "{}"), ("3", "count", "{}")]),
        ),
        (domain::PlanMode::Always, text(plan)),
    ] {
        for parallel_tools in [true, false] {
            let mut ended = false;
            let mut most = 0;
            for polls in 0..200 {
                let count = TestTool::new("count");
                let registry = Registry::new(vec![Arc::new(Slow(count.clone())) as Arc<dyn Tool>]);
                let offer = registry.unwrap().offer(&Place::default(), &Allowed::Everything);
                let (model, seen) = (script(vec![first.clone()]), Seen::default());
                let limits = RunLimits { parallel_tools, plan: mode, ..RunLimits::default() };
                let brief = brief("go", &offer, limits);
                let (said, stopped) =
                    take_turn_stopped_at(polls, brief, &model, &offer, &seen).await;
                let proposed = seen
                    .steps()
                    .into_iter()
                    .filter(|step| matches!(step, StepKind::ToolProposed { .. }))
                    .count();
                assert!(count.uses() <= proposed);
                assert_eq!(seen.returned().len(), proposed);
                most = most.max(count.uses());
                if !stopped {
                    assert_eq!((came_of(said), count.uses()), (finished("done"), 3));
                    ended = true;
                    break;
                }
            }
            assert!(ended && most == 3, "{mode:?}");
        }
    }
}

#[tokio::test]
async fn what_is_said_meanwhile_is_heard_before_the_next_tool_begins() {
    let echo = TestTool::new("echo");
    let offer = offer(vec![echo.clone()]);
    let wanted = calls(&[("1", "echo", "{}"), ("2", "echo", "{}"), ("3", "echo", "{}")]);
    let model = script(vec![wanted]);
    let news = HashMap::from([(1, "No, stop that.".to_owned())]);
    let seen = Seen { news, ..Seen::default() };
    let limits = RunLimits { parallel_tools: false, ..RunLimits::default() };
    let said = take_turn(brief("go", &offer, limits), &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    assert_eq!(echo.uses(), 1);
    let skipped = "skipped: something new was said before this was begun";
    let turns = &model.requests()[1].turns;
    let told: Vec<&str> = turns[3..].iter().map(|turn| turn.content.as_str()).collect();
    assert_eq!(told, ["echo {}", skipped, skipped, "No, stop that."]);
}

#[tokio::test]
async fn what_is_said_meanwhile_is_heard_when_the_turn_of_those_in_line_comes() {
    let (looks, changes) = (TestTool::new("looks").looking(), TestTool::new("changes"));
    let offer = offer(vec![looks.clone(), changes.clone()]);
    let wanted = [("1", "looks", "{}"), ("2", "changes", "{}"), ("3", "changes", "{}")];
    let model = script(vec![calls(&wanted)]);
    let news = HashMap::from([(2, "No, stop that.".to_owned())]);
    let seen = Seen { news, ..Seen::default() };
    let said = take_turn(brief("go", &offer, RunLimits::default()), &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    assert_eq!((looks.uses(), changes.uses()), (1, 1));
    let skipped = "skipped: something new was said before this was begun";
    let turns = &model.requests()[1].turns;
    let told: Vec<&str> = turns[3..].iter().map(|turn| turn.content.as_str()).collect();
    assert_eq!(told, ["looks {}", "changes {}", skipped, "No, stop that."]);
}

#[tokio::test]
async fn what_is_said_while_the_last_tool_works_is_heard_with_what_it_returned() {
    let echo = TestTool::new("echo");
    let offer = offer(vec![echo.clone()]);
    let model = script(vec![calls(&[("1", "echo", "{}")])]);
    let seen = Seen { news: HashMap::from([(1, "And hurry.".to_owned())]), ..Seen::default() };
    let said = take_turn(brief("go", &offer, RunLimits::default()), &model, &offer, &seen).await;
    assert_eq!((came_of(said), echo.uses()), (finished("done"), 1));
    let turns = &model.requests()[1].turns;
    let told: Vec<&str> = turns[3..].iter().map(|turn| turn.content.as_str()).collect();
    assert_eq!(told, ["echo {}", "And hurry."]);
}

#[tokio::test]
async fn a_run_that_only_ever_calls_ends_in_words_that_say_what_failed() {
    let check = async |language: &str, tool: TestTool, expected: &str| {
        let offer = offer(vec![tool]);
        let model = Scripted::from_fn(|_, nth| calls(&[(&format!("c{nth}"), "try", "{}")]));
        let limits = RunLimits { max_iterations: 3, ..RunLimits::default() };
        let seen = Seen::default();
        let brief = Brief { language: language.into(), ..brief("go", &offer, limits) };
        let said = take_turn(brief, &model, &offer, &seen).await;
        assert_eq!(came_of(said), gave_up(expected));
        assert_eq!(model.requests().len(), 3);
        let last = seen.returned().pop();
        assert_eq!(last, Some((CallState::Skipped, "skipped: the turn had no steps left".into())));
    };
    check("en", TestTool::new("try"), "I found no answer in 3 steps.").await;
    let fails = || TestTool::new("try").that(Does::Fails);
    let failed = "I found no answer in 3 steps. The last thing that failed: try is out of order";
    check("en-GB", fails(), failed).await;
    let failed = "我试了 3 步，没有得出答案。最后一次失败：try is out of order";
    check("zh-CN", fails(), failed).await;
}

#[tokio::test]
async fn what_the_model_wants_back_goes_back_with_the_results_and_stands_in_the_journal() {
    let offer = offer(vec![TestTool::new("echo")]);
    let own = KeptPart::Own { json: "{\"signature\":\"Eq+/==\"}".into() };
    let kept = Kept { by: ProviderKind::Anthropic, model: "m".into(), parts: vec![own] };
    let first = [calls(&[("a", "echo", "{}")]), vec![Beat::Kept(kept.clone())]].concat();
    // Nothing follows the last answer, so nothing of it is sent back.
    let last = [text("done"), vec![Beat::Kept(kept.clone())]].concat();
    let (model, seen) = (script(vec![first, last]), Seen::default());
    let said = take_turn(brief("Go", &offer, RunLimits::default()), &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    let asked = model.requests();
    assert_eq!(asked[1].turns[2].kept, Some(kept.clone()));
    let steps = seen.steps();
    let stored: Vec<_> =
        steps.iter().filter(|step| matches!(step, StepKind::Kept { .. })).collect();
    assert_eq!(stored, [&StepKind::Kept { kept }]);
}
