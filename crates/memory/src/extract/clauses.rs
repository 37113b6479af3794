//! Cuts a sentence into the clauses that stand by themselves.
//!
//! `My name is Kim and I live in Porto` says two things, `I like fish and chips`
//! one. An *and* or a comma parts clauses only where what follows has a verb of
//! its own; where its subject is the one before, that is said again. In Chinese and
//! Japanese a comma always does.

use super::leaning::{is_of_another, leans};
use super::wishes;
use super::{changed, chinese, japanese, kin, regex};
use regex::Regex;
use std::sync::LazyLock;

/// What a sentence says, clause by clause.
#[derive(Debug)]
pub(super) struct Clauses {
    /// The sentence without its greeting.
    pub whole: String,
    pub all: Vec<Clause>,
    /// Whether it begins with a greeting.
    pub greets: bool,
}

/// A clause of a sentence.
#[derive(Debug)]
pub(super) struct Clause {
    /// With its subject, as far as that is known.
    pub said: String,
    /// Its subject, where the forms do not ask for that and it leaves it out.
    pub left_out: &'static str,
    /// What stands between it and the clause before.
    pub joined: String,
    /// Whether it can be understood without the clause before: `and she is a doctor` cannot.
    pub stands: bool,
    /// Whether it may be an order as well as what somebody does: `and never use salt`.
    pub is_unclear: bool,
}

pub(super) fn clauses(sentence: &str) -> Clauses {
    let greeting = GREETING.find(sentence).map_or(0, |greeting| greeting.end());
    let said = as_found(&sentence[greeting..]);
    let all = match said {
        said if japanese::is(said) => japanese(said),
        said if HAN.is_match(said) => chinese(said),
        said => english(said),
    };
    Clauses { whole: said.to_owned(), all, greets: greeting > 0 }
}

/// What was found of the one who says it, without who found it: `The doctor says I'm not allergic to
/// nuts` passes no opinion on.
fn as_found(said: &str) -> &str {
    let found = FOUND.captures(said).and_then(|found| found.name("en").or(found.name("zh")));
    found.map_or(said, |found| found.as_str())
}

/// Whether a clause only supposes, or tells what somebody else says: neither it
/// nor what follows it is a plain word of its author.
pub(super) fn supposes(clause: &str) -> bool {
    SUPPOSING.is_match(clause)
}

/// Whether a clause is about the one who says it.
pub(super) fn is_of_oneself(clause: &str) -> bool {
    ONESELF.is_match(clause)
}

