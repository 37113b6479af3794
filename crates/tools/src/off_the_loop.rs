//! Work that would hold up everybody else, done beside them.

use crate::{CallContext, Returned};
use tokio_util::sync::CancellationToken;

/// Does what takes a while beside the loop, with words of others as its answer.
pub(crate) async fn off_the_loop(
    with: &CallContext,
    work: impl FnOnce(&CancellationToken) -> Result<String, String> + Send + 'static,
) -> Returned {
    let stop = with.stop.child_token();
    let _guard = stop.clone().drop_guard();
    let working = tokio::task::spawn_blocking(move || work(&stop));
    tokio::select! {
        biased;
        () = with.stop.cancelled() => Returned::stopped(),
        done = working => match done {
            Ok(Ok(text)) => Returned::ok(text).foreign(),
            Ok(Err(refusal)) => Returned::failed(refusal).foreign(),
            Err(_) => Returned::failed("it broke off with a fault of its own"),
        },
    }
}
