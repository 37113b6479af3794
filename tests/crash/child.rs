//! One life: opens the workspace, posts, waits until everybody has answered,
//! and is killed somewhere on the way.
//!
//! `crash-child FOLDER FROM FAILPOINT HITS`. Posts the plan's messages from
//! the FROMth on; kills itself when FAILPOINT has been passed HITS times. Says
//! on stdout what a person would have seen: `ack N` once a post is answered,
//! `event` for each event, `quiet` at the end. What must not be is said as
//! `wrong: …`, and ends the process.
#![expect(clippy::print_stdout, reason = "the parent listens")]

mod effects;
mod family;
mod plan;
mod reading;
mod showing;

use plan::says_no;

use domain::{
    AgentId, Approval, ApprovalState, Call, Caps, Command, Consent, Event, FaultCode, FromOwner,
    GroupId, GroupKind, GroupPatch, GroupView, ModelInfo, ModelRole, Overview, Provider,
    ProviderKind, Query, QuestionAnswer, QuestionId, QuestionState, Record, Reply, Request,
    RequestId, RunState, SealedFile, Secret, TurnPolicy, Update,
};
use door::Door;
use futures::StreamExt;
use llm::scripted::{Beat, Scripted};
use llm::{ModelRequest, Role};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tests::{die_at, open_alone, serves, thought};
use uuid::Uuid;
use workspace::{Clock, SystemClock};

type Outcome<T> = Result<T, String>;

/// Groups with their members and rules; a message goes to each in turn, and to
/// each of the parents.
const GROUPS: &[(&[&str], TurnPolicy)] = &[
    (&["Ada", "Otto", "Bo"], TurnPolicy::Broadcast),
    (&["Ada", "Bo"], TurnPolicy::Rounds),
    (&["Otto", "Ines"], TurnPolicy::Mention),
    (&["Bo", "Ada"], TurnPolicy::DefaultResponder),
];

/// Far longer than the answers take; a workspace that never falls quiet is wrong.
const LIFE: Duration = Duration::from_secs(60);

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().expect("FOLDER FROM FAILPOINT HITS");
    let (folder, from) = (PathBuf::from(word()), word().parse().expect("a number"));
    let (failpoint, hits) = (word(), word().parse().expect("a number"));
    die_at(&failpoint, hits);
    match live(folder, from).await {
        Ok(()) => {
            println!("quiet");
            ExitCode::SUCCESS
        }
        Err(wrong) => {
            println!("wrong: {wrong}");
            ExitCode::FAILURE
        }
    }
}

async fn live(folder: PathBuf, from: usize) -> Outcome<()> {
    let born_ms = SystemClock.now_ms();
    let marks = effects::tools(&folder);
    keep_a_copy(&folder)?;
    let model = Arc::new(Scripted::from_fn(answer));
    let door = open_alone(folder, Arc::new(SystemClock), serves(model), marks).await;
    let door = door.map_err(|fault| fault.to_string())?;
    if !door.owns() {
        return Err("the dead process still owns the workspace".into());
    }
    watch(&door);
    take_up(&door, born_ms).await?;
    answer_all(&door).await?;
    let groups = Arc::new(set_up(&door).await?);
    let agents = overview(&door).await?.agents.into_iter();
    let ada: Vec<_> = agents.filter(|agent| agent.name == "Ada").map(|agent| agent.id).collect();
    let reading = reading::set_up(&door, &ada).await?;
    let read = {
        let door = door.clone();
        tokio::spawn(async move { reading::post(&door, reading).await })
    };
    let shown = {
        let door = door.clone();
        tokio::spawn(async move { showing::post(&door).await })
    };
    let posts = (0..3).map(|first| {
        let (door, groups) = (door.clone(), groups.clone());
        tokio::spawn(async move {
            post(&door, &groups, (from..plan::MESSAGES).skip(first).step_by(3)).await
        })
    });
    for posted in posts.collect::<Vec<_>>() {
        posted.await.map_err(|error| error.to_string())??;
    }
    read.await.map_err(|error| error.to_string())??;
    shown.await.map_err(|error| error.to_string())??;
    if tokio::time::timeout(LIFE, quiet(&door)).await.is_err() {
        return Err(format!("it does not fall quiet: {:?}", overview(&door).await?));
    }
    door.close().await;
    Ok(())
}

