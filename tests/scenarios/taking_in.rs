//! Another workspace comes in, out of its backup, beside what is here: whole, once, and
//! without anybody acting on it.

mod going_on;
mod older;
mod order;
mod rights;
mod shown;
mod vouching;

use crate::memory::{add, new};
use domain::{
    Agent, AgentState, Attachment, Command, Community, Fault, FaultKind, FeedFilter, FoundWhat,
    GroupId, Learning, Mark, Memory, MemoryFilter, MemoryScope, Message, MessageId, NewMemory,
    Overview, Participant, PostView, Query, Reply, Search, SettingsPatch, Standing, TakenIn,
    TakenKind, Trust, TurnPolicy, Variants,
};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tests::{Stage, says, stage};

/// 茶 in UTF-8.
const TEA: &str = "6Iy2";

/// A backup of a workspace that is not here.
struct Backup {
    _folder: TempDir,
    file: PathBuf,
}

impl Backup {
    async fn of(stage: &Stage) -> Backup {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("all.coterie");
        stage.do_(Command::BackUp { path: file.display().to_string() }).await;
        Backup { _folder: folder, file }
    }

    async fn asked(&self, here: &Stage, vouched: bool, preview: bool) -> Result<TakenIn, Fault> {
        let path = self.file.display().to_string();
        let order = Command::TakeIn { path, vouched, preview, looked_through: None };
        match here.command(order).await? {
            Reply::TakenIn(told) => Ok(told),
            other => panic!("nothing is taken in: {other:?}"),
        }
    }

    async fn previewed(&self, here: &Stage) -> TakenIn {
        self.asked(here, false, true).await.expect("it could come in")
    }

    async fn taken_in(&self, here: &Stage) -> TakenIn {
        self.asked(here, false, false).await.expect("it comes in")
    }

    async fn vouched_for(&self, here: &Stage) -> TakenIn {
        self.asked(here, true, false).await.expect("it comes in")
    }
}

/// Of each kind what is new, was here, and is left out.
fn counts(told: &TakenIn) -> Vec<(TakenKind, [u32; 3])> {
    told.counts.iter().map(|one| (one.what, [one.new, one.here, one.left_out])).collect()
}

fn renamed(told: &TakenIn) -> Vec<(TakenKind, &str, &str)> {
    told.renamed.iter().map(|one| (one.what, one.from.as_str(), one.to.as_str())).collect()
}

fn put(stage: &Stage, path: &str, text: &str) {
    let path = stage.data().join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("there is room");
    fs::write(path, text).expect("there is room");
}

fn read(stage: &Stage, path: &str) -> String {
    fs::read_to_string(stage.data().join(path)).expect("it is there")
}

async fn memories(stage: &Stage) -> Vec<Memory> {
    let filter = MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() };
    match stage.query(Query::Memories { filter, before: None, limit: 100 }).await {
        Ok(Reply::Memories(page)) => page.memories,
        other => panic!("no page: {other:?}"),
    }
}

async fn reactions(stage: &Stage, group: GroupId) -> Vec<(MessageId, Participant, String)> {
    match stage.query(Query::Reactions { group }).await {
        Ok(Reply::Reactions(all)) => {
            all.into_iter().map(|one| (one.item, one.who, one.sign)).collect()
        }
        other => panic!("no reactions: {other:?}"),
    }
}

async fn found(stage: &Stage, text: &str) -> Vec<MessageId> {
    let search = Search { text: text.into(), limit: 10, ..Search::default() };
    let found = loop {
        match stage.query(Query::Search { search: search.clone() }).await {
            Ok(Reply::Found(found)) if found.unread == 0 => break found,
            Ok(Reply::Found(_)) => {}
            other => panic!("not searched: {other:?}"),
        }
    };
    let messages = found.items.into_iter().filter_map(|item| match item.what {
        FoundWhat::Message { message, .. } => Some(message),
        FoundWhat::Memory { .. } | FoundWhat::Run { .. } => None,
    });
    messages.collect()
}

async fn feed(stage: &Stage) -> Vec<PostView> {
    match stage.query(Query::Feed { filter: FeedFilter::default(), before: None, limit: 50 }).await
    {
        Ok(Reply::Posts(posts)) => posts,
        other => panic!("no posts: {other:?}"),
    }
}

