//! No secret gets through, in whatever form and however it is cut; and ordinary
//! text does.

use super::*;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use proptest::prelude::*;

const KEY: &str = "my+very/secret \"key\" of 2026";

fn redactor(value: &str) -> Redactor {
    let redactor = Redactor::default();
    redactor.learn("openai", &Secret::from(value));
    redactor
}

#[track_caller]
fn check(redactor: &Redactor, cases: &[(&str, &str)]) {
    for (text, clean) in cases {
        assert_eq!(redactor.redact(text), *clean);
    }
}

#[test]
fn a_known_value_is_found_in_every_form() {
    let redactor = redactor(KEY);
    let json = serde_json::to_string(KEY).unwrap();
    let in_json = serde_json::to_string(&json).unwrap();
    check(
        &redactor,
        &[
            (KEY, "[redacted openai]"),
            (&format!("a{KEY}b {KEY}"), "a[redacted openai]b [redacted openai]"),
            (&json, "\"[redacted openai]\""),
            (&in_json, "\"\\\"[redacted openai]\\\"\""),
            ("my+very\\/secret \\\"key\\\" of 2026", "[redacted openai]"),
            ("k=my%2Bvery%2Fsecret%20%22key%22%20of%202026", "k=[redacted openai]"),
            ("k=my%2bvery%2fsecret+%22key%22+of+2026&x", "k=[redacted openai]&x"),
            (&hex(KEY), "[redacted openai]"),
            (&hex(KEY).to_uppercase(), "[redacted openai]"),
            (&format!("data:{}", STANDARD.encode(KEY)), "data:[redacted openai]"),
        ],
    );
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_key_in_a_header_is_found_whatever_user_stands_before_it() {
    let redactor = redactor("0123456789-abcdef");
    for user in ["", "a", "ab", "abc", "someone@a.example"] {
        let header = STANDARD.encode(format!("{user}:0123456789-abcdef"));
        let text = format!("Authorization: Basic {header}\r\nHost: a.example");
        let clean = "Authorization: Basic [redacted openai]\r\nHost: a.example";
        assert_eq!(redactor.redact(&text), clean);
    }
}

#[test]
fn keys_of_well_known_shapes_are_found_without_being_known() {
    let many = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    let private = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbg\n-----END OPENSSH PRIVATE KEY-----";
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";
    check(
        &Redactor::default(),
        &[
            (&format!("key sk-{many}, then"), "key [redacted], then"),
            (&format!("sk-ant-api03-{many}-{many}_AA"), "[redacted]"),
            (&format!("sk-proj-{many}\n"), "[redacted]\n"),
            (&format!("?key=AIza{many}&alt=sse"), "?key=[redacted]&alt=sse"),
            (&format!("(ghp_{many})"), "([redacted])"),
            (&format!("github_pat_{many}"), "[redacted]"),
            (&format!("'xai-{many}'"), "'[redacted]'"),
            (&format!("gsk_{many} hf_{many}"), "[redacted] [redacted]"),
            ("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", "[redacted]"),
            ("sk-da39a3ee5e6b4b0d3255bfef95601890", "[redacted]"),
            ("glpat-x8Y2kPqW3sLmN0aBcDeF", "[redacted]"),
            ("xoxb-123456789012-1234567890123-4mt0t4l1YK3yZ9bQwErTyUiO", "[redacted]"),
            ("AKIAIOSFODNN7EXAMPLE", "[redacted]"),
            ("sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH", "[redacted]"),
            (
                "Authorization: Basic dXNlcjpwYXNzd29yZA==\r\n",
                "Authorization: Basic [redacted]\r\n",
            ),
            (
                "{\"proxy-authorization\":\"basic YTpiY2Rl\"}",
                "{\"proxy-authorization\":\"basic [redacted]\"}",
            ),
            (&format!("authorization: bearer {many}"), "authorization: bearer [redacted]"),
            (&format!("Authorization: Bearer {many}"), "Authorization: Bearer [redacted]"),
            (&format!("\"x-api-key\":\"{many}\""), "\"x-api-key\":\"[redacted]\""),
            (
                &format!("{{\\\"api_key\\\": \\\"{many}\\\"}}"),
                "{\\\"api_key\\\": \\\"[redacted]\\\"}",
            ),
            (&format!("MISTRAL_API_KEY={many}"), "MISTRAL_API_KEY=[redacted]"),
            (&format!("line\\nsk-{many}"), "line\\n[redacted]"),
            (&format!("to%3Dsk-{many}"), "to%3D[redacted]"),
            (&format!("t: {jwt}."), "t: [redacted]."),
            (&format!("a {private} b"), "a [redacted] b"),
            ("-----BEGIN PRIVATE KEY-----\nMIIE", "[redacted]"),
        ],
    );
}

#[test]
fn ordinary_text_is_left_alone() {
    let ordinary = [
        "the risk-averse task-force asked for sk-learn, in the sk-SK locale",
        "Bearer tokens are sent as Authorization: Bearer <token>",
        "set OPENAI_API_KEY and start Coterie again; basic authentication is off",
        "{\"key_env\":\"OPENAI_API_KEY\",\"models\":[]}",
        "0195f3c1-77aa-7c3e-8d1f-0a1b2c3d4e5f and da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "api_key: see the documentation; ghp_short; AKIA",
        "I added a basic tests/test_login_v2.py file, and call hf_tokenizer_from_pretrained_v2() in it.",
        "Use the basic python3.12/site-packages layout; a basic dXNlcjpwYXNzd29yZA== is no header",
        "Authorization: Basic authentication-v2-of-the-server",
        "def hf_tokenizer_from_pretrained_v2(x): return hf_hub_download_model_files_v2(x)",
        ".sk-toggleable__label-arrow, .sk-estimator-doc-link { } .sk-MenuItem__isActive2--onHover",
        "#sk-container-id-12 div.sk-parallel-item-2-of-10, sk-circle-fade-dot-animation-1",
        "api_key = 'test-key-1234'; access_token: your-access-token-2; client_secret=change_me_now_123",
        "npm_config_registry_with_fallback_host_v2, npm_package_dependencies_typescript_5",
        "fw_update_progress_callback_v3 and fw_cfg_init_io_dma_bytes_2024_01_15",
        "r8_quantized_render_target_format_to_r16_snorm, pplx-embed-context-small-model-v1",
        "ASIA_PACIFIC_REGION_SETTINGS_2024, AKIA_EXAMPLE_OF_A_CONSTANT_1",
        "the bearer python3.12/site-packages/tests and bearer tests/test_bearer_tokens_v2.py",
        "?key=collections/fiction-2024/page-12&key=an-ordinary-name-1 hf_TestCaseV2ForModelLoader",
        "task-sk-SK-utf8mb4-unicode-collation, sk-sha256-checksum-of-base64url-file",
        "git show e83c5163316f89bfbde7d9ab23ca2e25604af290 -- crates/secrets/src/redactor/shapes.rs",
        "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6 {\"api_key_id\":\"none-of-them-yet-1\"}",
        "https://example.com/a/basic tutorials/chapter-03/index.html?key=getting-started-2",
        "用量：sk-是前缀",
    ];
    for text in ordinary {
        assert!(matches!(Redactor::default().redact(text), Cow::Borrowed(_)), "{text}");
    }
}

#[test]
fn values_that_are_words_are_not_taken_out() {
    for value in [
        "ollama",
        "short 7",
        "lm-studio",
        "LM-Studio",
        "anything",
        "Anything",
        "DUMMYKEY",
        "emptyempty",
    ] {
        let text = format!("{value} runs {value}");
        assert_eq!(redactor(value).redact(&text), text);
    }
}

#[test]
fn each_secret_goes_by_its_name_and_the_old_value_is_still_known() {
    let redactor = redactor("the first value");
    redactor.learn("openai", &Secret::from("the second value"));
    redactor.learn("groq", &Secret::from("second value of all"));
    check(
        &redactor,
        &[
            ("the first value, the second value", "[redacted openai], [redacted openai]"),
            ("the second value of all", "[redacted openai]"),
            ("a second value of all", "a [redacted groq]"),
        ],
    );
}

#[test]
fn what_stands_behind_a_scheme_or_in_a_record_is_known_by_itself() {
    let redactor = redactor("Bearer 0123-4567-89ab");
    let record = r#"{"tokens":{"access_token":"in-0123-4567","scope":"read everything"}}"#;
    redactor.learn("mcp/a/sign-in", &Secret::from(record));
    check(
        &redactor,
        &[
            ("it is 0123-4567-89ab", "it is [redacted openai]"),
            ("it is in-0123-4567", "it is [redacted mcp/a/sign-in]"),
            ("read everything", "read everything"),
        ],
    );
}

#[test]
fn a_private_key_is_found_indented_too() {
    let redactor =
        redactor("-----BEGIN X-----\nAAAAAAAAAAAAAAAAAAAAAAAA\nBBBBBBBBBBBBBBBBBBBBBBBB\n");
    check(
        &redactor,
        &[(
            "  AAAAAAAAAAAAAAAAAAAAAAAA\n  BBBBBBBBBBBBBBBBBBBBBBBB",
            "  [redacted openai]\n  [redacted openai]",
        )],
    );
}

#[test]
fn a_log_gets_whole_lines_without_secrets() {
    let redactor = redactor("the first value");
    let mut log = Vec::new();
    let mut writer = redactor.writer(&mut log);
    for half in ["one the fir", "st value\ntwo: the fi", "rst value"] {
        writer.write_all(half.as_bytes()).unwrap();
    }
    drop(writer);
    assert_eq!(String::from_utf8(log).unwrap(), "one [redacted openai]\ntwo: [redacted openai]");
}

#[test]
fn a_stream_shows_at_once_what_can_not_become_a_secret() {
    let redactor = redactor("the first value");
    let mut stream = redactor.stream();
    let shown = ["Hello, ", "it is the", " first", " day; the first", " value", "."];
    let shown: Vec<String> = shown.iter().map(|piece| stream.push(piece)).collect();
    assert_eq!(shown, ["Hello, ", "it is ", "", "the first day; ", "[redacted openai]", "."]);
    assert_eq!(stream.finish(), "");
}

#[test]
fn a_stream_holds_back_the_beginning_of_a_key_and_gives_it_at_the_end() {
    let mut stream = Redactor::default().stream();
    assert_eq!([stream.push("my s"), stream.push("k-learn"), stream.push("er")], ["my ", "", ""]);
    assert_eq!(stream.push(" is"), "sk-learner is");
    assert_eq!(stream.push(" sk-a"), " ");
    assert_eq!(stream.finish(), "sk-a");
}

/// Texts in which secrets and what resembles them stand close together.
fn text(with_base64: bool) -> impl Strategy<Value = String> {
    let base64 = if with_base64 {
        [STANDARD.encode(KEY), URL_SAFE.encode(format!("user:{KEY}"))]
    } else {
        ["c".to_owned(), "d".to_owned()]
    };
    let [base64, in_base64] = base64;
    let many = "a1B2c3D4e5F6g7H8i9J0";
    let piece = prop_oneof![
        Just(KEY.to_owned()),
        Just(hex(KEY)),
        Just(base64),
        Just(in_base64),
        Just(serde_json::to_string(KEY).unwrap()),
        Just(format!("sk-{many}")),
        Just(format!("Bearer {many}")),
        Just(format!("api_key={many}")),
        Just("-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----".to_owned()),
        Just("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----".to_owned()),
        "[ -~]{0,6}",
        "\\PC{0,4}",
        Just("my+very/sec".to_owned()),
        Just("b".to_owned()),
        Just(" ".to_owned()),
        Just("字".to_owned()),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn nothing_of_a_known_value_is_left(text in text(true)) {
        let clean = redactor(KEY).redact(&text).into_owned();
        for form in [KEY.to_owned(), hex(KEY), STANDARD.encode(KEY), escaped()] {
            prop_assert!(!clean.contains(form.trim_end_matches('=')), "{clean}");
        }
    }

    #[test]
    fn a_value_is_found_in_base64_of_anything_around_it(
        before in prop::collection::vec(any::<u8>(), 0..9),
        after in prop::collection::vec(any::<u8>(), 0..9),
    ) {
        let bytes = [&before[..], KEY.as_bytes(), &after[..]].concat();
        for text in [STANDARD.encode(&bytes), URL_SAFE.encode(&bytes)] {
            let clean = redactor(KEY).redact(&text).into_owned();
            prop_assert_eq!(clean, "[redacted openai]");
        }
    }

    #[test]
    fn a_stream_shows_the_same_however_it_is_cut(
        text in text(false),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let redactor = redactor(KEY);
        let at = pieces(&text, &cuts);
        prop_assert_eq!(streamed(&redactor, &at), redactor.redact(&text).into_owned());
    }

    /// The first letters of its base64 may be another word's and gone already.
    #[test]
    fn a_stream_shows_nothing_of_a_value_in_base64(
        text in text(true),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let shown = streamed(&redactor(KEY), &pieces(&text, &cuts));
        for form in forms::of("openai", KEY) {
            prop_assert!(!shown.contains(&form.text), "{shown}");
        }
    }
}

fn pieces<'a>(text: &'a str, cuts: &[prop::sample::Index]) -> Vec<&'a str> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
    at.retain(|at| text.is_char_boundary(*at));
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect()
}

