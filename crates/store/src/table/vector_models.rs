//! What is known of the models of providers that compare texts.

use crate::{Read, StoreError, Write};
use rusqlite::params;

/// A model, as it showed itself when it was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorModel {
    /// `provider/model`.
    pub model: String,
    /// How many numbers its vectors have.
    pub dimensions: usize,
    /// The usual cosine of texts that have nothing to do with each other.
    pub unrelated: f32,
    /// And of texts that say the same.
    pub alike: f32,
}

pub fn put(write: &mut Write<'_>, model: &VectorModel) -> Result<(), StoreError> {
    let put = "INSERT OR REPLACE INTO vector_models (model, dimensions, unrelated, alike)
         VALUES (?1, ?2, ?3, ?4)";
    write.db.prepare_cached(put)?.execute(params![
        model.model,
        model.dimensions as i64,
        f64::from(model.unrelated),
        f64::from(model.alike),
    ])?;
    Ok(())
}

pub fn find(read: &Read<'_>, model: &str) -> Result<Option<VectorModel>, StoreError> {
    read.one(
        "SELECT model, dimensions, unrelated, alike FROM vector_models WHERE model = ?1",
        [model],
        |row| {
            Ok(VectorModel {
                model: row.get(0)?,
                dimensions: row.get::<_, i64>(1)? as usize,
                unrelated: row.get::<_, f64>(2)? as f32,
                alike: row.get::<_, f64>(3)? as f32,
            })
        },
    )
}
