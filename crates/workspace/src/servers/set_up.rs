//! What a person orders about servers. It stands in the database before anything
//! comes of it, and what is secret lies with the keys before that.

use super::given::{own_keys, sign_in_of};
use super::recognise;
use super::told::{config, one, setup, setup_of, unknown};
use crate::shared::Shared;
use crate::workspace::Start;
use crate::{approvals, keys};
use domain::{
    Fault, FaultCode, FaultKind, McpImport, McpLeftOut, McpPatch, McpPlace, McpServer, McpSetup,
    McpState, McpValue, Secret,
};
use secrets::Redactor;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::Durability;
use store::table::mcp_servers;

pub(crate) async fn put(
    shared: &Arc<Shared>,
    setup: McpSetup,
    values: BTreeMap<String, Secret>,
    replaces: bool,
) -> Result<McpServer, Fault> {
    let _changing = shared.servers.changing.lock().await;
    let name = setup.name.clone();
    let before = setup_of(shared, &name).ok();
    if before.is_some() && !replaces {
        return Err(taken(name));
    }
    let title = setup.title.or_else(|| before.as_ref()?.title.clone());
    let setup = McpSetup { title, ..setup };
    // Before it is looked through for keys: a shell may have filled one in beside it.
    recognise(shared, &config(&setup));
    let Sorted { setup, keys: given } = sorted(setup, values, shared.safe.redactor());
    if let Some(problem) = problem(&setup, &given, shared.safe.redactor()) {
        return Err(unfit(problem));
    }
    keep(shared, &given).await?;
    save(shared, vec![setup.clone()]).await?;
    let config = config(&setup);
    let running = &shared.servers.running;
    // What stands in its variables may be new, where its setup is not.
    let done = match given.is_empty() {
        true => running.put(config).await,
        false => running.put_anew(config, false).await,
    };
    done.map_err(unfit)?;
    if let Some(before) = before {
        let mut own = keys_of(&before);
        if url_of(&before) != url_of(&setup) {
            own.insert(sign_in_of(&name));
        }
        forget(shared, &own, &keys_of(&setup)).await;
    }
    one(shared, &name)
}

fn taken(name: String) -> Fault {
    let message = format!("there is a server called {name} already");
    let fix = "choose another name, or put it in that one's place with --replace";
    Fault::new(FaultCode::Conflict, message, fix).of(FaultKind::ServerNameTaken { name })
}

pub(crate) async fn edit(
    shared: &Arc<Shared>,
    server: String,
    patch: McpPatch,
) -> Result<McpServer, Fault> {
    let _changing = shared.servers.changing.lock().await;
    let mut setup = setup_of(shared, &server)?;
    setup.on = patch.on.unwrap_or(setup.on);
    setup.trusted = patch.trusted.unwrap_or(setup.trusted);
    setup.may_sample = patch.may_sample.unwrap_or(setup.may_sample);
    for (tool, on) in patch.tools.unwrap_or_default() {
        match on {
            true => setup.switched_off.remove(&tool),
            false => setup.switched_off.insert(tool),
        };
    }
    save(shared, vec![setup.clone()]).await?;
    switched(shared, &setup).await?;
    one(shared, &server)
}

pub(crate) async fn reload(
    shared: &Arc<Shared>,
    server: String,
    sign_in: bool,
) -> Result<McpServer, Fault> {
    let _changing = shared.servers.changing.lock().await;
    let setup = setup_of(shared, &server)?;
    if !setup.on {
        return Err(unfit(format!("{server} is switched off; switch it on first")));
    }
    shared.servers.running.put_anew(config(&setup), sign_in).await.map_err(unfit)?;
    one(shared, &server)
}

/// With what it has among the keys, and what agents were allowed to do with it: another
/// server of that name is nobody's that was allowed anything. The keys go first: where it cannot be erased the server
/// stays too, and the same order does the rest later. `forget` only takes it off the list.
pub(crate) async fn remove(
    shared: &Arc<Shared>,
    server: String,
    forget: bool,
) -> Result<(), Fault> {
    let _changing = shared.servers.changing.lock().await;
    setup_of(shared, &server)?;
    erase_all_of(shared, &server, forget).await.map_err(|fault| keeps_keys(&server, fault))?;
    let name = server.clone();
    let removed = move |write: &mut store::Write<'_>| {
        mcp_servers::remove(write, &name)?;
        approvals::forget_server(write, &name)
    };
    shared.store.write(Durability::Process, removed).await.map_err(|_| unknown(&server))?;
    shared.servers.running.remove(&server).await;
    // It may have been given something anew until it ended.
    if let Err(fault) = erase_all_of(shared, &server, forget).await {
        tracing::warn!(%fault, server, "what it was given last stays among the keys");
    }
    Ok(())
}

