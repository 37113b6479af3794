//! Pictures, texts and PDFs that people show with their messages.

use domain::{
    Attachment, AttachmentKind, Command, Fault, FaultKind, GroupId, Message, ModelTrouble, Outcome,
    PdfUnread, Query, Reply, TurnPolicy,
};
use llm::scripted::{Beat, Gate, Scripted};
use llm::{ImageKind, ModelFault, ModelRequest, Role, ToolCallDelta, Trouble};
use std::path::PathBuf;
use tests::{Stage, says, speaker, stage};

/// A picture of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// Another one, by its header.
const OTHER: &str = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAAC";
/// 茶 in UTF-8.
const TEA: &str = "6Iy2";

async fn try_keep(stage: &Stage, name: &str, base64: &str) -> Result<Attachment, Fault> {
    let attach = Command::Attach { name: name.into(), base64: base64.into() };
    match stage.command(attach).await? {
        Reply::Attachment(attachment) => Ok(attachment),
        other => panic!("no attachment: {other:?}"),
    }
}

async fn keep(stage: &Stage, name: &str, base64: &str) -> Attachment {
    try_keep(stage, name, base64).await.expect("it can be kept")
}

async fn show(
    stage: &Stage,
    group: GroupId,
    text: &str,
    attachments: Vec<Attachment>,
) -> Result<Message, Fault> {
    let post = Command::Post { group, text: text.into(), reply_to: None, attachments };
    match stage.command(post).await? {
        Reply::Message(message) => Ok(message),
        other => panic!("no message: {other:?}"),
    }
}

fn kept_files(stage: &Stage) -> Vec<PathBuf> {
    let Ok(files) = std::fs::read_dir(stage.data().join("attachments")) else { return Vec::new() };
    files.map(|file| file.expect("a file").path()).collect()
}

fn last(request: &ModelRequest) -> &llm::Turn {
    request.turns.last().expect("a question")
}

/// Refuses pictures as a server does whose model reads none.
fn refuses_pictures() -> Beat {
    let trouble = ModelTrouble::NoSight;
    Beat::Fail(ModelFault {
        kind: Some(Box::new(FaultKind::Model { trouble })),
        ..ModelFault::new(Trouble::Refused, "script does not see pictures", "leave them out")
    })
}

#[tokio::test]
async fn what_a_message_shows_reaches_each_model_with_the_words_and_stays_in_the_history() {
    let stage = stage().open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
    let picture = keep(&stage, "/pictures/cat.png", PNG).await;
    assert_eq!((picture.name.as_str(), picture.kind), ("cat.png", AttachmentKind::Png));
    let text = keep(&stage, "tea.txt", TEA).await;
    let shown = vec![picture.clone(), text.clone()];
    let message = show(&stage, group, "What is this?", shown.clone()).await.unwrap();
    assert_eq!(message.attachments, shown);
    stage.quiet().await;
    stage.say(group, "And now?").await;

    let words = "What is this?\n[picture: cat.png]\n[file: tea.txt]\n```\n茶\n```";
    let requests = stage.model.requests();
    assert_eq!(requests.len(), 4);
    for request in &requests {
        let turn = request.turns.iter().find(|turn| !turn.images.is_empty()).expect("a picture");
        assert_eq!(turn.role, Role::User);
        // In a group what belongs to somebody's words is set in.
        let lines: Vec<&str> = turn.content.lines().map(str::trim).collect();
        assert!(lines.join("\n").contains(words), "{}", turn.content);
        assert_eq!(turn.images.len(), 1);
        assert_eq!((turn.images[0].kind, &*turn.images[0].base64), (ImageKind::Png, PNG));
    }
    let Reply::AttachmentContent(content) =
        stage.query(Query::Attachment { hash: picture.hash.clone() }).await.unwrap()
    else {
        panic!("no content")
    };
    assert_eq!((content.kind, content.base64.as_str()), (AttachmentKind::Png, PNG));
    assert_eq!(stage.messages(group).await[0].attachments, shown, "it stands on the disk");
}

#[tokio::test]
async fn a_picture_alone_is_a_message_and_nothing_at_all_is_none() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    let picture = keep(&stage, "cat.png", PNG).await;
    show(&stage, ada, "", vec![picture]).await.unwrap();
    stage.quiet().await;
    assert!(last(&stage.model.requests()[0]).content.contains("[picture: cat.png]"));
    let fault = show(&stage, ada, " ", Vec::new()).await.unwrap_err();
    assert_eq!(fault.kind.as_deref(), Some(&FaultKind::MessageEmpty));
}

