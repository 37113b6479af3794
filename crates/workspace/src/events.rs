//! The stream of events: what was committed, in order, and text being written.
//!
//! The newest events are held in a ring. A subscriber walks the ring at its
//! own pace; one that falls out of it is told to ask for an overview again, so
//! a slow reader costs no memory.

use domain::{
    AgentId, Event, FromOwner, GroupId, Live, Mark, Record, RunId, RunState, Update, Waiting,
};
use futures::Stream;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Events held for those who come back.
const HELD: usize = 8192;

#[derive(Clone)]
pub(crate) struct Events {
    shared: Arc<Shared>,
}

struct Shared {
    epoch: u64,
    ring: Mutex<Ring>,
    newest: watch::Sender<u64>,
}

#[derive(Default)]
struct Ring {
    /// Number of the newest event; the first has 1.
    newest: u64,
    held: VecDeque<Event>,
    /// Everything written so far by each run in progress.
    writing: HashMap<RunId, Written>,
    /// Where each run stands that waits, as it was told last.
    waiting: HashMap<RunId, Waiting>,
}

struct Written {
    /// The number of its first piece.
    began: u64,
    agent: AgentId,
    group: GroupId,
    text: String,
    reasoning: String,
    length_utf16: u32,
}

impl Events {
    pub(crate) fn new(epoch: u64) -> Self {
        let (newest, _) = watch::channel(0);
        Events { shared: Arc::new(Shared { epoch, ring: Mutex::default(), newest }) }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { epoch: self.shared.epoch, n: self.ring().newest }
    }

    /// Who waits for a model, in the order in which they are served.
    pub(crate) fn waiting(&self) -> Vec<Waiting> {
        let ring = self.ring();
        let mut waiting: Vec<Waiting> = ring.waiting.values().copied().collect();
        waiting.sort_by_key(|one| (one.position, one.run.0));
        waiting
    }

    /// Publishes what a commit saved, in one go.
    pub(crate) fn publish(&self, updates: Vec<Update>) {
        let mut ring = self.ring();
        for update in updates {
            // Its record says the rest: nobody is shown half of it any more.
            if let Update::Saved { record: Record::Run(run) } = &update
                && run.state != RunState::Running
            {
                ring.writing.remove(&run.id);
                ring.waiting.remove(&run.id);
            }
            if let Update::Waiting { waiting } = &update {
                match waiting.position {
                    0 => ring.waiting.remove(&waiting.run),
                    _ => ring.waiting.insert(waiting.run, *waiting),
                };
            }
            ring.push(update);
        }
        let newest = ring.newest;
        drop(ring);
        self.shared.newest.send_replace(newest);
    }

    /// A piece of what a run is writing.
    pub(crate) fn write_live(
        &self,
        run: RunId,
        agent: AgentId,
        group: GroupId,
        text: &str,
        reasoning: &str,
    ) {
        let mut ring = self.ring();
        let began = ring.newest + 1;
        let written = ring.writing.entry(run).or_insert_with(|| Written {
            began,
            agent,
            group,
            text: String::new(),
            reasoning: String::new(),
            length_utf16: 0,
        });
        let offset = written.length_utf16;
        written.text.push_str(text);
        written.reasoning.push_str(reasoning);
        written.length_utf16 += u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
        let live = Live {
            run,
            agent,
            group,
            offset,
            text: text.to_owned(),
            reasoning: reasoning.to_owned(),
        };
        ring.push(Update::Live { live });
        let newest = ring.newest;
        drop(ring);
        self.shared.newest.send_replace(newest);
    }

    /// What the run has written was not the answer: everything before the
    /// next piece is void.
    pub(crate) fn begin_live_anew(&self, run: RunId) {
        let mut ring = self.ring();
        let Some(written) = ring.writing.get_mut(&run) else { return };
        if written.text.is_empty() {
            return;
        }
        written.text.clear();
        written.length_utf16 = 0;
        let (agent, group) = (written.agent, written.group);
        let (text, reasoning) = (String::new(), String::new());
        let live = Live { run, agent, group, offset: 0, text, reasoning };
        ring.push(Update::Live { live });
        let newest = ring.newest;
        drop(ring);
        self.shared.newest.send_replace(newest);
    }

