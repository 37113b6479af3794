//! What is noticed in Japanese, and in Chinese that is written in traditional characters.

use super::{Fact, Preference, Relationship, check, says};
use crate::extract::notice;

#[test]
fn what_is_written_in_traditional_characters_is_noticed_and_stays_as_it_is_written() {
    check(
        "你好，我叫陳怡君。我住在臺北！我對花生過敏。",
        &[
            (Fact, "用戶名叫陳怡君", Some(("名字", "陳怡君"))),
            (Fact, "用戶住在臺北", Some(("住在", "臺北"))),
            (Fact, "用戶對花生過敏", Some(("对花生过敏", "是"))),
        ],
    );
    check("我住在台北", &[(Fact, "用户住在台北", Some(("住在", "台北")))]);
    check("我搬到臺北工作了", &[(Fact, "用戶住在臺北", Some(("住在", "臺北")))]);
    check("我來自高雄", &[(Fact, "用戶來自高雄", Some(("来自", "高雄")))]);
    check("我是臺灣人", &[(Fact, "用戶來自臺灣", Some(("来自", "臺灣")))]);
    check("我在臺積電工作", &[(Fact, "用戶在臺積電工作", Some(("工作单位", "臺積電")))]);
    check("我不喜歡烏龍茶", &[(Preference, "用戶不喜歡烏龍茶", Some(("喜欢乌龙茶", "否")))]);
    check("我的女兒叫小雨", &[(Relationship, "用戶的女兒是小雨", Some(("女儿", "小雨")))]);
    for message in ["請用英文回答", "以後請用英文回答我", "從現在起請說英文"]
    {
        check(message, &[(Preference, "用戶希望用英文回答", Some(("回答语言", "英文")))]);
    }
    says("記住：週五要交報告", &["週五要交報告"]);
    for message in ["我對花生已經不過敏了", "我對花生不再過敏了"] {
        check(message, &[(Fact, "用戶不對花生過敏", Some(("对花生过敏", "否")))]);
    }
    for message in ["我住在哪裡？", "我女兒叫我起床了", "如果我住在臺北，我喜歡喝茶"]
    {
        assert_eq!(notice(message), [], "{message}");
    }
}

#[test]
fn japanese_is_noticed_too() {
    for message in [
        "私は東京に住んでいます。",
        "はじめまして。僕は今、東京に住んでいます",
        "私は東京に三年住んでいます",
        "私は先月東京に引っ越しました",
    ] {
        check(message, &[(Fact, "ユーザーは東京に住んでいる", Some(("住まい", "東京")))]);
    }
    for message in ["私は田中と申します", "私の名前は田中です"] {
        check(message, &[(Fact, "ユーザーの名前は田中", Some(("名前", "田中")))]);
    }
    let wish = "ユーザーは田中と呼ばれることを望んでいる";
    for message in ["田中と呼んでください", "私は田中と呼ばれることを望んでいる"]
    {
        check(message, &[(Preference, wish, Some(("呼び名", "田中")))]);
    }
    check("私は大阪出身です", &[(Fact, "ユーザーは大阪の出身", Some(("出身", "大阪")))]);
    check(
        "私は銀行で働いています",
        &[(Fact, "ユーザーは銀行で働いている", Some(("勤務先", "銀行")))],
    );
    check(
        "私は看護師として働いています",
        &[(Fact, "ユーザーは看護師として働いている", Some(("職業", "看護師")))],
    );
    check(
        "私は卵アレルギーです",
        &[(Fact, "ユーザーには卵アレルギーがある", Some(("卵アレルギー", "はい")))],
    );
    check(
        "私はもう卵アレルギーはありません",
        &[(Fact, "ユーザーには卵アレルギーはない", Some(("卵アレルギー", "いいえ")))],
    );
    check("私は猫が大好きです", &[(Preference, "ユーザーは猫が好き", Some(("猫が好き", "はい")))]);
    check("私は猫が嫌いです", &[(Preference, "ユーザーは猫が嫌い", Some(("猫が好き", "いいえ")))]);
    check(
        "私は猫が好きではありません",
        &[(Preference, "ユーザーは猫が好きではない", Some(("猫が好き", "いいえ")))],
    );
    check("私の妻の名前は花子です", &[(Relationship, "ユーザーの妻は花子", Some(("妻", "花子")))]);
    check("私の妻は医者です", &[(Relationship, "ユーザーの妻は医者", None)]);
    check(
        "私の誕生日は3月3日です",
        &[(Fact, "ユーザーの誕生日は3月3日", Some(("誕生日", "3月3日")))],
    );
}

#[test]
fn japanese_clauses_say_whom_they_are_about() {
    says(
        "私は東京に住んでいて、猫が好きです",
        &["ユーザーは東京に住んでいる", "ユーザーは猫が好き"],
    );
    says(
        "私は東京に住んでいますが、横浜で働いています",
        &["ユーザーは東京に住んでいる", "ユーザーは横浜で働いている"],
    );
    says("私の妻は花子といいます、猫が好きです", &["ユーザーの妻は花子"]);
    says("私は東京に住んでいて、妻は大阪に住んでいます", &["ユーザーは東京に住んでいる"]);
    says("私は東京に住んでいることを覚えておいてください", &["ユーザーは東京に住んでいる"]);
    says("覚えておいて：金曜日に会議がある", &["金曜日に会議がある"]);
    for message in [
        "彼は東京に住んでいます",
        "東京に住んでいます",
        "私は実家に住んでいます",
        "私はどこに住んでいますか",
        "私は東京に住んでいると思う",
        "もし私は東京に住んでいたら",
        "私はあなたが好きです",
        "私は一人で働いています",
        "私は疲れたと言います",
        "私は社会人です",
        "私のパスワードはhunter2です",
        "「私は東京に住んでいます」",
    ] {
        assert_eq!(notice(message), [], "{message}");
    }
}