fn streamed(redactor: &Redactor, pieces: &[&str]) -> String {
    let mut stream = redactor.stream();
    let shown: String = pieces.iter().map(|piece| stream.push(piece)).collect();
    shown + &stream.finish()
}

#[test]
fn a_long_token_is_found_whole_cut_off_and_in_a_stream() {
    let token: String = (0..2_000).map(|n| char::from(b'a' + (n * n % 26) as u8)).collect();
    let redactor = redactor(&token);
    let cut_off = &token[..500];
    check(
        &redactor,
        &[
            (&format!("a {token} b"), "a [redacted openai] b"),
            (&format!("a {cut_off}… b"), "a [redacted openai]… b"),
            (&format!("a {} b", STANDARD.encode(&token)), "a [redacted openai] b"),
        ],
    );
    let text = format!("a {token} b");
    let pieces: Vec<&str> =
        text.as_bytes().chunks(7).map(|c| std::str::from_utf8(c).unwrap()).collect();
    assert_eq!(streamed(&redactor, &pieces), "a [redacted openai] b");
}

fn escaped() -> String {
    serde_json::to_string(KEY).unwrap().trim_matches('"').to_owned()
}

#[test]
fn what_a_person_writes_loses_known_values_alone() {
    let redactor = Redactor::default();
    redactor.learn("provider/acme", &Secret::from("acme-0123-4567-89ab"));
    let looks_like_one = "use sk-a1B2c3D4e5F6g7H8i9J0 as an example";
    assert_eq!(redactor.redact_known(looks_like_one), looks_like_one);
    assert_ne!(redactor.redact(looks_like_one), looks_like_one);
    assert_eq!(
        redactor.redact_known("mine: acme-0123-4567-89ab"),
        "mine: [redacted provider/acme]"
    );
}

