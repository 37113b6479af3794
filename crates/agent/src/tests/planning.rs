//! PLAN → ACT → OBSERVE → REPLAN, with plans of the tests' own.

use super::*;
use domain::PlanMode;
use llm::{Grammar, ModelFault, Trouble};

fn planning(mode: PlanMode) -> RunLimits {
    RunLimits { plan: mode, ..RunLimits::default() }
}

fn always() -> RunLimits {
    planning(PlanMode::Always)
}

fn last(request: &ModelRequest) -> &str {
    &request.turns.last().expect("a turn").content
}

/// The steps in short words, without the model's own.
fn short(seen: &Seen) -> Vec<String> {
    let mut names: HashMap<CallId, String> = HashMap::new();
    let steps = seen.steps().into_iter();
    steps
        .filter_map(|step| match step {
            StepKind::Planned { plan } => {
                let ids: Vec<&str> = plan.steps.iter().map(|step| step.id.as_str()).collect();
                Some(format!("planned {}", ids.join(" ")))
            }
            StepKind::Replanned { attempt, because } => {
                Some(format!("replanned {attempt}: {because}"))
            }
            StepKind::ToolProposed { call, tool, arguments, .. } => {
                let name = format!("{tool} {arguments}");
                names.insert(call, name.clone());
                Some(format!("proposed {name}"))
            }
            StepKind::ToolDispatched { call } => Some(format!("dispatched {}", names[&call])),
            StepKind::ToolReturned { call, state, .. } => {
                Some(format!("{} {}", format!("{state:?}").to_lowercase(), names[&call]))
            }
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn a_plan_is_asked_for_behind_the_stable_part_and_answered_under_a_schema() {
    let echo = TestTool::new("echo");
    let offer = offer(vec![echo.clone()]);
    let plan = r#"{"steps":[{"id":"a","tool":"echo","arguments":{"x":1}},{"id":"z","reply":"it","after":["a"]}]}"#;
    let (model, seen) = (script(vec![text(plan)]), Seen::default());
    let brief = brief("go", &offer, always());
    let said = take_turn(brief.clone(), &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    // All that was there stays as it was; the question stands behind it.
    let asked = &requests[0];
    assert_eq!(asked.turns[0], brief.request.turns[0]);
    assert!(asked.turns[1].content.starts_with("go\n\n["));
    assert!(last(asked).ends_with("- `echo`: The tool echo.\n  arguments: {\"type\":\"object\"}"));
    assert_eq!(asked.tools, brief.request.tools);
    let Some(Grammar::JsonSchema(schema)) = &asked.grammar else { panic!("no schema") };
    let tool = &schema["properties"]["steps"]["items"]["anyOf"][0]["properties"]["action"];
    assert_eq!(tool["enum"], json!(["echo"]));
    // The answer is asked for with what was done, and without the plan.
    assert_eq!(requests[1].turns[..2], brief.request.turns);
    assert_eq!(last(&requests[1]), "echo {\"x\":1}");
    assert_eq!(requests[1].grammar, None);
    let expected = [
        "planned a z",
        "proposed echo {\"x\":1}",
        "dispatched echo {\"x\":1}",
        "succeeded echo {\"x\":1}",
    ];
    assert_eq!(short(&seen), expected);
}

#[tokio::test]
async fn independent_steps_run_together_and_dependent_ones_in_order_with_the_results_before() {
    // It changes something: a plan says itself what comes after what.
    let offer = offer(vec![TestTool::new("echo").that(Does::Yields)]);
    let plan = r#"{"steps":[
        {"id":"c","tool":"echo","arguments":{"x":"{{a}} and {{b}}"}},
        {"id":"a","tool":"echo","arguments":{"x":1}},
        {"id":"b","tool":"echo","arguments":{"x":2}}]}"#;
    let (a, b) = ("echo {\"x\":1}", "echo {\"x\":2}");
    let c = "echo {\"x\":\"echo {\\\"x\\\":1} and echo {\\\"x\\\":2}\"}";
    for parallel_tools in [true, false] {
        let (model, seen) = (script(vec![text(plan)]), Seen::default());
        let limits = RunLimits { parallel_tools, ..always() };
        take_turn(brief("go", &offer, limits), &model, &offer, &seen).await;
        let mut order: Vec<String> = short(&seen).into_iter().skip(1).collect();
        // Which of two that run together ends first is nobody's business.
        if parallel_tools {
            order[4..6].sort();
        }
        let both = if parallel_tools {
            [
                format!("dispatched {a}"),
                format!("dispatched {b}"),
                format!("succeeded {a}"),
                format!("succeeded {b}"),
            ]
        } else {
            [
                format!("dispatched {a}"),
                format!("succeeded {a}"),
                format!("dispatched {b}"),
                format!("succeeded {b}"),
            ]
        };
        let mut expected = vec![format!("proposed {a}"), format!("proposed {b}")];
        expected.extend(both);
        expected.extend([
            format!("proposed {c}"),
            format!("dispatched {c}"),
            format!("succeeded {c}"),
        ]);
        assert_eq!(order, expected);
        // Two answers that call, each with its results behind it.
        let turns = &model.requests()[1].turns[2..];
        let shape: Vec<usize> = turns.iter().map(|turn| turn.calls.len()).collect();
        assert_eq!(shape, [2, 0, 0, 1, 0]);
    }
}

#[tokio::test]
async fn a_result_alone_in_its_place_becomes_the_number_that_the_tool_takes() {
    let takes = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let number = TestTool::new("number").taking(takes);
    let twelve = TestTool::new("twelve").that(Does::Says("12"));
    let offer = offer(vec![number.clone(), twelve]);
    let plan =
        r#"[{"id":"a","tool":"twelve"},{"id":"b","tool":"number","arguments":{"n":"{{a}}"}}]"#;
    let seen = Seen::default();
    take_turn(brief("go", &offer, always()), &script(vec![text(plan)]), &offer, &seen).await;
    assert_eq!(*number.uses.lock().unwrap(), [json!({"n": 12})]);
}

#[tokio::test]
async fn a_plan_with_a_tool_that_is_not_offered_goes_back_and_nothing_of_it_runs() {
    let echo = TestTool::new("echo");
    let offer = offer(vec![echo.clone()]);
    let forbidden =
        r#"{"steps":[{"id":"a","tool":"echo"},{"id":"b","tool":"shell","arguments":{"c":"rm"}}]}"#;
    let better = r#"{"steps":[{"id":"a","tool":"echo","arguments":{"x":"again"}}]}"#;
    let (model, seen) = (script(vec![text(forbidden), text(better)]), Seen::default());
    let said = take_turn(brief("go", &offer, always()), &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    let because = "step `b`: there is no tool `shell`; your tools are: echo";
    let told = model.requests()[1].clone();
    assert_eq!(told.turns[2], Turn::new(Role::Assistant, forbidden));
    assert_eq!(
        last(&told),
        format!(
            "This plan cannot be used:\n{because}\n\nWrite it again without that. This is correction 1."
        )
    );
    let expected = [
        format!("replanned 1: {because}"),
        "planned a".into(),
        "proposed echo {\"x\":\"again\"}".into(),
        "dispatched echo {\"x\":\"again\"}".into(),
        "succeeded echo {\"x\":\"again\"}".into(),
    ];
    assert_eq!(short(&seen), expected);
    assert_eq!(echo.uses(), 1);
}

#[tokio::test]
async fn a_step_that_fails_leads_to_another_plan_which_knows_what_was_done() {
    let (echo, fails) = (TestTool::new("echo"), TestTool::new("fails").that(Does::Fails));
    let offer = offer(vec![echo.clone(), fails.clone()]);
    let first = r#"{"steps":[
        {"id":"a","tool":"echo","arguments":{"x":1}},
        {"id":"b","tool":"fails"},
        {"id":"c","tool":"echo","arguments":{"x":3},"after":["b"]}]}"#;
    let second = r#"{"steps":[{"id":"d","tool":"echo","arguments":{"x":"{{a}}"},"after":["a"]}]}"#;
    let (model, seen) = (script(vec![text(first), text(second)]), Seen::default());
    let said = take_turn(brief("go", &offer, always()), &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    let steps = short(&seen);
    let because = "step `b` (fails) failed: fails is out of order\nstep `c` was not tried";
    assert!(steps.contains(&format!("replanned 1: {because}")), "{steps:#?}");
    assert!(last(&model.requests()[1]).contains(because));
    assert_eq!(steps.last().unwrap(), "succeeded echo {\"x\":\"echo {\\\"x\\\":1}\"}");
    assert_eq!([echo.uses(), fails.uses()], [2, 1], "what waits for what failed is not tried");
}

#[tokio::test]
async fn after_three_plans_that_fail_again_the_turn_goes_on_without_and_says_what_failed() {
    let fails = TestTool::new("fails").that(Does::Fails);
    let offer = offer(vec![fails.clone()]);
    let plan = r#"{"steps":[{"id":"a","tool":"fails"}]}"#;
    let model = Scripted::from_fn(move |request, _| match request.grammar {
        Some(_) => text(plan),
        None => Vec::new(),
    });
    let seen = Seen::default();
    let said = take_turn(brief("go", &offer, always()), &model, &offer, &seen).await;
    let words = "I found no answer in 5 steps. The last thing that failed: fails is out of order";
    assert_eq!(came_of(said), gave_up(words));
    assert_eq!(model.requests().len(), 5, "a plan, three more, and the answer");
    assert_eq!(fails.uses(), 4);
    let replanned = short(&seen).into_iter().filter(|step| step.starts_with("replanned"));
    assert_eq!(replanned.count(), 3);
}

#[tokio::test]
async fn plans_that_cannot_be_read_end_in_a_plain_answer_or_in_words_that_say_why() {
    let offer = offer(vec![TestTool::new("echo")]);
    let check = async |plan: &'static str, answer: &'static str, asked: usize, expected: &str| {
        let model = Scripted::from_fn(move |request, _| match request.grammar {
            Some(_) => text(plan),
            None => text(answer),
        });
        let seen = Seen::default();
        let said = take_turn(brief("go", &offer, always()), &model, &offer, &seen).await;
        let is_given_up = expected.starts_with("I found no answer");
        let came = if is_given_up { gave_up(expected) } else { finished(expected) };
        assert_eq!(came_of(said), came);
        assert_eq!(model.requests().len(), asked, "{plan}");
    };
    check("I would rather talk.", "Hello.", 2, "Hello.").await;
    check("{\"steps\":[{\"id\":", "Hello.", 5, "Hello.").await;
    let words = "I found no answer in 5 steps. The last thing that failed: the plan cannot be used: it breaks off before its end; write a shorter one";
    check("{\"steps\":[{\"id\":", "", 5, words).await;
    // One more plan is no answer either.
    check("{\"steps\":[{\"id\":", "{\"steps\":[{\"id\":\"a\",\"tool\":\"echo\"}]}", 5, words).await;
}

/// What a plan is made of stands in many an answer; only a plan and nothing else is none.
#[tokio::test]
async fn an_answer_with_something_like_a_plan_in_it_is_an_answer() {
    let offer = offer(vec![TestTool::new("echo")]);
    let plan = r#"{"steps":[{"id":"a","tool":"echo"},{"id":"b","action":"reply"}]}"#;
    let preface = format!("I would do this:\n{plan}");
    let answers = [
        (r#"The sum is 7. As JSON: [{"name":"Ada","n":3},{"name":"Bo","n":4}]"#, true),
        (r#"[{"name":"Ada"},{"name":"Bo"}]"#, true),
        (r#"{"answer": 7}"#, true),
        (r#"{"tasks":[{"name":"Buy milk"},{"name":"Call Bo"}]}"#, true),
        (r#"{"steps":[{"question":"Why?","answer":"Because."}]}"#, true),
        (r#"{"steps":[]}"#, true),
        ("Here:\n```python\ndata = {\"x\": np.linspace(0, 1)}\n```", true),
        ("It begins with {\"steps\":[{\"id\":", true),
        (&preface, true),
        (plan, false),
        (&format!("```json\n{plan}\n```"), false),
        (&format!("<think>once more</think> {plan}"), false),
    ];
    for (answer, is_answer) in answers {
        let words = answer.to_owned();
        let model = Scripted::from_fn(move |request, _| match request.grammar {
            Some(_) => text("I would rather talk."),
            None => text(&words),
        });
        let said = take_turn(brief("go", &offer, always()), &model, &offer, &Seen::default()).await;
        assert_eq!(said.text.as_deref() == Some(answer), is_answer, "{answer}: {said:?}");
    }
}

#[tokio::test]
async fn whether_there_is_a_plan_is_the_agents_setting_and_auto_plans_only_what_asks_for_several() {
    let check = async |mode: PlanMode, asked: &str, tools: Vec<TestTool>, plans: bool| {
        let offer = offer(tools);
        let model = script(vec![text("{\"steps\":[]}")]);
        take_turn(brief(asked, &offer, planning(mode)), &model, &offer, &Seen::default()).await;
        let planned = model.requests()[0].grammar.is_some();
        assert_eq!(planned, plans, "{mode:?} {asked}");
    };
    let tools = || vec![TestTool::new("echo")];
    let several = "Read a.md, then read b.md";
    check(PlanMode::Auto, "What is 2+2?", tools(), false).await;
    check(PlanMode::Auto, several, tools(), true).await;
    check(PlanMode::Auto, several, Vec::new(), false).await;
    check(PlanMode::Always, "hi", tools(), true).await;
    check(PlanMode::Always, "hi", Vec::new(), false).await;
    check(PlanMode::Never, several, tools(), false).await;
}

#[tokio::test]
async fn a_model_that_is_not_told_of_tools_uses_them_by_plan() {
    let echo = TestTool::new("echo");
    let offer = offer(vec![echo.clone()]);
    let plan = r#"{"steps":[{"id":"a","tool":"echo"}]}"#;
    let (model, seen) = (script(vec![text(plan)]), Seen::default());
    let mut brief = brief("go", &offer, always());
    brief.request.tools = domain::ToolSpecs::default();
    let said = take_turn(brief, &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    assert_eq!(echo.uses(), 1);
    assert!(model.requests().iter().all(|request| request.tools.is_empty()));
    assert!(last(&model.requests()[0]).contains("- `echo`: The tool echo."));
}

#[tokio::test]
async fn a_server_that_refuses_schemas_is_asked_again_without_one() {
    let echo = TestTool::new("echo");
    let offer = offer(vec![echo.clone()]);
    let model = Scripted::from_fn(|request, nth| match (&request.grammar, nth) {
        (Some(_), _) => vec![Beat::Fail(ModelFault::new(Trouble::Refused, "no schemas", ""))],
        (None, 2) => text(r#"{"steps":[{"id":"a","tool":"echo"}]}"#),
        (None, _) => text("done"),
    });
    let said = take_turn(brief("go", &offer, always()), &model, &offer, &Seen::default()).await;
    assert_eq!(came_of(said), finished("done"));
    assert_eq!((model.requests().len(), echo.uses()), (3, 1));
}

#[tokio::test]
async fn a_question_for_a_plan_that_does_not_fit_the_window_costs_no_answer() {
    let offer = offer(vec![TestTool::new("echo")]);
    let model = Scripted::from_fn(|request, _| match request.grammar {
        Some(_) => vec![Beat::Fail(ModelFault::new(Trouble::TooLong, "too long", ""))],
        None => text("done"),
    });
    let said = take_turn(brief("go", &offer, always()), &model, &offer, &Seen::default()).await;
    assert_eq!(came_of(said), finished("done"));
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn a_model_that_calls_instead_of_planning_has_its_calls_made() {
    let echo = TestTool::new("echo");
    let offer = offer(vec![echo.clone()]);
    let (model, seen) = (script(vec![calls(&[("1", "echo", "{}")])]), Seen::default());
    let said = take_turn(brief("go", &offer, always()), &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    assert_eq!((model.requests().len(), echo.uses()), (2, 1));
}

#[tokio::test]
async fn something_new_in_the_middle_of_a_plan_leads_to_another_plan() {
    let echo = TestTool::new("echo");
    let offer = offer(vec![echo.clone()]);
    let plan = r#"{"steps":[{"id":"a","tool":"echo"},{"id":"b","tool":"echo","after":["a"]}]}"#;
    let (model, seen) = (
        script(vec![text(plan), text("{\"steps\":[]}")]),
        Seen { news: HashMap::from([(1, "Forget it.".to_owned())]), ..Seen::default() },
    );
    let said = take_turn(brief("go", &offer, always()), &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    assert_eq!(echo.uses(), 1);
    assert!(last(&model.requests()[1]).starts_with("Forget it.\n\n["));
}

// Seen in langchain-ai/langgraph#8039.
#[tokio::test]
async fn a_turn_that_was_cut_off_goes_on_with_its_calls_and_makes_no_second_plan() {
    let echo = TestTool::new("echo");
    let offer = offer(vec![echo.clone()]);
    let (model, seen) = (script(Vec::new()), Seen::default());
    let mut brief = brief("go", &offer, always());
    let called = Called::new("c1", "echo", "{}");
    let id = CallId(Uuid::from_u128(9));
    brief.request.turns.push(Turn::calling("", vec![called.clone()]));
    brief.rounds_before = 2;
    let open = Open { id, called: called.clone(), begun: true };
    brief.unanswered.calls = vec![open];
    seen.push(StepKind::Delta { text: String::new(), reasoning: String::new() });
    seen.push(crate::act::proposed(id, &called));
    let said = take_turn(brief, &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    assert_eq!((model.requests().len(), echo.uses()), (1, 1));
    assert_eq!(model.requests()[0].grammar, None);
}

/// A plan of three steps, each of which needs the one before it.
fn chain() -> domain::Plan {
    let step = |id: &str, after: &[&str], arguments: Value| domain::PlanStep {
        id: id.into(),
        after: after.iter().map(|id| (*id).to_owned()).collect(),
        required: true,
        action: domain::PlanAction::Tool { tool: "echo".into(), arguments },
    };
    let steps = vec![
        step("a", &[], json!({"x": 1})),
        step("b", &["a"], json!({"x": "{{a}}"})),
        step("c", &["b"], json!({"x": "{{a}} {{b}}"})),
    ];
    domain::Plan { steps }
}

/// Cut off in the second step of the plan, in a run that is not the first.
fn cut_off_in_a_plan(offer: &Offer, seen: &Seen) -> Brief {
    let first = RunId(Uuid::from_u128(6));
    let id = |step: &str| crate::act::planned_call_id(first, 0, step);
    let (a, b) = (Called::new("c1", "echo", "{}"), Called::new("c2", "echo", "{}"));
    let mut brief = brief("go", offer, always());
    brief.request.turns.extend([
        Turn::calling("", vec![a.clone()]),
        Turn::answering("c1", "one"),
        Turn::calling("", vec![b.clone()]),
    ]);
    for (step, called) in [("a", &a), ("b", &b)] {
        seen.push(StepKind::Delta { text: String::new(), reasoning: String::new() });
        seen.push(crate::act::proposed(id(step), called));
        if step == "a" {
            let (call, state) = (id(step), CallState::Succeeded);
            seen.push(StepKind::ToolReturned { call, state, text: "one".into() });
        }
    }
    brief.rounds_before = 1;
    brief.unanswered = Unanswered {
        turn: Some(first),
        calls: vec![Open { id: id("b"), called: b, begun: true }],
        meanwhile: Vec::new(),
        plan: Planned {
            plans: vec![(0, chain())],
            ended: HashMap::from([(id("a"), (CallState::Succeeded, "one".to_owned()))]),
            next: PlanNext::Steps,
        },
        ..Unanswered::default()
    };
    brief
}

#[tokio::test]
async fn a_plan_that_was_cut_off_goes_on_with_the_steps_that_are_left() {
    let echo = TestTool::new("echo");
    let offer = offer(vec![echo.clone()]);
    let (model, seen) = (script(Vec::new()), Seen::default());
    let brief = cut_off_in_a_plan(&offer, &seen);
    let said = take_turn(brief, &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    assert_eq!(model.requests().len(), 1, "for the answer: there is a plan");
    let uses = [json!({}), json!({"x": "one echo {}"})];
    assert_eq!(*echo.uses.lock().unwrap(), uses, "the first step is not done again");
}

#[tokio::test]
async fn a_step_that_had_begun_goes_on_whatever_was_said_meanwhile_and_the_rest_is_planned_anew() {
    let echo = TestTool::new("echo");
    let offer = offer(vec![echo.clone()]);
    let model = script(vec![text("{\"steps\":[]}")]);
    let news = HashMap::from([(0, "Hurry.".to_owned()), (1, "Stop.".to_owned())]);
    let seen = Seen { news, ..Seen::default() };
    let brief = cut_off_in_a_plan(&offer, &seen);
    let said = take_turn(brief, &model, &offer, &seen).await;
    assert_eq!(came_of(said), finished("done"));
    assert_eq!(*echo.uses.lock().unwrap(), [json!({})]);
    let asked = &model.requests()[0];
    assert!(asked.grammar.is_some());
    let said: Vec<&str> = asked.turns[5..].iter().map(|turn| turn.content.as_str()).collect();
    assert_eq!(said[..2], ["echo {}", "Hurry."]);
    assert!(last(asked).starts_with("Stop.\n\n["), "{said:?}");
}

#[tokio::test]
async fn another_plan_that_was_wanted_is_asked_for_and_not_the_first_again() {
    let offer = offer(vec![TestTool::new("echo")]);
    let (model, seen) = (script(vec![text("{\"steps\":[]}")]), Seen::default());
    let mut brief = cut_off_in_a_plan(&offer, &seen);
    brief.unanswered.plan.next =
        PlanNext::Again { attempt: 2, because: "it rained".into(), unusable: None };
    take_turn(brief, &model, &offer, &seen).await;
    assert!(last(&model.requests()[0]).contains("What is left:\nit rained"));
    let planned = seen.steps().into_iter().find(|step| matches!(step, StepKind::Planned { .. }));
    assert!(planned.is_some());
}

#[tokio::test]
async fn a_plan_that_never_ends_is_cut_off() {
    let offer = offer(vec![TestTool::new("echo")]);
    let model = Scripted::from_fn(|request, _| match request.grammar {
        Some(_) => vec![Beat::Text("{\"steps\":[\"".repeat(100)); 1_000],
        None => text("done"),
    });
    let said = take_turn(brief("go", &offer, always()), &model, &offer, &Seen::default()).await;
    assert_eq!(came_of(said), finished("done"));
}
