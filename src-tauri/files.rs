//! Files that a person gives to the window: dropped on it, or chosen in the
//! system's dialog. A page is told where they lie, and reads only what was
//! dropped.

use domain::Fault;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tauri::ipc::Response;
use tauri::{AppHandle, DragDropEvent, Manager, State, WebviewWindow, WindowEvent};
use tauri_plugin_dialog::{DialogExt, FilePath};
use tokio::sync::oneshot;

/// What was dropped lately; nothing else can be read by a page.
#[derive(Default)]
pub(crate) struct Dropped(Mutex<VecDeque<PathBuf>>);

const REMEMBERED: usize = 100;
/// Whoever wants more of a file than can be shown with a message does not read
/// it through the window.
const MOST_BYTES: u64 = 40_000_000;

impl Dropped {
    fn add(&self, paths: &[PathBuf]) {
        let mut known = self.known();
        known.extend(paths.iter().cloned());
        let too_many = known.len().saturating_sub(REMEMBERED);
        known.drain(..too_many);
    }

    fn has(&self, path: &Path) -> bool {
        self.known().iter().any(|known| known == path)
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the pages about files that are carried over the window and dropped.
pub(crate) fn watch(window: &WebviewWindow) {
    let told = window.clone();
    window.on_window_event(move |event| {
        let WindowEvent::DragDrop(event) = event else { return };
        let script = match event {
            DragDropEvent::Enter { paths, .. } if !paths.is_empty() => script("over", &[]),
            DragDropEvent::Drop { paths, .. } => {
                told.state::<Dropped>().add(paths);
                script("dropped", paths)
            }
            DragDropEvent::Leave => script("left", &[]),
            // Where exactly they are is nobody's concern.
            _ => return,
        };
        if let Err(error) = told.eval(script) {
            tracing::warn!(%error, "tell the page of dropped files");
        }
    });
}

/// An event in the page, as `ui/src/api/tauri.ts` hears it.
fn script(kind: &str, paths: &[PathBuf]) -> String {
    let paths: Vec<_> = paths.iter().filter_map(|path| path.to_str()).collect();
    let detail = serde_json::json!({ "kind": kind, "paths": paths });
    // A path may hold what ends a script.
    let detail = detail.to_string().replace('<', "\\u003c");
    format!("window.dispatchEvent(new CustomEvent('coterie-files', {{ detail: {detail} }}))")
}

/// The bytes of a file that was dropped on the window.
#[tauri::command]
pub(crate) async fn read_dropped(
    path: PathBuf,
    dropped: State<'_, Dropped>,
) -> Result<Response, Fault> {
    let shown = path.display().to_string();
    if !dropped.has(&path) {
        return Err(Fault::bad_input(format!("{shown} was not dropped here"), "drop it again"));
    }
    let read = tokio::task::spawn_blocking(move || read(&path)).await;
    let bytes = read.map_err(io::Error::other).flatten().map_err(|error| {
        Fault::bad_input(format!("{shown} cannot be read: {error}"), "see that you may read it")
    })?;
    Ok(Response::new(bytes))
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Where the model's file lies that the person chose; none when they chose none.
#[tauri::command]
pub(crate) async fn choose_model_file(app: AppHandle) -> Result<Option<String>, Fault> {
    chosen(|tell| app.dialog().file().add_filter("GGUF", &["gguf"]).pick_file(tell)).await
}

/// Where the file lies whose memories the person wants taken in.
#[tauri::command]
pub(crate) async fn choose_memory_file(app: AppHandle) -> Result<Option<String>, Fault> {
    let kinds = ["json", "jsonl", "md"];
    chosen(|tell| app.dialog().file().add_filter("JSON, Markdown", &kinds).pick_file(tell)).await
}

/// Where the folder lies in which another program keeps what its agents know.
#[tauri::command]
pub(crate) async fn choose_memory_folder(app: AppHandle) -> Result<Option<String>, Fault> {
    chosen(|tell| app.dialog().file().pick_folder(tell)).await
}

/// Where the backup lies that the person wants restored.
#[tauri::command]
pub(crate) async fn choose_backup(app: AppHandle) -> Result<Option<String>, Fault> {
    chosen(|tell| app.dialog().file().add_filter("Coterie", &["coterie"]).pick_file(tell)).await
}

/// Where a new file of this name is to lie.
#[tauri::command]
pub(crate) async fn choose_place(app: AppHandle, name: String) -> Result<Option<String>, Fault> {
    chosen(|tell| app.dialog().file().set_file_name(name).save_file(tell)).await
}

async fn chosen(
    ask: impl FnOnce(Box<dyn FnOnce(Option<FilePath>) + Send>),
) -> Result<Option<String>, Fault> {
    let (tell, chosen) = oneshot::channel();
    ask(Box::new(move |file| {
        // The page may be gone.
        let _ = tell.send(file);
    }));
    let Ok(Some(file)) = chosen.await else { return Ok(None) };
    let path = file.into_path().map_err(|error| {
        Fault::bad_input(format!("the file cannot be used: {error}"), "choose a file on this disk")
    })?;
    Ok(path.to_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_dropped_lately_can_be_read() {
        let dropped = Dropped::default();
        let path = |n: usize| PathBuf::from(format!("/pictures/{n}.png"));
        assert!(!dropped.has(&path(0)));
        dropped.add(&(0..REMEMBERED + 1).map(path).collect::<Vec<_>>());
        assert!(!dropped.has(&path(0)));
        assert!(dropped.has(&path(1)) && dropped.has(&path(REMEMBERED)));
        assert!(!dropped.has(Path::new("/pictures/../pictures/1.png")));
    }

    #[test]
    fn a_path_cannot_pose_as_a_script() {
        let odd = PathBuf::from("/tmp/'); alert(1); </script>\"\n.png");
        let script = script("dropped", &[odd]);
        let detail = script.split_once("detail: ").unwrap().1;
        let detail = detail.strip_suffix(" }))").unwrap();
        assert!(!script.contains("</script"));
        let read: serde_json::Value = serde_json::from_str(detail).unwrap();
        assert_eq!(read["paths"][0], "/tmp/'); alert(1); </script>\"\n.png");
    }
}
