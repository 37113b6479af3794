//! Takes another workspace in, out of a backup of it, beside what is here.
//!
//! All of the backup is looked through first and laid open in a folder that goes afterwards
//! (`elsewhere`). What of it is to come is chosen (`chosen`). Files and souls come first, each
//! where nothing of its name is; then all records in one transaction, under the ids that they
//! had (`records`). So what is here already is known, a second time adds nothing, and one that
//! was cut off is made once more.
//!
//! Nobody is woken by it: agents rest until a person has them go on, and what was said counts
//! as read, told and learned of. Of what somebody may do nothing comes in. A preview is the
//! same transaction, given up at its end.

mod chosen;
mod elsewhere;
mod files;
mod records;
mod said;
mod souls;

use crate::derived::blocking;
use crate::memory::Wanted;
use crate::shared::Shared;
use crate::{attachments, desk, keeper, skills};
use chosen::Chosen;
use domain::{AgentId, Fault, Renamed, SoulSource, TakenCount, TakenIn, TakenKind};
use elsewhere::Elsewhere;
use files::Files;
use records::Records;
use souls::Souls;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Durability, StoreError, Write};

pub(crate) async fn take_in(
    shared: &Arc<Shared>,
    path: String,
    vouched: bool,
    preview: bool,
) -> Result<TakenIn, Fault> {
    let wanted = Wanted { path, format: None, scope: None, vouched };
    let path = wanted.path.clone();
    let elsewhere = blocking(shared, move |shared| Elsewhere::open(shared, &path)).await?;
    // What a person has put there meanwhile is there.
    keeper::look(shared).await?;
    let plan = blocking(shared, move |shared| Plan::of(shared, elsewhere, wanted, preview)).await?;
    let plan = Arc::new(plan);
    if !preview {
        place(shared, &plan).await?;
        fail::fail_point!("take_in.placed");
    }
    let (with, in_it) = (shared.clone(), plan.clone());
    // It takes a while: on the writer's own thread, where such writes are done.
    let entering = shared.store.write(Durability::Power, move |write| in_it.enter(write, &with));
    let Entered { told, living } = match entering.await {
        Ok(entered) => entered,
        Err(Stop::Previewed(told)) => return Ok(*told),
        Err(Stop::Failed(fault)) => return Err(fault),
    };
    fail::fail_point!("take_in.entered");
    for agent in living {
        desk::open(shared, agent, false);
    }
    shared.finder.ring();
    shared.schedules.changed.notify_one();
    Ok(told)
}

/// What is to come, before any of it has.
struct Plan {
    elsewhere: Elsewhere,
    wanted: Wanted,
    souls: Souls,
    chosen: Chosen,
    files: Files,
    preview: bool,
}

struct Entered {
    told: TakenIn,
    /// The agents that have a desk from now on.
    living: Vec<AgentId>,
}

/// Why nothing is kept.
enum Stop {
    Previewed(Box<TakenIn>),
    Failed(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Failed(fault)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Stop::Failed(error.into())
    }
}

impl Plan {
    fn of(
        shared: &Shared,
        elsewhere: Elsewhere,
        wanted: Wanted,
        preview: bool,
    ) -> Result<Plan, Fault> {
        let (souls, chosen) = elsewhere.store.read(|from| {
            let souls = Souls::of(shared, from)?;
            let chosen = shared.store.read(|here| Chosen::of(here, from, &souls))?;
            Ok::<_, StoreError>((souls, chosen))
        })?;
        let files = Files::of(elsewhere.folder(), &shared.places.data, &chosen)?;
        Ok(Plan { elsewhere, wanted, souls, chosen, files, preview })
    }

    fn enter(&self, write: &mut Write<'_>, shared: &Shared) -> Result<Entered, Stop> {
        let Plan { elsewhere, wanted, souls, chosen, files, preview } = self;
        let mut report = Report::default();
        souls.tell(&mut report);
        chosen.tell(&mut report);
        files.tell(&mut report);
        let living = elsewhere.store.read(|from| {
            let with = Records { shared, from, souls, chosen, preview: *preview };
            with.enter(write, wanted, &mut report)
        })?;
        let told = TakenIn {
            path: wanted.path.clone(),
            made_ms: elsewhere.made_ms,
            version: elsewhere.version.clone(),
            counts: report.counts.into_values().collect(),
            renamed: report.renamed,
            files: files.come.clone(),
            preview: *preview,
        };
        if *preview {
            return Err(Stop::Previewed(Box::new(told)));
        }
        Ok(Entered { told, living })
    }
}

/// Puts files and souls where they belong, so that they are there when agents come who use
/// them.
async fn place(shared: &Arc<Shared>, plan: &Arc<Plan>) -> Result<(), Fault> {
    let with = plan.clone();
    blocking(shared, move |shared| {
        with.files.place(with.elsewhere.folder(), &shared.places.data)?;
        attachments::take_over(shared, &with.elsewhere.folder().join("attachments"))
    })
    .await?;
    skills::look(shared).await?;
    for (soul, text) in &plan.souls.new {
        keeper::save(shared, soul.clone(), text.clone(), None, SoulSource::File).await?;
    }
    Ok(())
}

/// What became of what.
#[derive(Default)]
struct Report {
    counts: BTreeMap<TakenKind, TakenCount>,
    renamed: Vec<Renamed>,
}

impl Report {
    fn of(&mut self, what: TakenKind) -> &mut TakenCount {
        self.counts.entry(what).or_insert(TakenCount { what, new: 0, here: 0, left_out: 0 })
    }

    /// Says it where the name is another one.
    fn named(&mut self, what: TakenKind, from: &str, to: &str) {
        if from != to {
            self.renamed.push(Renamed { what, from: from.to_owned(), to: to.to_owned() });
        }
    }
}

/// How many, where nobody has so many.
fn count(things: usize) -> u32 {
    u32::try_from(things).unwrap_or(u32::MAX)
}