async fn community(stage: &Stage, name: &str) -> Community {
    let name = name.to_owned();
    let command = Command::NewCommunity { name, rules: String::new(), members: Vec::new() };
    match stage.do_(command).await {
        Reply::Community(community) => community,
        other => panic!("no community: {other:?}"),
    }
}

async fn keep(stage: &Stage) -> Attachment {
    match stage.do_(Command::Attach { name: "tea.txt".into(), base64: TEA.into() }).await {
        Reply::Attachment(attachment) => attachment,
        other => panic!("no attachment: {other:?}"),
    }
}

/// All that a person sees of it.
async fn everything(stage: &Stage) -> (Overview, Vec<Agent>, Vec<Memory>) {
    let mark = Mark { epoch: 0, n: 0 };
    let overview = Overview { mark, ..stage.overview().await };
    (overview, stage.everybody().await, memories(stage).await)
}

/// Where nobody is woken, nobody asks a model.
async fn nobody_acts(stage: &Stage) {
    stage.quiet().await;
    stage.do_(Command::Tick).await;
    stage.quiet().await;
    assert_eq!(stage.model.requests().len(), 0);
}

/// The kettle was spoken of, with an earlier form of the question, a file and a sign.
async fn talk_of_kettles(there: &Stage) -> GroupId {
    let group = there.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
    let asked = there.say(group, "Who has seen the kettel?").await;
    let edit = Command::EditMessage {
        message: asked.id,
        text: "Who has seen the kettle?".into(),
        attachments: Vec::new(),
    };
    there.do_(edit).await;
    there.quiet().await;
    let answer = there.messages(group).await.remove(1);
    let post = Command::Post {
        group,
        text: "This one.".into(),
        reply_to: Some(answer.id),
        attachments: vec![keep(there).await],
    };
    there.do_(post).await;
    there.quiet().await;
    there.do_(Command::React { item: answer.id, sign: "👍".into(), on: true }).await;
    group
}

#[tokio::test]
async fn what_was_said_elsewhere_stands_here_as_it_stood_there_and_nobody_acts_on_it() {
    let there = stage().model(says("On the stove.")).open().await;
    let group = talk_of_kettles(&there).await;
    let said = there.messages(group).await;
    let variants = there.query(Query::Variants { group }).await;
    let signs = reactions(&there, group).await;
    let backup = Backup::of(&there).await;

    let here = stage().open().await;
    let told = backup.taken_in(&here).await;
    let new = |kind| counts(&told).into_iter().find(|(what, _)| *what == kind).map(|one| one.1);
    assert_eq!(new(TakenKind::Agent), Some([2, 0, 4]), "the others have no part in it");
    assert_eq!(new(TakenKind::Conversation), Some([1, 0, 7]));
    assert_eq!(
        renamed(&told),
        [(TakenKind::Agent, "Ada", "Ada2"), (TakenKind::Agent, "Bo", "Bo2")]
    );
    let stands = here.messages(group).await;
    let plain = |all: &[Message]| -> Vec<_> {
        let plain = all.iter().cloned().map(|one| Message { seq: 0, run: None, ..one });
        plain.collect()
    };
    assert_eq!(plain(&stands), plain(&said));
    assert!(stands.iter().all(|one| one.run.is_none()), "its turns stay where they were");
    assert_eq!(
        here.transcript(group).await[..3],
        ["you: Who has seen the kettle?", "Ada2: On the stove.", "Bo2: On the stove."]
    );
    let tea = &said.iter().find(|one| !one.attachments.is_empty()).expect("one").attachments[0];
    let shown = here.query(Query::Attachment { hash: tea.hash.clone() }).await;
    assert!(matches!(shown, Ok(Reply::AttachmentContent(_))), "{shown:?}");
    assert_eq!(reactions(&here, group).await, signs);
    assert_eq!(found(&here, "kettle").await, [said[0].id]);
    // The other form of it is one click away, as there.
    let (Ok(Reply::Variants(before)), Ok(Reply::Variants(now))) =
        (variants, here.query(Query::Variants { group }).await)
    else {
        panic!("no variants")
    };
    let forms = |all: &[Variants]| -> Vec<_> {
        all.iter()
            .map(|one| (one.shown, one.all.iter().map(|v| v.message).collect::<Vec<_>>()))
            .collect()
    };
    assert_eq!(forms(&now), forms(&before));
    let earlier = now[0].all.iter().find(|one| one.message != now[0].shown).expect("two forms");
    here.do_(Command::ShowBranch { message: earlier.message }).await;
    assert_eq!(here.transcript(group).await[0], "you: Who has seen the kettel?");

    let view = here.view(group).await;
    let agents = here.everybody().await;
    let of_group = |agent: &&Agent| agent.name == "Ada2" || agent.name == "Bo2";
    let states: Vec<_> = agents.iter().filter(of_group).map(|agent| agent.state).collect();
    assert_eq!(states, [AgentState::Paused, AgentState::Paused]);
    let last = here.messages(group).await.last().expect("one").seq;
    assert!(view.members.iter().all(|member| member.cursor >= last), "all of it is read");
    nobody_acts(&here).await;
    let here = here.reopen().await;
    nobody_acts(&here).await;
    assert!(
        fs::read_dir(here.data().join("temporary")).map_or(true, |mut all| all.next().is_none())
    );

    // Who is let go on answers what is said from now on.
    let ada = here.ids(&["Ada2"]).await[0];
    here.do_(Command::ResumeAgent { agent: ada }).await;
    here.say(group, "@Ada2 And the tea?").await;
    let after = here.transcript(group).await;
    assert_eq!(after[after.len() - 2..], ["you: @Ada2 And the tea?", "Ada2: yes"]);
}