/// Of the database that the life before left, in the place of the one before.
fn keep_a_copy(folder: &Path) -> Outcome<()> {
    let database = folder.join("coterie.db");
    if !database.exists() {
        return Ok(());
    }
    let (store, _) = Store::open(&database, |_| {}).map_err(|error| error.to_string())?;
    store.back_up(&folder.join("backups/copy.db")).map_err(|error| error.to_string())
}

/// What a model says: one of a few sentences, now and then naming somebody,
/// now and then nothing, now and then after using tools. The same question
/// gets the same answer.
fn answer(request: &ModelRequest, _: usize) -> Vec<Beat> {
    if let Some(answer) = family::answer(request) {
        return answer;
    }
    let mut hasher = DefaultHasher::new();
    request.turns.iter().for_each(|turn| turn.content.hash(&mut hasher));
    let n = usize::try_from(hasher.finish() % 1_000_000).expect("a small number");
    if let Some(answer) = reading::answer(request, n) {
        return answer;
    }
    let has_results = request.turns.last().is_some_and(|turn| turn.role == Role::Tool);
    if !has_results && n % 11 < 5 {
        return match n % 11 {
            0 | 1 => vec![call("a", "once")],
            2 => vec![call("a", "look"), call("b", "keyed"), call("c", "look")],
            3 => vec![call("a", "once"), call("b", "keyed"), call("c", "once")],
            _ => vec![Beat::Text("Let me see.".into()), call("a", "keyed"), call("b", "once")],
        };
    }
    let text = match n % 7 {
        0 => "[pass]".to_owned(),
        1 => format!("@Ada {} {n}", thought(n)),
        2 => format!("@Otto {} {n}", thought(n)),
        _ => format!("{} {n}", thought(n)),
    };
    text.split_inclusive(' ').map(|word| Beat::Text(word.to_owned())).collect()
}

fn call(id: &str, name: &str) -> Beat {
    family::call(id, name, "{}".to_owned())
}

/// Tells of each event, so that a kill can be timed by what can be seen. Answers
/// what is asked, as a person would.
fn watch(door: &Door) {
    let (mut events, door) = (door.events(None), door.clone());
    tokio::spawn(async move {
        while let Some(said) = events.next().await {
            println!("event");
            let FromOwner::Event(Event { update: Update::Saved { record }, .. }) = said else {
                continue;
            };
            match record {
                Record::Approval(asked) if asked.state == ApprovalState::Waiting => {
                    tokio::spawn(answer_to(door.clone(), asked));
                }
                Record::Question(asked) if asked.state == QuestionState::Waiting => {
                    tokio::spawn(tell(door.clone(), asked.id));
                }
                _ => {}
            }
        }
    });
}

/// What was asked before this life began.
async fn answer_all(door: &Door) -> Outcome<()> {
    let Overview { approvals, questions, .. } = overview(door).await?;
    for asked in approvals {
        answer_to(door.clone(), asked).await;
    }
    for asked in questions {
        tell(door.clone(), asked.id).await;
    }
    Ok(())
}

/// Yes, and now and then no. Somebody may have answered already.
async fn answer_to(door: Door, asked: Approval) {
    let consent = if says_no(asked.call) { Consent::Deny } else { Consent::Once };
    let Approval { call, binding, .. } = asked;
    let answer = Command::AnswerApproval { call, binding, consent, covers: None };
    match order(&door, new(), answer).await {
        Err(fault) if fault.code != FaultCode::Refused => println!("wrong: {fault}"),
        Ok(_) | Err(_) => {}
    }
}

