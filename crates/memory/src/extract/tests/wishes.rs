//! How a person wants to be answered, and what is only for once.

use super::{Preference, check, says};
use crate::extract::notice;

const GERMAN: &str = "The user wants to be answered in German";
const SHORT: &str = "The user wants short answers";
const LONG: &str = "The user wants long answers";

#[test]
fn the_language_of_answers_is_one_matter_however_it_is_wished_for() {
    for message in [
        "From now on, answer in German.",
        "From now on answer in German",
        "Please always reply to me in German",
        "Always respond in german, please",
        "Write to me in German from now on",
        "Speak German to me from now on.",
        "In future, please use German.",
        "From now on only in German",
        "From now on I want you to answer in German, not English",
        "From now on give me answers in German",
        "From now on give me German answers",
        "I'd like you to always answer me in German",
        "I prefer answers in German",
        "I want your replies to be in German",
        "Your answers should be in German",
        "Answer all my questions in German",
        "Could you answer in German from now on?",
        "Answer in German",
        "Please answer in German.",
        "Hi! Please answer in Deutsch.",
        "Let's speak German",
        "Remember to answer in German",
        "Please remember: always answer in German",
        "Now answer in German please.",
        "OK, now answer in German",
        "Switch back to German, please",
        "Please go back to German",
        "From now on you'll answer in German",
        "In German please",
        "In German, please.",
        "Please, only in German",
        "Ada, answer in German",
        "Ada Lovelace, please answer in German.",
        "Ada, from now on answer in German",
        "Can you answer in German again?",
        "Could you answer in German again, please?",
        "Would you please answer in German?",
        "Ada, could you speak German again?",
        "Can you switch back to German?",
    ] {
        check(message, &[(Preference, GERMAN, Some(("answers in", "German")))]);
    }
    check(
        "Answer in british English",
        &[(
            Preference,
            "The user wants to be answered in British English",
            Some(("answers in", "British English")),
        )],
    );
    check(
        "Always answer in plain English",
        &[(
            Preference,
            "The user wants to be answered in plain English",
            Some(("answers in", "plain English")),
        )],
    );
    for message in [
        "以后请用德语回答我",
        "请用德语回答。",
        "以后用德语跟我说话",
        "从现在起，请用德语回答，不要用中文",
        "请一直说德语",
        "以后都用德语吧",
        "以后可以用德语回答吗？",
        "我希望你用德语回答",
        "记住用德语回答我",
        "现在用德语回答",
        "还是用德语回答吧",
        "算了，用德语回答吧",
        "换回德语",
        "不要用英语了，用德语回答",
        "别说英语了，说德语吧",
        "不要再用英文回答了，请用德语回答",
        "林夏，请用德语回答",
        "小林，用德语回答我",
    ] {
        check(message, &[(Preference, "用户希望用德语回答", Some(("回答语言", "德语")))]);
    }
    for message in [
        "これからはドイツ語で答えてください。",
        "今後はドイツ語でお願いします",
        "いつもドイツ語で返信してください",
        "これからはドイツ語で答えてもらえますか？",
        "ドイツ語で答えて",
        "私にはドイツ語で答えてください",
        "やっぱりドイツ語で答えて",
        "じゃあ、ドイツ語で答えてください",
        "ドイツ語に戻してください",
    ] {
        let text = "ユーザーはドイツ語での回答を望んでいる";
        check(message, &[(Preference, text, Some(("回答の言語", "ドイツ語")))]);
    }
}

#[test]
fn what_stands_beside_a_wish_and_says_that_it_lasts_is_one() {
    let german = (Preference, GERMAN, Some(("answers in", "German")));
    check(
        "Answer in German and never use emojis.",
        &[german, (Preference, "never use emojis", None)],
    );
    check(
        "Answer in German, and always show your sources.",
        &[german, (Preference, "always show your sources", None)],
    );
    // For once, all of it.
    check("Answer in German and write a poem about rain.", &[]);
    check("Answer in German and show your sources.", &[]);
}

#[test]
fn how_long_answers_are_to_be_is_one_matter() {
    for message in [
        "Keep your answers short.",
        "From now on, keep it brief",
        "Always answer briefly",
        "I prefer concise answers",
        "Please make your replies shorter",
        "Ada, keep your answers short.",
        "Your answers should be as short as possible",
    ] {
        check(message, &[(Preference, SHORT, Some(("answer length", "short")))]);
    }
    for message in [
        "From now on give me short, simple answers",
        "I want simple and short answers",
        "Keep your answers brief, clear and to the point",
    ] {
        check(message, &[(Preference, SHORT, Some(("answer length", "short")))]);
    }
    for message in [
        "From now on answer in detail",
        "I like detailed answers",
        "From now on give me long, detailed answers",
        "From now on give me long, thorough and comprehensive answers.",
    ] {
        check(message, &[(Preference, LONG, Some(("answer length", "long")))]);
    }
    for message in ["以后回答请简短一点", "回答要简洁", "以后请简短地回答我"]
    {
        check(message, &[(Preference, "用户希望回答简短", Some(("回答篇幅", "简短")))]);
    }
    check("以后请详细回答", &[(Preference, "用户希望回答详细", Some(("回答篇幅", "详细")))]);
    for message in ["これからは短く答えてください", "回答は簡潔にお願いします"]
    {
        let text = "ユーザーは短い回答を望んでいる";
        check(message, &[(Preference, text, Some(("回答の長さ", "短い")))]);
    }
}

