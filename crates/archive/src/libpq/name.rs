//! Reading a name: a URL, or pairs `KEYWORD=VALUE`.

use super::options::{KEYWORDS, Options, Reason};

/// How a URL begins.
const SCHEMES: [&str; 2] = ["postgresql://", "postgres://"];

/// Whether a text is meant as the name of a database, be it right or not.
pub(crate) fn is_name(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme)) || has_pair(text)
}

/// Whether a text has a word `KEYWORD=`, or two words of which the second begins with `=`.
fn has_pair(text: &str) -> bool {
    text.match_indices('=').any(|(place, _)| {
        let before = text[..place].trim_end();
        let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        KEYWORDS.iter().any(|(keyword, _)| *keyword == word)
    })
}

/// The options that a name has.
pub(super) fn read(text: &str) -> Result<Options, Reason> {
    match SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme)) {
        Some(rest) => of_url(rest),
        None => of_pairs(text),
    }
}

/// `[USER[:PASSWORD]@][HOST[:PORT],…][/DATABASE][?KEYWORD=VALUE&…]`
fn of_url(rest: &str) -> Result<Options, Reason> {
    let mut options = Options::default();
    // A user's name and password end with the first `@`, unless a `/` is before it: all other signs may be in a password.
    let rest = match rest.find(['@', '/']) {
        Some(place) if rest[place..].starts_with('@') => {
            let (user, password) = rest[..place].split_once(':').unwrap_or((&rest[..place], ""));
            for (keyword, text) in [("user", user), ("password", password)] {
                if !text.is_empty() {
                    options.set(keyword, decoded(text)?)?;
                }
            }
            &rest[place + 1..]
        }
        _ => rest,
    };
    // What follows was part of a password, or would be taken for one.
    if rest.contains('@') {
        return Err("write `@` in a URL as `%40`, and `/` in a password as `%2F`".to_owned());
    }
    let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
    let (hosts, database) = rest.split_once('/').unwrap_or((rest, ""));
    set_hosts(&mut options, hosts)?;
    if !database.is_empty() {
        options.set("dbname", decoded(database)?)?;
    }
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        let (keyword, value) =
            parameter.split_once('=').ok_or("a URL parameter has the form `KEYWORD=VALUE`")?;
        match (keyword, value) {
            // As other drivers write it.
            ("ssl", "true") => options.set("sslmode", "require".to_owned())?,
            _ => options.set(&decoded(keyword)?, decoded(value)?)?,
        }
    }
    Ok(options)
}

fn set_hosts(options: &mut Options, hosts: &str) -> Result<(), Reason> {
    let (mut names, mut ports) = (Vec::new(), Vec::new());
    for host in hosts.split(',') {
        let (name, port) = match host.strip_prefix('[') {
            Some(rest) => {
                let (name, rest) = rest.split_once(']').ok_or("an IPv6 address ends with `]`")?;
                (
                    name,
                    rest.strip_prefix(':')
                        .or(rest.is_empty().then_some(""))
                        .ok_or("expected `:PORT` after `]`")?,
                )
            }
            None => host.split_once(':').unwrap_or((host, "")),
        };
        names.push(decoded(name)?);
        ports.push(decoded(port)?);
    }
    for (keyword, list) in [("host", names), ("port", ports)] {
        if list.iter().any(|one| !one.is_empty()) {
            options.set(keyword, list.join(","))?;
        }
    }
    Ok(())
}

/// A part of a URL, of which `%` and two digits are a byte.
fn decoded(text: &str) -> Result<String, Reason> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend(parts.next().unwrap_or_default().bytes());
    for part in parts {
        let byte = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let byte = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|&byte| byte != 0);
        bytes.push(byte.ok_or("two hexadecimal digits must follow `%` in a URL: write `%` as `%25`")?);
        bytes.extend(part[2..].bytes());
    }
    String::from_utf8(bytes).map_err(|_| "a URL must be UTF-8".to_owned())
}

/// `KEYWORD=VALUE` and so on, with blanks between them. A value with blanks has quotes around it, and `\` before its own quotes.
fn of_pairs(text: &str) -> Result<Options, Reason> {
    let mut options = Options::default();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (keyword, value) =
            rest.split_once('=').ok_or("expected `KEYWORD=VALUE` pairs, separated by spaces")?;
        let (value, after) = value_of(value.trim_start())?;
        options.set(keyword.trim_end(), value)?;
        rest = after.trim_start();
    }
    Ok(options)
}

/// The value at the beginning, and what follows it.
fn value_of(text: &str) -> Result<(String, &str), Reason> {
    let (is_quoted, text) = text.strip_prefix('\'').map_or((false, text), |text| (true, text));
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((place, character)) = characters.next() {
        match character {
            '\\' => value.extend(characters.next().map(|(_, character)| character)),
            '\'' if is_quoted => return Ok((value, &text[place + 1..])),
            blank if !is_quoted && blank.is_whitespace() => return Ok((value, &text[place..])),
            other => value.push(other),
        }
    }
    if is_quoted { Err("unclosed quote".to_owned()) } else { Ok((value, "")) }
}