/// What stands under its name among the keys.
async fn erase_all_of(shared: &Arc<Shared>, server: &str, forget: bool) -> Result<(), Fault> {
    let mut own = keys::names(shared);
    own.retain(|key| key.starts_with(&own_keys(server)));
    for key in own {
        match keys::remove(shared, key, forget).await {
            Err(fault) if fault.code == FaultCode::NotFound => {}
            done => done?,
        }
    }
    Ok(())
}

fn keeps_keys(server: &str, fault: Fault) -> Fault {
    Fault {
        message: format!(
            "{server} stays, since what it has among the keys cannot be erased: {}",
            fault.message
        ),
        fix: format!("{}; or leave it there, with coterie mcp remove {server} --forget", fault.fix),
        ..fault
    }
}

pub(crate) async fn import(
    shared: &Arc<Shared>,
    text: &Secret,
    preview: bool,
) -> Result<McpImport, Fault> {
    let _changing = shared.servers.changing.lock().await;
    let read = mcp::read(text.expose(), &*shared.servers.variables).map_err(|detail| {
        Fault::bad_input(
            format!("no servers can be read from it: {detail}"),
            "give the JSON that another app keeps its servers in, with mcpServers in it",
        )
        .of(FaultKind::ServersUnread { detail })
    })?;
    for (key, value) in &read.secrets {
        shared.safe.redactor().learn(key, &value.as_str().into());
    }
    for config in &read.servers {
        recognise(shared, config);
    }
    let there: BTreeSet<String> =
        super::stored(shared).into_iter().map(|stored| stored.setup.name).collect();
    let mut import = McpImport::default();
    let left_out = |(name, why)| McpLeftOut { name, why };
    import.left_out.extend(read.left_out.into_iter().map(left_out));
    let mut given: BTreeMap<String, Secret> =
        read.secrets.into_iter().map(|(key, value)| (key, Secret::new(value))).collect();
    for taken in read.servers.into_iter().map(setup) {
        let Sorted { setup: taken, keys } = sorted(taken, BTreeMap::new(), shared.safe.redactor());
        let why = match there.contains(&taken.name) {
            true => Some("there is a server of this name already".to_owned()),
            false => problem(&taken, &keys, shared.safe.redactor()),
        };
        match why {
            Some(why) => import.left_out.push(left_out((taken.title.unwrap_or(taken.name), why))),
            None => {
                given.extend(keys);
                import.taken.push(taken);
            }
        }
    }
    let used: BTreeSet<String> = import.taken.iter().flat_map(keys_of).collect();
    given.retain(|key, _| used.contains(key));
    import.keys = given.keys().cloned().collect();
    import.missing = read.missing.into_iter().filter(|key| used.contains(key)).collect();
    if preview {
        return Ok(import);
    }
    keep(shared, &given).await?;
    save(shared, import.taken.clone()).await?;
    for taken in &import.taken {
        switched(shared, taken).await?;
    }
    Ok(import)
}

/// Whoever could not even be tried may have what it lacks by now.
pub(crate) async fn try_again(shared: &Arc<Shared>) {
    let _changing = shared.servers.changing.lock().await;
    for server in super::all(shared).unwrap_or_default() {
        if matches!(server.state, McpState::Failed { .. }) {
            let again = shared.servers.running.put_anew(config(&server.setup), false).await;
            if let Err(why) = again {
                tracing::warn!(server = server.setup.name, why, "this server cannot be started");
            }
        }
    }
}

/// A process that does not stay starts none unless it is asked to.
async fn switched(shared: &Shared, setup: &McpSetup) -> Result<(), Fault> {
    let running = &shared.servers.running;
    let stays = shared.start == Start::Working || running.watch(&setup.name).is_some();
    let config = config(setup);
    running.put(mcp::Config { on: config.on && stays, ..config }).await.map_err(unfit)
}

async fn save(shared: &Arc<Shared>, setups: Vec<McpSetup>) -> Result<(), Fault> {
    let written = move |write: &mut store::Write<'_>| {
        for setup in &setups {
            mcp_servers::put(write, setup)?;
        }
        Ok::<_, Fault>(())
    };
    shared.store.write(Durability::Process, written).await
}

async fn keep(shared: &Arc<Shared>, given: &BTreeMap<String, Secret>) -> Result<(), Fault> {
    for (key, value) in given {
        keys::set(shared, key.clone(), value).await?;
    }
    Ok(())
}