/// A *no* in front of what is not wanted is no interjection.
#[test]
fn what_is_not_wanted_is_never_heard_as_wished_for() {
    for message in [
        "No German",
        "No Dutch courage, please",
        "No more French fries, please",
        "No more questions, please",
        "No answers please",
        "I don't want answers about Germany",
        "Don't write in Markdown",
        "Don't give me a short answer",
        "That was too long",
        "What is a fjord? No long answers, please.",
        "What is a fjord? Don't give me long answers.",
        "You can speak up now",
    ] {
        assert_eq!(notice(message), [], "{message}");
    }
    check("No, answer in German", &[(Preference, GERMAN, Some(("answers in", "German")))]);
}

#[test]
fn what_is_not_wanted_takes_the_place_of_the_wish_for_it() {
    let check = |message: &str, attribute, value| {
        let found = notice(message);
        let [one] = &found[..] else { panic!("{message}: {found:?}") };
        let said =
            one.statement.as_ref().map(|said| (said.attribute.as_str(), said.value.as_str()));
        assert_eq!((one.kind, said), (Preference, Some((attribute, value))), "{message}");
    };
    for message in [
        "No long answers.",
        "No long answers please",
        "No more long answers, please",
        "No more detailed answers",
        "I don't want long answers.",
        "I do not want your answers long anymore",
        "Stop giving me long answers",
        "Please don't give me long answers any more.",
        "What is a fjord? No more long answers, please.",
    ] {
        check(message, "answer length", "not long");
    }
    check("No short answers please", "answer length", "not short");
    for message in [
        "No more German.",
        "No German anymore, please.",
        "No German from now on",
        "I do not want answers in German",
        "No answers in German, please",
    ] {
        check(message, "answers in", "not German");
    }
    for message in [
        "I want short answers, not long ones.",
        "Your answers are too long, make them shorter.",
        "Your answers are way too long",
    ] {
        check(message, "answer length", "short");
    }
    check("Your replies are too short", "answer length", "long");
    check("You can speak German again.", "answers in", "German");
}

#[test]
fn what_is_for_once_is_no_wish_that_lasts() {
    for message in [
        "Answer this in German",
        "Answer my last question in German",
        "Translate this into German",
        "Write a poem in French",
        "What is a fjord? Answer in German.",
        "Summarise the text. Answer in German.",
        "Answer in German.\n> The text",
        "Answer in German: what is a fjord",
        "Answer briefly",
        "Be brief",
        "Give me a short answer",
        "Answer in German today",
        "Do you always answer in German?",
        "Use Python",
        "Write in Markdown",
        "Speak up",
        "If I write in German, answer in German",
        "She said that you should answer in German",
        "用德语回答这个问题",
        "把这个翻译成德语",
        "用德语写一首诗",
        "什么是峡湾？用德语回答。",
        "简短回答",
        "请详细说明",
        "これをドイツ語で答えて",
        "次の質問にドイツ語で答えて",
        "ドイツ語で詩を書いて",
        "ドイツ語に翻訳してください",
        "フィヨルドとは何ですか？ドイツ語で答えて。",
        "短く答えて",
    ] {
        assert_eq!(notice(message), [], "{message}");
    }
}

#[test]
fn a_language_that_is_never_wanted_is_a_wish_about_that_one() {
    for message in [
        "Never answer in German",
        "Please never answer me in german again.",
        "From now on, never speak Deutsch to me",
    ] {
        let said = message.trim_end_matches('.');
        check(message, &[(Preference, said, Some(("answers in", "not German")))]);
    }
    let text = "never write in German";
    check("Ada, never write in German.", &[(Preference, text, Some(("answers in", "not German")))]);
    for message in [
        "Never in German",
        "Never use German",
        "From now on, never give me answers in German",
        "永远不要用德语回答",
        "以后不要再用德语回答我",
        "请不要说德语",
        "これからはドイツ語で答えないでください",
        "絶対にドイツ語で答えないで",
    ] {
        check(message, &[(Preference, message, Some(("answers in", "not German")))]);
    }
    for (message, value) in [
        ("Never be brief", "not short"),
        ("Never give me long answers", "not long"),
        ("永远不要简短回答", "not short"),
    ] {
        check(message, &[(Preference, message, Some(("answer length", value)))]);
    }
    for message in [
        "Never use Python",
        "Never in my house",
        "永远不要用表格",
        "Never answer in German when Bob asks",
        "Never answer in German, unless I ask for it",
        "Never answer in riddles",
        "From now on, never answer this in German",
    ] {
        check(message, &[(Preference, message, None)]);
    }
    for message in [
        "She never answers in German",
        "You never answered in German",
        "Bob says never answer in German",
        "He told me: \"Never answer in German\"",
        "> Never answer in German",
        "Why do you never answer in German?",
    ] {
        assert_eq!(notice(message), [], "{message}");
    }
}

