//! What the person is called where memories speak of them: as they have set it, or said it.

use crate::stand::name_of_person;
use ::memory::{PERSON, called};
use domain::{MemoryScope, Trust};
use store::table::memories::{self, About};
use store::table::settings;
use store::{Read, StoreError};

/// Most tell an agent their name and never look for the setting.
pub(super) fn name(read: &Read<'_>) -> Result<String, StoreError> {
    let settings = settings::get(read)?;
    if settings.your_name.is_empty() {
        // Who has only said how they want to be called is called so.
        for attribute in ["name", "wants to be called"] {
            if let Some(said) = said(read, attribute)? {
                return Ok(said);
            }
        }
    }
    Ok(name_of_person(&settings).to_owned())
}

/// What the person last said of it.
fn said(read: &Read<'_>, attribute: &str) -> Result<Option<String>, StoreError> {
    let about = About { subject: PERSON, attributes: &called(attribute) };
    let said = memories::rivals(read, MemoryScope::User, "", Some(about))?;
    let own = said.into_iter().filter(|memory| memory.trust == Trust::Person);
    let newest = own.max_by_key(|memory| memory.changed_at_ms);
    Ok(newest.and_then(|memory| memory.statement).map(|stated| stated.value))
}
