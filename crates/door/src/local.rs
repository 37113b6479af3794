//! A workspace in this process, served to others over the socket.

use crate::lock::Lock;
use crate::owner::{self, Served, Service};
use crate::socket;
use domain::{Answer, Fault, FromOwner, Mark, Request};
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use workspace::{Parts, Places, Workspace};

/// A workspace that this process owns.
#[derive(Clone)]
pub(crate) struct Local {
    workspace: Workspace,
    epoch: u64,
    held: Arc<Mutex<Option<Held>>>,
}

/// What makes this process the owner, until it closes.
struct Held {
    served: Option<Served>,
    lock: Lock,
}

impl Local {
    pub(crate) async fn open(places: Places, parts: Parts, mut lock: Lock) -> Result<Local, Fault> {
        let data = places.data.clone();
        let epoch = lock.epoch();
        let workspace = workspace::open(places, parts, epoch).await?;
        let served = match serve(&data, &workspace, &mut lock) {
            Ok(served) => served,
            Err(fault) => {
                workspace.close().await;
                return Err(fault);
            }
        };
        let held = Arc::new(Mutex::new(Some(Held { served, lock })));
        Ok(Local { workspace, epoch, held })
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    pub(crate) async fn send(&self, request: Request) -> Answer {
        self.workspace.answer(request).await
    }

    pub(crate) fn events(&self, after: Option<Mark>) -> BoxStream<'static, FromOwner> {
        self.workspace.events(after).boxed()
    }

    pub(crate) fn is_shared(&self) -> bool {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().and_then(|held| held.served.as_ref()).is_some_and(Served::is_in_use)
    }

    /// First nobody asks any more, then the workspace rests, and only then
    /// may another process have it.
    pub(crate) async fn close(&self) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Held { served, lock }) = held else { return };
        if let Some(served) = served {
            served.close().await;
        }
        self.workspace.close().await;
        drop(lock);
    }
}

fn serve(data: &Path, workspace: &Workspace, lock: &mut Lock) -> Result<Option<Served>, Fault> {
    let Some(listener) = socket::listen(data)? else { return Ok(None) };
    lock.announce(Some(&listener.path)).map_err(|error| crate::fault::folder(data, &error))?;
    let (answering, watched) = (workspace.clone(), workspace.clone());
    let service = Service {
        answer: Arc::new(move |request| {
            let workspace = answering.clone();
            async move { workspace.answer(request).await }.boxed()
        }),
        events: Arc::new(move |after| watched.events(after).boxed()),
    };
    Ok(Some(owner::serve(listener, service)))
}
