//! Takes memories in from a file, or from those of a folder.
//!
//! All of it is read to its end before anything is written, so that one which is
//! damaged changes nothing. Then it is read again and taken in a few at a time:
//! turns go on in between, and no more than those few are held. What an entry
//! is called follows from what it says, so that an import which was cut off, or
//! is made once more, adds what is not there yet and nothing else. One that was
//! cut off is taken up at the next start.

mod chosen;
mod draft;
mod enter;
mod files;
mod of_workspace;
mod unfinished;

use super::progress::Progress;
use crate::derived::blocking;
use crate::shared::Shared;
use ::memory::file::Found;
use chosen::{Chosen, wrong};
use domain::{
    Fault, FaultCode, GaveWay, LeftOut, MemoryFileWrong, MemoryFormat, MemoryId, MemoryImport,
    MemoryScope, MemoryWork, NewMemory, Trust,
};
use draft::{Draft, Rules};
use enter::{Entered, enter, would};
pub(crate) use of_workspace::{OfWorkspace, enter_all};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use store::Durability;
use tokio::sync::mpsc;
pub(crate) use unfinished::{cut_off, drop_it, take_up, waiting};

/// What one transaction takes in, while others wait.
const AT_ONCE: usize = 200;
/// How many reasons are told, and how many samples are shown.
const MOST_REASONS: usize = 20;
const MOST_SAMPLES: usize = 5;

/// What a person wants taken in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Wanted {
    pub path: String,
    pub format: Option<MemoryFormat>,
    /// In place of what the file says.
    pub scope: Option<MemoryScope>,
    /// The person vouches for the file: it may say how far it is to be trusted.
    pub vouched: bool,
}

/// What would come of an import; changes nothing.
pub(crate) async fn preview(shared: &Arc<Shared>, wanted: Wanted) -> Result<MemoryImport, Fault> {
    let rules = Arc::new(Rules::of(shared, &wanted)?);
    blocking(shared, move |shared| {
        let chosen = Chosen::of(&wanted)?;
        let mut report = Report::new(chosen.format(), rules.most_trusted(chosen.format()));
        let circles = circles_in(&chosen, &rules)?;
        let mut seen = enter::Seen::default();
        let mut trouble = None;
        chosen.each(&mut |format, found| match found {
            Found::LeftOut(left_out) => {
                report.leave_out(left_out);
                ControlFlow::Continue(())
            }
            Found::Entry(entry) => {
                for draft in rules.drafts(format, entry) {
                    if circles.contains(&draft.memory.id) {
                        report.preview(&draft, draft.in_a_circle());
                        continue;
                    }
                    match shared.store.read(|read| would(read, &draft, &mut seen)) {
                        Ok(entered) => report.preview(&draft, entered),
                        Err(fault) => {
                            trouble = Some(fault);
                            return ControlFlow::Break(());
                        }
                    }
                }
                ControlFlow::Continue(())
            }
        })?;
        trouble.map_or(Ok(()), Err)?;
        report.pass_over(chosen.left_out);
        report.checked(&wanted.path)
    })
    .await
}

/// Takes everything in that is not there yet.
pub(crate) async fn import(shared: &Arc<Shared>, wanted: Wanted) -> Result<MemoryImport, Fault> {
    let import = looked_through(shared, wanted).await?;
    let wanted = import.wanted.clone();
    unfinished::begin(shared, &wanted).await?;
    let taken_in = import.take_in(shared).await;
    // What the end of the process cuts off goes on at the next start.
    if taken_in.is_ok() || !shared.closing.is_cancelled() {
        unfinished::end(shared, &wanted).await?;
    }
    taken_in
}

/// A file that can be read to its end.
struct Import {
    wanted: Arc<Wanted>,
    chosen: Arc<Chosen>,
    rules: Arc<Rules>,
    /// How many there are in the file.
    of: u32,
    /// Of what cannot be read.
    report: Report,
    /// Those that name another one.
    refer: Arc<HashSet<MemoryId>>,
    /// Those that gave way to what gave way to them.
    circles: Arc<HashSet<MemoryId>>,
}