macro_rules! patterns {
    ($($(#[$about:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$about])* static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

patterns! {
    HAN = r"\p{Han}";
    /// What may stand before what is said.
    GREETING = concat!(
        r"(?i)^(?:(?:@[\p{L}\p{N}_.-]+[,:]?\s*)",
        r"|(?:(?:hi|hello|hey)(?: \p{L}+)?\s*[,!–—-]",
        r"|(?:hi|hello|hey|good (?:morning|afternoon|evening)|nice to meet you|thanks|thank you|yes|well|so|",
        r"ok|okay|oh|and|also|actually|on second thoughts?|scratch that|by the way|btw|fyi|(?:it |as it )?turns out(?: that)?)\b[,!:]?|(?:no|no,? wait|wait|sorry|oops|my mistake|i misspoke|correction|update)\s*[,!:—–-](?:\s*i meant(?: to say)?(?: that)?[,:]?)?)\s*",
        r"|(?:你好|您好|大家好|嗨|哈喽|谢谢|对了|顺便说一下|其实|另外|嗯|好的|(?:更正|纠正)(?:一下)?)[啊呀]?[，,！!：: ]*",
        r"|(?:比起|相比于?)[^，,]{1,15}[，,]\s*",
        // Whoever takes a word back.
        r"|(?:不对|不是|不|[我你您]?(?:刚刚|刚才|刚)?(?:把?我?的?名字)?(?:说|讲|写|打|叫|记|弄)?错了|抱歉|不好意思|对不起|等等|等一下)[啊呀]?[，,！!：:]\s*",
        r"|(?:こんにちは|こんばんは|おはよう(?:ございます)?|はじめまして|初めまして|どうも|はい|いいえ|ちなみに|ところで|実は)[、,！!：: ]*)+",
    );
    /// What a doctor or a test says of somebody's body they take for theirs.
    FOUND = concat!(
        r"(?i)^(?:(?:(?:the|my|our|a) (?:doctors?|gp|physician|allergist|dermatologist|allergy tests?|blood tests?|tests?|",
        r"test results?|results?) (?:just |now |today )?(?:says?|said|told me|tells me|confirmed|confirms?|found|shows?|",
        r"showed)|i(?:'ve| have)? (?:just |recently )?(?:found out|learned|learnt|discovered|(?:was |been )?told by my doctor)|",
        r"i(?:'ve| have| was)? (?:been |got )?tested,? and(?: it turns out)?)(?: that)? ",
        r"(?:actually )?(?P<en>(?:i'm|i am) (?:\w+ ){0,3}(?:allergic|intolerant|diabetic|coeliac|celiac)\b.*))$",
        r"|^(?:(?:我的?)?(?:医生|大夫|体检|(?:过敏原?)?(?:检查|化验|检测)(?:结果|报告)?)(?:今天|昨天|刚刚?|最近)?",
        r"(?:说|告诉我|确认|发现|显示|表明)了?[，,：: ]*|(?:原来|结果|才知道|我?(?:才|刚)?发现)[，,]?)",
        r"(?P<zh>(?:其实|原来)?我.{0,8}对.+过敏.{0,4})$",
    );
    SUPPOSING = concat!(
        r"(?i)\b(?:if|unless|when|whenever|until|whether|suppos\w+|pretend\w*|imagin\w+|wish|would|could|should|",
        r"might|maybe|perhaps|sa(?:y|ys|id)|told|thinks?|thought|believe[ds]?|guess(?:es)?|hopes?|insists?|reckons?|",
        r"swears?|dream\w*|claim\w*|character)\b",
        r"|如果|假如|要是|假设|假装|万一|除非|听说|据说|以为|梦见|想象|可能|也许|说",
        r"|もし|なら|たら|れば|かもしれ|と思|と言って(?:い|た)|らしい|みたい|でしょう",
    );
    ONESELF = concat!(
        r"(?i)^(?:i|i'm|i've|my|we|we've|(?:please )?(?:don't|do not|stop|never) call(?:ing)? me)\b",
        r"|^(?:我|私|わたし|わたくし|あたし|僕|ぼく|俺|おれ|自分)|^(?:请|以后|今后|你们?|大家)*(?:别|不要|不用|请勿)再?叫我",
    );
    /// What may part two English clauses.
    PARTING = concat!(
        r"(?i)(?:\s*[,–—]\s*|\s+)(?:(?:and|but|so|plus|yet|because|since|though|although|whereas|while|where|&)\s+)",
        r"(?:(?:now|also|then|currently|nowadays|today|these days)\s+)?|\s*[,–—]\s*(?:now\s+)?|\s+-\s+",
    );
    /// What has a clause say why the one before is so, or where.
    GIVES_REASON = r"(?i)\b(?:because|since|so|though|although|whereas|while|where)\b|所以|因为";
    /// A clause about the one who says it. `Withnail and I` has no verb.
    OWN = concat!(
        r"(?i)^(?:(?:i|i'm|i've|i'd|i'll) \w",
        r"|my (?:[\w-]+ ){1,3}(?:is|are|was|were|has|have|had|can|will|lives?|works?|likes?|loves?|comes?)\b",
        r"|my (?:[\w-]+ ){0,2}[\w-]+'s (?:name (?:is\b|'s)|\w)",
        r"|(?:please |you can |people |everyone )?calls? me\b|please (?:always|never)\b|from now on\b)",
    );
    /// A clause about somebody or something else.
    OTHERS = concat!(
        r"^(?:(?i:he|she|we|they|it|it's|he's|she's|they're|we're|you|you're|there|there's|this|that|that's) \w",
        r"|(?:can|could|would|will|do|does|is|are) (?:you|we|i|it|they|there|that|this|my)\b",
        r"|(?:what|how|why|where) (?:is|are|do|does|can|should|would|about)\b|(?:please|let's) \w",
        r"|(?:(?i:the|our|her|his|their|your|its|a|an)\s[\w'-]+|\p{Lu}[\w'-]*)(?: [\w'-]+){0,2} ",
        r"(?:is|are|was|were|has|works|lives|likes|loves|does|goes)\b)",
    );
    /// What goes on with what it is instead: `My name is not Kim, it's Kit`, `Blue is not my favourite
    /// colour, it's green`.
    NO_NAME = concat!(
        r"(?i)^my (?:name|favou?rite [a-z ]{2,30}?)(?: is not|'s not| isn't| is no longer)\b",
        r"|^[^,;]{1,40}? (?:is not|isn't|is no longer) my favou?rite [a-z ]{2,30}$",
    );
    INSTEAD = r"(?i)^(?:it's|it is|the new one is|that's) ";
    /// What a relative clause begins with: who does what follows it cannot be told.
    RELATIVE = r"(?i)\b(?:who|that|which|how|what|where|when)\b";
    /// Verbs that go on with the subject before, whatever was said of it. Nobody is told to
    /// answer so: `don't eat meat`.
    GOING_ON = concat!(
        r"^(?:(?:really|absolutely|just|still) )*(?:(?:hate|dislike|can't stand|enjoy|live in|moved to|",
        r"work (?:as|at|for)|am|have|speak|own|want|think|know|can't|cannot|no longer|used to|quit|resigned|",
        r"stopped (?:working|living))\b",
        r"|(?:don't|do not|never|always|usually|often|sometimes) (?:like|love|hate|want|live|work|have|own|eat|",
        r"drink|smoke|drive|enjoy|know|need|believe|care|cook|sleep|watch|play|wear|travel|exercise|go|get|come|",
        r"see|feel|understand|study|teach|swim|run|walk|dance|been|had|learned|wanted)(?:e?s)?\b)",
    );
    /// What is done, or is to be: `never use salt`.
    DONE_OR_TO_BE = r"^(?:never|always|don't|do not)\b";
    /// Those that may be a thing that one likes too: *peace and love*, *food and drink*.
    AMBIGUOUS = concat!(
        r"^(?:(?:really|absolutely|just|still) )*(?:love|like|prefer|work in|study|play|run|teach|write|need|use|",
        r"drive|drink|eat|go|can|travel|commute|will|was|got|grew|spend|do|left|lost|usually|often|sometimes)\b",
    );
    /// What begins a wish without a comma before it.
    ANSWERING = r"^(?:answer|reply|respond)\b";
    /// What governs the verb behind it, and a bare one that is joined to that: `I used to live in
    /// Oslo and work at Statoil`. What one can't stand is governed by nothing.
    GOVERNING = concat!(
        r"(?i)^((?:i(?:['\s][\w']+){0,5}? (?:used|have|had|got|need|needed|want|wanted|plan|planned|planning|going|about|",
        r"decided|refused?|hope|hoping|try|trying|tried|intend|intending|like|love|prefer|expect|wish|able|supposed|",
        r"allowed|meant|aim|agreed|promised|ready|chose) (?:not )?to",
        r"|i(?: \w+){0,2}? (?:will|would|could|should|might|may|must|shall|can|don't|do|did|didn't)(?: not)?",
        r"|i(?: \w+)? (?:won't|can't|cannot|couldn't|wouldn't|shouldn't|mustn't)|i'll|i'd) )(?-i:[a-z])",
    );
    CANNOT_STAND = r"(?i)^i (?:\w+ )?(?:can't|cannot|can not) stand\b";
    PRESENT = r"(?i)\b(?:now|currently|nowadays|today|these days|at the moment)\b";
    BEGINS_PRESENT = r"(?i)^(?:now|currently|nowadays|today|these days|at the moment),? ";
    /// At the end of a clause that says nothing of its own about what it names.
    ENDS_PRESENT = r"(?i)^[^,;:–—]*? (?:now|currently|nowadays|today|these days|at the moment)$";
    USED_TO = r"(?i)\bused to $";
    /// A verb that may be governed, in its bare form.
    BARE = concat!(
        r"^(?:(?:really|absolutely|just|still) )*(?:hate|dislike|enjoy|live|work|have|speak|own|want|think|know|",
        r"love|like|prefer|study|play|run|teach|write|need|use|drive|drink|eat|go|travel|commute|spend|do)\b",
    );
    LEAVING = r"^quit\b";
    LIKING = r"^(?:(?:really|absolutely|just|still) )*(?:hate|dislike|enjoy|love|like|prefer)\b";
    SAYS_I = r"(?i)^(?:i|i'm|i've)\b";
    SAYS_WE = r"(?i)^(?:we|we've)\b";
    SAYS_I_AM = r"(?i)^(?:i'm|i am)\b";
    LIKES = r"(?i)^i (?:\w+ )*?(?:like|love|enjoy|prefer|hate|dislike|stand)\b";
    LIKES_TO = r"(?i)^i (?:\w+ )*?(?:like|love|prefer|hate|want) to\b";
    DENIES_LIKING = concat!(
        r"^(?:(?:really|absolutely|just) )*",
        r"(?:hate|dislike|can't stand|don't like|do not like|no longer like)\b",
    );
}

fn english(said: &str) -> Vec<Clause> {
    let mut all = Vec::new();
    let (mut from, mut begins, mut joined) = (0, Begins::AsItStands, "");
    let mut push = |begins: Begins, clause: &str, joined: &str| {
        all.push(Clause {
            is_unclear: matches!(begins, Begins::Unclear),
            said: format!("{}{clause}", begins.subject()),
            left_out: "",
            joined: joined.to_owned(),
            stands: !leans(clause) && !gives_reason(joined),
        });
    };
    for parting in PARTING.find_iter(said) {
        let clause = &said[from..parting.start()];
        let rest = &said[parting.end()..];
        let told = format!("{}{clause}", begins.subject());
        if let Some(next) = begins_anew(&told, parting.as_str(), rest) {
            push(begins, clause, joined);
            (from, begins, joined) = (parting.end(), next, parting.as_str());
        }
    }
    push(begins, &said[from..], joined);
    all
}

/// How a clause begins behind another.
enum Begins {
    AsItStands,
    /// With this subject, and what governs its verb, which it leaves out.
    With(String),
    /// It orders something, or says what its author does.
    Unclear,
}

impl Begins {
    fn subject(&self) -> &str {
        match self {
            Begins::AsItStands | Begins::Unclear => "",
            Begins::With(subject) => subject,
        }
    }
}

/// Whether what joins a clause to the one before makes them one thought.
pub(super) fn gives_reason(joined: &str) -> bool {
    GIVES_REASON.is_match(joined)
}

/// How what follows a clause begins, if it is a clause of its own.
fn begins_anew(clause: &str, parting: &str, rest: &str) -> Option<Begins> {
    if clause.eq_ignore_ascii_case("from now on") {
        return None;
    }
    if OWN.is_match(rest) {
        return Some(Begins::AsItStands);
    }
    if RELATIVE.is_match(clause) || goes_on_instead(clause, rest) {
        return None;
    }
    if OTHERS.is_match(rest) || begins_with_wish(clause, parting, rest) {
        return Some(Begins::AsItStands);
    }
    if SAYS_WE.is_match(clause) && (GOING_ON.is_match(rest) || AMBIGUOUS.is_match(rest)) {
        return Some(Begins::With("We ".to_owned()));
    }
    if let Some(whom) = kin::goes_on_with(clause, rest) {
        return Some(Begins::With(whom));
    }
    if !SAYS_I.is_match(clause) {
        return is_of_another(rest).then_some(Begins::AsItStands);
    }
    if SAYS_I_AM.is_match(clause) && rest.to_lowercase().starts_with("allergic to ") {
        return Some(Begins::With("I am ".to_owned()));
    }
    let goes_on = GOING_ON.is_match(rest);
    if DONE_OR_TO_BE.is_match(rest) && !goes_on {
        return Some(Begins::Unclear);
    }
    let goes_on = if LIKES_TO.is_match(clause) {
        DENIES_LIKING.is_match(rest)
    } else {
        let is_clear = !LIKES.is_match(clause) || parting.contains("but");
        goes_on || is_clear && AMBIGUOUS.is_match(rest)
    };
    goes_on.then(|| under_what(clause, parting, rest))
}

/// Whether it says what it is instead of what the clause says it is not, or is no more.
fn goes_on_instead(clause: &str, rest: &str) -> bool {
    INSTEAD.is_match(rest) && (NO_NAME.is_match(clause) || changed::says_only_that(clause))
}

/// How a clause begins that goes on with the subject of the one before. A bare verb is under what
/// governs the verb there, unless it is set against it: *but*. Who does not eat meat and like
/// fish may well like it. Only a word of the present in that very clause lifts it out; at its end
/// it does so out of what was: who wants to work there now does not.
fn under_what(clause: &str, parting: &str, rest: &str) -> Begins {
    let is_joined = parting.contains("and") || parting.contains(['&', ',']);
    let is_joined = is_joined && !parting.contains("but") && !parting.contains("yet");
    // `I used to be a nurse and now work at …` says what is so.
    let is_joined = is_joined && !PRESENT.is_match(parting) && !BEGINS_PRESENT.is_match(rest);
    let governing = GOVERNING.captures(clause).filter(|_| !CANNOT_STAND.is_match(clause));
    let Some(governing) = governing.filter(|_| is_joined) else {
        return Begins::With("I ".to_owned());
    };
    let own = &rest[..PARTING.find(rest).map_or(rest.len(), |parting| parting.start())];
    let is_lifted = ENDS_PRESENT.is_match(own) && !RELATIVE.is_match(own);
    if is_lifted && USED_TO.is_match(&governing[1]) {
        return Begins::With("I ".to_owned());
    }
    let is_bare = BARE.is_match(rest) || LEAVING.is_match(rest) && !USED_TO.is_match(&governing[1]);
    match is_bare {
        true if LIKING.is_match(rest) => Begins::Unclear,
        true => Begins::With(governing[1].to_owned()),
        false => Begins::With("I ".to_owned()),
    }
}

/// Whether it goes on with how to answer: `I live in Oslo, answer in Norwegian please`. Who likes
/// to talk and answer in Norwegian orders nothing.
fn begins_with_wish(clause: &str, parting: &str, rest: &str) -> bool {
    let is_apart = parting.contains([',', '–', '—']) || rest.contains("please");
    let is_order = is_apart && wishes::begins_order(rest)
        || wishes::begins_order(rest) && DONE_OR_TO_BE.is_match(rest)
        || ANSWERING.is_match(rest) && !LIKES.is_match(clause) && !LIKES_TO.is_match(clause);
    let ends = PARTING.find_iter(rest).map(|parting| parting.start()).take(3);
    let is_wish = |end: usize| wishes::is_about_answers(&rest[..end]);
    wishes::is_addressed(rest) || is_order && ends.chain([rest.len()]).any(is_wish)
}

patterns! {
    /// `并且` and its like part clauses without a comma too.
    CHINESE_PARTING = r"\s*(?:[，,]\s*(?:而且|并且|但是|不过|可是|但|同时|另外|还有|所以|因为|然后|而)?|而且|并且|但是|不过|同时)\s*";
    /// A name, and what is said after it in the same breath.
    NAMED_AND = r"^(我叫[^，,]{1,10}?)(我?(?:住在|来自).+)$";
    /// A clause that leaves out who it is about, since that was just said.
    UNSAID = concat!(
        r"^(?:现在|目前|也|还|更|很|最|特别|非常|比较|真的|一直)*",
        r"(?:叫|改(?:成|为)?[喝吃抽]|开始[喝吃抽]|住在|搬[到去来]|来自|在.+(?:工作|上班)$|是.+人$|对.+过敏|喜欢|不喜欢|讨厌|爱|不爱|偏好|",
        r"(?:已经|早就)*(?:不再?(?:住|在)|从.+(?:辞职|离职|搬)|辞(?:职|掉|去)))",
    );
    /// One that says more of the same person, in no form that is read.
    GOES_ON = r"^(?:今年|已经|现在|目前|有|是|也|还|会|想|\d)";
    SAYS_ME = concat!(
        r"^我(?:以前|之前|曾经|曾|原来|过去|从前)*(?:叫|的名字|是|来自|也|还|更|很|最|特别|非常|比较|真的|现在|目前|今年|",
        r"住|搬|在|对|喜欢|不|讨厌|爱|偏好|有|会",
        // Who has left goes on with where they are.
        r"|(?:已经|早就|刚刚?|最近|上个?月|去年|今年)*(?:从.+(?:辞职|离职|搬|跳槽)|辞职|离职|辞掉|辞去|搬))",
    );
    /// What was so once: what follows may have been so then, unless it says that it is so now.
    ONCE = r"^我(?:以前|之前|曾经|曾|原来|过去|从前)";
    NOW = r"^我?(?:现在|目前)";
    ALLERGIC_ONCE = r"^我(?:以前|之前|曾经|曾|原来|过去|从前)+(?:是)?对(.{1,20}?)过敏";
    /// What is not liked best of a sort, and what is instead: 我最喜欢的颜色不是蓝色，而是绿色.
    NO_FAVOURITE = r"^(我(?:现在|目前)*最(?:喜欢|喜爱|爱)(?:吃|喝|看|听|玩|读|去)?的\p{Han}{1,8}?)(?:不是|不再是)[^，,]+$";
    /// What somebody of the speaker's is called, and is not called, or the other way round.
    CALLED_ZH = r"^(我(?:的?\p{Han}{1,6}?)?)叫[^，,]+$|^(我的?(?:名字|妻子|老婆|太太|丈夫|老公|妈妈|爸爸|姐姐|妹妹|哥哥|弟弟|儿子|女儿))是[^，,]+$";
    NOT_CALLED_ZH = r"^(我(?:的?\p{Han}{1,6}?)?)不叫[^，,]+$";
    AND_NOT_ZH = r"^(?:而)?不(?:是|叫)(.{1,20})$";
    BUT_ZH = r"^(?:而是|是|叫|而叫)(.{1,20})$";
    FAVOURITE_INSTEAD = r"^(?:现在)?(?:而)?是(.{1,20})$";
    ALLERGIC_NO_MORE = r"^我?(?:现在|目前)(?:已经|早就|都|完全)*(?:不再|不|再也不)(?:会)?过敏了?$";
}

/// The same, of somebody whom the speaker has. It is about them from here on:
/// `老婆叫小红，住在上海`.
static OF_KIN: LazyLock<Regex> =
    LazyLock::new(|| regex(&format!("^(?:{})(?:叫|是)", chinese::KIN.join("|"))));

fn chinese(said: &str) -> Vec<Clause> {
    let mut all: Vec<Clause> = Vec::new();
    let (mut is_of_me, mut is_of_once) = (false, false);
    let mut allergic = None;
    for (joined, piece) in pieces(said) {
        let pieces = match NAMED_AND.captures(piece) {
            Some(both) => vec![both[1].to_owned(), both[2].to_owned()],
            None => vec![piece.to_owned()],
        };
        for (nth, piece) in pieces.into_iter().enumerate() {
            // 现在不过敏了 says of what the clause before named.
            let piece = match allergic.take().filter(|_| ALLERGIC_NO_MORE.is_match(&piece)) {
                Some(what) => format!("我现在不对{what}过敏了"),
                None => all.last().and_then(|last| instead(&last.said, &piece)).unwrap_or(piece),
            };
            allergic = ALLERGIC_ONCE.captures(&piece).map(|said| said[1].to_owned());
            is_of_once = ONCE.is_match(&piece) || is_of_once && !NOW.is_match(&piece);
            let of_kin = OF_KIN.is_match(&piece);
            let last = all.last().map(|last| last.said.as_str());
            is_of_me |= last
                .is_some_and(|last| last.starts_with('我') && chinese::is_kin_beside(last, &piece));
            let leaves_out = of_kin || UNSAID.is_match(&piece);
            let says_me = SAYS_ME.is_match(&piece);
            is_of_me = says_me || is_of_me && (leaves_out || GOES_ON.is_match(&piece));
            let is_mine = is_of_me && leaves_out && !is_of_once;
            let stands = (is_of_me || all.is_empty()) && !leans(&piece) && !gives_reason(joined);
            all.push(Clause {
                left_out: if is_of_me && !is_mine && !says_me { "我" } else { "" },
                said: if is_mine { format!("我{piece}") } else { piece },
                joined: if nth == 0 { joined.to_owned() } else { String::new() },
                stands,
                is_unclear: false,
            });
            is_of_me &= !of_kin;
        }
    }
    all
}

/// What is liked best of a sort, where the clause before says what is not.
fn instead(before: &str, piece: &str) -> Option<String> {
    let own = |found: &regex::Captures<'_>| {
        found.get(1).or(found.get(2)).map(|who| who.as_str().to_owned())
    };
    if let Some((called, not)) = CALLED_ZH.captures(before).zip(AND_NOT_ZH.captures(piece)) {
        return Some(format!("{}不叫{}", own(&called)?, &not[1]));
    }
    if let Some((not, called)) = NOT_CALLED_ZH.captures(before).zip(BUT_ZH.captures(piece)) {
        return Some(format!("{}叫{}", &not[1], &called[1]));
    }
    if let Some(changed) = changed::joined_in_chinese(before, piece) {
        return Some(changed);
    }
    let of = NO_FAVOURITE.captures(before)?;
    let now = FAVOURITE_INSTEAD.captures(piece)?;
    Some(format!("{}是{}", &of[1], &now[1]))
}

fn japanese(said: &str) -> Vec<Clause> {
    let told = japanese::clauses(said).into_iter().enumerate();
    let clause = |(nth, said): (usize, String)| Clause {
        left_out: "",
        is_unclear: false,
        stands: (nth == 0 || said.starts_with('私')) && !leans(&said),
        joined: if nth == 0 { String::new() } else { "、".to_owned() },
        said,
    };
    told.map(clause).collect()
}

/// What stands between commas, each with what stands before it; `1,000` is one number.
fn pieces(said: &str) -> Vec<(&str, &str)> {
    let mut pieces = Vec::new();
    let (mut from, mut joined) = (0, "");
    for parting in CHINESE_PARTING.find_iter(said) {
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let (before, after) = (&said[..parting.start()], &said[parting.end()..]);
        if is_digit(before.chars().next_back()) && is_digit(after.chars().next()) {
            continue;
        }
        // 不过敏 is no allergy, and no *but*.
        if parting.as_str().ends_with("不过") && after.starts_with('敏') {
            continue;
        }
        pieces.push((joined, &said[from..parting.start()]));
        (from, joined) = (parting.end(), parting.as_str());
    }
    pieces.push((joined, &said[from..]));
    pieces.retain(|(_, piece)| !piece.is_empty());
    pieces
}
