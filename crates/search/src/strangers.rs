//! How much more a text has to do with a query than texts have by chance.
//!
//! A cosine says little of that by itself. A model puts all texts close together, those
//! of one language closer, very short ones closer still, and some texts are near to
//! whatever is asked. So both vectors are compared without what they have in common
//! with *strangers*: questions and statements in their language that have nothing to do
//! with each other. The product of what is left is about 0 for what does not concern
//! the query, within every language and across them (docs/decisions/0027).
//!
//! The strangers of the model that ships stand in `strangers.tsv`, what it makes of
//! them in `strangers.f16`: for each language the average vector of its questions and
//! that of its statements. A vector's language is the one whose average is nearest.

use crate::E5;
use half::f16;
use numkong::Dot;
use std::sync::LazyLock;

/// With whom a model's vectors are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strangers {
    /// Of the model that ships.
    OfE5,
    /// Of a model that was shown none: the usual cosine of texts that have nothing to
    /// do with each other, and of a question with what answers it.
    Usual { unrelated: f32, alike: f32 },
}

/// What a question and its answer come to without strangers, on the average of those
/// that a model's scale is measured on.
const ANSWERS: f32 = 0.085;

/// What a text needs that is the only one.
const LEAST: f32 = 0.012;
/// And what more among so many: the nearest of many strangers is nearer than the
/// nearest of a few. In proportion to the logarithm of their number.
const AMONG_MANY: f32 = 0.004;
/// What all words of the query count for.
const ALL_WORDS: f32 = 0.05;

/// What is known of a text that was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compared {
    /// See [`Strangers::nearer`].
    pub(crate) nearer: f32,
    /// The part of the query's words that it has, each as much as it is rare; 0 to 1.
    pub(crate) words: f32,
    /// How many texts could have been found.
    pub(crate) among: usize,
}

impl Compared {
    /// How much more it has to do with the query than the nearest of so many strangers
    /// would have; from 0 on it concerns it.
    pub(crate) fn apart(self) -> f32 {
        let among = self.among.max(1) as f32;
        self.nearer + ALL_WORDS * self.words.min(1.0) - LEAST - AMONG_MANY * among.ln()
    }
}

/// What a subject needs at least with a model that was shown no strangers: more than half of
/// what an answer comes to (docs/decisions/0030).
const ABOUT_BY_SCALE: f32 = 0.05;

impl Strangers {
    /// How much more a text is about a subject than about the nearest of so many by chance; from
    /// 0 on it is. The text is embedded as a query.
    pub fn about(self, text: &[f32], subject: &[f32], among: usize) -> f32 {
        let nearer = self.nearer(text, subject, 0.0);
        let apart = Compared { nearer, words: 0.0, among }.apart();
        match self {
            Strangers::OfE5 => apart,
            Strangers::Usual { .. } => apart.min(nearer - ABOUT_BY_SCALE),
        }
    }

    /// A question among its strangers; `None` from a model that was shown none.
    pub(crate) fn question(self, asked: &[f32]) -> Option<Question> {
        match self {
            Strangers::OfE5 => Some(Question::of(asked)),
            Strangers::Usual { .. } => None,
        }
    }

    /// How much nearer two vectors are than strangers', from a question to a text.
    /// `lacking` is what their cosine lacks across scripts, where the model's strangers
    /// do not tell.
    pub(crate) fn nearer(self, asked: &[f32], told: &[f32], lacking: f32) -> f32 {
        match self {
            // The product of both, each without its strangers' average.
            Strangers::OfE5 => dot(asked, told) - Question::of(asked).shared(told),
            Strangers::Usual { unrelated, alike } => {
                let above = dot(asked, told) + lacking - unrelated;
                ANSWERS * above / (alike - unrelated).max(f32::MIN_POSITIVE)
            }
        }
    }
}

/// A question among its strangers: what does not depend on the text it is compared with.
pub(crate) struct Question {
    /// The strangers' questions of its language.
    asks: &'static Average,
    /// What it has with each language's statements beyond what those questions have.
    more: Vec<f32>,
}