async fn looked_through(shared: &Arc<Shared>, wanted: Wanted) -> Result<Import, Fault> {
    let rules = Arc::new(Rules::of(shared, &wanted)?);
    let wanted = Arc::new(wanted);
    blocking(shared, move |_| {
        let (look, with) = (&wanted, &rules);
        let mut chosen = Chosen::of(look)?;
        let mut report = Report::new(chosen.format(), with.most_trusted(chosen.format()));
        let mut refer = HashMap::new();
        chosen.each(&mut |format, found| {
            match found {
                Found::LeftOut(left_out) => report.leave_out(left_out),
                Found::Entry(entry) => {
                    for draft in with.drafts(format, entry) {
                        report.0.found += 1;
                        refer.extend(draft.refers().map(|other| (draft.memory.id, other)));
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        report.clone().checked(&look.path)?;
        let of = report.0.found;
        report.0.found = report.0.left_out;
        report.pass_over(std::mem::take(&mut chosen.left_out));
        let circles = Arc::new(circles(&refer));
        let refer = Arc::new(refer.into_keys().collect());
        Ok(Import { wanted, chosen: Arc::new(chosen), rules, of, report, refer, circles })
    })
    .await
}

/// Those of a file that gave way to, or contradict, what did the same because of them.
fn circles_in(chosen: &Chosen, rules: &Rules) -> Result<HashSet<MemoryId>, Fault> {
    let mut refer = HashMap::new();
    chosen.each(&mut |format, found| {
        if let Found::Entry(entry) = found {
            let drafts = rules.drafts(format, entry).into_iter();
            refer.extend(drafts.filter_map(|one| Some((one.memory.id, one.refers()?))));
        }
        ControlFlow::Continue(())
    })?;
    Ok(circles(&refer))
}

fn circles(refer: &HashMap<MemoryId, MemoryId>) -> HashSet<MemoryId> {
    let comes_back = |from: &MemoryId| {
        let mut at = from;
        for _ in 0..refer.len() {
            match refer.get(at) {
                Some(next) if next == from => return true,
                Some(next) => at = next,
                None => return false,
            }
        }
        false
    };
    refer.keys().filter(|id| comes_back(id)).copied().collect()
}

impl Import {
    async fn take_in(self, shared: &Arc<Shared>) -> Result<MemoryImport, Fault> {
        let Import { chosen, rules, of, mut report, refer, circles, .. } = self;
        let mut progress = Progress::of(&shared.events, MemoryWork::Importing, of);
        // Those that others refer to come first, so that whom those mean is known.
        let mut elsewhere = HashMap::new();
        let passes: &[bool] = if refer.is_empty() { &[false] } else { &[false, true] };
        for referring in passes {
            let known = Arc::new(std::mem::take(&mut elsewhere));
            let (send, mut batches) = mpsc::channel(2);
            let (look, with) = (chosen.clone(), rules.clone());
            let wants = *referring;
            let reading = tokio::task::spawn_blocking(move || {
                let mut batches = Batches { send, batch: Vec::new() };
                look.each(&mut |format, found| match found {
                    Found::LeftOut(_) => ControlFlow::Continue(()),
                    Found::Entry(entry) => {
                        let drafts = with.drafts(format, entry).into_iter();
                        let mut wanted = drafts.filter(|one| one.refers().is_some() == wants);
                        wanted.try_for_each(|draft| batches.add(draft))
                    }
                })?;
                batches.finish();
                Ok::<_, Fault>(())
            });
            while let Some(batch) = batches.recv().await {
                if shared.closing.is_cancelled() {
                    return Err(Fault::new(
                        FaultCode::Refused,
                        format!(
                            "the workspace closed after {} memories were added",
                            report.0.added
                        ),
                        "it goes on at the next start",
                    ));
                }
                let (known, refer, circles) = (known.clone(), refer.clone(), circles.clone());
                let done = shared.store.write(Durability::Process, move |write| {
                    let one = |draft: Draft| {
                        let id = draft.memory.id;
                        if circles.contains(&id) {
                            return Ok((id, draft.in_a_circle()));
                        }
                        let draft = draft.referring_to(write, &known, &refer)?;
                        Ok::<_, Fault>((id, enter(write, draft)?))
                    };
                    batch.into_iter().map(one).collect::<Result<Vec<_>, Fault>>()
                });
                for (id, entered) in done.await? {
                    if let Entered::There { id: there, .. } = &entered
                        && *there != id
                    {
                        elsewhere.insert(id, *there);
                    }
                    report.count(id, entered);
                }
                progress.come_to(report.0.found);
                fail::fail_point!("memories.imported");
                shared.finder.ring();
                tokio::task::yield_now().await;
            }
            let read = reading.await.map_err(|error| {
                Fault::new(FaultCode::Internal, error.to_string(), "import the file again")
            });
            read??;
        }
        Ok(report.0)
    }
}

/// Counts what came of the entries, and knows which came.
#[derive(Clone)]
struct Report(MemoryImport, HashSet<MemoryId>);

impl Report {
    fn new(format: MemoryFormat, trust: Trust) -> Report {
        let told = MemoryImport {
            format,
            trust,
            found: 0,
            added: 0,
            repeated: 0,
            contested: 0,
            gave_way: Vec::new(),
            left_out: 0,
            reasons: Vec::new(),
            samples: Vec::new(),
        };
        Report(told, HashSet::new())
    }

    /// The same, with some of those that would come.
    fn preview(&mut self, draft: &Draft, entered: Entered) {
        if matches!(entered, Entered::Added { .. }) && self.0.samples.len() < MOST_SAMPLES {
            self.0.samples.push(sample(draft));
        }
        self.count(draft.memory.id, entered);
    }

    fn count(&mut self, id: MemoryId, entered: Entered) {
        match entered {
            Entered::Added { contested, gave_way } => {
                self.give_way(gave_way);
                self.1.insert(id);
                self.0.found += 1;
                self.0.added += 1;
                self.0.contested += u32::from(contested);
            }
            Entered::There { gave_way, .. } => {
                self.give_way(gave_way);
                self.0.found += 1;
                self.0.repeated += 1;
            }
            Entered::LeftOut { told, .. } => self.leave_out(told),
        }
    }

    /// What came with it was not here.
    fn give_way(&mut self, gave_way: Vec<(MemoryId, GaveWay)>) {
        let here = gave_way.into_iter().filter(|(old, _)| !self.1.contains(old));
        self.0.gave_way.extend(here.map(|(_, words)| words));
    }

    fn leave_out(&mut self, left_out: LeftOut) {
        self.0.found += 1;
        self.0.left_out += 1;
        if self.0.reasons.len() < MOST_REASONS {
            self.0.reasons.push(left_out);
        }
    }

    /// Files that are not read: no memories of theirs were found.
    fn pass_over(&mut self, files: Vec<LeftOut>) {
        self.0.left_out += u32::try_from(files.len()).unwrap_or(u32::MAX);
        // What is wrong with one memory is of less account.
        self.0.reasons.splice(0..0, files);
        self.0.reasons.truncate(MOST_REASONS);
    }

    /// A file in which there is nothing is hardly the one that was meant.
    fn checked(self, path: &str) -> Result<MemoryImport, Fault> {
        if self.0.found > 0 {
            return Ok(self.0);
        }
        Err(wrong(Path::new(path), MemoryFileWrong::NoMemories))
    }
}

/// Hands drafts over in batches, and waits while those before are written.
struct Batches {
    send: mpsc::Sender<Vec<Draft>>,
    batch: Vec<Draft>,
}

impl Batches {
    fn add(&mut self, draft: Draft) -> ControlFlow<()> {
        self.batch.push(draft);
        if self.batch.len() < AT_ONCE {
            return ControlFlow::Continue(());
        }
        match self.send.blocking_send(std::mem::take(&mut self.batch)) {
            Ok(()) => ControlFlow::Continue(()),
            // Whoever writes has given up.
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn finish(self) {
        if !self.batch.is_empty() {
            let _ = self.send.blocking_send(self.batch);
        }
    }
}

fn sample(draft: &Draft) -> NewMemory {
    super::change::as_new(&draft.memory)
}
