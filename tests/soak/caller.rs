//! Somebody who calls the owner over its socket, and notes what goes wrong.

use crate::owner::Complaints;
use domain::{
    Call, Command, FaultCode, GroupId, MessageId, Overview, Query, Reply, Request, RequestId,
};
use door::Door;
use std::path::Path;
use uuid::Uuid;

#[derive(Clone)]
pub(crate) struct Caller {
    pub door: Door,
    complaints: Complaints,
}

impl Caller {
    pub(crate) async fn call(data: &Path, complaints: Complaints) -> Caller {
        let door = Door::connect(data).await.expect("the owner listens");
        Caller { door, complaints }
    }

    /// A command that nothing may refuse.
    pub(crate) async fn must(&self, command: Command) -> Reply {
        let said = format!("{command:?}");
        let result = self.door.ask(Call::Command(command)).await;
        result.unwrap_or_else(|fault| panic!("{said}: {fault}: {:?}", self.complaints.all()))
    }

    /// A command that may come at the wrong moment, as when somebody who rests
    /// already is told to rest.
    pub(crate) async fn may(&self, command: Command) -> Option<Reply> {
        match self.door.ask(Call::Command(command)).await {
            Ok(reply) => Some(reply),
            Err(fault) if is_late(fault.code) => None,
            Err(fault) => {
                self.complaints.add(format!("fault: {fault}"));
                None
            }
        }
    }

    pub(crate) async fn look(&self, query: Query) -> Option<Reply> {
        let looked = self.door.ask(Call::Query(query)).await;
        looked.inspect_err(|fault| self.complaints.add(format!("fault: {fault}"))).ok()
    }

    pub(crate) async fn overview(&self) -> Overview {
        match self.look(Query::Overview).await {
            Some(Reply::Overview(overview)) => *overview,
            other => panic!("no overview: {other:?}: {:?}", self.complaints.all()),
        }
    }

    pub(crate) async fn post(&self, group: GroupId, text: String) -> MessageId {
        let id = RequestId(Uuid::now_v7());
        let call =
            Call::Command(Command::Post { group, text, reply_to: None, attachments: Vec::new() });
        match self.door.send(Request { id, call }).await.result {
            Ok(Reply::Message(message)) => message.id,
            other => panic!("not posted: {other:?}: {:?}", self.complaints.all()),
        }
    }
}

fn is_late(code: FaultCode) -> bool {
    matches!(code, FaultCode::Refused | FaultCode::Conflict | FaultCode::NotFound)
}
