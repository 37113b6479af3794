//! What a chat template or a PDF may take.
//!
//! It is a program by whoever made the file, and a single step of it can ask for
//! all the memory there is, which counted steps do not show. Where the system can be told
//! so (Linux), more than this ends the process instead, and nobody else is harmed.

/// In bytes: more than the longest conversation needs, or a PDF.
#[cfg(target_os = "linux")]
const MOST: u64 = 512 << 20;
/// In seconds, for a process that does nothing else.
#[cfg(target_os = "linux")]
const LONGEST: u64 = 10;

/// Does something with it. What the process held before does not count.
#[cfg(target_os = "linux")]
pub(crate) fn bounded<T>(work: impl FnOnce() -> T) -> T {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Some(held) = crate::memory::held() else { return work() };
    let before = getrlimit(Resource::Data);
    let most = before.current.map_or(held + MOST, |most| most.min(held + MOST));
    let bound = Rlimit { current: Some(most), maximum: before.maximum };
    if let Err(error) = setrlimit(Resource::Data, bound) {
        tracing::warn!("what a file asks for has no limit: {error}");
    }
    let done = work();
    // It was so before, so it may be so again.
    let _ = setrlimit(Resource::Data, before);
    done
}

/// Ends the process when it takes too long in it.
#[cfg(target_os = "linux")]
pub(crate) fn not_for_long() {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let bound = Rlimit { current: Some(LONGEST), maximum: Some(LONGEST) };
    if let Err(error) = setrlimit(Resource::Cpu, bound) {
        tracing::warn!("what a file asks for has no limit: {error}");
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn bounded<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn not_for_long() {}
