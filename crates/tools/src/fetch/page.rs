//! What was fetched, as text.

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
    let converter = HtmlToMarkdown::builder()
        .skip_tags(vec!["script", "style", "noscript", "template", "svg", "iframe", "head"])
        .build();
    let title = title(&decoded).map(|title| format!("# {title}\n\n")).unwrap_or_default();
    match converter.convert(&decoded) {
        Ok(markdown) => format!("{title}{}", markdown.trim()),
        // Half a page is better read raw than not at all.
        Err(_) => decoded,
    }
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