/// The person says the question's own name, and now and then nothing. Somebody may have
/// answered already.
async fn tell(door: Door, question: QuestionId) {
    let values = [("answer".to_owned(), question.to_string().into())].into();
    let answer = match question.0.as_u128().is_multiple_of(4) {
        true => QuestionAnswer::Declined,
        false => QuestionAnswer::Given { values },
    };
    match order(&door, new(), Command::AnswerQuestion { question, answer }).await {
        Err(fault) if fault.code != FaultCode::Refused => println!("wrong: {fault}"),
        Ok(_) | Err(_) => {}
    }
}

/// No run is left running, and what was tried too often is asked for again, as
/// a person would. Now and then a person gives up what a parent was at.
async fn take_up(door: &Door, born_ms: i64) -> Outcome<()> {
    for run in overview(door).await?.open_runs {
        if run.state == RunState::Running && run.started_ms < born_ms {
            return Err(format!("run {} still runs without a process", run.id));
        }
        if run.state == RunState::Interrupted {
            let is_given_up = run.agent == family::parent(0) && run.seq % 5 == 0;
            let decided = match is_given_up {
                true => Command::DropRun { run: run.id },
                false => Command::ResumeRun { run: run.id },
            };
            match order(door, new(), decided).await {
                Ok(_) => {}
                // It is taken up without being asked.
                Err(fault) if fault.code == FaultCode::Refused => {}
                Err(fault) => return Err(fault.to_string()),
            }
        }
    }
    Ok(())
}

async fn set_up(door: &Door) -> Outcome<Vec<GroupId>> {
    let model = ModelInfo::new("script", Some(32_000));
    let provider = Provider {
        name: "test".into(),
        kind: ProviderKind::Scripted,
        base_url: None,
        key_env: None,
        key: None,
        models: vec![model, reading::model()],
    };
    must(door, new(), Command::save_provider(provider)).await?;
    let model = "test/script".to_owned();
    must(door, new(), Command::UseModel { role: ModelRole::Default, model }).await?;
    for (name, delegates, plans) in family::SOULS {
        let text = family::soul(name, delegates, plans);
        let soul = (*name).to_owned();
        must(door, new(), Command::SaveSoul { soul, text, base_hash: None }).await?;
    }
    edit_a_soul(door).await?;
    keep_a_key(door).await?;
    for (n, (soul, ..)) in family::SOULS[..family::PARENTS].iter().enumerate() {
        let soul = (*soul).to_owned();
        let parent = Command::NewAgent { soul, name: None, model: None, parent: None };
        must(door, plan::request("parent", n), parent).await?;
    }
    come_and_go(door).await?;
    let Overview { agents, groups: there, .. } = overview(door).await?;
    let mut groups = Vec::new();
    for (n, (names, policy)) in GROUPS.iter().enumerate() {
        let id =
            |name: &&str| agents.iter().find(|agent| agent.name == **name).map(|agent| agent.id);
        let members = names.iter().filter_map(id).collect();
        let id = plan::request("group", n);
        let group = GroupId(id.0);
        must(door, id, Command::NewGroup { name: None, members, policy: Some(*policy) }).await?;
        let caps = Some(Caps { runs_per_hour: 1_000_000, ..Caps::default() });
        let patch = GroupPatch { caps, ..GroupPatch::default() };
        must(door, new(), Command::EditGroup { group, patch }).await?;
        groups.push(group);
    }
    for n in 0..family::PARENTS {
        let own = |view: &&GroupView| {
            view.group.kind == GroupKind::Direct
                && view.group.default_agent == Some(family::parent(n))
        };
        groups.push(there.iter().find(own).ok_or("a parent has no group")?.group.id);
    }
    Ok(groups)
}

/// Writes another version of a soul that nobody minds, and takes it back.
async fn edit_a_soul(door: &Door) -> Outcome<()> {
    let soul = || "ines".to_owned();
    let detail = match door.ask(Call::Query(Query::Soul { soul: soul() })).await {
        Ok(Reply::SoulDetail(detail)) => detail,
        other => return Err(format!("no soul: {other:?}")),
    };
    let text = format!("{}\nYou have seen {} lives.\n", detail.text.trim(), Uuid::now_v7());
    let base_hash = detail.soul.file_hash;
    must(door, new(), Command::SaveSoul { soul: soul(), text, base_hash }).await?;
    must(door, new(), Command::RollBackSoul { soul: soul(), version: 1 }).await
}