#[tokio::test]
async fn what_came_in_comes_in_once_and_a_preview_changes_nothing() {
    let there = stage().model(says("On the stove.")).open().await;
    let group = talk_of_kettles(&there).await;
    put(&there, "souls/kim.md", "---\nname: Kim\n---\nYou grow tea.\n");
    put(&there, "souls/ada.md", "---\nname: Ada\n---\nYou always offer a biscuit.\n");
    put(&there, "skills/brewing/SKILL.md", "---\nname: brewing\ndescription: Tea.\n---\nBoil.\n");
    put(&there, "prompts/digest.md", "Tell me all.\n");
    put(&there, "profile.md", "I am Ann.\n");
    let kim = Command::NewAgent { soul: "kim".into(), name: None, model: None, parent: None };
    there.until(async |stage: &Stage| stage.command(kim.clone()).await.is_ok()).await;
    add(&there, new("The kettle is blue")).await;
    let backup = Backup::of(&there).await;

    let here = stage().open().await;
    put(&here, "prompts/digest.md", "Be brief.\n");
    let before = everything(&here).await;
    let would = backup.previewed(&here).await;
    assert!(would.preview);
    assert_eq!(everything(&here).await, before);
    assert!(
        !here.data().join("souls/kim.md").exists() && !here.data().join("skills/brewing").exists()
    );

    let told = backup.taken_in(&here).await;
    assert_eq!(
        (counts(&would), &would.renamed, &would.files),
        (counts(&told), &told.renamed, &told.files)
    );
    assert_eq!(
        counts(&told),
        [
            (TakenKind::Soul, [2, 5, 0]),
            (TakenKind::Agent, [3, 0, 4]),
            (TakenKind::Conversation, [1, 0, 8]),
            (TakenKind::Message, [10, 0, 0]),
            (TakenKind::Memory, [1, 0, 0]),
            (TakenKind::File, [1, 1, 1]),
        ]
    );
    assert_eq!(renamed(&told)[0], (TakenKind::Soul, "ada", "ada-2"));
    assert_eq!(told.files, ["skills/brewing"]);
    assert!(read(&here, "souls/ada-2.md").contains("biscuit"));
    assert!(!read(&here, "souls/ada.md").contains("biscuit"));
    assert_eq!(read(&here, "prompts/digest.md"), "Be brief.\n");
    assert!(!read(&here, "profile.md").contains("Ann"), "who the person is they say themselves");
    assert_eq!(here.agent("Ada2").await.soul, "ada-2");
    assert_eq!(here.agent("Kim").await.soul, "kim");

    let after = everything(&here).await;
    let again = backup.taken_in(&here).await;
    assert!(again.counts.iter().all(|one| one.new == 0), "{again:?}");
    assert_eq!((&again.renamed[..], &again.files[..]), (&[][..], &[][..]));
    assert_eq!(everything(&here).await, after);
    // What is said here since stays, and what is forgotten does not come back.
    here.say(group, "Found it.").await;
    let memory = memories(&here).await[0].id;
    here.do_(Command::ForgetMemory { memory }).await;
    let here = here.reopen().await;
    assert!(backup.taken_in(&here).await.counts.iter().all(|one| one.new == 0));
    assert!(here.transcript(group).await.contains(&"you: Found it.".to_owned()));
    assert!(memories(&here).await.iter().all(|one| one.text.is_empty()));
}

