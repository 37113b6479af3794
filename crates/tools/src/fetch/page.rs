//! What was fetched, as text.

mod tree;

use encoding_rs::{Encoding, UTF_8};
use htmd::HtmlToMarkdown;
use reqwest::Url;

/// Whether a content type is one of text. What says nothing is looked at.
pub(super) fn is_text(kind: &str) -> bool {
    let essence = essence(kind);
    let is_named = matches!(
        essence.as_str(),
        "" | "application/json"
            | "application/xml"
            | "application/xhtml+xml"
            | "application/javascript"
            | "application/x-javascript"
            | "application/yaml"
            | "application/x-yaml"
            | "application/toml"
            | "application/x-ndjson"
    );
    is_named
        || essence.starts_with("text/")
        || essence.ends_with("+json")
        || essence.ends_with("+xml")
}

/// The text of a body, of a web page as Markdown.
pub(super) fn text(body: &[u8], kind: &str, url: &Url) -> String {
    let decoded = decoded(body, kind);
    if decoded.contains('\0') {
        return format!("[{url} is no text: {} bytes]", body.len());
    }
    let is_page = matches!(essence(kind).as_str(), "text/html" | "application/xhtml+xml");
    if !is_page {
        return decoded;
    }
    let title = title(&decoded).map(|title| format!("# {title}\n\n")).unwrap_or_default();
    match tree::of(&decoded) {
        Ok(tree) => {
            let converter = HtmlToMarkdown::builder().skip_tags(UNSEEN.to_vec()).build();
            format!("{title}{}", converter.tree_to_markdown(&tree).trim())
        }
        Err(why) => format!("{title}[{why}, so these are its words alone]\n{}", words(&decoded)),
    }
}

/// What of a page nobody reads.
const UNSEEN: [&str; 7] = ["script", "style", "noscript", "template", "svg", "iframe", "head"];

/// What stands between the tags, of a page that is not taken apart.
fn words(page: &str) -> String {
    let (mut words, mut rest) = (String::new(), page);
    while let Some(at) = rest.find('<') {
        words.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        let ends = match name.to_ascii_lowercase().as_str() {
            // Programs and rules for how it looks, to their ends.
            "script" => rest.find("</script"),
            "style" => rest.find("</style"),
            _ if name.is_empty() && !rest.starts_with(['/', '!', '?']) => {
                words.push('<');
                continue;
            }
            _ => rest.find('>').map(|at| at + 1),
        };
        rest = ends.map_or("", |ends| &rest[ends..]);
        words.push(' ');
    }
    words.push_str(rest);
    let lines = words.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn essence(kind: &str) -> String {
    kind.split(';').next().unwrap_or_default().trim().to_lowercase()
}

/// As the header says, else as the page says of itself, else as UTF-8.
fn decoded(body: &[u8], kind: &str) -> String {
    const HEAD_BYTES: usize = 1024;
    let head = String::from_utf8_lossy(&body[..body.len().min(HEAD_BYTES)]).to_lowercase();
    let encoding = charset(&kind.to_lowercase()).or_else(|| charset(&head)).unwrap_or(UTF_8);
    let (text, _, _) = encoding.decode(body);
    text.into_owned()
}

fn charset(text: &str) -> Option<&'static Encoding> {
    let (_, after) = text.split_once("charset=")?;
    let name = after.trim_start_matches(['"', '\'']);
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c)));
    Encoding::for_label(&name.as_bytes()[..end.unwrap_or(name.len())])
}

