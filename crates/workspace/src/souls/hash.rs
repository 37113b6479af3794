//! The fingerprint by which two texts are told apart.

/// blake3 of the bytes, hexadecimal.
pub fn hash(bytes: impl AsRef<[u8]>) -> String {
    blake3::hash(bytes.as_ref()).to_hex().to_string()
}
