//! `coterie-engine look`: whether the chat template on stdin can be used. Says why not on
//! stdout, or nothing. Nobody who does other things has to run a stranger's template.

use std::io::{self, Read, Write};

use ::gguf::chat::{Template, Tokens};

use crate::bounded::{bounded, not_for_long};

pub(crate) fn look(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut source = String::new();
    from.read_to_string(&mut source)?;
    not_for_long();
    // What its tokens are called makes no difference to whether it can be used.
    match bounded(|| Template::read(&source, Tokens::default())) {
        Ok(_) => Ok(()),
        Err(why) => to.write_all(why.as_bytes()),
    }
}
