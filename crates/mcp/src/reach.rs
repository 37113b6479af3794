//! Where a server is, and how long we wait for it.

use std::time::Duration;

use processes::{Keeper, Program};

use crate::{Era, SignIn};

/// Everything that it takes to reach a server.
#[derive(Debug, Clone)]
pub struct Setup {
    pub reach: Reach,
    pub keeper: Keeper,
    /// Known from the last time; a server that ignores what it does not know
    /// else costs ten seconds at each start.
    pub era: Option<Era>,
    pub patience: Patience,
}

impl Setup {
    /// What the next try is made with. A person is asked to sign in with a server when they
    /// want to, and not whenever it is tried again afterwards.
    pub(crate) fn next(&mut self) -> Setup {
        let next = self.clone();
        if let Reach::Address(address) = &mut self.reach {
            (address.sign_in.may_ask, address.sign_in.challenge) = (false, None);
        }
        next
    }

    /// The same with what the server said meanwhile, for a person who is asked about it. Nothing
    /// where nobody is, or they were before.
    pub(crate) fn challenged(&self, challenge: &str) -> Option<Setup> {
        let mut setup = self.clone();
        match &mut setup.reach {
            Reach::Address(Address { sign_in, .. })
                if sign_in.may_ask && sign_in.challenge.is_none() =>
            {
                sign_in.challenge = Some(challenge.to_owned());
                Some(setup)
            }
            Reach::Address(_) | Reach::Program(_) => None,
        }
    }

    pub(crate) fn asks_a_person(&self) -> bool {
        matches!(&self.reach, Reach::Address(address) if address.sign_in.may_ask)
    }
}

#[derive(Debug, Clone)]
pub enum Reach {
    /// A program that we start, and speak with through its pipes.
    Program(Program),
    Address(Address),
}

/// A server over HTTP.
#[derive(Debug, Clone)]
pub struct Address {
    pub url: String,
    /// Sent with each request. They may be secrets.
    pub headers: Vec<(String, String)>,
    pub sign_in: SignIn,
}

/// How long we wait, and how much we take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Until a server is there; some fetch themselves first.
    pub to_connect: Duration,
    /// For an answer, from the last word of progress on.
    pub silence: Duration,
    /// For an answer, whatever progress there is.
    pub altogether: Duration,
    /// For a person who signs in.
    pub to_sign_in: Duration,
    /// For a program, after its pipe was closed, and again after it was asked
    /// to end.
    pub to_end: Duration,
    /// Before a server is started again, the first time; each time twice as
    /// long as before.
    pub first_rest: Duration,
    pub longest_rest: Duration,
    /// How long a server must have been there for its crash to be the first.
    pub steady: Duration,
    /// Of one message.
    pub most_bytes: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            to_connect: Duration::from_secs(90),
            silence: Duration::from_secs(300),
            altogether: Duration::from_secs(30 * 60),
            to_sign_in: Duration::from_secs(10 * 60),
            to_end: Duration::from_secs(2),
            first_rest: Duration::from_secs(1),
            longest_rest: Duration::from_secs(5 * 60),
            steady: Duration::from_secs(60),
            most_bytes: 16 << 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_asked_by_the_first_try_alone() {
        let sign_in =
            SignIn { may_ask: true, challenge: Some("Bearer".into()), ..SignIn::default() };
        let address = Address { url: "http://localhost".into(), headers: Vec::new(), sign_in };
        let mut setup = Setup {
            reach: Reach::Address(address),
            keeper: Keeper("keeper".into()),
            era: None,
            patience: Patience::default(),
        };
        assert!(setup.next().asks_a_person());
        assert!(!setup.next().asks_a_person());
        assert!(setup.challenged("Bearer").is_none());
    }
}
