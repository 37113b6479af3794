//! What leads to another plan, what does not, and what of the last one is kept.

use super::*;
use domain::PlanMode;

fn always() -> RunLimits {
    RunLimits { plan: PlanMode::Always, ..RunLimits::default() }
}

/// Answers each question for a plan with these, the last one again and again.
fn plans(all: &'static [&'static str]) -> Scripted {
    let asked = AtomicUsize::new(0);
    Scripted::from_fn(move |request, _| match request.grammar {
        Some(_) => {
            let nth = asked.fetch_add(1, Ordering::SeqCst);
            text(all[nth.min(all.len() - 1)])
        }
        None => text("done"),
    })
}

fn replanned(seen: &Seen) -> usize {
    let again = |step: &StepKind| matches!(step, StepKind::Replanned { .. });
    seen.steps().iter().filter(|step| again(step)).count()
}

#[tokio::test]
async fn a_step_that_the_rest_can_do_without_may_fail_and_no_other_plan_is_made() {
    let (echo, fails) = (TestTool::new("echo"), TestTool::new("fails").that(Does::Fails));
    let offer = offer(vec![echo.clone(), fails.clone()]);
    let model = plans(&[r#"{"steps":[
        {"id":"a","tool":"fails","required":false},
        {"id":"b","tool":"echo","arguments":{"x":1},"after":["a"]}]}"#]);
    let seen = Seen::default();
    let said = take_turn(brief("go", &offer, always()), &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    assert_eq!((replanned(&seen), model.requests().len()), (0, 2));
    assert_eq!(*echo.uses.lock().unwrap(), [json!({"x": 1})]);
}

/// What a tool says that failed is no result, also where an earlier plan has one of that name.
#[tokio::test]
async fn a_step_that_uses_what_a_failed_one_returns_is_not_called_and_another_plan_is_made() {
    let (echo, fails) = (TestTool::new("echo"), TestTool::new("fails").that(Does::Fails));
    let offer = offer(vec![echo.clone(), fails.clone()]);
    let model = plans(&[
        r#"{"steps":[{"id":"a","tool":"echo","arguments":{"x":0}},{"id":"z","tool":"fails"}]}"#,
        r#"{"steps":[
            {"id":"a","tool":"fails","required":false},
            {"id":"b","tool":"echo","arguments":{"x":"{{a.result}}"}},
            {"id":"c","tool":"echo","arguments":{"x":1},"after":["a"]},
            {"id":"d","tool":"echo","arguments":{"x":2},"after":["b"]}]}"#,
        r#"{"steps":[{"id":"e","tool":"echo","arguments":{"x":3}}]}"#,
    ]);
    let seen = Seen::default();
    let said = take_turn(brief("go", &offer, always()), &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    let uses = [json!({"x": 0}), json!({"x": 3})];
    assert_eq!(*echo.uses.lock().unwrap(), uses);
    let told = model.requests()[2].turns.last().expect("a turn").content.clone();
    let why = "step `b` (echo) failed: not called: it uses what `a` returns, and `a` failed\n\
               step `c` was not tried\nstep `d` was not tried";
    assert!(told.contains(why), "{told}");
}

const SAME: &str = r#"{"steps":[{"id":"a","tool":"echo"},{"id":"b","tool":"fails"}]}"#;
const RENAMED: &str = r#"{"steps":[{"id":"c","tool":"echo"},{"id":"b","tool":"fails"}]}"#;
const OTHER: &str =
    r#"{"steps":[{"id":"a","tool":"echo","arguments":{"x":1}},{"id":"b","tool":"fails"}]}"#;
const TWICE: &str =
    r#"{"steps":[{"id":"a","tool":"echo"},{"id":"c","tool":"echo"},{"id":"b","tool":"fails"}]}"#;

#[tokio::test]
async fn what_succeeded_is_not_done_again_by_a_new_plan_that_says_the_same() {
    let check = async |effects: Effects, all: &'static [&'static str], expected: usize| {
        let mut echo = TestTool::new("echo");
        echo.spec.effects = effects;
        let fails = TestTool::new("fails").that(Does::Fails);
        let offer = offer(vec![echo.clone(), fails.clone()]);
        let (model, seen) = (plans(all), Seen::default());
        let said = take_turn(brief("go", &offer, always()), &model, &offer, &seen).await;
        assert_eq!(came_of(said), finished("done"));
        assert_eq!((fails.uses(), replanned(&seen)), (4, 3), "what failed is tried again");
        assert_eq!(echo.uses(), expected, "{effects:?} {all:?}");
    };
    check(Effects::Once, &[SAME], 1).await;
    check(Effects::Once, &[SAME, RENAMED], 1).await;
    check(Effects::Once, &[SAME, OTHER], 2).await;
    check(Effects::Once, &[TWICE], 2).await;
    // Who only looks may want to look again.
    check(Effects::None, &[SAME], 1).await;
    check(Effects::None, &[SAME, RENAMED], 2).await;
}

#[tokio::test]
async fn what_an_earlier_plan_did_stands_in_for_the_same_step_of_the_new_one() {
    let (echo, fails) = (TestTool::new("echo"), TestTool::new("fails").that(Does::Fails));
    let offer = offer(vec![echo.clone(), fails.clone()]);
    let model = plans(&[
        r#"{"steps":[{"id":"a","tool":"echo"},{"id":"b","tool":"fails"}]}"#,
        r#"{"steps":[{"id":"c","tool":"echo"},{"id":"d","tool":"echo","arguments":{"x":"{{c}}"}}]}"#,
    ]);
    let seen = Seen::default();
    let said = take_turn(brief("go", &offer, always()), &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    assert_eq!(*echo.uses.lock().unwrap(), [json!({}), json!({"x": "echo {}"})]);
}

/// What is the same question has its answer already, and may be answered with it.
#[tokio::test]
async fn no_two_questions_for_a_plan_are_the_same_and_a_useless_one_is_not_wanted_again() {
    for useless in [
        "{\"steps\":[{\"id\":",
        r#"{"steps":[{"id":"a","tool":"shell"}]}"#,
        r#"{"steps":[{"id":"a","tool":"fails"}]}"#,
    ] {
        let offer = offer(vec![TestTool::new("fails").that(Does::Fails)]);
        let model = Scripted::from_fn(move |request, _| match request.grammar {
            Some(_) => text(useless),
            None => text("done"),
        });
        let mut brief = brief("go", &offer, always());
        brief.request.temperature = 0.7;
        take_turn(brief, &model, &offer, &Seen::default()).await;
        let asked: Vec<ModelRequest> =
            model.requests().into_iter().filter(|request| request.grammar.is_some()).collect();
        assert_eq!(asked.len(), 4);
        for (nth, request) in asked.iter().enumerate() {
            assert!(asked[..nth].iter().all(|before| before.turns != request.turns), "{useless}");
        }
        let is_unread = !useless.contains("fails");
        let likeliest = [true, !is_unread, !is_unread, !is_unread];
        let temperatures: Vec<bool> =
            asked.iter().map(|request| request.temperature == 0.0).collect();
        assert_eq!(temperatures, likeliest, "{useless}");
    }
}
