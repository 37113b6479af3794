//! Writes a conversation to a file, as it stands: the branch that is shown.

use crate::derived::blocking;
use crate::new_file::{self, Trouble};
use crate::shared::Shared;
use crate::stand;
use domain::{
    Author, Fault, Group, GroupExport, GroupFormat, GroupId, Message, MessageId, Participant,
    Reaction,
};
use serde::Serialize;
use serde_json::json;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use store::table::{agents, groups, members, messages, reactions};
use store::{Read, StoreError};

/// What is read from the database at a time.
const READ_AT_ONCE: u32 = 500;

/// Writes it to a file that is not there yet, which appears whole or not at all.
pub(crate) async fn export(
    shared: &Arc<Shared>,
    group: GroupId,
    path: String,
    format: GroupFormat,
) -> Result<GroupExport, Fault> {
    blocking(shared, move |shared| {
        let messages = new_file::write(&path, |file| {
            shared.store.read(|read| {
                let group = groups::get(read, group)?;
                let names = HashMap::new();
                let mut reacted: HashMap<MessageId, Vec<Reaction>> = HashMap::new();
                for reaction in reactions::of_group(read, group.id)? {
                    reacted.entry(reaction.item).or_default().push(reaction);
                }
                let mut out = Out { read, shared, group, names, reacted, file, written: 0 };
                match format {
                    GroupFormat::Markdown => out.markdown()?,
                    GroupFormat::Json => out.json()?,
                }
                Ok::<_, Trouble>(out.written)
            })
        })?;
        Ok(GroupExport { path, format, messages })
    })
    .await
}

struct Out<'a> {
    read: &'a Read<'a>,
    shared: &'a Shared,
    group: Group,
    names: HashMap<Author, String>,
    reacted: HashMap<MessageId, Vec<Reaction>>,
    file: &'a mut BufWriter<File>,
    written: u32,
}

#[derive(Serialize)]
struct WithReactions<'m> {
    #[serde(flatten)]
    message: &'m Message,
    /// As they are now, in the order in which they came.
    reactions: Vec<Reaction>,
}

impl Out<'_> {
    /// What was said; what the workspace noted beside it is left out.
    fn markdown(&mut self) -> Result<(), Trouble> {
        writeln!(self.file, "# {}", self.group.name)?;
        self.each(|out, message| {
            let Some(text) = message.text() else { return Ok(()) };
            let name = out.name_of(message.author)?;
            writeln!(out.file, "\n**{name}** · {}\n", out.time(message.at_ms))?;
            if let Some(parent) = message.parent {
                out.quote(parent)?;
            }
            if !text.is_empty() {
                writeln!(out.file, "{text}")?;
            }
            for attachment in &message.attachments {
                writeln!(out.file, "\n*{}*", attachment.name)?;
            }
            for Reaction { who, sign, .. } in out.reacted.remove(&message.id).unwrap_or_default() {
                let name = out.name_of(match who {
                    Participant::User => Author::User,
                    Participant::Agent(agent) => Author::Agent(agent),
                })?;
                writeln!(out.file, "\n{sign} {name}")?;
            }
            out.written += 1;
            Ok(())
        })
    }

    fn quote(&mut self, parent: MessageId) -> Result<(), Trouble> {
        let Some(parent) = messages::find(self.read, parent)? else { return Ok(()) };
        let first = parent.text().and_then(|text| text.lines().next()).unwrap_or_default();
        let name = self.name_of(parent.author)?;
        Ok(writeln!(self.file, "> {name}: {first}\n")?)
    }

    /// One JSON object, written as it is read.
    fn json(&mut self) -> Result<(), Trouble> {
        let agents = members::of_group(self.read, self.group.id)?.into_iter();
        let agents = agents.filter_map(|member| match member.who {
            Participant::Agent(agent) => Some(agents::get(self.read, agent)),
            Participant::User => None,
        });
        let agents = agents.collect::<Result<Vec<_>, StoreError>>()?;
        let head = json!({
            "format": "coterie.conversation.1",
            "exported_ms": self.shared.now_ms(),
            "group": self.group,
            "agents": agents,
        });
        let head = head.to_string();
        let open = head.strip_suffix('}').unwrap_or(&head);
        write!(self.file, "{open},\"messages\":[")?;
        self.each(|out, message| {
            let between = if out.written == 0 { "\n" } else { ",\n" };
            out.file.write_all(between.as_bytes())?;
            let whole = WithReactions {
                message,
                reactions: out.reacted.remove(&message.id).unwrap_or_default(),
            };
            serde_json::to_writer(&mut *out.file, &whole).map_err(io::Error::from)?;
            out.written += 1;
            Ok(())
        })?;
        Ok(writeln!(self.file, "\n]}}")?)
    }

    fn each(
        &mut self,
        one: impl Fn(&mut Self, &Message) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let mut after = 0;
        loop {
            let page = messages::of_group_since(self.read, self.group.id, after, READ_AT_ONCE)?;
            for message in &page {
                one(self, message)?;
            }
            match page.last() {
                Some(last) => after = last.seq,
                None => return Ok(()),
            }
        }
    }

    fn name_of(&mut self, author: Author) -> Result<String, StoreError> {
        if let Some(known) = self.names.get(&author) {
            return Ok(known.clone());
        }
        let name = match stand::name_of(self.read, author)? {
            nobody if nobody.is_empty() => "Coterie".to_owned(),
            name => name,
        };
        self.names.insert(author, name.clone());
        Ok(name)
    }

    /// In local time, which the file says too.
    fn time(&self, at_ms: i64) -> String {
        let ahead = self.shared.clock.ahead_of_utc_s(at_ms);
        let moment = jiff::Timestamp::from_millisecond(at_ms).unwrap_or_default();
        let zone = jiff::tz::Offset::from_seconds(ahead).unwrap_or(jiff::tz::Offset::UTC);
        moment.to_zoned(zone.to_time_zone()).strftime("%Y-%m-%d %H:%M %:z").to_string()
    }
}