    /// Everything that the run has written is void, thoughts too.
    pub(crate) fn take_live_back(&self, run: RunId) {
        let mut ring = self.ring();
        let Some(Written { agent, group, .. }) = ring.writing.remove(&run) else { return };
        let (text, reasoning) = (String::new(), String::new());
        ring.push(Update::Live { live: Live { run, agent, group, offset: 0, text, reasoning } });
        let newest = ring.newest;
        drop(ring);
        self.shared.newest.send_replace(newest);
    }

    /// The run writes no more; its record says the rest.
    pub(crate) fn end_live(&self, run: RunId) {
        self.ring().writing.remove(&run);
    }

    /// Events after the mark, without end. Begins with the whole text of each
    /// run in progress, and with a [`FromOwner::Resync`] when the mark is from
    /// another epoch or too old.
    pub(crate) fn subscribe(
        &self,
        after: Option<Mark>,
    ) -> impl Stream<Item = FromOwner> + Send + use<> {
        let shared = self.shared.clone();
        let reader = {
            let ring = self.ring();
            let here = Mark { epoch: shared.epoch, n: ring.newest };
            let known = after.is_none_or(|mark| mark.epoch == here.epoch && mark.n <= here.n);
            let mut ready = VecDeque::new();
            if !known {
                ready.push_back(FromOwner::Resync { now: here });
            }
            let next = if known { after.map_or(here.n, |mark| mark.n) } else { here.n } + 1;
            // Who began before has pieces that are not sent again: its whole
            // text comes first, and stands for those that are.
            let told = ring.whole_texts(|written| written.began < next);
            let whole = told.iter().map(|live| live.run).collect();
            ready.extend(told.into_iter().map(|live| ring.as_event(live)));
            let newest = shared.newest.subscribe();
            Reader { newest, shared, next, ready, whole, whole_until: here.n }
        };
        futures::stream::unfold(reader, |mut reader| async move {
            let item = reader.next().await?;
            Some((item, reader))
        })
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.shared.ring()
    }
}

impl Shared {
    fn ring(&self) -> MutexGuard<'_, Ring> {
        // Whoever panicked beside it left whole events in it.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ring {
    fn push(&mut self, update: Update) {
        self.newest += 1;
        if self.held.len() == HELD {
            self.held.pop_front();
        }
        self.held.push_back(Event { n: self.newest, update });
    }

    fn whole_texts(&self, which: impl Fn(&Written) -> bool) -> Vec<Live> {
        self.writing
            .iter()
            .filter(|(_, written)| which(written))
            .map(|(run, written)| Live {
                run: *run,
                agent: written.agent,
                group: written.group,
                offset: 0,
                text: written.text.clone(),
                reasoning: written.reasoning.clone(),
            })
            .collect()
    }

    fn as_event(&self, live: Live) -> FromOwner {
        FromOwner::Event(Event { n: self.newest, update: Update::Live { live } })
    }
}

struct Reader {
    shared: Arc<Shared>,
    newest: watch::Receiver<u64>,
    next: u64,
    ready: VecDeque<FromOwner>,
    /// Runs whose pieces up to `whole_until` were told as one whole text.
    whole: HashSet<RunId>,
    whole_until: u64,
}

/// Events copied out of the ring at a time.
const HANDFUL: usize = 256;

impl Reader {
    async fn next(&mut self) -> Option<FromOwner> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            self.newest.borrow_and_update();
            let is_at_end = self.take_handful();
            if is_at_end && self.ready.is_empty() {
                self.newest.changed().await.ok()?;
            }
        }
    }

    /// True when nothing is left in the ring.
    fn take_handful(&mut self) -> bool {
        let ring = self.shared.ring();
        let oldest = ring.newest + 1 - ring.held.len() as u64;
        if self.next < oldest {
            let now = Mark { epoch: self.shared.epoch, n: ring.newest };
            self.ready.push_back(FromOwner::Resync { now });
            let whole = ring.whole_texts(|_| true);
            self.ready.extend(whole.into_iter().map(|live| ring.as_event(live)));
            self.next = ring.newest + 1;
            return true;
        }
        let skip = usize::try_from(self.next - oldest).unwrap_or(usize::MAX);
        for event in ring.held.iter().skip(skip).take(HANDFUL) {
            self.next += 1;
            if !is_told(&self.whole, self.whole_until, event) {
                self.ready.push_back(FromOwner::Event(event.clone()));
            }
        }
        self.next > ring.newest
    }
}