/// What nobody needs any more. What cannot be reached stays on the list of keys.
async fn forget(shared: &Arc<Shared>, before: &BTreeSet<String>, now: &BTreeSet<String>) {
    let listed = keys::names(shared);
    // What stands under another's name is another's.
    let own = before.difference(now).filter(|key| key.starts_with("mcp/") && listed.contains(key));
    for key in own {
        if let Err(fault) = keys::remove(shared, key.clone(), false).await {
            tracing::warn!(%fault, key, "this key stays where it is");
        }
    }
}

fn values_of(setup: &McpSetup) -> &BTreeMap<String, McpValue> {
    match &setup.place {
        McpPlace::Program { environment, .. } => environment,
        McpPlace::Address { headers, .. } => headers,
    }
}

fn url_of(setup: &McpSetup) -> Option<&str> {
    match &setup.place {
        McpPlace::Address { url, .. } => Some(url),
        McpPlace::Program { .. } => None,
    }
}

fn keys_of(setup: &McpSetup) -> BTreeSet<String> {
    let key = |value: &McpValue| match value {
        McpValue::Key { key } => Some(key.clone()),
        McpValue::Plain { .. } | McpValue::Variable { .. } => None,
    };
    values_of(setup).values().filter_map(key).collect()
}

/// A setup without secrets, and what goes to the keys by its names there.
struct Sorted {
    setup: McpSetup,
    keys: BTreeMap<String, Secret>,
}

/// Headers are keys, and so are variables that are not plainly settings, and what sounds
/// like one among the arguments or in the address.
fn sorted(
    mut setup: McpSetup,
    mut values: BTreeMap<String, Secret>,
    redactor: &Redactor,
) -> Sorted {
    let own = own_keys(&setup.name);
    let blanks = match &mut setup.place {
        McpPlace::Program { arguments, .. } => mcp::out_of_arguments(arguments),
        McpPlace::Address { url, .. } => mcp::out_of_address(url),
    };
    let taken_out = blanks;
    let blanks: BTreeSet<String> = taken_out.keys().cloned().collect();
    values.extend(taken_out.into_iter().map(|(name, value)| (name, Secret::new(value))));
    let (all, is_header) = match &mut setup.place {
        McpPlace::Program { environment, .. } => (environment, false),
        McpPlace::Address { headers, .. } => (headers, true),
    };
    for (name, value) in all.iter() {
        if let McpValue::Plain { value } = value {
            values.entry(name.clone()).or_insert_with(|| Secret::new(value.clone()));
        }
    }
    let mut keys = BTreeMap::new();
    for (name, value) in values {
        let key = match all.get(&name) {
            Some(McpValue::Key { key }) => Some(key.clone()),
            Some(McpValue::Plain { .. } | McpValue::Variable { .. }) | None => {
                let value = value.expose();
                let is_secret = is_header
                    || blanks.contains(&name)
                    || !mcp::is_setting(&name, value)
                    || redactor.redact(value) != value;
                (is_secret && !value.trim().is_empty()).then(|| format!("{own}{name}"))
            }
        };
        let stands = match key {
            Some(key) => {
                keys.insert(key.clone(), value);
                McpValue::Key { key }
            }
            None => McpValue::Plain { value: value.expose().to_owned() },
        };
        all.insert(name, stands);
    }
    Sorted { setup, keys }
}

/// Why a server cannot be set up like this.
fn problem(
    setup: &McpSetup,
    keys: &BTreeMap<String, Secret>,
    redactor: &Redactor,
) -> Option<String> {
    if let Some(problem) = config(setup).problem() {
        return Some(problem);
    }
    let name = |name: &&String| {
        let fits = |letter: char| letter.is_ascii_graphic() && !"=:\"".contains(letter);
        name.is_empty() || !name.chars().all(fits)
    };
    if let Some(odd) = values_of(setup).keys().find(name) {
        return Some(format!("{odd:?} is no name of a variable or a header"));
    }
    // What is kept here is kept in plain sight.
    let shown: Vec<&str> = match &setup.place {
        McpPlace::Program { command, arguments, .. } => {
            std::iter::once(command).chain(arguments).map(String::as_str).collect()
        }
        McpPlace::Address { url, .. } => vec![url],
    };
    let shown = shown.into_iter().chain(setup.title.as_deref());
    let plain = values_of(setup).values().filter_map(|value| match value {
        McpValue::Plain { value } => Some(value.as_str()),
        McpValue::Key { .. } | McpValue::Variable { .. } => None,
    });
    let given = |text: &str| {
        keys.values().any(|key| key.expose().len() >= 8 && text.contains(key.expose()))
    };
    let holds_key = |text: &&str| redactor.redact(text) != *text || given(text);
    if shown.chain(plain).any(|text| holds_key(&text)) {
        return Some(
            "there is a key in its title, its command or its address, which are kept and shown; \
             put ${NAME} there, and give it as a variable or a header of that name"
                .to_owned(),
        );
    }
    None
}

