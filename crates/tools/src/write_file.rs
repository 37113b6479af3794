//! The tool `write_file`.

use crate::change::{self, Before};
use crate::file_tool::FileTool;
use crate::roots::{self, Landing};
use crate::{CallContext, Returned, Tool, marks};
use schemars::JsonSchema;
use serde::Deserialize;
use std::io::ErrorKind;

/// Writes a text file into one of your folders. Folders that are missing on
/// the way are made. To change a part of a file, use `edit_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The path of the file: absolute inside one of your folders, or relative
    /// to the first of them.
    path: String,
    /// All that the file is to hold.
    content: String,
    /// Whether it may take the place of a file that is there. Without it that
    /// is refused.
    replace: Option<bool>,
}

pub(crate) fn tool() -> impl Tool {
    FileTool::replaces("write_file", write).foreseen_by(refused)
}

fn write(wanted: &Input, with: &CallContext) -> Result<Returned, String> {
    let Input { path, content, .. } = wanted;
    let landing = change::landing(path, with)?;
    let told = match would(wanted, &landing)? {
        Would::Hold => return Ok(said(wanted, "holds this already")),
        Would::Make => "written",
        Would::Replace => "replaced",
    };
    let folder = landing.folder_made().map_err(|trouble| roots::landing_refusal(path, &trouble))?;
    change::put(&folder, landing.name(), content, with.key)
        .map_err(|trouble| not_written(path, &trouble.to_string()))?;
    Ok(said(wanted, told))
}

/// Why it would not be written, as things stand now.
fn refused(wanted: &Input, landing: &Landing) -> Option<String> {
    would(wanted, landing).err()
}

/// What comes of a use with what is there now.
enum Would {
    Hold,
    Make,
    Replace,
}

fn would(wanted: &Input, landing: &Landing) -> Result<Would, String> {
    let Input { path, content, replace } = wanted;
    let refused = |why: &str| Err(not_written(path, why));
    if content.len() as u64 > change::MOST_BYTES {
        return refused(&format!(
            "{} bytes are too many for one file, {} is the most",
            content.len(),
            change::MOST_BYTES
        ));
    }
    let before = match landing.folder() {
        Ok(folder) => change::before(&folder, landing.name()),
        Err(missing) if missing.kind() == ErrorKind::NotFound => Ok(Before::Nothing),
        Err(trouble) => return Err(roots::landing_refusal(path, &trouble)),
    };
    let (text, instead) = match &before {
        Ok(Before::Text(text)) if text == content => return Ok(Would::Hold),
        Ok(Before::Text(text)) => {
            (text.as_str(), "change the other lines with `edit_file`, and leave that line out")
        }
        Ok(Before::Nothing) => ("", "leave it out, and let the person put the secret there"),
        Err(why) => return refused(why),
    };
    if let Some(mark) = marks::put_in(text, content) {
        return refused(&marks::refusal(mark, instead));
    }
    match (before, replace) {
        (Ok(Before::Text(_)), Some(true)) => Ok(Would::Replace),
        (Ok(Before::Text(_)), Some(false) | None) => {
            refused("it is there already; read it, and change it with `edit_file` or say `replace`")
        }
        (Ok(Before::Nothing) | Err(_), _) => Ok(Would::Make),
    }
}

fn not_written(path: &str, why: &str) -> String {
    format!("`{path}` was not written: {why}")
}

