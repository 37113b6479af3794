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
        let about = About { subject: PERSON, attributes: &called("name") };
        let said = memories::rivals(read, MemoryScope::User, "", Some(about))?;
        let own = said.into_iter().filter(|memory| memory.trust == Trust::Person);
        let newest = own.max_by_key(|memory| memory.changed_at_ms);
        if let Some(stated) = newest.and_then(|memory| memory.statement) {
            return Ok(stated.value);
        }
    }
    Ok(name_of_person(&settings).to_owned())
}

/// Whether a text names the person.
pub(super) fn is_meant_in(text: &str, name: &str) -> bool {
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    let name = name.to_lowercase();
    text.contains("用户") || words.any(|word| word == PERSON || word == name)
}
