//! The bytes of a sealed file, version 1. Numbers are little-endian.
//!
//! ```text
//!  0  15  "COTERIE-SEALED\n"
//! 15   1  version
//! 16  12  cost of Argon2id: memory in KiB, passes, lanes
//! 28  16  salt
//! 44  16  check: shows whether a key is the right one
//! 60  16  checksum of all before
//! 76  24  nonce
//! 100  …  the contents, sealed over the first 76 bytes
//! ```

use crate::{Error, Secret};
use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305};
use zeroize::Zeroizing;

pub(super) const SALT: usize = 16;
pub(super) const NONCE: usize = 24;

const MAGIC: &[u8; 15] = b"COTERIE-SEALED\n";
const VERSION: u8 = 1;
const CHECK: usize = 16;
const CHECKSUM_AT: usize = 60;
const HEAD: usize = 76;

/// More than this no Coterie ever asks for; it would stop the machine.
const MOST_MEMORY_KIB: u32 = 1024 * 1024;
const MOST_PASSES: u32 = 64;
const MOST_LANES: u32 = 64;

/// What one guess at a passphrase costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    pub memory_kib: u32,
    pub passes: u32,
    pub lanes: u32,
}

impl Cost {
    /// The second recommendation of RFC 9106: 64 MiB and three passes.
    #[must_use]
    pub const fn usual() -> Self {
        Cost { memory_kib: 64 * 1024, passes: 3, lanes: 4 }
    }

    /// Next to nothing, for tests of what stands on a vault.
    #[must_use]
    pub const fn least() -> Self {
        Cost { memory_kib: 8, passes: 1, lanes: 1 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) cost: Cost,
    pub(super) salt: [u8; SALT],
    check: [u8; CHECK],
}

#[derive(Clone)]
pub(super) struct Key(Zeroizing<[u8; 32]>);

pub(super) enum Unreadable {
    Newer,
    Damaged(&'static str),
}

impl Head {
    pub(super) fn new(cost: Cost, salt: [u8; SALT], key: &Key) -> Self {
        Head { cost, salt, check: key.check() }
    }

    pub(super) fn knows(&self, key: &Key) -> bool {
        self.check == key.check()
    }

    fn bytes(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..15].copy_from_slice(MAGIC);
        bytes[15] = VERSION;
        bytes[16..20].copy_from_slice(&self.cost.memory_kib.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.cost.passes.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.cost.lanes.to_le_bytes());
        bytes[28..44].copy_from_slice(&self.salt);
        bytes[44..CHECKSUM_AT].copy_from_slice(&self.check);
        let checksum = blake3::hash(&bytes[..CHECKSUM_AT]);
        bytes[CHECKSUM_AT..].copy_from_slice(&checksum.as_bytes()[..HEAD - CHECKSUM_AT]);
        bytes
    }
}

impl Key {
    /// Of the key that Argon2id gave, two are made: one seals, one is shown.
    fn check(&self) -> [u8; CHECK] {
        let check = blake3::derive_key("coterie secrets.sealed 1 check", self.0.as_slice());
        *check.first_chunk().expect("32 bytes hold 16")
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        let key = blake3::derive_key("coterie secrets.sealed 1 contents", self.0.as_slice());
        XChaCha20Poly1305::new(Zeroizing::new(key).as_slice().try_into().expect("32 bytes"))
    }
}

pub(super) fn derive(passphrase: &Secret, salt: &[u8; SALT], cost: Cost) -> Result<Key, Error> {
    let wrong = |error: argon2::Error| Error::Damaged {
        what: "the head of the sealed file".into(),
        why: error.to_string(),
    };
    let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, Some(32)).map_err(wrong)?;
    let mut key = Zeroizing::new([0; 32]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.expose().as_bytes(), salt, key.as_mut_slice())
        .map_err(wrong)?;
    Ok(Key(key))
}

pub(super) fn seal(head: &Head, key: &Key, nonce: [u8; NONCE], plain: &[u8]) -> Vec<u8> {
    let head = head.bytes();
    let payload = Payload { msg: plain, aad: &head };
    let sealed = key.cipher().encrypt(&nonce.into(), payload).expect("it is far from too long");
    [&head[..], &nonce[..], &sealed[..]].concat()
}

/// The head, and what `open` takes.
pub(super) fn parse(bytes: &[u8]) -> Result<(Head, &[u8]), Unreadable> {
    let damaged = |why| Err(Unreadable::Damaged(why));
    let Some((bytes, sealed)) = bytes.split_first_chunk::<HEAD>() else {
        return damaged("it is cut off");
    };
    if bytes[..15] != MAGIC[..] {
        return damaged("it does not begin as a sealed file does");
    }
    if bytes[15] > VERSION {
        return Err(Unreadable::Newer);
    }
    let number = |at: usize| {
        let four = bytes[at..].first_chunk().expect("the head is long enough");
        u32::from_le_bytes(*four)
    };
    let cost = Cost { memory_kib: number(16), passes: number(20), lanes: number(24) };
    let head = Head {
        cost,
        salt: *bytes[28..].first_chunk().expect("the head is long enough"),
        check: *bytes[44..].first_chunk().expect("the head is long enough"),
    };
    if head.bytes() != *bytes {
        return damaged("its head was changed");
    }
    let Cost { memory_kib, passes, lanes } = cost;
    if memory_kib > MOST_MEMORY_KIB || passes > MOST_PASSES || lanes > MOST_LANES {
        return damaged("it asks for more memory or time than any Coterie does");
    }
    Ok((head, sealed))
}

/// Nothing when it is not what was sealed with this key under this head.
pub(super) fn open(head: &Head, key: &Key, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
    let payload = Payload { msg: sealed, aad: &head.bytes() };
    key.cipher().decrypt(&(*nonce).into(), payload).ok().map(Zeroizing::new)
}
