//! What the scripted model answers, said shortly.

use llm::scripted::{Beat, Scripted};
use llm::{ModelFault, ModelRequest, Trouble};

/// Always the same words.
pub fn says(text: &str) -> Scripted {
    Scripted::saying(text)
}

/// Silence, chosen.
pub fn says_nothing() -> Scripted {
    Scripted::saying("[pass]")
}

/// Every call fails.
pub fn fails(trouble: Trouble) -> Scripted {
    Scripted::from_fn(move |_, _| {
        vec![Beat::Fail(ModelFault::new(
            trouble,
            "the test's model failed",
            "nothing to do, it is a test",
        ))]
    })
}

/// Who is asked, read from the first words of the system prompt.
pub fn speaker(request: &ModelRequest) -> String {
    let prompt = &request.turns[0].content;
    let name = prompt.strip_prefix("You are ").unwrap_or(prompt);
    name.split([',', '.', ' ']).next().unwrap_or_default().to_owned()
}

/// The n-th of a series of sentences that have little in common.
pub fn thought(n: usize) -> &'static str {
    const THOUGHTS: &[&str] = &[
        "The kettle whistles before the tea is ready.",
        "Nobody measured how deep the well goes.",
        "Sparrows nest above the bakery each spring.",
        "My grandfather repaired clocks in Lisbon.",
        "Copper turns green when rain gets to it.",
        "Three bridges cross the river by the mill.",
        "A good knife wants a wet stone.",
        "They postponed the concert until Thursday.",
        "Basalt columns have six sides, mostly.",
        "Which ferry runs in winter fog?",
        "Old maps show an island that is gone.",
        "Yeast sleeps below four degrees.",
    ];
    THOUGHTS[n % THOUGHTS.len()]
}