#[tokio::test]
async fn memories_are_believed_only_where_the_person_vouches_for_them() {
    let there = stage().model(says("Good.")).open().await;
    let ada = there.direct("Ada").await;
    let scope = MemoryScope::Group(ada);
    there.say(ada, "I live in Porto.").await;
    let noticed = "The user lives in Porto";
    there
        .until(async |stage: &Stage| memories(stage).await.iter().any(|one| one.text == noticed))
        .await;
    let pinned = add(&there, NewMemory { scope, ..new("The kettle is blue") }).await.id;
    there.do_(Command::PinMemory { memory: pinned, pinned: true }).await;
    let wrong = add(&there, new("The kettle is red")).await.id;
    there.do_(Command::ForgetMemory { memory: wrong }).await;
    let said = there.messages(ada).await[0].id;
    let backup = Backup::of(&there).await;

    let here = stage().open().await;
    backup.taken_in(&here).await;
    let all = memories(&here).await;
    assert_eq!(all.len(), 2, "what is forgotten there does not come: {all:?}");
    assert!(all.iter().all(|one| one.trust == Trust::Untrusted && !one.pinned), "{all:?}");
    let porto = all.iter().find(|one| one.text == noticed).expect("it came");
    assert_eq!((porto.source.message, porto.source.run), (Some(said), None));
    let trusted = async |stage: &Stage| -> Vec<String> {
        let all = memories(stage).await.into_iter();
        all.filter(|one| one.trust == Trust::Person).map(|one| one.text).collect()
    };
    let told = backup.vouched_for(&here).await;
    assert!(told.counts.iter().all(|one| one.new == 0), "{told:?}");
    assert!(trusted(&here).await.contains(&noticed.to_owned()), "they are vouched for now");
    let other = stage().open().await;
    backup.vouched_for(&other).await;
    let blue = memories(&other).await.into_iter().find(|one| one.id == pinned).expect("it came");
    assert_eq!((blue.scope, blue.trust, blue.pinned), (scope, Trust::Person, true));
}

#[tokio::test]
async fn what_a_person_said_elsewhere_is_not_learned_of_the_one_here() {
    let there = stage().model(says("Good.")).open().await;
    let memory = Learning { notices: false, ..there.overview().await.settings.memory };
    let patch = SettingsPatch { memory: Some(memory), ..SettingsPatch::default() };
    there.do_(Command::ChangeSettings { patch }).await;
    let ada = there.direct("Ada").await;
    there.say(ada, "I live in Porto.").await;
    let backup = Backup::of(&there).await;

    let here = stage().open().await;
    backup.taken_in(&here).await;
    let bo = here.direct("Bo").await;
    // It is read after what came in.
    here.say(bo, "I live in Lisbon.").await;
    here.until(async |stage: &Stage| !memories(stage).await.is_empty()).await;
    let all: Vec<String> = memories(&here).await.into_iter().map(|one| one.text).collect();
    assert_eq!(all, ["The user lives in Lisbon"]);
}