async fn post(door: &Door, groups: &[GroupId], which: impl Iterator<Item = usize>) -> Outcome<()> {
    for n in which {
        let group = groups[n % groups.len()];
        let text = if n % groups.len() < GROUPS.len() { text(n) } else { family::case(n) };
        let post = Command::Post { group, text, reply_to: None, attachments: Vec::new() };
        must(door, plan::request("post", n), post).await?;
        println!("ack {n}");
    }
    Ok(())
}

fn text(n: usize) -> String {
    let name = if n.is_multiple_of(8) { "Otto" } else { "Ines" };
    format!("@{name} what do you make of number {n}?")
}

/// Somebody comes, and is sent away again.
async fn come_and_go(door: &Door) -> Outcome<()> {
    let id = new();
    let (soul, name) = ("digger".to_owned(), Some(format!("Guest-{}", id.0)));
    must(door, id, Command::NewAgent { soul, name, model: None, parent: None }).await?;
    must(door, new(), Command::TerminateAgent { agent: AgentId(id.0) }).await
}

/// Keeps another key in a sealed file, for a provider that nobody asks.
async fn keep_a_key(door: &Door) -> Outcome<()> {
    let passphrase = || Secret::new("open, please");
    let keys = match door.ask(Call::Query(Query::Keys { check: false })).await {
        Ok(Reply::Keys(keys)) => keys,
        other => return Err(format!("no keys: {other:?}")),
    };
    match keys.sealed {
        SealedFile::Absent => {
            must(door, new(), Command::SealKeys { passphrase: passphrase() }).await?;
        }
        SealedFile::Locked => {
            must(door, new(), Command::UnlockKeys { passphrase: passphrase() }).await?;
        }
        SealedFile::Open => return Err("nobody has opened the file yet".into()),
    }
    let spare = Provider {
        name: "spare".into(),
        kind: ProviderKind::Scripted,
        base_url: None,
        key_env: None,
        key: None,
        models: Vec::new(),
    };
    must(door, new(), Command::save_provider(spare)).await?;
    let (name, value) = ("provider/spare".to_owned(), Uuid::now_v7().to_string());
    must(door, new(), Command::SetKey { name: name.clone(), value: Secret::new(value) }).await?;
    let providers = overview(door).await?.providers;
    let is_named = providers.iter().any(|provider| provider.key.as_ref() == Some(&name));
    if is_named { Ok(()) } else { Err("the key that was kept is not used".into()) }
}

/// Returns when nobody owes an answer; looks again when a run has ended.
async fn quiet(door: &Door) -> Outcome<()> {
    let mut events = door.events(None);
    while overview(door).await?.groups.iter().any(|view| view.answers_to_come > 0) {
        loop {
            let event = events.next().await.ok_or("the events ended")?;
            if let FromOwner::Event(event) = event
                && let Update::Saved { record: Record::Run(run) } = event.update
                && run.state != RunState::Running
            {
                break;
            }
        }
    }
    Ok(())
}

async fn overview(door: &Door) -> Outcome<Overview> {
    match door.ask(Call::Query(Query::Overview)).await {
        Ok(Reply::Overview(overview)) => Ok(*overview),
        other => Err(format!("no overview: {other:?}")),
    }
}

async fn must(door: &Door, id: RequestId, command: Command) -> Outcome<()> {
    order(door, id, command).await.map(drop).map_err(|fault| fault.to_string())
}

async fn order(door: &Door, id: RequestId, command: Command) -> Result<Reply, domain::Fault> {
    door.send(Request { id, call: Call::Command(command) }).await.result
}

fn new() -> RequestId {
    RequestId(Uuid::now_v7())
}