impl Question {
    fn of(asked: &[f32]) -> Question {
        let asks = &nearest(asked, |language| &language.asked).asked;
        let more = |told: &Average| dot(asked, &told.numbers) - dot(&asks.numbers, &told.numbers);
        Question { asks, more: OF_E5.iter().map(|language| more(&language.told)).collect() }
    }

    /// The part of its cosine with a text that either has with the other's strangers too.
    pub(crate) fn shared(&self, told: &[f32]) -> f32 {
        let language = nearest(told, |language| &language.told);
        self.more[language.place] + dot(&self.asks.numbers, told)
    }
}

/// The strangers of one language, as the model understands them on the average.
struct Language {
    place: usize,
    asked: Average,
    told: Average,
}

struct Average {
    numbers: Vec<f32>,
    length: f32,
}

impl Average {
    fn of(numbers: &[f32]) -> Average {
        Average { numbers: numbers.to_vec(), length: dot(numbers, numbers).sqrt() }
    }
}

static OF_E5: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let bytes = include_bytes!("strangers.f16").as_chunks::<2>().0;
    let numbers: Vec<f32> = bytes.iter().map(|two| f16::from_le_bytes(*two).to_f32()).collect();
    let averages: Vec<&[f32]> = numbers.chunks_exact(E5::DIMENSIONS).collect();
    let of_language = |(place, both): (usize, &[&[f32]])| Language {
        place,
        asked: Average::of(both[0]),
        told: Average::of(both[1]),
    };
    averages.chunks_exact(2).enumerate().map(of_language).collect()
});

/// The language whose average is in a vector's direction.
fn nearest(vector: &[f32], average: impl Fn(&Language) -> &Average) -> &'static Language {
    let towards = |language: &Language| {
        let average = average(language);
        dot(vector, &average.numbers) / average.length
    };
    let of_languages = OF_E5.iter().map(|language| (towards(language), language));
    let nearest = of_languages.max_by(|a, b| a.0.total_cmp(&b.0));
    nearest.expect("there is more than one language in the file").1
}

