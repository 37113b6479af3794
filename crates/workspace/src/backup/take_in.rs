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
mod report;
mod said;
mod souls;

use crate::derived::blocking;
use crate::memory::Wanted as WantedMemories;
use crate::shared::Shared;
use crate::{attachments, desk, keeper, skills};
use chosen::Chosen;
use domain::{AgentId, Fault, FaultCode, FaultKind, SoulSource, TakenIn};
use elsewhere::Elsewhere;
use files::Files;
use records::Records;
use report::Report;
use souls::Souls;
use std::sync::Arc;
use store::{Durability, StoreError, Write};

/// Which backup, and how.
pub(crate) struct Wanted {
    pub path: String,
    /// The person vouches for what is in it.
    pub vouched: bool,
    pub preview: bool,
    /// The hash of the one that the person has looked through.
    pub looked_through: Option<String>,
}

pub(crate) async fn take_in(shared: &Arc<Shared>, wanted: Wanted) -> Result<TakenIn, Fault> {
    let Wanted { path, vouched, preview, looked_through } = wanted;
    let wanted = WantedMemories { path, format: None, scope: None, vouched };
    let path = wanted.path.clone();
    let elsewhere = blocking(shared, move |shared| Elsewhere::open(shared, &path)).await?;
    if looked_through.is_some_and(|hash| hash != elsewhere.hash) {
        return Err(super::replaced(&wanted.path));
    }
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
    wanted: WantedMemories,
    souls: Souls,
    chosen: Chosen,
    files: Files,
    /// As far as it can be told by now.
    report: Report,
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
        wanted: WantedMemories,
        preview: bool,
    ) -> Result<Plan, Fault> {
        let mut report = Report::default();
        let told = &mut report;
        let chosen = elsewhere.store.read(|from| {
            let (souls, chosen) = shared.store.read(|here| {
                let souls = Souls::of(shared, here, from, told)?;
                let chosen = Chosen::of(here, from, &souls, told)?;
                Ok::<_, StoreError>((souls, chosen))
            })?;
            // Before any file of it is placed.
            said::read_through(from)?;
            Ok::<_, StoreError>((souls, chosen))
        });
        let (souls, chosen) = chosen.map_err(|error| unreadable(&wanted.path, error))?;
        let files = Files::of(elsewhere.folder(), &shared.places.data, &chosen, told)?;
        Ok(Plan { elsewhere, wanted, souls, chosen, files, report, preview })
    }

    fn enter(&self, write: &mut Write<'_>, shared: &Shared) -> Result<Entered, Stop> {
        let Plan { elsewhere, wanted, souls, chosen, files, report, preview } = self;
        let mut report = report.clone();
        let living = elsewhere.store.read(|from| {
            let with = Records { shared, from, souls, chosen, preview: *preview };
            with.enter(write, wanted, &mut report)
        })?;
        let told = TakenIn {
            path: wanted.path.clone(),
            made_ms: elsewhere.made_ms,
            version: elsewhere.version.clone(),
            hash: elsewhere.hash.clone(),
            counts: report.counts(),
            stays_out: report.stays_out(),
            renamed: report.renamed,
            gave_way: report.gave_way,
            contested: report.contested,
            vouched: report.vouched,
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

/// A value that cannot be read is the backup's fault, and its person's to know.
fn unreadable(path: &str, error: StoreError) -> Fault {
    match error {
        StoreError::Value(_) | StoreError::Sqlite(_) => {
            let detail = error.to_string();
            let message = format!("the backup {path} is damaged: {detail}");
            let fix = "choose another backup; nothing was changed here";
            let kind = FaultKind::BackupDamaged { path: path.to_owned(), detail };
            Fault::new(FaultCode::Storage, message, fix).of(kind)
        }
        other => other.into(),
    }
}

/// How many, where nobody has so many.
fn count(things: usize) -> u32 {
    u32::try_from(things).unwrap_or(u32::MAX)
}