#[tokio::test]
async fn of_two_models_the_blind_one_gets_a_note_and_answers_all_the_same() {
    let model = Scripted::from_fn(|request, _| {
        let is_shown = request.turns.iter().any(|turn| !turn.images.is_empty());
        if request.model == "blind" && is_shown {
            vec![refuses_pictures()]
        } else {
            vec![Beat::Text(format!("{} answers", speaker(request)))]
        }
    });
    let stage = stage().model(model).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::RoundRobin).await;
    let bo = stage.agent("Bo").await.id;
    let blind = Some("test/blind".to_owned());
    stage.do_(Command::SetAgentModel { agent: bo, model: blind }).await;
    let picture = keep(&stage, "cat.png", PNG).await;
    show(&stage, group, "What is this?", vec![picture.clone()]).await.unwrap();
    stage.quiet().await;
    show(&stage, group, "And this?", vec![picture]).await.unwrap();
    stage.quiet().await;

    let requests = stage.model.requests();
    let (blind, sees): (Vec<_>, Vec<_>) =
        requests.iter().partition(|request| request.model == "blind");
    assert!(sees.iter().all(|request| request.turns.iter().any(|turn| !turn.images.is_empty())));
    let shown = blind.iter().map(|request| {
        let note = "[picture: cat.png, not shown: this model reads no pictures]";
        let notes: usize =
            request.turns.iter().map(|turn| turn.content.matches(note).count()).sum();
        let images: usize = request.turns.iter().map(|turn| turn.images.len()).sum();
        (images, notes)
    });
    // It was asked with the picture once, refused, and was asked again.
    assert_eq!(shown.collect::<Vec<_>>(), [(2, 0), (0, 2)]);
    assert!(stage.transcript(group).await.contains(&"Bo: Bo answers".to_owned()));
    assert!(stage.runs().await.iter().all(|run| run.state == domain::RunState::Settled));
}

fn pictures_of(request: &ModelRequest) -> Vec<&str> {
    let images = request.turns.iter().flat_map(|turn| &turn.images);
    images.map(|image| &*image.name).collect()
}

fn refuses(message: &str) -> Vec<Beat> {
    vec![Beat::Fail(ModelFault::new(Trouble::Refused, message, "choose another model"))]
}

#[tokio::test]
async fn a_picture_that_a_model_refuses_stops_nobody_and_only_that_one_stays_away() {
    let model = Scripted::from_fn(|request, _| {
        if pictures_of(request).contains(&"bad.png") {
            refuses("Could not process image")
        } else {
            vec![Beat::Text("I see.".into())]
        }
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    let good = keep(&stage, "good.png", PNG).await;
    let bad = keep(&stage, "bad.png", OTHER).await;
    show(&stage, ada, "Look.", vec![good.clone()]).await.unwrap();
    stage.quiet().await;
    show(&stage, ada, "And this?", vec![bad.clone()]).await.unwrap();
    stage.quiet().await;
    stage.say(ada, "And now?").await;
    // Elsewhere it is the same model and the same picture.
    let group = stage.group(&["Bo"], TurnPolicy::Broadcast).await;
    show(&stage, group, "Look.", vec![bad, good]).await.unwrap();
    stage.quiet().await;

    let requests = stage.model.requests();
    let shown: Vec<Vec<&str>> = requests.iter().map(pictures_of).collect();
    let good = || vec!["good.png"];
    assert_eq!(shown, [good(), vec!["good.png", "bad.png"], vec![], good(), good()]);
    let note = "[picture: bad.png, not shown: this model reads no pictures]";
    for request in &requests[2..] {
        assert!(request.turns.iter().any(|turn| turn.content.contains(note)), "{request:#?}");
    }
    assert!(stage.runs().await.iter().all(|run| run.state == domain::RunState::Settled));
}

#[tokio::test]
async fn what_is_refused_without_its_pictures_too_fails_for_the_first_reason() {
    let model = Scripted::from_fn(|request, n| match n {
        1 | 2 if pictures_of(request).is_empty() => refuses("no such option either"),
        1 | 2 => refuses("no such option"),
        _ => vec![Beat::Text("I see.".into())],
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    let picture = keep(&stage, "cat.png", PNG).await;
    show(&stage, ada, "Look.", vec![picture.clone()]).await.unwrap();
    stage.quiet().await;
    let outcome = stage.runs().await.pop().and_then(|run| run.outcome);
    let Some(Outcome::Failed { fault }) = outcome else { panic!("no failure: {outcome:?}") };
    assert_eq!(fault.message, "no such option");
    let bo = stage.direct("Bo").await;
    show(&stage, bo, "Look.", vec![picture]).await.unwrap();
    stage.quiet().await;
    let requests = stage.model.requests();
    let shown: Vec<usize> = requests.iter().map(|request| pictures_of(request).len()).collect();
    assert_eq!(shown, [1, 0, 1], "it was not for the picture, which is shown again");
}

#[tokio::test]
async fn a_run_says_on_record_what_it_was_shown_and_goes_the_same_way_again() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    let picture = keep(&stage, "cat.png", PNG).await;
    show(&stage, ada, "What is this?", vec![picture]).await.unwrap();
    stage.quiet().await;
    let run = stage.runs().await[0].id;
    let Reply::SentRequest(sent) = stage.query(Query::SentRequest { run, n: 1 }).await.unwrap()
    else {
        panic!("no request")
    };
    let turn = sent.turns.last().unwrap();
    assert!(turn.content.contains("What is this?\n[picture: cat.png]"), "{}", turn.content);
    assert_eq!((turn.images.len(), turn.images[0].media_type.as_str()), (1, "image/png"));
    let Reply::Replayed(replayed) = stage.query(Query::Replay { run }).await.unwrap() else {
        panic!("not replayed")
    };
    assert_eq!(replayed.difference, None);
}

#[tokio::test]
async fn a_crash_between_the_file_and_its_message_leaves_neither() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    let shown = keep(&stage, "cat.png", PNG).await;
    show(&stage, ada, "What is this?", vec![shown.clone()]).await.unwrap();
    let orphan = keep(&stage, "tea.txt", TEA).await;
    stage.quiet().await;
    assert_eq!(kept_files(&stage).len(), 2);
    let stage = stage.crash(says("yes")).await;
    let left = kept_files(&stage);
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0].ends_with(&shown.hash));
    let ada = stage.direct("Ada").await;
    let fault = show(&stage, ada, "And this?", vec![orphan]).await.unwrap_err();
    let gone = FaultKind::AttachmentGone { name: "tea.txt".into() };
    assert_eq!(fault.kind.as_deref(), Some(&gone));
    stage.say(ada, "What was it?").await;
    let request = stage.model.requests().pop().unwrap();
    assert!(request.turns.iter().any(|turn| !turn.images.is_empty()), "it is still shown");
}

