//! What the tools have in common that work with the files in an agent's folders.

use crate::roots::{self, Landing};
use crate::{CallContext, Place, Returned, Stakes, Tool, change, describe, input};
use async_trait::async_trait;
use domain::{Effects, Need, Risk, ToolSpec};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

/// A tool that takes an `Input` and works beside the loop, where it holds up
/// nobody.
pub(crate) struct FileTool<Input> {
    spec: ToolSpec,
    work: Work<Input>,
    /// Whether it puts a text in the place of all that a file holds.
    replaces: bool,
    touches: Option<Touches<Input>>,
    foresees: Option<Foresees<Input>>,
}

enum Work<Input> {
    Look(Look<Input>),
    Change(Change<Input>),
}

/// Looks into the folders until it is told to stop. Either answer is in words of
/// others: names and contents of files.
type Look<Input> = fn(&Input, &Place, &CancellationToken) -> Result<String, String>;

/// Changes the file that its argument `path` names, or says why it did not.
type Change<Input> = fn(&Input, &CallContext) -> Result<Returned, String>;

/// Says why it would not change anything as things stand now.
type Foresees<Input> = fn(&Input, &Landing) -> Option<String>;

/// The part of a text that it changes.
type Touches<Input> = fn(&Input, &str) -> String;

impl<Input: JsonSchema> FileTool<Input> {
    pub(crate) fn looks(name: &str, look: Look<Input>) -> Self {
        let spec = describe::<Input>(name, Effects::None, Risk::Low);
        FileTool { spec, work: Work::Look(look), replaces: false, touches: None, foresees: None }
    }

    pub(crate) fn changes(name: &str, change: Change<Input>) -> Self {
        // Somebody may change the file between a use and its repetition.
        let spec = describe::<Input>(name, Effects::Once, Risk::High);
        FileTool {
            spec,
            work: Work::Change(change),
            replaces: false,
            touches: None,
            foresees: None,
        }
    }

    /// The same, for one that leaves nothing of what was there.
    pub(crate) fn replaces(name: &str, change: Change<Input>) -> Self {
        let touches: Touches<Input> = |_, text| text.to_owned();
        FileTool { replaces: true, touches: Some(touches), ..FileTool::changes(name, change) }
    }

    /// The same, for one that changes a part.
    pub(crate) fn touching(self, touches: Touches<Input>) -> Self {
        FileTool { touches: Some(touches), ..self }
    }

    /// The same, for one that knows beforehand when nothing can come of it.
    pub(crate) fn foreseen_by(self, foresees: Foresees<Input>) -> Self {
        FileTool { foresees: Some(foresees), ..self }
    }
}

#[async_trait]
impl<Input: DeserializeOwned + Send + 'static> Tool for FileTool<Input> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn needs(&self, place: &Place) -> Vec<Need> {
        vec![place.folder()]
    }

    fn stakes(&self, arguments: &Value, place: &Place) -> Result<Stakes, String> {
        match self.work {
            Work::Look(_) => Ok(roots::looks_at(&self.spec, arguments, place)),
            Work::Change(_) => change::stakes(&self.spec, arguments, place),
        }
    }

    fn replaces(&self, arguments: &Value, place: &Place) -> Option<String> {
        self.replaces.then(|| change::stands(arguments, place)).flatten()
    }

    fn touches(&self, arguments: &Value, place: &Place) -> Option<String> {
        let wanted: Input = input(arguments.clone()).ok()?;
        Some((self.touches?)(&wanted, &change::stands(arguments, place)?))
    }

    fn in_vain(&self, arguments: &Value, place: &Place) -> Option<String> {
        let foresees = self.foresees?;
        let wanted: Input = input(arguments.clone()).ok()?;
        let landing = match Landing::look(place, change::path(arguments)) {
            Ok(landing) => landing,
            Err(why) => return Some(why),
        };
        // What is in there nobody tells who may not look.
        let is_seen = !place.never_sees(&landing.whole());
        is_seen.then(|| foresees(&wanted, &landing)).flatten()
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        let wanted: Input = match input(arguments) {
            Ok(input) => input,
            Err(refusal) => return refusal,
        };
        if with.stop.is_cancelled() {
            return Returned::stopped();
        }
        match self.work {
            Work::Look(look) => look_beside(look, wanted, with).await,
            Work::Change(change) => change_beside(change, wanted, with).await,
        }
    }
}

/// It is left as soon as it is stopped, and ends soon afterwards.
async fn look_beside<Input: Send + 'static>(
    look: Look<Input>,
    wanted: Input,
    with: &CallContext,
) -> Returned {
    let (place, stop) = (with.place.clone(), with.stop.child_token());
    let _guard = stop.clone().drop_guard();
    let looking = spawn_blocking(move || look(&wanted, &place, &stop));
    tokio::select! {
        biased;
        () = with.stop.cancelled() => Returned::stopped(),
        looked = looking => match looked {
            Ok(Ok(text)) => Returned::ok(text).foreign(),
            Ok(Err(refusal)) => Returned::failed(refusal).foreign(),
            Err(_) => broke_off(),
        },
    }
}

/// It is not left halfway: what has begun ends within the blink of an eye.
async fn change_beside<Input: Send + 'static>(
    change: Change<Input>,
    wanted: Input,
    with: &CallContext,
) -> Returned {
    let with = with.clone();
    let change = move || {
        let _only = change::one_at_a_time();
        change(&wanted, &with)
    };
    match spawn_blocking(change).await {
        Ok(changed) => changed.unwrap_or_else(Returned::failed),
        Err(_) => broke_off(),
    }
}

fn broke_off() -> Returned {
    Returned::failed("it broke off with a fault of its own")
}
