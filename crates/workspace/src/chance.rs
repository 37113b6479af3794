//! Chance, from outside, so that a test can hold it.

use std::sync::Arc;
use uuid::Uuid;

/// Any number is as likely as any other.
pub type Chance = Arc<dyn Fn() -> u32 + Send + Sync>;

pub(crate) fn of_the_system() -> Chance {
    // The last bits of such an id are random.
    Arc::new(|| u32::try_from(Uuid::now_v7().as_u128() & u128::from(u32::MAX)).unwrap_or_default())
}
