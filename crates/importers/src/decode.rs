//! Bytes of a file as text, whatever the editor or the terminal wrote.

/// The text of a file: UTF-8 or UTF-16, with or without a byte order mark. Bytes that are not valid are replaced by the
/// replacement character, so that one foreign letter does not lose a file.
pub fn decode(bytes: &[u8]) -> String {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        // A text in Latin letters has a zero in every second byte.
        [_, 0, _, 0, ..] => utf16(bytes, u16::from_le_bytes),
        [0, _, 0, _, ..] => utf16(bytes, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_a_windows_editor_is_text() {
        assert_eq!(decode(b"\xff\xfeA\0B\0"), "AB");
        assert_eq!(decode(b"\xfe\xff\0A\0B"), "AB");
        assert_eq!(decode(b"\xef\xbb\xbfAB"), "AB");
        assert_eq!(decode(b"A\0B\0C\0"), "ABC");
        assert_eq!(decode(b"\0A\0B\0C"), "ABC");
        assert_eq!(decode(b"8 \xb5s"), "8 \u{fffd}s");
    }
}
