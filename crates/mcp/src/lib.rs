//! Servers of the Model Context Protocol: reached, kept running, and asked.
//!
//! A [`Connection`] is one conversation with a server, over the pipes of a
//! process or over HTTP, in whichever of the two eras of the protocol the
//! server speaks. A [`Server`] keeps one going: it starts in the background,
//! again after a crash, each time later, and knows the server's tools while
//! it is there. What a server wants of us (an answer to a form, a word of a
//! model, folders, a page shown) it asks of our [`Host`].
//!
//! [`serve`] is the other way round: what we [`Offer`] to programs that are
//! clients.
//!
//! Nothing that a server says is believed: its hints are called hints, its
//! answers are limited in size and time, and its schemas are read without
//! fetching what they refer to. No type of the SDK below leaves this crate.

mod asked;
mod blanks;
mod brought;
mod config;
mod connection;
mod depth;
mod fault;
mod form;
mod handler;
mod host;
mod import;
mod instead;
mod listed;
mod lists;
mod offers;
mod open;
mod pages;
mod reach;
mod refused;
mod said;
mod serve;
mod server;
mod servers;
mod sign_in;
mod sounds;
mod structured;
mod translate;
mod web;

pub use asked::Ask;
pub use blanks::{out_of_address, out_of_arguments};
pub use config::{Config, Given, LONGEST_NAME, Place, Secrets, Surroundings, Variables};
pub use connection::Connection;
pub use fault::Fault;
pub use form::{fields, misfit};
pub use host::{Abilities, Elicitation, Elicited, Host, News, Root, Sampled, Sampling};
pub use import::{Imported, read};
pub use offers::{Offers, words};
pub use reach::{Address, Patience, Reach, Setup};
pub use said::{
    About, Answer, Argument, Contents, Data, Era, Has, Hints, Part, Prompt, PromptText, Resource,
    ResourceTemplate, Role, Spoken, Tool,
};
pub use serve::{Offer, Offered, serve};
pub use server::{Ready, Server, State};
pub use servers::{Known, Listed, Servers, Status};
pub use sign_in::{InMemory, SignIn, Tokens};
pub use sounds::is_setting;
