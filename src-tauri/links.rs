//! Links to something in the workspace, as in `coterie://group/First%20group`: they come with
//! a start of the program, and the page shows what they name or says that it is not there.
//!
//! The shell only carries them. A page does nothing with one but show.

use std::sync::{Mutex, MutexGuard, PoisonError};
use tauri::{AppHandle, Manager, Runtime, State};

const SCHEME: &str = "coterie://";
/// Longer ones name nothing here.
const LONGEST: usize = 2_000;
/// Whoever opens more before the page has looked wants the last of them.
const MOST: usize = 8;

/// What the page has not looked at yet.
#[derive(Default)]
pub(crate) struct Links(Mutex<Vec<String>>);

impl Links {
    pub(crate) fn add(&self, link: String) {
        if !link.starts_with(SCHEME) || link.len() > LONGEST {
            tracing::warn!("started with something that is no link of Coterie's");
            return;
        }
        let mut links = self.links();
        if links.len() == MOST {
            links.remove(0);
        }
        links.push(link);
    }

    fn links(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Has the page show what the link names.
pub(crate) fn follow<R: Runtime>(app: &AppHandle<R>, link: String) {
    app.state::<Links>().add(link);
    let Some(window) = app.get_webview_window(crate::window::LABEL) else { return };
    if let Err(error) = window.eval("window.dispatchEvent(new Event('coterie-link'))") {
        tracing::warn!(%error, "tell the page of a link");
    }
}

/// Each link once.
#[tauri::command]
pub(crate) fn take_links(links: State<'_, Links>) -> Vec<String> {
    std::mem::take(&mut *links.links())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_of_ours_reach_the_page_and_the_last_of_many() {
        let links = Links::default();
        links.add("https://example.org/".to_owned());
        links.add(format!("coterie://group/{}", "a".repeat(LONGEST)));
        assert!(links.links().is_empty());
        for n in 0..=MOST {
            links.add(format!("coterie://group/{n}"));
        }
        assert_eq!(links.links().len(), MOST);
        assert_eq!(links.links().last().unwrap(), &format!("coterie://group/{MOST}"));
    }
}