fn is_told(whole: &HashSet<RunId>, until: u64, event: &Event) -> bool {
    match &event.update {
        Update::Live { live } => event.n <= until && whole.contains(&live.run),
        Update::Saved { .. }
        | Update::Removed { .. }
        | Update::Waiting { .. }
        | Update::UseProgress { .. }
        | Update::HeldUp { .. }
        | Update::MemoryIndex { .. }
        | Update::MemoryProgress { .. }
        | Update::BackupProgress { .. }
        | Update::Keys { .. }
        | Update::Servers { .. }
        | Update::Skills { .. }
        | Update::Page { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Settings;
    use futures::StreamExt;
    use uuid::Uuid;

    fn saved() -> Update {
        Update::Saved { record: Record::Settings(Settings::default()) }
    }

    fn number(item: Option<FromOwner>) -> Option<u64> {
        match item {
            Some(FromOwner::Event(event)) => Some(event.n),
            _ => None,
        }
    }

    #[tokio::test]
    async fn a_reader_gets_every_event_after_its_mark_in_order() {
        let events = Events::new(1);
        events.publish(vec![saved(), saved()]);
        let mark = Mark { epoch: 1, n: 1 };
        let mut reader = Box::pin(events.subscribe(Some(mark)));
        assert_eq!(number(reader.next().await), Some(2));
        events.publish(vec![saved()]);
        assert_eq!(number(reader.next().await), Some(3));
    }

    #[tokio::test]
    async fn a_mark_from_another_owner_or_too_old_asks_for_a_resync() {
        let events = Events::new(2);
        let mut reader = Box::pin(events.subscribe(Some(Mark { epoch: 1, n: 0 })));
        assert!(matches!(reader.next().await, Some(FromOwner::Resync { .. })));

        let mut slow = Box::pin(events.subscribe(None));
        for _ in 0..=HELD {
            events.publish(vec![saved()]);
        }
        assert!(matches!(slow.next().await, Some(FromOwner::Resync { .. })));
    }

    #[tokio::test]
    async fn who_looked_in_the_middle_of_a_text_gets_it_whole_and_once() {
        let events = Events::new(1);
        let (run, agent, group) = (RunId(Uuid::nil()), AgentId(Uuid::nil()), GroupId(Uuid::nil()));
        events.write_live(run, agent, group, "one ", "");
        let mark = events.mark();
        events.write_live(run, agent, group, "two ", "");
        let mut reader = Box::pin(events.subscribe(Some(mark)));
        events.write_live(run, agent, group, "three", "");
        let mut heard = Vec::new();
        for _ in 0..2 {
            let Some(FromOwner::Event(Event { update: Update::Live { live }, .. })) =
                reader.next().await
            else {
                panic!("no text")
            };
            heard.push((live.offset, live.text));
        }
        assert_eq!(heard, [(0, "one two ".to_owned()), (8, "three".to_owned())]);
    }

    #[tokio::test]
    async fn who_comes_late_gets_the_whole_text_so_far() {
        let events = Events::new(1);
        let (run, agent, group) = (RunId(Uuid::nil()), AgentId(Uuid::nil()), GroupId(Uuid::nil()));
        events.write_live(run, agent, group, "好的, ", "");
        events.write_live(run, agent, group, "yes", "");
        let mut reader = Box::pin(events.subscribe(None));
        let Some(FromOwner::Event(Event { update: Update::Live { live }, .. })) =
            reader.next().await
        else {
            panic!("no text")
        };
        assert_eq!((live.offset, live.text.as_str()), (0, "好的, yes"));
        events.write_live(run, agent, group, "!", "");
        let Some(FromOwner::Event(Event { update: Update::Live { live }, .. })) =
            reader.next().await
        else {
            panic!("no piece")
        };
        assert_eq!((live.offset, live.text.as_str()), (7, "!"));
    }
}
