//! Identities. A uuid v7 names a thing for ever; order comes from `seq`.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use ts_rs::TS;
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
        #[ts(type = "string")]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

id!(AgentId);
id!(GroupId);
id!(MessageId);
id!(RunId);
id!(CallId);
id!(MemoryId);
id!(GrantId);
id!(QuestionId);
id!(CommunityId);
id!(PassId);
id!(ScheduleId);
id!(FeedSourceId);
id!(ProposalId);
id!(
    /// Chosen by the caller. What a command creates takes this id as its own,
    /// so sending the same request again finds the thing instead of making a
    /// second one, even after a restart.
    RequestId
);
