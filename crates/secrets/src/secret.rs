//! One secret value: it can be used and compared, and never shows itself.

use serde::{Deserialize, Deserializer};
use std::fmt;
use zeroize::Zeroizing;

/// Below this, four characters would give away too much of it.
const LONG_ENOUGH_TO_HINT: usize = 16;

/// A key, token or passphrase. It can come in from a command and can not go out
/// in a record: there is no `Display` and no `Serialize`, and `Debug` says
/// nothing of it. Its memory is wiped when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    #[must_use]
    pub fn new(value: String) -> Self {
        Secret(Zeroizing::new(value))
    }

    /// The value itself, for the one call that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Its last four characters, by which a person knows it again; nothing of a
    /// short one.
    #[must_use]
    pub fn ending(&self) -> Option<String> {
        let length = self.0.chars().count();
        (length >= LONG_ENOUGH_TO_HINT).then(|| self.0.chars().skip(length - 4).collect())
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Secret::new(value)
    }
}

impl From<&str> for Secret {
    fn from(value: &str) -> Self {
        Secret::new(value.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Secret::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_text_says_nothing_of_the_value() {
        let secret = Secret::from("sk-0123456789");
        assert_eq!(format!("{secret:?} {:?}", Some(&secret)), "Secret(…) Some(Secret(…))");
    }

    #[test]
    fn a_secret_can_not_be_shown_or_serialised() {
        // Whichever of the two `some` fits is called; if both did, this would not compile.
        trait Shows<A> {
            fn some() {}
        }
        struct Really;
        impl<T: ?Sized> Shows<()> for T {}
        impl<T: fmt::Display + ?Sized> Shows<Really> for T {}
        let _ = <Secret as Shows<_>>::some;

        trait Goes<A> {
            fn some() {}
        }
        impl<T: ?Sized> Goes<()> for T {}
        impl<T: serde::Serialize + ?Sized> Goes<Really> for T {}
        let _ = <Secret as Goes<_>>::some;
    }

    #[test]
    fn only_a_long_secret_tells_how_it_ends() {
        assert_eq!(Secret::from("0123456789abcdef").ending().as_deref(), Some("cdef"));
        assert_eq!(Secret::from("0123456789abcde").ending(), None);
        assert_eq!(
            Secret::from("密密密密密密密密密密密密密钥在此").ending().as_deref(),
            Some("密钥在此")
        );
    }
}