/// 0 for vectors of two models, which nobody compares.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    f32::dot(one, other).map_or(0.0, |dot| dot as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Embedder, ModelFiles};
    use std::path::Path;

    const TEXTS: &str = include_str!("strangers.tsv");

    #[test]
    fn every_language_has_as_many_strangers_and_an_average_of_each_sort() {
        let languages: Vec<&str> =
            TEXTS.lines().filter_map(|line| line.split('\t').next()).collect();
        let mut each = languages.clone();
        each.dedup();
        assert_eq!(each.len(), OF_E5.len());
        assert_eq!(languages.len(), 16 * each.len());
        for Language { asked, told, .. } in OF_E5.iter() {
            assert_eq!((asked.numbers.len(), told.numbers.len()), (E5::DIMENSIONS, E5::DIMENSIONS));
        }
    }

    fn e5() -> E5 {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
        let library = format!("libonnxruntime.{}", std::env::consts::DLL_EXTENSION);
        let folder = assets.join("models/multilingual-e5-small");
        let runtime = assets.join("onnxruntime").join(library);
        E5::load(&ModelFiles { folder, runtime }, 1).expect("make assets fetches it")
    }

    /// Of all texts of one language and sort, which stand together.
    fn average(model: &mut E5, lines: &[&str]) -> Vec<f32> {
        let mut sum = vec![0.0; E5::DIMENSIONS];
        for line in lines {
            let (sort, text) =
                line.split_once('\t').and_then(|(_, line)| line.split_once('\t')).unwrap();
            let vector = match sort {
                "asked" => model.query(text).unwrap(),
                _ => model.passages(&[text]).unwrap().remove(0),
            };
            sum.iter_mut().zip(vector).for_each(|(sum, number)| *sum += number / 8.0);
        }
        sum
    }

    #[test]
    fn the_averages_are_what_the_model_makes_of_the_texts() {
        let mut model = e5();
        let lines: Vec<&str> = TEXTS.lines().collect();
        let mut made = Vec::new();
        for language in lines.chunks_exact(16) {
            let (told, asked) = language.split_at(8);
            made.extend(average(&mut model, asked));
            made.extend(average(&mut model, told));
        }
        let known = OF_E5
            .iter()
            .flat_map(|language| language.asked.numbers.iter().chain(&language.told.numbers));
        let same = known.zip(&made).all(|(known, made)| (known - made).abs() < 0.002);
        if !same {
            let anew = std::env::temp_dir().join("strangers.f16");
            let bytes = made.iter().flat_map(|number| f16::from_f32(*number).to_le_bytes());
            std::fs::write(&anew, bytes.collect::<Vec<u8>>()).unwrap();
            panic!("the model or the texts are others: put {} in its place", anew.display());
        }
    }

    #[test]
    fn what_says_it_in_other_words_stands_out_in_every_language_and_across_them() {
        let mut model = e5();
        let mut apart = |asked: &str, told: &str| {
            let (asked, told) = (model.query(asked).unwrap(), model.passages(&[told]).unwrap());
            let nearer = Strangers::OfE5.nearer(&asked, &told[0], 0.0);
            Compared { nearer, words: 0.0, among: 5 }.apart()
        };
        for (told, asks, small_talk) in [
            ("I studied marine biology at university.", "What did I get my degree in?", "thanks!"),
            ("我在互联网公司做产品经理。", "我的职业是什么？", "谢谢！"),
            ("大阪で生まれ育ちました。", "私の出身地はどこ？", "ありがとう！"),
            ("대학에서 해양생물학을 공부했어요.", "내 전공이 뭐였지?", "고마워!"),
            ("Ich habe Meeresbiologie studiert.", "Worin habe ich meinen Abschluss?", "Danke!"),
            ("J'ai étudié la biologie marine.", "Dans quoi ai-je mon diplôme ?", "Merci !"),
            ("Tengo dos gatos.", "¿Qué mascotas hay en mi casa?", "¡Gracias!"),
            ("Я изучал морскую биологию.", "По какой специальности у меня диплом?", "Спасибо!"),
            ("I studied marine biology at university.", "我大学读的是什么专业？", "谢谢！"),
            ("我在互联网公司做产品经理。", "What is my job?", "thanks!"),
        ] {
            assert!(apart(asks, told) > 0.0, "{asks}: {}", apart(asks, told));
            assert!(apart(small_talk, told) < 0.0, "{small_talk}: {told}");
        }
    }

    #[test]
    fn the_more_could_have_been_found_the_more_it_takes_to_stand_out() {
        let apart = |nearer, words, among| Compared { nearer, words, among }.apart();
        assert!(apart(0.02, 0.0, 1) > 0.0 && apart(0.01, 0.0, 1) < 0.0);
        assert!(apart(0.03, 0.0, 50) > 0.0 && apart(0.02, 0.0, 50) < 0.0);
        assert!(apart(0.05, 0.0, 5_000) > 0.0 && apart(0.04, 0.0, 5_000) < 0.0);
    }

    #[test]
    fn words_in_common_count_by_their_part_of_the_query() {
        let apart = |words| Compared { nearer: 0.0, words, among: 50 }.apart();
        assert!(apart(1.0) > 0.0 && apart(0.1) < 0.0);
        assert_eq!(apart(3.0), apart(1.0), "a long text may have them often");
    }

    #[test]
    fn a_model_without_strangers_is_measured_by_its_scale() {
        let usual = Strangers::Usual { unrelated: 0.1, alike: 0.6 };
        let nearer = |cosine: f32, lacking| {
            usual.nearer(&[1.0, 0.0], &[cosine, (1.0 - cosine * cosine).sqrt()], lacking)
        };
        assert!(nearer(0.1, 0.0).abs() < 1e-4);
        assert!((nearer(0.6, 0.0) - ANSWERS).abs() < 1e-4);
        assert!((nearer(0.5, 0.1) - ANSWERS).abs() < 1e-4);
    }
}
