//! What texts are about, as the model that ships understands it.

use search::{E5, Embedder, ModelFiles, Strangers};
use std::collections::BTreeMap;
use std::path::Path;

/// A subject, and two plain questions about it that do not name it.
const ENGLISH: [(&str, [&str; 2]); 8] = [
    (
        "gardening",
        ["How do I grow tomatoes and roses on my balcony?", "When should I prune my apple tree?"],
    ),
    (
        "cooking",
        ["My sourdough bread never rises.", "What can I make from chickpeas and spinach tonight?"],
    ),
    (
        "astronomy",
        ["Which telescope shows the rings of Saturn?", "When is the next lunar eclipse?"],
    ),
    (
        "tax law",
        ["Do I owe VAT when I sell in France?", "Can I deduct my home office from my income?"],
    ),
    (
        "jazz music",
        ["Who played the saxophone on Kind of Blue?", "I want to improvise over blues changes."],
    ),
    (
        "programming",
        ["My Rust function does not compile: borrow of moved value.", "How do I reverse a list?"],
    ),
    (
        "medicine",
        ["I have had a headache and a fever for three days.", "What does high cholesterol mean?"],
    ),
    ("travel", ["Where should I stay in Lisbon for a weekend?", "Do I need a visa for Japan?"]),
];
const CHINESE: [(&str, [&str; 2]); 8] = [
    ("园艺", ["怎么在阳台上种番茄？", "苹果树什么时候修剪？"]),
    ("烹饪", ["我做的面包总是发不起来。", "今晚用豆腐能做什么菜？"]),
    ("天文", ["哪种望远镜能看到土星环？", "下一次月食是什么时候？"]),
    ("税法", ["在法国卖东西要交增值税吗？", "在家办公的开支能抵税吗？"]),
    ("爵士乐", ["谁在那张专辑里吹萨克斯？", "想学即兴演奏蓝调。"]),
    ("编程", ["我的函数编译不过去。", "怎么反转链表？"]),
    ("医学", ["我头疼发烧三天了。", "胆固醇高说明什么？"]),
    ("旅行", ["周末去里斯本住哪里好？", "去日本需要签证吗？"]),
];
const ABOUT_NONE: [&str; 12] = [
    "Hello everybody!",
    "What do you all think of the new community?",
    "I lost my keys again today.",
    "Who won the match yesterday?",
    "Thanks a lot for all the help!",
    "Our office has moved to the third floor.",
    "大家好！",
    "我又把钥匙弄丢了。",
    "昨天谁赢了比赛？",
    "又下雨了。",
    "非常感谢大家的帮助！",
    "办公室搬到三楼了。",
];

struct Model {
    e5: E5,
    subjects: BTreeMap<String, Vec<f32>>,
}

impl Model {
    fn load() -> Model {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
        let library = format!("libonnxruntime.{}", std::env::consts::DLL_EXTENSION);
        let folder = assets.join("models/multilingual-e5-small");
        let runtime = assets.join("onnxruntime").join(library);
        let files = ModelFiles { folder, runtime };
        Model {
            e5: E5::load(&files, 1).expect("make assets fetches it"),
            subjects: BTreeMap::new(),
        }
    }

    /// Those of the subjects that a text is about.
    fn about(&mut self, text: &str, subjects: &[&str]) -> Vec<String> {
        let asked = self.e5.query(text).expect("a vector");
        let mut about = Vec::new();
        for subject in subjects {
            let told = match self.subjects.get(*subject) {
                Some(told) => told.clone(),
                None => self.e5.passages(&[subject]).expect("a vector").remove(0),
            };
            if Strangers::OfE5.about(&asked, &told, subjects.len()) >= 0.0 {
                about.push((*subject).to_owned());
            }
            self.subjects.insert((*subject).to_owned(), told);
        }
        about
    }
}

#[test]
fn a_text_is_about_the_subject_that_it_speaks_of_and_hardly_about_others() {
    let mut model = Model::load();
    for language in [ENGLISH, CHINESE] {
        let subjects = language.map(|(subject, _)| subject);
        let (mut right, mut wrong) = (0, 0);
        for (subject, questions) in language {
            for question in questions {
                let about = model.about(question, &subjects);
                right += usize::from(about.iter().any(|one| one == subject));
                wrong += about.iter().filter(|one| *one != subject).count();
                // One that there is alone has nothing to stand out of but chance.
                let alone = model.about(question, &[subject]);
                assert!(about.iter().all(|one| one != subject) || alone.len() == 1);
            }
        }
        assert!(right >= 12, "{right} of 16 with {}", subjects[0]);
        assert!(wrong <= 3, "{wrong} with {}", subjects[0]);
        let foreign: usize = ABOUT_NONE.iter().map(|text| model.about(text, &subjects).len()).sum();
        assert!(foreign <= 2, "{foreign} with {}", subjects[0]);
    }
}
