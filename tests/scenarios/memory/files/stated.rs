//! What a file says that words state which are here without that.

use super::{add, all, file, folder, from, import, new, vouched};
use serde_json::json;
use tests::stage;

#[tokio::test]
async fn the_same_words_state_from_then_on_what_a_file_that_is_vouched_for_says() {
    let stage = stage().open().await;
    let text = "The harbour office opens at nine";
    add(&stage, new(text)).await;
    let statement = json!({"subject": "harbour office", "attribute": "opens at", "value": "nine"});
    let line = json!({"text": text, "statement": statement}).to_string();
    let folder = folder();
    let path = file(&folder, "memories.jsonl", line);
    import(&stage, from(&path)).await;
    assert_eq!(all(&stage).await[0].statement, None, "nobody vouches for it");
    for _ in 0..2 {
        import(&stage, vouched(&path)).await;
        let now = all(&stage).await;
        let stated = now[0].statement.as_ref().map(|one| one.value.as_str());
        assert_eq!((now.len(), stated, now[0].version), (1, Some("nine"), 2));
    }
}