#[test]
fn what_a_program_acts_on_loses_known_values_alone() {
    let redactor = redactor("acme-0123-4567-89ab");
    let mut stream = redactor.json_stream();
    let file =
        "{\"text\":\"sk-a1B2c3D4e5F6g7H8i9J0 api_key=a1B2c3D4e5F6g7H8 acme-0123-4567-89ab\"}";
    let written: String = file.chars().map(|c| stream.push(&c.to_string())).collect();
    let expected = file.replace("acme-0123-4567-89ab", "[redacted openai]");
    assert_eq!(written + &stream.finish(), expected);
}

#[test]
fn a_stream_says_whether_something_was_taken_out() {
    let redactor = Redactor::default();
    redactor.learn("provider/acme", &Secret::from("acme-0123-4567-89ab"));
    let mut stream = redactor.stream();
    assert_eq!(stream.push("nothing here ") + &stream.finish(), "nothing here ");
    assert!(!stream.has_redacted());
    assert_eq!(stream.push("acme-0123-4567-89ab.") + &stream.finish(), "[redacted provider/acme].");
    assert!(stream.has_redacted());
}

#[test]
fn a_value_is_found_behind_whatever_escapes() {
    let redactor = Redactor::default();
    redactor.learn("provider/acme", &Secret::from("k9&Qw<e>r/tY+uI=o7P"));
    for escaped in [
        r"k9\u0026Qw\u003ce\u003er/tY+uI=o7P",
        r"k9\u0026Qw\u003Ce\u003Er\/tY\u002buI=o7P",
        "k9&amp;Qw&lt;e&gt;r/tY+uI=o7P",
        "k9&#38;Qw&#x3c;e>r&#47;tY+uI=o7P",
        "k9%26Qw<e>r/tY+uI%3do7P",
        r"k9\\u0026Qw\\u003ce\\u003er\\/tY+uI=o7P",
        "k9&amp;amp;Qw&amp;lt;e&amp;gt;r/tY+uI=o7P",
        r"k9\u0026amp;Qw\u0026lt;e\u0026gt;r/tY+uI=o7P",
        r"\u006b\u0039&Qw<e>r/tY+uI=o7P",
    ] {
        let text = format!("{{\"a\": \"\\n{escaped}.\"}} & so on");
        let expected = "{\"a\": \"\\n[redacted provider/acme].\"} & so on";
        assert_eq!(redactor.redact(&text), expected, "{escaped}");
        assert_eq!(redactor.redact_known(&text), expected, "{escaped}");
    }
    let nothing = r"k9\u0026 & &amp; 100 % \\server";
    assert_eq!(redactor.redact(nothing), nothing);
}
