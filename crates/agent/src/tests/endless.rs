//! Any run at all: whatever is said, called, stopped and thrown in between, the
//! history stays one that every provider takes.

use super::*;
use domain::PlanMode;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Move {
    Says,
    Passes,
    /// These tools, by number.
    Calls(Vec<usize>),
    /// A plan of these tools, each after the one before or beside it.
    Plans(Vec<(usize, bool)>),
    Breaks,
}

const TOOLS: [&str; 5] = ["echo", "fails", "hangs", "panics", "gone"];

fn any_move() -> impl Strategy<Value = Move> {
    let tool = 0..TOOLS.len();
    prop_oneof![
        1 => Just(Move::Says),
        1 => Just(Move::Passes),
        4 => proptest::collection::vec(tool.clone(), 1..4).prop_map(Move::Calls),
        4 => proptest::collection::vec((tool, any::<bool>()), 1..4).prop_map(Move::Plans),
        1 => Just(Move::Breaks),
    ]
}

fn beats(step: &Move, nth: usize) -> Vec<Beat> {
    match step {
        Move::Says => text("So be it."),
        Move::Passes => text("[pass]"),
        Move::Calls(tools) => {
            let ids: Vec<String> = (0..tools.len()).map(|n| format!("c{nth}_{n}")).collect();
            let made: Vec<_> = tools
                .iter()
                .zip(&ids)
                .map(|(tool, id)| (id.as_str(), TOOLS[*tool], "{}"))
                .collect();
            calls(&made)
        }
        Move::Plans(steps) => {
            let step = |(n, (tool, after)): (usize, &(usize, bool))| {
                let after = if *after && n > 0 { vec![format!("s{}", n - 1)] } else { Vec::new() };
                json!({"id": format!("s{n}"), "tool": TOOLS[*tool], "after": after, "required": n % 2 == 0})
            };
            let steps: Vec<Value> = steps.iter().enumerate().map(step).collect();
            text(&json!({ "steps": steps }).to_string())
        }
        Move::Breaks => {
            let fault = llm::ModelFault::new(llm::Trouble::BrokenAnswer, "broken", "none");
            vec![Beat::Text("Hm".into()), Beat::Fail(fault)]
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    // Seen in loopstack-ai/loopstack#214.
    #[test]
    fn any_run_comes_to_its_end_and_leaves_a_history_that_every_provider_takes(
        moves in proptest::collection::vec(any_move(), 1..6),
        news in proptest::collection::hash_set(0..6_usize, 0..3),
        stop_after_ms in proptest::option::of(0..200_u64),
        parallel_tools in any::<bool>(),
        plan in proptest::sample::select(vec![PlanMode::Never, PlanMode::Auto, PlanMode::Always]),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let echo = TestTool::new("echo");
            let offer = offer(vec![
                echo.clone(),
                TestTool::new("fails").that(Does::Fails),
                TestTool::new("hangs").that(Does::Hangs),
                TestTool::new("panics").that(Does::Panics),
            ]);
            let model = Scripted::from_fn(move |_, nth| {
                let step = moves[(nth - 1) % moves.len()].clone();
                let mut beats = beats(&step, nth);
                beats.insert(0, Beat::Wait(std::time::Duration::from_millis(20)));
                beats
            });
            let news = news.into_iter().map(|look| (look, format!("news {look}"))).collect();
            let seen = Seen { news, ..Seen::default() };
            let limits = RunLimits { parallel_tools, plan, max_iterations: 6, ..RunLimits::default() };
            let stop = CancellationToken::new();
            let cancel = stop.clone();
            // A tool that hangs is stopped in the end.
            let after = std::time::Duration::from_millis(stop_after_ms.unwrap_or(60_000));
            tokio::spawn(async move {
                tokio::time::sleep(after).await;
                cancel.cancel();
            });
            let brief = brief("Read it, and then add it up", &offer, limits);
            // Checks every request and the history that is left.
            take_turn_until(brief, &model, &offer, &seen, &stop).await;
            let steps = seen.steps();
            let proposed: Vec<CallId> = steps.iter().filter_map(|step| match step {
                StepKind::ToolProposed { call, .. } => Some(*call),
                _ => None,
            }).collect();
            let mut returned: Vec<CallId> = steps.iter().filter_map(|step| match step {
                StepKind::ToolReturned { call, .. } => Some(*call),
                _ => None,
            }).collect();
            let dispatched = steps.iter().filter(|step| matches!(step, StepKind::ToolDispatched { .. }));
            assert!(echo.uses() <= dispatched.count());
            let mut proposed = proposed;
            proposed.sort();
            returned.sort();
            assert_eq!(proposed, returned, "each call ends exactly once");
            assert!(model.requests().len() <= 6);
        });
    }
}
