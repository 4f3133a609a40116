//! Texts as they are kept: packed, with a digest by which damage shows.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use sha2::{Digest, Sha256};

/// Texts of surveys shrink to a fifteenth or more. A level more saves a few percent of that and takes a quarter to a half more time, which is most of
/// the time of adding (docs/performance.md).
const LEVEL: u32 = 2;

/// The longest text that is unpacked: a few bytes could pretend to be a text without end.
const LONGEST: u64 = 256 << 20;

/// A text as it is kept. Packing takes longer than writing, and any thread can do it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The packed bytes (zlib, RFC 1950).
    pub(crate) body: Vec<u8>,
    /// The SHA-256 of the text, in hexadecimal digits.
    pub(crate) digest: String,
}

impl Packed {
    pub fn of(text: &str) -> Self {
        let mut encoder = ZlibEncoder::new(Vec::with_capacity(text.len() / 8), Compression::new(LEVEL));
        // Writing to memory does not fail.
        let body = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).unwrap_or_default();
        Self { body, digest: digest(text.as_bytes()) }
    }

    /// Unpacks the text.
    ///
    /// # Errors
    /// If it differs from the packed one.
    pub(crate) fn text(&self) -> Result<String, String> {
        let mut bytes = Vec::new();
        ZlibDecoder::new(self.body.as_slice())
            .take(LONGEST)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("cannot decompress it: {error}"))?;
        if digest(&bytes) != self.digest {
            return Err("its text was changed: the digest differs".to_owned());
        }
        String::from_utf8(bytes).map_err(|error| error.to_string())
    }
}

/// The SHA-256 of some bytes, in hexadecimal digits.
fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A number that follows from texts: equal for equal ones, and hardly for others.
pub(crate) fn number_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> i64 {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    let first = hash.finalize().first_chunk().copied().unwrap_or_default();
    // Above zero, so that whoever prints one sees no sign.
    (u64::from_le_bytes(first) >> 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_as_it_was() {
        let text = "{\"cells\":[1,2,3]}".repeat(1000);
        let packed = Packed::of(&text);
        assert!(packed.body.len() * 20 < text.len());
        assert_eq!(packed.text().unwrap(), text);
    }

    #[test]
    fn damage_shows_and_no_other_text_comes_back() {
        let packed = Packed::of("a result");
        let mut shows = 0;
        for rank in 0..packed.body.len() {
            let mut damaged = packed.clone();
            damaged.body[rank] ^= 0x40;
            // Behind the text is a checksum, which the digest makes superfluous.
            match damaged.text() {
                Ok(text) => assert_eq!(text, "a result", "byte {rank}"),
                Err(_) => shows += 1,
            }
        }
        assert!(shows >= packed.body.len() / 2, "{shows} of {}", packed.body.len());
        let cut = Packed { body: packed.body[..4].to_vec(), ..packed };
        assert!(cut.text().is_err());
    }

    #[test]
    fn numbers_of_texts_tell_where_one_ends() {
        assert_ne!(number_of(["ab", "c"]), number_of(["a", "bc"]));
        assert!(number_of(["a"]) >= 0);
    }
}
