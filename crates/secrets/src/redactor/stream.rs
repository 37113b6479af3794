//! Text that is shown as it comes: the end that may become a secret waits.

use super::{Find, Nets, Plainly, Redactor, Unread, merge, shapes, suspects, without};

/// What waits at most. What is longer and still has no end is taken out as it is.
const MOST_WAITING: usize = 128 * 1024;
/// So much of what is gone is looked back at: what announces a key, and where a
/// word begins.
const LOOKED_BACK: usize = 64;

pub struct Stream {
    redactor: Redactor,
    /// For JSON that a program acts on.
    plainly: Option<Plainly>,
    /// The end of what is gone, as it was.
    gone: Vec<u8>,
    waiting: Vec<u8>,
    has_redacted: bool,
    /// What nobody had read when this began.
    unread: Vec<Unread>,
}

impl Stream {
    pub(super) fn new(redactor: Redactor) -> Self {
        let (gone, waiting, unread) = (Vec::new(), Vec::new(), redactor.unread());
        Stream { redactor, plainly: None, gone, waiting, has_redacted: false, unread }
    }

    pub(super) fn of_json(redactor: Redactor) -> Self {
        Stream { plainly: Some(Plainly::default()), ..Stream::new(redactor) }
    }

    /// What can be shown now.
    #[must_use]
    pub fn push(&mut self, piece: &str) -> String {
        match &mut self.plainly {
            Some(plainly) => self.waiting.extend_from_slice(plainly.push(piece).as_bytes()),
            None => self.waiting.extend_from_slice(piece.as_bytes()),
        }
        if self.waiting.len() > MOST_WAITING {
            return self.show_all();
        }
        let all = self.all();
        let known = self.redactor.known();
        let finds = self.finds(&all);
        let gone = self.gone.len();
        let open = finds.iter().filter(|find| find.is_open).map(|find| find.range.start).min();
        let shaped = match self.nets() {
            Nets::Both => shapes::beginning(&all, gone),
            Nets::Known => None,
        };
        let word = (!self.unread.is_empty()).then(|| suspects::beginning(&all, gone));
        let begins = [open, known.beginning(&all, gone), shaped, word];
        let mut upto = begins.into_iter().flatten().min().unwrap_or(all.len());
        // What is taken out is taken out whole.
        let across = finds.iter().find(|find| find.range.start < upto && upto < find.range.end);
        upto = across.map_or(upto, |find| find.range.start).max(gone);
        self.show(all, upto)
    }

    /// The rest.
    #[must_use]
    pub fn finish(&mut self) -> String {
        let begun = self.plainly.as_mut().map(Plainly::finish).unwrap_or_default();
        self.waiting.extend_from_slice(begun.as_bytes());
        self.show_all()
    }

    fn show_all(&mut self) -> String {
        let all = self.all();
        let upto = all.len();
        self.show(all, upto)
    }

    /// Whether anything was taken out so far.
    #[must_use]
    pub fn has_redacted(&self) -> bool {
        self.has_redacted
    }

    fn finds(&self, text: &[u8]) -> Vec<Find> {
        let mut finds = self.redactor.known().find(text, self.nets());
        finds.extend(suspects::find(text, &self.unread));
        merge(finds)
    }

    fn nets(&self) -> Nets {
        if self.plainly.is_some() { Nets::Known } else { Nets::Both }
    }

    fn all(&self) -> Vec<u8> {
        [&self.gone[..], &self.waiting[..]].concat()
    }

    fn show(&mut self, mut all: Vec<u8>, upto: usize) -> String {
        let mut finds = self.finds(&all[..upto]);
        // What is gone can not be taken back, and was looked at when it went.
        finds.retain(|find| find.range.end > self.gone.len());
        self.has_redacted |= !finds.is_empty();
        for find in &mut finds {
            find.range.start = find.range.start.max(self.gone.len());
        }
        let clean = without(&all[..upto], &finds);
        let shown = String::from_utf8_lossy(&clean[self.gone.len()..]).into_owned();
        self.waiting = all.split_off(upto);
        self.gone = all.split_off(upto.saturating_sub(LOOKED_BACK));
        shown
    }
}