#[tokio::test]
async fn an_agent_is_told_of_a_file_that_somebody_took_away() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    let text = keep(&stage, "tea.txt", TEA).await;
    std::fs::remove_dir_all(stage.data().join("attachments")).unwrap();
    let gone = show(&stage, ada, "Read it.", vec![text.clone()]).await.unwrap_err();
    assert_eq!(gone.fix, "attach it again");
    let text = keep(&stage, "tea.txt", TEA).await;
    show(&stage, ada, "Read it.", vec![text]).await.unwrap();
    stage.quiet().await;
    std::fs::remove_dir_all(stage.data().join("attachments")).unwrap();
    stage.say(ada, "Again.").await;
    let request = stage.model.requests().pop().unwrap();
    let told = "Read it.\n[file: tea.txt, no longer kept]";
    assert!(request.turns.iter().any(|turn| turn.content.contains(told)), "{request:#?}");
}

#[tokio::test]
async fn what_cannot_be_shown_is_refused_in_one_sentence() {
    let stage = stage().open().await;
    let check = async |name: &str, bytes: &[u8], expected: &str| {
        use std::fmt::Write;
        let base64 = encoded(bytes);
        let fault = try_keep(&stage, name, &base64).await.unwrap_err();
        let mut said = String::new();
        write!(said, "{fault}").unwrap();
        assert_eq!(said, expected);
    };
    check(
        "a.zip",
        b"PK\x03\x04\0\0",
        "the file a.zip is neither a picture (PNG, JPEG, GIF, WebP), a PDF nor a text file; save it as one of these, or paste what matters of it",
    )
    .await;
    check("empty.txt", b"", "the file empty.txt is empty; choose one with something in it").await;
    check(
        "long.txt",
        &[b'x'; 500_001],
        "the file long.txt has 501 KB; 500 KB is the most that can be shown; make it smaller, or show a part of it",
    )
    .await;
    check(
        "half.png",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0",
        "the picture half.png is damaged: how wide and high it is cannot be read; save it anew as PNG, JPEG, GIF or WebP",
    )
    .await;
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.resize(6_000_000, 0);
    check(
        "big.png",
        &png,
        "the file big.png has 6.0 MB; 3.9 MB is the most that can be shown; make it smaller, or show a part of it",
    )
    .await;
    let ada = stage.direct("Ada").await;
    let picture = keep(&stage, "cat.png", PNG).await;
    let fault = show(&stage, ada, "Look.", vec![picture.clone(); 11]).await.unwrap_err();
    assert_eq!(fault.message, "a message shows at most 10 files");
    let elsewhere = Attachment { hash: "../coterie.db".into(), ..picture };
    let fault = show(&stage, ada, "Look.", vec![elsewhere]).await.unwrap_err();
    assert_eq!(fault.message, "the file cat.png is not kept here any more");
    assert_eq!(stage.messages(ada).await, Vec::new());
}

