//! What a keeper and its owner say to each other.

use crate::confinement::{Marks, Resource};

/// Asks the keeper to have the program end; the end of the stream has it kill.
pub(crate) const PLEASE_END: u8 = b't';

/// What a keeper says, a line each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// The program's process id, which is its group's too.
    Started(i32, Marks),
    /// The operating system's number of the error.
    NotStarted(i32),
    /// The same, of what was to confine it.
    NotConfined(i32),
    /// It is killed for it.
    TookTooMuch(Resource),
    Exited(i32),
    Signalled(i32),
}

impl Told {
    #[allow(dead_code, reason = "only the keeper says it")]
    pub(crate) fn line(self) -> String {
        match self {
            Told::Started(pid, Marks::Own) => format!("started {pid}\n"),
            Told::Started(pid, Marks::None) => format!("started-unmarked {pid}\n"),
            Told::NotStarted(error) => format!("not-started {error}\n"),
            Told::NotConfined(error) => format!("not-confined {error}\n"),
            Told::TookTooMuch(resource) => format!("took-too-much {}\n", number_of(resource)),
            Told::Exited(code) => format!("exited {code}\n"),
            Told::Signalled(signal) => format!("signalled {signal}\n"),
        }
    }

    #[allow(dead_code, reason = "only the owner hears it")]
    pub(crate) fn read(line: &str) -> Option<Self> {
        let (word, number) = line.split_once(' ')?;
        let number: i32 = number.parse().ok()?;
        match word {
            "started" => Some(Told::Started(number, Marks::Own)),
            "started-unmarked" => Some(Told::Started(number, Marks::None)),
            "not-started" => Some(Told::NotStarted(number)),
            "not-confined" => Some(Told::NotConfined(number)),
            "took-too-much" => {
                let is_it = |resource: &Resource| number_of(*resource) == number;
                RESOURCES.into_iter().find(is_it).map(Told::TookTooMuch)
            }
            "exited" => Some(Told::Exited(number)),
            "signalled" => Some(Told::Signalled(number)),
            _ => None,
        }
    }
}

const RESOURCES: [Resource; 4] = [Resource::Memory, Resource::Cpu, Resource::Tasks, Resource::Disk];

fn number_of(resource: Resource) -> i32 {
    match resource {
        Resource::Memory => 1,
        Resource::Cpu => 2,
        Resource::Tasks => 3,
        Resource::Disk => 4,
    }
}
