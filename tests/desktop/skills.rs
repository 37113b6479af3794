//! Skills in Settings: added, given to an agent by its soul, broken on the disk and
//! removed.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::id;
use std::fs;

const TEA: &str =
    "---\nname: tea\ndescription: Brews tea.\nallowed-tools: shell\n---\nBoil water.\n";

#[tokio::test]
async fn a_skill_is_added_shows_what_is_wrong_with_it_and_is_removed() {
    let machine = Machine::seeded(seed()).await;
    let folder = machine.home().join("tea");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("SKILL.md"), TEA).expect("a skill");
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-skills")).await;
    window.click(&id("skill-add")).await;
    window.write(&id("skill-path"), &folder.display().to_string()).await;
    window.click(&id("skill-add-do")).await;
    let of_tea = |part: &str| format!("{} {}", id("skill-row[data-name=tea]"), id(part));
    window.see(&id("skill-row[data-name=tea]")).await;

    let soul = "---\nname: Ada\ntools: [calculator]\nskills: [tea]\n---\nYou help.\n";
    fs::write(machine.data().join("souls/ada.md"), soul).expect("a soul");
    window.see_text(&of_tea("skill-facts"), "had by Ada").await;
    window.see_text(&of_tea("skill-lacks"), "shell").await;
    window.keep_picture("skills").await;

    let copy = machine.data().join("skills/tea/SKILL.md");
    fs::write(&copy, TEA.replace("description", "descriptoin")).expect("written");
    window.see_text(&of_tea("skill-problem"), "Description is missing").await;
    fs::write(&copy, TEA).expect("written");
    window.see_gone(&of_tea("skill-problem")).await;

    window.click(&of_tea("skill-remove")).await;
    window.click(&id("remove-skill-do")).await;
    window.see_gone(&id("skill-row[data-name=tea]")).await;
    assert!(!machine.data().join("skills/tea").exists());
}
