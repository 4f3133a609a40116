//! The body of a mail in quoted-printable (RFC 2045), as archives keep it: `=3D` is `=`, and a line that ends with `=` goes on in the next.

/// Fewer joined lines than this are a coincidence, unless a header says so.
const FEWEST: usize = 2;

/// The header of a mail that says so. Other headers have `=` signs of their own (`charset=utf-8`).
const HEADER: &str = "content-transfer-encoding: quoted-printable";

/// The text without the encoding; `None` if it has none. Blank lines follow a joined one, so that lines keep their numbers.
pub(crate) fn plain(text: &str) -> Option<String> {
    if !text.contains('=') {
        return None;
    }
    let lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    // The encoding leaves no other `=` in a text.
    let is_encoded =
        |line: &&str| line.split('=').skip(1).all(|rest| escaped(rest).is_some() || rest.is_empty());
    let ends_inside = |line: &&str| line.trim_end_matches('=').len() + 1 < line.len();
    let header = lines.iter().position(|line| line.trim().to_ascii_lowercase() == HEADER);
    // Headers end with a blank line.
    let body = header.map_or(0, |header| {
        let blank = lines[header..].iter().position(|line| line.is_empty());
        blank.map_or(lines.len(), |blank| header + blank)
    });
    let encoded = &lines[body..];
    let is_one = match header {
        // Another mail may follow, with headers of its own.
        Some(_) => encoded.iter().any(|line| line.contains('=')),
        None => {
            encoded.iter().filter(|line| is_soft(line)).count() >= FEWEST
                && encoded.iter().all(|line| is_encoded(line) && !ends_inside(line))
        }
    };
    if !is_one {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut joined = 0;
    for (rank, line) in lines.into_iter().enumerate() {
        if rank < body {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
            continue;
        }
        let soft = is_soft(line);
        let mut rest = if soft { &line[..line.len() - 1] } else { line };
        while let Some(at) = rest.find('=') {
            bytes.extend_from_slice(&rest.as_bytes()[..at]);
            rest = &rest[at + 1..];
            match escaped(rest) {
                Some(byte) => {
                    bytes.push(byte);
                    rest = &rest[2..];
                }
                None => bytes.push(b'='),
            }
        }
        bytes.extend_from_slice(rest.as_bytes());
        if soft {
            joined += 1;
        } else {
            bytes.extend(std::iter::repeat_n(b'\n', joined + 1));
            joined = 0;
        }
    }
    bytes.extend(std::iter::repeat_n(b'\n', joined));
    // The last line has no end.
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a line goes on in the next.
fn is_soft(line: &str) -> bool {
    line.ends_with('=')
}

/// The byte of `3D`.
fn escaped(text: &str) -> Option<u8> {
    let digits = text.get(..2)?;
    let is_upper = digits.bytes().all(|one| one.is_ascii_digit() || (b'A'..=b'F').contains(&one));
    is_upper.then(|| u8::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_the_encoding_parted_are_whole_and_keep_their_numbers() {
        let mail = "> numactl --membind=3D1 ./strea=\nm\n> Copy:   20000.5  0.03=\n25\n> done\n";
        let text = "> numactl --membind=1 ./stream\n\n> Copy:   20000.5  0.0325\n\n> done\n";
        assert_eq!(plain(mail).as_deref(), Some(text));
        assert_eq!(plain("a=C2=B15 b=\nc=\n"), Some("a±5 bc\n\n".to_owned()));
    }

    /// Its own headers kept a mail from being read.
    #[test]
    fn headers_of_a_mail_are_not_encoded() {
        let head = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n";
        let mail = format!("{head}node 0 cpus: 0 1 2=\n 3=20\n");
        assert_eq!(plain(&mail), Some(format!("{head}node 0 cpus: 0 1 2 3 \n\n")));
        assert_eq!(plain(&format!("{head}nothing is encoded\n")), None);
    }

    #[test]
    fn other_texts_have_equals_signs_too() {
        for text in
            ["=====\nSTREAM\n=====\n", "stride=64\nx=\ny=3D\n", "a = b\nSize=12\n", "threads=79, Total=34=\n"]
        {
            assert_eq!(plain(text), None, "{text}");
        }
    }
}