fn title(page: &str) -> Option<String> {
    let lower = page.to_ascii_lowercase();
    let begins = lower.find("<title")?;
    let begins = begins + lower[begins..].find('>')? + 1;
    let ends = begins + lower[begins..].find("</title")?;
    let words: Vec<&str> = page[begins..ends].split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &[u8], kind: &str) -> String {
        text(body, kind, &Url::parse("https://example.org/").expect("an address"))
    }

    #[test]
    fn a_page_becomes_markdown_and_other_text_stays_as_it_is() {
        let page = "<html><head><title>Tea\n shop</title><style>p{}</style></head><body><script>evil()</script><h2>Green</h2><p>From <a href=\"/a\">Uji</a>, <b>fresh</b>.</p><ul><li>one</li></ul></body></html>";
        assert_eq!(
            of(page.as_bytes(), "text/html; charset=utf-8"),
            "# Tea shop\n\n## Green\n\nFrom [Uji](/a), **fresh**.\n\n*   one"
        );
        assert_eq!(of(b"{\"a\": \"<b>\"}", "application/json"), "{\"a\": \"<b>\"}");
        assert_eq!(of(b"<b>raw</b>", "text/plain"), "<b>raw</b>");
        assert_eq!(of(b"\0\x01", ""), "[https://example.org/ is no text: 2 bytes]");
    }

    /// Each with a thread of its own, whose stack is as large as usual.
    fn on_a_usual_stack(page: String) -> String {
        let read = move || of(page.as_bytes(), "text/html");
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(read);
        thread.expect("a thread").join().expect("it is read")
    }

    #[test]
    fn a_page_of_whatever_shape_is_read_on_a_usual_stack() {
        const MOST_BYTES: usize = 4 << 20;
        let full = |part: &str| part.repeat(MOST_BYTES / part.len());
        for (page, why) in [
            (full("<div>"), "deep"),
            (full("<b>"), "deep"),
            (full("<div></p>"), "deep"),
            (full("<b><div></b>"), "deep"),
            (full("<div><!--</div>-->"), "deep"),
            (full("<svg><tr>"), "deep"),
            (full("<table><div>"), "many"),
            (full("<template>"), "deep"),
            (full("<a>"), "many"),
            (format!("<p>{}{}", full_of_names(250), full("<p>x")), "many"),
        ] {
            let begins: String = page.chars().take(20).collect();
            let read = on_a_usual_stack(format!("<title>Tea</title>green{page}"));
            assert!(read.starts_with("# Tea\n\n[its parts "), "{begins}: {}", &read[..60]);
            assert!(read.lines().nth(2).is_some_and(|note| note.contains(why)), "{begins}");
            assert!(read.contains("green"), "{begins}");
        }
        for (tag, levels) in [("div", 250), ("i", 250), ("blockquote", 250), ("ul><li", 120)] {
            let deep = format!("<{tag}>").repeat(levels) + "<p>tea</p>";
            let read = on_a_usual_stack(deep);
            assert!(read.contains("tea") && !read.contains("its words alone"), "{tag}");
        }
        // One that leaves out the ends of its parts is not deep.
        let list = "<ul>".to_owned() + &"<li>tea".repeat(3000) + "</ul>";
        assert!(on_a_usual_stack(list).ends_with("\n*   tea"));
    }

    fn full_of_names(many: usize) -> String {
        (0..many).map(|n| format!("<b a={n}>")).collect()
    }

    #[test]
    fn of_a_page_that_is_not_taken_apart_its_words_stay() {
        let page = "<h1 class=a>Tea</h1><script>evil('<b>')</script>\n\n<style>p{}</style>1 < 2<br>a&lt;b<!-- no -->\n<p";
        assert_eq!(words(page), "Tea\n1 < 2 a&lt;b");
    }

    #[test]
    fn a_page_of_another_encoding_is_read_as_it_says() {
        let gbk = b"\xb1\xb1\xbe\xa9";
        assert_eq!(of(gbk, "text/plain; charset=GBK"), "北京");
        let mut page = b"<meta charset=\"gb2312\"><p>".to_vec();
        page.extend_from_slice(gbk);
        assert_eq!(of(&page, "text/html"), "北京");
        assert_eq!(of("北京".as_bytes(), "text/plain"), "北京");
        assert_eq!(of(b"caf\xe9", "text/plain; charset=nonsense"), "caf\u{fffd}");
    }

    #[test]
    fn only_text_is_taken() {
        for kind in ["", "text/csv", "TEXT/HTML;charset=x", "application/ld+json", "image/svg+xml"]
        {
            assert!(is_text(kind), "{kind}");
        }
        for kind in ["image/png", "application/pdf", "application/octet-stream", "video/mp4"] {
            assert!(!is_text(kind), "{kind}");
        }
    }
}