#[test]
fn what_only_looks_like_a_wish_is_none() {
    for message in [
        "How do I say it in German please?",
        "How do I say it in German, please",
        "Can you translate this in German?",
        "Could you say it in German, please?",
        "Can you write a poem in German, please?",
        "Can you answer in German?",
        "Would you answer in German if Bob asked?",
        "What is a fjord? In German please.",
        "What is a fjord? Could you answer in German?",
        "What is a fjord? Ada, answer in German.",
        "Translate: answer in German",
        "Translate, answer in German",
        "Dear Bob, answer in German",
        "Tomorrow, answer in German",
        "Bob says, answer in German",
        "She never answers in German",
        "She wrote \"In German please.\"",
        "> In German please",
        "In the garden please",
        "Ada, answer this in German",
        "Ada, answer in riddles",
        "Answer in riddles and briefly",
        "What is a fjord? Answer in German and briefly.",
        "不要用表格了，用德语回答",
        "不要用德语了",
        "老师说，请用德语回答",
        "翻译，用德语回答",
        "今天，用德语回答",
        "林夏，用德语回答这个问题",
        "もうドイツ語で答えないで",
    ] {
        assert_eq!(notice(message), [], "{message}");
    }
}

#[test]
fn several_wishes_are_each_one_and_what_has_no_form_stays_as_it_was_said() {
    says(
        "From now on, answer in German and use short sentences",
        &[GERMAN, "From now on, use short sentences"],
    );
    says("Always answer in German and keep your answers short", &[GERMAN, SHORT]);
    says("Answer in German and briefly", &[GERMAN, SHORT]);
    says("Ada, please answer me in German and keep it short.", &[GERMAN, SHORT]);
    says("Answer briefly and in German", &[SHORT, GERMAN]);
    says("From now on answer in German and in detail", &[GERMAN, LONG]);
    says("以后请用英文回答，不要用中文", &["用户希望用英文回答"]);
    says("以后请用英文回答，并且尽量用表格", &["用户希望用英文回答", "以后尽量用表格"]);
    says("From now on, rhyme when you can", &["From now on, rhyme when you can"]);
    says("Always answer in riddles", &["Always answer in riddles"]);
    says(
        "From now on, answer in German when I write about work",
        &["From now on, answer in German when I write about work"],
    );
    says("これからは敬語を使わないでください", &["これからは敬語を使わないでください"]);
    says("My name is Kim. Please answer in German.", &["The user's name is Kim", GERMAN]);
}

#[test]
fn too_much_of_one_is_a_wish_for_the_other_or_against_it() {
    let not_long = Some(("answer length", "not long"));
    for message in ["Stop with the long answers", "Don't be so verbose", "Don't be so wordy."] {
        let text = message.trim_end_matches('.');
        check(message, &[(Preference, text, not_long)]);
    }
    check("你的回答太长了", &[(Preference, "用户希望回答简短", Some(("回答篇幅", "简短")))]);
    let english = "The user wants to be answered in English";
    let in_english = [(Preference, english, Some(("answers in", "English")))];
    check("Use English for answers", &in_english);
}

#[test]
fn what_is_never_to_be_done_is_told_from_what_is_liked() {
    for said in [
        "Never mention my ex again",
        "From now on, don't use emojis",
        "No emojis please",
        "The user wants answers without emojis",
        "以后不要用表情符号",
        "别提我的前任",
    ] {
        assert!(super::super::is_prohibition(said), "{said}");
    }
    for said in ["Always cite sources", "The user likes tea", "The user hates cats", "用户喜欢茶"]
    {
        assert!(!super::super::is_prohibition(said), "{said}");
    }
}

#[test]
fn what_no_answer_is_to_have_is_a_wish_where_nothing_else_is_said() {
    for message in [
        "Don't use emojis.",
        "Please don't use any emojis",
        "No emojis, please",
        "Stop using emojis or markdown",
        "Avoid bullet points in your answers",
        "不要用表情符号",
        "别再用emoji了",
        "絵文字は使わないでください",
    ] {
        let said = message.trim_end_matches('.');
        check(message, &[(Preference, said, None)]);
    }
    for message in [
        "Don't use emojis in this letter",
        "Don't use emojis here",
        "Write to Bo. Don't use emojis.",
        "I don't use emojis",
        "She said don't use emojis",
        "Why don't you use emojis?",
        "Don't use the car",
        "不要用这个表情符号",
        "他不用表情符号",
    ] {
        check(message, &[]);
    }
}