fn unfit(detail: impl Into<String>) -> Fault {
    let detail = detail.into();
    Fault::bad_input(
        format!("the MCP server cannot be set up like this: {detail}"),
        "correct it and try again",
    )
    .of(FaultKind::ServerUnfit { detail })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(environment: &[(&str, McpValue)]) -> McpSetup {
        let own = |(name, value): &(&str, McpValue)| ((*name).to_owned(), value.clone());
        McpSetup {
            name: "files".into(),
            title: None,
            place: McpPlace::Program {
                command: "server".into(),
                arguments: vec!["--root".into()],
                environment: environment.iter().map(own).collect(),
                folder: None,
            },
            on: true,
            trusted: false,
            may_sample: false,
            switched_off: BTreeSet::new(),
        }
    }

    fn plain(value: &str) -> McpValue {
        McpValue::Plain { value: value.into() }
    }

    fn key(key: &str) -> McpValue {
        McpValue::Key { key: key.into() }
    }

    #[test]
    fn what_may_be_secret_goes_to_the_keys_however_it_was_given() {
        let given = program(&[
            ("API_KEY", plain("planted-1")),
            ("LEVEL", plain("debug")),
            ("OWN", key("provider/acme")),
            ("MINE", McpValue::Variable { variable: "MINE".into() }),
        ]);
        let values = [("TOKEN", "planted-2"), ("PORT", "80"), ("OWN", "planted-3")];
        let values = values.map(|(name, value)| (name.to_owned(), Secret::new(value)));
        let Sorted { setup, keys } = sorted(given, values.into(), &Redactor::default());
        let expected = program(&[
            ("API_KEY", key("mcp/files/API_KEY")),
            ("LEVEL", plain("debug")),
            ("OWN", key("provider/acme")),
            ("MINE", McpValue::Variable { variable: "MINE".into() }),
            ("PORT", plain("80")),
            ("TOKEN", key("mcp/files/TOKEN")),
        ]);
        assert_eq!(setup, expected);
        let kept: Vec<(&str, &str)> =
            keys.iter().map(|(key, value)| (key.as_str(), value.expose())).collect();
        let expected = [
            ("mcp/files/API_KEY", "planted-1"),
            ("mcp/files/TOKEN", "planted-2"),
            ("provider/acme", "planted-3"),
        ];
        assert_eq!(kept, expected);
    }

    #[test]
    fn what_stands_among_arguments_or_in_an_address_goes_there_too_and_leaves_a_blank() {
        let mut given = program(&[]);
        if let McpPlace::Program { arguments, .. } = &mut given.place {
            arguments.push("--token=planted-1".into());
        }
        let Sorted { setup, keys } = sorted(given, BTreeMap::new(), &Redactor::default());
        let mut expected = program(&[("token", key("mcp/files/token"))]);
        if let McpPlace::Program { arguments, .. } = &mut expected.place {
            arguments.push("--token=${token}".into());
        }
        assert_eq!(setup, expected);
        assert_eq!(keys["mcp/files/token"].expose(), "planted-1");

        let address = |url: &str, headers: &[(&str, McpValue)]| McpSetup {
            place: McpPlace::Address {
                url: url.into(),
                headers: headers.iter().map(|(n, v)| ((*n).to_owned(), v.clone())).collect(),
            },
            ..program(&[])
        };
        let given = address("https://mcp.example/?apiKey=planted-2", &[]);
        let Sorted { setup, keys } = sorted(given, BTreeMap::new(), &Redactor::default());
        let headers = [("apiKey", key("mcp/files/apiKey"))];
        assert_eq!(setup, address("https://mcp.example/?apiKey=${apiKey}", &headers));
        assert_eq!(keys["mcp/files/apiKey"].expose(), "planted-2");
    }

    #[test]
    fn a_key_in_plain_sight_is_refused_without_being_repeated() {
        let redactor = Redactor::default();
        redactor.learn("provider/acme", &secrets::Secret::from("acme-0123-4567"));
        let check = |setup: &McpSetup, expected: bool| {
            let found = problem(setup, &BTreeMap::new(), &redactor);
            assert_eq!(found.is_some(), expected, "{found:?}");
            assert!(!found.unwrap_or_default().contains("0123"));
        };
        check(&program(&[("LEVEL", plain("debug"))]), false);
        check(&program(&[("LEVEL", plain("acme-0123-4567"))]), true);
        check(&program(&[("A=B", plain("debug"))]), true);
        let mut named = program(&[]);
        if let McpPlace::Program { arguments, .. } = &mut named.place {
            arguments.push("--key=acme-0123-4567".into());
        }
        check(&named, true);
    }
}
