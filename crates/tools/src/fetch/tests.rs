//! A real server on this machine, and the ways to be led to one.

use super::*;
use domain::{AgentId, CallId, RunId};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Answers each connection with what stands for its path.
async fn server(answers: &'static [(&'static str, &'static str)]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = [0; 2048];
            let length = stream.read(&mut asked).await.unwrap_or(0);
            let asked = String::from_utf8_lossy(&asked[..length]).into_owned();
            let path = asked.split(' ').nth(1).unwrap_or_default();
            let answer = answers.iter().find(|(name, _)| *name == path);
            let answer = answer.map_or("HTTP/1.1 404 Not Found\r\n\r\n", |(_, answer)| answer);
            let answer = answer.replace("PORT", &port.to_string());
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    port
}

fn with(near: &[String]) -> CallContext {
    CallContext {
        key: CallId(Uuid::nil()),
        agent: AgentId(Uuid::nil()),
        run: RunId(Uuid::nil()),
        place: Place { near_hosts: near.to_vec(), ..Place::default() },
        target: None,
        stop: CancellationToken::new(),
        progress: Default::default(),
    }
}

async fn fetch(url: &str, near: &[String]) -> (bool, String) {
    let returned = Fetch::new().call(json!({"url": url}), &with(near)).await;
    (returned.ok, returned.text)
}

#[tokio::test]
async fn a_page_is_fetched_and_where_an_address_leads_on_to_is_told() {
    let port = server(&[
        ("/", "HTTP/1.1 302 Found\r\nLocation: /page\r\nContent-Length: 0\r\n\r\n"),
        ("/page", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<h1>Tea</h1><p>is <em>good</em></p>"),
        ("/picture", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5\r\n\r\n12345"),
        ("/lost", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"),
        ("/away", "HTTP/1.1 302 Found\r\nLocation: http://localhost:PORT/page\r\nContent-Length: 0\r\n\r\n"),
    ])
    .await;
    let host = format!("127.0.0.1:{port}");
    let near = [host.clone()];
    let page = (true, "# Tea\n\nis *good*".to_owned());
    assert_eq!(fetch(&format!("http://{host}/page#part"), &["127.0.0.1".into()]).await, page);
    let check = async |path: &str, expected: &str| {
        let (ok, text) = fetch(&format!("http://{host}{path}"), &near).await;
        assert_eq!((ok, text), (false, expected.replace("HOST", &host)));
    };
    check("/picture", "http://HOST/picture is no text but image/png, 5 bytes").await;
    check("/lost", "http://HOST/lost leads on to nowhere").await;
    let on = "http://HOST/ leads on to http://HOST/page; fetch that if it is what you want";
    check("/", on).await;
    check("/none", "http://HOST/none answers 404 Not Found").await;
    let away = format!(
        "http://HOST/away leads on to http://localhost:{port}/page; fetch that if it is what you want"
    );
    check("/away", &away).await;
}

#[tokio::test]
async fn nothing_near_is_reached_however_it_is_named() {
    let port =
        server(&[("/", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nthe secret")]).await;
    let hosts = [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "127.1",
        "0x7f.1",
        "2130706433",
        "0177.0.0.1",
        "0.0.0.0",
        "0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:0:0:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "169.254.169.254",
        "10.0.0.1",
        "192.168.0.1",
        "172.16.0.1",
        "１２７.0.0.1",
        "127。0。0。1",
    ];
    for host in hosts {
        let (ok, text) = fetch(&format!("http://{host}:{port}/"), &[]).await;
        assert!(!ok && !text.contains("the secret"), "{host}: {text}");
        assert!(text.contains("this machine or the network around it"), "{host}: {text}");
    }
    // Let through by one name and port, it is not by another.
    let near = [format!("127.0.0.1:{port}")];
    assert!(fetch(&format!("http://127.0.0.1:{port}/"), &near).await.0);
    assert!(!fetch(&format!("http://localhost:{port}/"), &near).await.0);
    assert!(!fetch(&format!("http://127.0.0.1:{}/", port ^ 1), &near).await.0);
}

#[tokio::test]
async fn what_is_no_web_address_is_refused_before_anybody_is_asked() {
    let place = Place::default();
    let check = |url: &str, expected: &str| {
        let refused = Fetch::new().stakes(&json!({"url": url}), &place).expect_err("refused");
        assert_eq!(refused, format!("`{url}` was not fetched: {expected}"));
    };
    check("example.org", "it is no whole address; give it with https://");
    check("file:///etc/passwd", "only http:// and https:// addresses can be fetched");
    check("https://me:pass@example.org/", "it holds a name or a password, which go nowhere");
    check("http://127.0.0.1/", NEAR);
    let url = json!({"url": "https://Example.org/a/../b?c=d#e"});
    let stakes = Fetch::new().stakes(&url, &place).expect("possible");
    assert_eq!(stakes.target.as_deref(), Some("https://example.org/b?c=d"));
    assert_eq!(stakes.like.as_deref(), Some("https://example.org/*"));
}

#[test]
fn what_lets_a_host_through_is_the_name_of_one() {
    for near in ["nas", "NAS.local:8080", "192.168.1.7", "[::1]", "[::1]:8080", "my_host"] {
        assert!(names_a_host(near), "{near}");
    }
    let wrong = [
        "",
        " ",
        "*",
        "*.local",
        "10.0.0.0/8",
        "http://nas",
        "nas/x",
        "::1",
        "nas:",
        "nas:x",
        "a b",
        "u@nas",
    ];
    for near in wrong {
        assert!(!names_a_host(near), "{near}");
    }
}

#[test]
fn an_address_is_also_read_without_signs_that_stand_for_others() {
    let given = |url: &str| {
        let stakes = Fetch::new().stakes(&json!({"url": url}), &Place::default());
        stakes.expect("an address that may be asked").given.expect("it has one")
    };
    for (url, reads) in [
        ("https://a.org/v1/models", "https://a.org/v1/models"),
        ("HTTPS://A.org:443//v1/./models#x", "https://a.org/v1/models"),
        ("https://a.org/%76%31/models", "https://a.org/v1/models"),
        ("https://a.org/x%2fv1//models/", "https://a.org/x/v1/models/"),
        ("https://a.org/x/%2e%2e/v1/models?n=%31", "https://a.org/v1/models?n=1"),
        ("https://a.org/%E7%A7%81%E5%AF%86/x", "https://a.org/私密/x"),
        ("https://a.org/../..", "https://a.org/"),
    ] {
        assert_eq!(given(url), reads, "{url}");
    }
}

#[test]
fn an_address_that_hides_a_step_up_is_not_asked() {
    for path in
        ["public/..%2fmd", "public/..%5cmd", "public/..;/md", "public/%252e%252e/md", "a%2f.%2e"]
    {
        let arguments = json!({"url": format!("https://a.org/{path}")});
        let refused = Fetch::new().stakes(&arguments, &Place::default());
        assert!(refused.is_err_and(|why| why.contains("hides a `..`")), "{path}");
    }
    for path in ["public/../md", "a..b/c", "...", "wiki/100%25", "q?x=..%2f"] {
        let arguments = json!({"url": format!("https://a.org/{path}")});
        assert!(Fetch::new().stakes(&arguments, &Place::default()).is_ok(), "{path}");
    }
}