#[tokio::test]
async fn of_a_pdf_a_model_reads_the_text_page_by_page_and_only_that_is_kept() {
    let stage = stage().engine().open().await;
    let ada = stage.direct("Ada").await;
    let tea = include_bytes!("../../crates/engine/tests/pdf/tea.pdf");
    let chinese = include_bytes!("../../crates/engine/tests/pdf/unigb.pdf");
    let tea = keep(&stage, "/papers/tea.pdf", &encoded(tea)).await;
    assert_eq!((tea.name.as_str(), tea.kind), ("tea.pdf", AttachmentKind::Text));
    let chinese = keep(&stage, "绿茶.pdf", &encoded(chinese)).await;
    show(&stage, ada, "What is in it?", vec![tea, chinese]).await.unwrap();
    stage.quiet().await;
    let request = stage.model.requests().pop().unwrap();
    let told = &last(&request).content;
    let first = "[file: tea.pdf]\n```\n[a PDF with 3 pages; pictures are left out]\n\n\
        [page 1]\nTea in three chapters\n\nGreen tea is not fermented.";
    assert!(told.contains(first), "{told}");
    assert!(told.contains("\n\n[page 3]\nThe end.\n```\n[file: 绿茶.pdf]\n```\n[a PDF with one page; pictures are left out]\n\n绿茶不发酵，用八十度的水泡两分钟。"), "{told}");
    for file in kept_files(&stage) {
        assert!(!std::fs::read(file).unwrap().starts_with(b"%PDF"));
    }
}

#[tokio::test]
async fn a_pdf_that_gives_no_text_says_why_and_what_to_do() {
    let check = async |stage: &Stage, bytes: &[u8], why: PdfUnread, expected: &str| {
        let fault = try_keep(stage, "a.pdf", &encoded(bytes)).await.unwrap_err();
        assert_eq!(fault.to_string(), expected);
        let kind = FaultKind::PdfUnread { name: "a.pdf".into(), why };
        assert_eq!(fault.kind.as_deref(), Some(&kind));
    };
    let reading = stage().engine().open().await;
    let locked = include_bytes!("../../crates/engine/tests/pdf/locked.pdf");
    check(
        &reading,
        locked,
        PdfUnread::Locked,
        "the PDF a.pdf opens only with a password; save it without one, then attach that",
    )
    .await;
    let scanned = include_bytes!("../../crates/engine/tests/pdf/scanned.pdf");
    check(&reading, scanned, PdfUnread::NoText, "the PDF a.pdf holds no text: its pages are pictures, as of a scan; attach pictures of the pages that matter, or have the text recognised first").await;
    let damaged = b"%PDF-1.7\n\xe2\xe3\xcf\xd3";
    check(
        &reading,
        damaged,
        PdfUnread::Damaged,
        "the PDF a.pdf is damaged and cannot be read; save it anew, or paste what matters of it",
    )
    .await;
    let without = stage().open().await;
    check(&without, scanned, PdfUnread::NoReader, "the PDF a.pdf cannot be read: the engine that does it is missing; install Coterie again, or paste what matters of it").await;
    assert_eq!(kept_files(&reading), Vec::<PathBuf>::new());
}

/// Base64, as a window makes it.
fn encoded(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - three.len()));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize] as char;
            text.push(if at > three.len() { '=' } else { letter });
        }
    }
    text
}

#[tokio::test]
async fn what_is_shown_while_an_agent_works_is_answered_in_a_turn_of_its_own() {
    let gate = Gate::default();
    let holds = gate.clone();
    let model = Scripted::from_fn(move |_, n| match n {
        1 => vec![
            Beat::Gate(holds.clone()),
            Beat::ToolCall(ToolCallDelta {
                id: "c1".into(),
                name: Some("calculator".into()),
                arguments: r#"{"expression":"6 * 7"}"#.into(),
            }),
        ],
        2 => vec![Beat::Text("42".into())],
        _ => vec![Beat::Text("a cat".into())],
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "6 times 7?").await;
    stage.model.asked(1).await;
    stage.post(ada, "Take your time.").await;
    let picture = keep(&stage, "cat.png", PNG).await;
    show(&stage, ada, "And this?", vec![picture]).await.unwrap();
    gate.open();
    stage.quiet().await;
    let requests = stage.model.requests();
    let images = |request: &ModelRequest| -> usize {
        request.turns.iter().map(|turn| turn.images.len()).sum()
    };
    assert_eq!(requests.iter().map(images).collect::<Vec<_>>(), [0, 0, 1]);
    let heard = requests[1].turns.iter().any(|turn| turn.content.contains("Take your time."));
    assert!(heard, "words are heard at once");
    let transcript = stage.transcript(ada).await;
    assert_eq!(transcript[3..], ["Ada: 42", "Ada: a cat"]);
}
