//! What a server has: all pages of a list, but not without end.

use std::future::Future;

use rmcp::ServiceError;
use rmcp::model::PaginatedRequestParams;

const MOST_PAGES: usize = 200;
const MOST_ITEMS: usize = 10_000;

/// Everything in a list; `page` asks for one page, and gives its items and
/// where the next begins.
pub(crate) async fn whole<T, F>(
    page: impl Fn(PaginatedRequestParams) -> F,
) -> Result<Vec<T>, ServiceError>
where
    F: Future<Output = Result<(Vec<T>, Option<String>), ServiceError>>,
{
    let (mut all, mut from) = (Vec::new(), None);
    for _ in 0..MOST_PAGES {
        let asked = PaginatedRequestParams::default().with_cursor(from);
        let (items, next) = page(asked).await?;
        all.extend(items);
        if next.is_none() || all.len() > MOST_ITEMS {
            break;
        }
        from = next;
    }
    all.truncate(MOST_ITEMS);
    Ok(all)
}
