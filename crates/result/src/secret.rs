//! Display of names that may contain a password. People write the URL of a database, or its options, where a file is expected, and a terminal, a log
//! or a monitor keeps the text of a message.

use std::borrow::Cow;

/// What stands for a name, or for its part, that may hold a secret.
const HIDDEN: &str = "…";

/// What a key has in its name whose value is a secret, without the signs between its words.
const SECRETS: [&str; 9] =
    ["password", "passwd", "passphrase", "passwort", "token", "secret", "apikey", "accesskey", "credential"];

/// How other keys of secrets end.
const ENDINGS: [&str; 3] = ["pwd", "pass", "pw"];

/// Whether a name may hold a password: `USER:PASSWORD@HOST`, or `password=VALUE` or `"password": VALUE` in any spelling.
pub fn may_hold_secret(name: &str) -> bool {
    has_login(name) || name.match_indices(['=', ':']).any(|(place, _)| is_secret(&name[..place]))
}

/// Name as shown in messages: if it may contain a password, it is omitted, except for the scheme of its URL.
pub fn shown_name(name: &str) -> Cow<'_, str> {
    if !may_hold_secret(name) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(match name.split_once("://") {
        Some((scheme, _)) if is_scheme(scheme) => format!("{scheme}://{HIDDEN}"),
        _ => HIDDEN.to_owned(),
    })
}

/// Whether a name has a user and a password before its host.
fn has_login(name: &str) -> bool {
    let (scheme, rest) = name.split_once("://").unwrap_or(("", name));
    // A scheme that is none may be a user and the beginning of a password.
    if scheme.contains([':', '@']) {
        return true;
    }
    let Some((before, after)) = rest.split_once('@') else { return false };
    // In a URL, whatever is before the last `@`: signs of a password are not always escaped. Elsewhere, ports may follow hosts.
    before.contains(':')
        || !scheme.is_empty() && after.rsplit_once('@').is_some_and(|(more, _)| more.contains(':'))
}

/// Whether the word at the end of a text is the key of a secret. A file that holds one is none.
fn is_secret(before: &str) -> bool {
    let between = |c: char| c == '_' || c == '-' || c == '.';
    let before = before.trim_end().trim_end_matches(['"', '\'']);
    let key = before.rsplit(|c: char| !c.is_alphanumeric() && !between(c)).next().unwrap_or_default();
    let key: String = key.chars().filter(|c| !between(*c)).flat_map(char::to_lowercase).collect();
    let names_one =
        SECRETS.iter().any(|word| key.contains(word)) || ENDINGS.iter().any(|end| key.ends_with(end));
    names_one && !["file", "path", "dir"].iter().any(|end| key.ends_with(end))
}

fn is_scheme(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_may_hold_a_password_is_not_shown() {
        for (name, shown) in [
            ("postgresql://me:s3cret@db/z", "postgresql://…"),
            ("postgresql://me:s3cret@", "postgresql://…"),
            ("postgresql://me@corp:s3cret@db/z", "postgresql://…"),
            ("postgresql://db/z?user=me&password=s3cret", "postgresql://…"),
            ("postgresql://db/z?sslpassword=s3cret", "postgresql://…"),
            ("mysql://me:s3cret@db", "mysql://…"),
            ("https://me:s3cret@host/result.json", "https://…"),
            ("https://host/result.json?access_token=s3cret", "https://…"),
            ("me:s3cret@host/z", "…"),
            ("me:s3:cr@et://x", "…"),
            ("postgresql:/me:s3cret@host/z", "…"),
            ("pgsql:me:s3cret@host/z", "…"),
            ("jdbc:postgresql://db/z?user=me&password=s3cret", "…"),
            ("Host=h;Password=s3cret", "…"),
            ("Server=h;PWD = s3cret", "…"),
            ("PGPASSWORD=s3cret", "…"),
            ("host=db passwd = 's3cret", "…"),
            ("{\"Pass-Word\"=s3cret", "…"),
            ("API_KEY=s3cret", "…"),
            ("user=me pass=s3cret", "…"),
            ("{\"password\":\"s3cret\"}", "…"),
            ("{host: h, password: s3cret}", "…"),
            ("host=h;user=u;password=s3cret", "…"),
            ("postgresql://db/z&password=s3cret", "postgresql://…"),
        ] {
            assert_eq!(shown_name(name), shown, "{name}");
            assert!(!shown_name(name).contains("s3"), "{name}");
        }
    }

    #[test]
    fn other_names_are_shown_as_they_are() {
        for name in [
            "a.json",
            "node-07/result.json",
            "postgresql://me@db:5432/z",
            "postgresql://me@a:1,b:2/z",
            "me@node1:22",
            "host=db user=me passfile=/home/me/.pgpass",
            "wire.ht1000.latency=4ns,8ns",
            "xeon-cascade-lake,links=3",
            "C:\\results\\a.json",
            "2026-01-01T10:00:00.json",
            "--token-file=t",
        ] {
            assert_eq!(shown_name(name), name);
        }
    }
}
