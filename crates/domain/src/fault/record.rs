//! How a kind stands in a record: one that only a later Coterie knows is none, its
//! fault's sentences still are.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) fn serialize<K: Serialize, S: Serializer>(
    kind: &Option<Box<K>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    kind.serialize(serializer)
}

pub(crate) fn deserialize<'de, K: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Box<K>>, D::Error> {
    let said = Option::<serde_json::Value>::deserialize(deserializer)?;
    Ok(said.and_then(|said| serde_json::from_value(said).ok()).map(Box::new))
}