#[tokio::test]
async fn a_feed_comes_in_with_its_order_and_is_given_out_to_nobody() {
    let there = stage().model(says("Yes, I have.")).open().await;
    let square = community(&there, "Square").await;
    let post = Command::WritePost { community: square.id, text: "Who has seen @Bo?".into() };
    let Reply::Post(view) = there.do_(post).await else { panic!("no post") };
    there.do_(Command::Tick).await;
    there.quiet().await;
    let said = there.transcript(view.post.group).await;
    let backup = Backup::of(&there).await;

    let here = stage().open().await;
    community(&here, "Square").await;
    let told = backup.taken_in(&here).await;
    assert!(renamed(&told).contains(&(TakenKind::Community, "Square", "Square (2)")), "{told:?}");
    let posts = feed(&here).await;
    let [one] = &posts[..] else { panic!("one post: {posts:?}") };
    assert_eq!((one.post.group, one.post.message), (view.post.group, view.post.message));
    let stands = here.transcript(view.post.group).await;
    assert_eq!(stands, said.iter().map(|line| line.replace("Bo:", "Bo2:")).collect::<Vec<_>>());
    nobody_acts(&here).await;
}

#[tokio::test]
async fn a_soul_that_was_changed_here_is_the_one_that_it_was_before() {
    let there = stage().model(says("Yes.")).open().await;
    let ada = there.direct("Ada").await;
    there.say(ada, "Is the kettle on?").await;
    let backup = Backup::of(&there).await;
    let here = stage().open().await;
    put(&here, "souls/ada.md", "---\nname: Ada\n---\nYou always offer a biscuit.\n");
    here.until(async |stage: &Stage| stage.agent("Ada").await.soul_version > 1).await;
    let told = backup.taken_in(&here).await;
    assert_eq!(renamed(&told), [(TakenKind::Agent, "Ada", "Ada2")]);
    assert_eq!(here.agent("Ada2").await.soul, "ada");
    assert!(!here.data().join("souls/ada-2.md").exists());
}

#[tokio::test]
async fn another_file_than_the_one_that_was_looked_through_is_refused() {
    let there = stage().model(says("On the stove.")).open().await;
    talk_of_kettles(&there).await;
    let backup = Backup::of(&there).await;
    let here = stage().open().await;
    let looked_through = Some(backup.previewed(&here).await.hash);
    there.say(there.direct("Ada").await, "And the oven?").await;
    fs::rename(&Backup::of(&there).await.file, &backup.file).expect("there is room");
    let path = backup.file.display().to_string();
    let order = |looked_through| Command::TakeIn {
        path: path.clone(),
        vouched: false,
        preview: false,
        looked_through,
    };
    let before = everything(&here).await;
    let fault = here.command(order(looked_through)).await.expect_err("it is another one");
    assert_eq!(fault.kind.as_deref(), Some(&FaultKind::BackupReplaced { path: path.clone() }));
    assert_eq!(everything(&here).await, before);
    let looked_through = Some(backup.previewed(&here).await.hash);
    here.do_(order(looked_through)).await;
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_file_is_no_backup_and_nobody_waits_for_it() {
    let here = stage().open().await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("all.coterie");
    let made = std::process::Command::new("mkfifo").arg(&file).status();
    assert!(made.expect("it is there").success());
    let pipe = Backup { _folder: folder, file };
    let fault = pipe.asked(&here, false, true).await.expect_err("it is a pipe");
    assert!(matches!(fault.kind.as_deref(), Some(FaultKind::BackupUnknown { .. })), "{fault}");
}

#[tokio::test]
async fn what_is_no_whole_backup_changes_nothing() {
    let there = stage().model(says("On the stove.")).open().await;
    talk_of_kettles(&there).await;
    let backup = Backup::of(&there).await;
    let mut bytes = fs::read(&backup.file).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&backup.file, bytes).expect("there is room");

    let here = stage().open().await;
    let before = everything(&here).await;
    for preview in [true, false] {
        let fault = backup.asked(&here, false, preview).await.expect_err("it is refused");
        assert!(matches!(fault.kind.as_deref(), Some(FaultKind::BackupDamaged { .. })), "{fault}");
    }
    assert_eq!(everything(&here).await, before);
    let left = fs::read_dir(here.data().join("temporary")).expect("it is there").count();
    assert_eq!(left, 0, "nothing lies about");
}

async fn from_older(file: &Path) -> (Stage, TakenIn) {
    let here = stage().open().await;
    let path = file.display().to_string();
    let order = Command::TakeIn { path, vouched: true, preview: false, looked_through: None };
    match here.do_(order).await {
        Reply::TakenIn(told) => (here, told),
        other => panic!("nothing is taken in: {other:?}"),
    }
}