fn said(wanted: &Input, told: &str) -> Returned {
    let lines = wanted.content.lines().count();
    let lines = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
    Returned::ok(format!("`{}` {told}: {lines}, {} bytes", wanted.path, wanted.content.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::House;
    use domain::Risk;
    use serde_json::{Value, json};
    use std::fs;

    async fn write(house: &House, arguments: Value) -> Returned {
        tool().call(arguments, &house.context(&["home", "second"])).await
    }

    #[tokio::test]
    async fn a_file_is_written_whole_into_the_first_folder_or_where_its_path_says() {
        let house = House::new();
        house.write("second/other.md", "other");
        let written =
            write(&house, json!({"path": "new/deep/诗.md", "content": "床前\n明月光\n"})).await;
        assert_eq!(written, Returned::ok("`new/deep/诗.md` written: 2 lines, 17 bytes"));
        assert_eq!(house.read("home/new/deep/诗.md"), "床前\n明月光\n");
        let whole = house.path("second/more.md").display().to_string();
        assert!(write(&house, json!({"path": whole, "content": "more"})).await.ok);
        assert_eq!(house.read("second/more.md"), "more");
        assert_eq!(house.names("home/new/deep"), ["诗.md"]);
    }

    #[tokio::test]
    async fn a_file_that_is_read_only_stays_as_it_is() {
        let house = House::new();
        house.write("home/plan.md", "tea");
        let file = house.path("home/plan.md");
        let mut mode = fs::metadata(&file).unwrap().permissions();
        mode.set_readonly(true);
        fs::set_permissions(&file, mode).unwrap();
        let content = json!({"path": "plan.md", "content": "coffee", "replace": true});
        let written = write(&house, content).await;
        let why = "`plan.md` was not written: it is read-only; the person can make it writable";
        assert_eq!(written, Returned::failed(why));
        assert_eq!(house.read("home/plan.md"), "tea");
    }

    #[tokio::test]
    async fn what_is_there_is_replaced_only_when_that_is_said() {
        let house = House::new();
        let content =
            |replace: bool| json!({"path": "readme.txt", "content": "new", "replace": replace});
        let refused = write(&house, json!({"path": "readme.txt", "content": "new"})).await;
        assert!(!refused.ok && refused.text.contains("it is there already"), "{refused:?}");
        assert!(!write(&house, content(false)).await.ok);
        assert_eq!(house.read("home/readme.txt"), "hello");
        let replaced = write(&house, content(true)).await;
        assert_eq!(replaced, Returned::ok("`readme.txt` replaced: 1 line, 3 bytes"));
        let again = write(&house, json!({"path": "readme.txt", "content": "new"})).await;
        assert_eq!(again, Returned::ok("`readme.txt` holds this already: 1 line, 3 bytes"));
        for folder in ["notes", "."] {
            let refused =
                write(&house, json!({"path": folder, "content": "", "replace": true})).await;
            assert!(!refused.ok && refused.text.contains("folder"), "{refused:?}");
        }
    }

    #[tokio::test]
    async fn a_secret_that_was_not_shown_never_gives_way_to_the_mark_in_its_place() {
        let house = House::new();
        house.write("home/.env", "tok=0123-4567\nmore=1\n");
        let arguments =
            |path: &str, content: &str| json!({"path": path, "content": content, "replace": true});
        let back = arguments(".env", "tok=[redacted EVILTOK]\nmore=2\n");
        let refused = write(&house, back.clone()).await;
        let begins = "`.env` was not written: `[redacted EVILTOK]` is not what stands in a file";
        assert!(!refused.ok && refused.text.starts_with(begins), "{refused:?}");
        assert!(refused.text.contains("change the other lines with `edit_file`"), "{refused:?}");
        assert!(!write(&house, arguments(".env", "tok=[redacted]\n")).await.ok);
        assert_eq!(house.read("home/.env"), "tok=0123-4567\nmore=1\n");
        let place = house.context(&["home"]).place;
        assert_eq!(tool().in_vain(&back, &place), Some(refused.text));

        let refused = write(&house, arguments("new/.env", "tok=[redacted EVILTOK]\n")).await;
        assert!(refused.text.contains("let the person put the secret there"), "{refused:?}");
        assert!(!house.path("home/new").exists());

        // What speaks of such marks has them as its own text.
        house.write("home/how.md", "It reads `[redacted]`.\n");
        assert!(write(&house, arguments("how.md", "You read `[redacted]`.\n")).await.ok);
        assert!(write(&house, arguments("letter.md", "[redacted by the court]")).await.ok);
    }

    #[tokio::test]
    async fn what_cannot_be_written_as_things_stand_is_known_before_anybody_is_asked() {
        let house = House::new();
        let place = house.context(&["home"]).place;
        let in_vain = |arguments: Value| tool().in_vain(&arguments, &place);
        let there = in_vain(json!({"path": "readme.txt", "content": "new"}));
        assert!(there.is_some_and(|why| why.contains("it is there already")));
        for content in ["hello", "new"] {
            let arguments = json!({"path": "readme.txt", "content": content, "replace": true});
            assert_eq!(in_vain(arguments), None);
        }
        assert_eq!(in_vain(json!({"path": "made/new.md", "content": "x"})), None);
        assert!(in_vain(json!({"path": "notes", "content": "x"})).is_some());
        assert!(in_vain(json!({"path": "../outside/new.md", "content": "x"})).is_some());
        assert!(!house.path("home/made").exists());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_file_keeps_its_permissions_and_a_link_is_not_written_through() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let house = House::new();
        fs::set_permissions(house.path("home/readme.txt"), fs::Permissions::from_mode(0o640))
            .expect("a file");
        let arguments = json!({"path": "readme.txt", "content": "new", "replace": true});
        assert!(write(&house, arguments).await.ok);
        let mode =
            fs::metadata(house.path("home/readme.txt")).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        symlink("readme.txt", house.path("home/link")).expect("a link");
        let arguments = json!({"path": "link", "content": "newer", "replace": true});
        let refused = write(&house, arguments).await;
        assert_eq!(
            refused.text,
            "`link` was not written: it is a link; give the path of what it leads to"
        );
        assert_eq!(house.read("home/readme.txt"), "new");
    }

    #[tokio::test]
    async fn what_a_person_is_asked_is_the_whole_path_and_nothing_else_is_written() {
        let house = House::new();
        let with = house.context(&["home"]);
        let arguments = json!({"path": "notes/../notes/new.md", "content": "x"});
        let stakes = tool().stakes(&arguments, &with.place).expect("possible");
        let whole = house.path("home/notes/new.md").display().to_string();
        assert_eq!(stakes.target, Some(whole.clone()));
        assert_eq!(stakes.like, Some(house.path("home/notes/*").display().to_string()));
        assert_eq!(stakes.risk, Risk::High);
        let moved = CallContext { target: Some(whole + "x"), ..with };
        let refused = tool().call(arguments, &moved).await;
        assert!(!refused.ok && refused.text.contains("another file by now"), "{refused:?}");
        assert!(!house.path("home/notes/new.md").exists());
    }

    #[tokio::test]
    async fn who_is_asked_is_shown_what_stands_there_now() {
        let house = House::new();
        let place = house.context(&["home"]).place;
        let stands = |path: &str| tool().replaces(&json!({"path": path, "content": "x"}), &place);
        assert_eq!(stands("readme.txt").as_deref(), Some("hello"));
        assert_eq!(stands("notes/new.md"), None);
        assert_eq!(stands("missing/new.md"), None);
        assert!(!house.path("home/missing").exists());
        house.write("outside.txt", "not theirs");
        assert_eq!(stands("../outside.txt"), None);
        let binary = house.path("home/binary");
        fs::write(&binary, [0xff, 0xfe]).expect("a file");
        assert_eq!(stands("binary"), None);
    }

    #[tokio::test]
    async fn nobody_is_asked_about_the_agents_own_folder_and_what_is_coteries_is_never_changed() {
        let house = House::new();
        let mut place = house.context(&["home", "second"]).place;
        house.write("second/mine.md", "");
        place.own = Some(house.path("second"));
        place.fixed = vec![house.path("home/notes")];
        let stakes =
            |path: std::path::PathBuf| tool().stakes(&json!({"path": path, "content": ""}), &place);
        let own = stakes(house.path("second/mine.md")).expect("possible");
        assert_eq!(own.risk, Risk::Low);
        let refused = stakes(house.path("home/notes/plan.md"));
        assert!(refused.is_err_and(|why| why.contains("belongs to Coterie itself")));
        assert_eq!(stakes(house.path("home/readme.txt")).expect("possible").risk, Risk::High);
    }
}
