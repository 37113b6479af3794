//! Models that are files on this machine.

use crate::paths::whole;
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::table::table;
use domain::{AboutModel, Command as Order, LocalModel, Query};
use std::path::Path;

pub(super) async fn add(session: &Session, file: &Path) -> Result<(), Failure> {
    let add = Order::AddModelFile { path: whole(file)? };
    let added = answered!(session.order(add).await?, LocalModel)?;
    session.screen.one(&added, |_| {
        let about = added.about.as_ref().map(facts).unwrap_or_default();
        let model = &added.model;
        format!("{model}: {about}\nuse it with: coterie model use default {model}\n")
    });
    Ok(())
}

pub(super) async fn remove(session: &Session, file: &Path) -> Result<(), Failure> {
    // As roles name it and the list shows it, where that is a file's whole path.
    let named = file.to_str().and_then(|name| name.strip_prefix("local/")).map(Path::new);
    let file = named.filter(|path| path.is_absolute()).unwrap_or(file);
    session.order(Order::RemoveModelFile { path: whole(file)? }).await?;
    session.screen.one(&(), |_| "taken off the list; the file stays where it is\n".to_owned());
    Ok(())
}

pub(super) async fn list(session: &Session) -> Result<(), Failure> {
    let files = answered!(session.ask(Query::LocalModels).await?, LocalModels)?;
    session.screen.one(&files, |paint| {
        let row = |file: &LocalModel| {
            let LocalModel { model, about, wrong, .. } = file;
            let about = about.as_ref().map(facts).unwrap_or_default();
            let wrong = wrong.as_ref().map(|fault| fault.message.clone()).unwrap_or_default();
            [model.clone(), about, wrong]
        };
        let rows = table(paint, ["model", "", ""], files.models.iter().map(row).collect());
        let gpu = if files.gpu { "can" } else { "cannot" };
        format!("{rows}\nthe engine {gpu} use a graphics processor in this build\n")
    });
    Ok(())
}

/// `98 MB, Q4_1, 135 M parameters, reads 4096 of 8192 tokens`
fn facts(about: &AboutModel) -> String {
    let AboutModel { bytes, quantisation, parameters, context_tokens, window_tokens, .. } = about;
    let made_for = match context_tokens {
        Some(made_for) if made_for > window_tokens => format!(" of {made_for}"),
        Some(_) | None => String::new(),
    };
    let template = match &about.template_wrong {
        Some(why) => format!(
            ", asked in ChatML, which it may not know, because its chat template cannot be used: {why}"
        ),
        None if about.has_template => String::new(),
        None => ", brings no chat template and is asked in ChatML".to_owned(),
    };
    let stored = quantisation.as_ref().map(|stored| format!(", {stored}")).unwrap_or_default();
    format!(
        "{}B{stored}, {} parameters, reads {window_tokens}{made_for} tokens{template}",
        rounded(*bytes),
        rounded(*parameters).trim_end(),
    )
}

/// `98 M`, `4.7 G`
fn rounded(number: u64) -> String {
    let mut of = number as f64;
    for unit in [" ", " k", " M", " G"] {
        if of < 999.5 {
            let digits = usize::from(of < 9.95 && unit != " ");
            return format!("{of:.digits$}{unit}");
        }
        of /= 1000.0;
    }
    format!("{of:.1} T")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_said_in_two_or_three_digits() {
        let check = |number, expected: &str| assert_eq!(rounded(number), expected);
        check(640, "640 ");
        check(98_362_432, "98 M");
        check(134_515_008, "135 M");
        check(4_683_073_184, "4.7 G");
        check(999_999_999, "1.0 G");
        check(2_500_000_000_000, "2.5 T");
    }
}
