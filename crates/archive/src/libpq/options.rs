//! Options of connections.

use std::collections::BTreeMap;
use std::net::IpAddr;

use zerohop_result::may_hold_secret;

use super::environment::Environment;

/// Reason why a database name cannot be used, without repeating any of it but names of options.
pub(crate) type Reason = String;

/// The options that are understood, and the variables that set them.
pub(super) const KEYWORDS: [(&str, Option<&str>); 29] = [
    ("application_name", Some("PGAPPNAME")),
    ("channel_binding", Some("PGCHANNELBINDING")),
    ("connect_timeout", Some("PGCONNECT_TIMEOUT")),
    ("dbname", Some("PGDATABASE")),
    ("host", Some("PGHOST")),
    ("hostaddr", Some("PGHOSTADDR")),
    ("keepalives", None),
    ("keepalives_count", None),
    ("keepalives_idle", None),
    ("keepalives_interval", None),
    ("options", Some("PGOPTIONS")),
    ("passfile", Some("PGPASSFILE")),
    ("password", Some("PGPASSWORD")),
    ("port", Some("PGPORT")),
    // These two name a file and a part of it, and are read before all variables.
    ("service", None),
    ("servicefile", None),
    ("ssl_max_protocol_version", Some("PGSSLMAXPROTOCOLVERSION")),
    ("ssl_min_protocol_version", Some("PGSSLMINPROTOCOLVERSION")),
    ("sslcert", Some("PGSSLCERT")),
    ("sslcertmode", Some("PGSSLCERTMODE")),
    ("sslkey", Some("PGSSLKEY")),
    ("sslmode", Some("PGSSLMODE")),
    ("sslnegotiation", Some("PGSSLNEGOTIATION")),
    ("sslrootcert", Some("PGSSLROOTCERT")),
    ("target_session_attrs", Some("PGTARGETSESSIONATTRS")),
    ("tcp_user_timeout", None),
    ("user", Some("PGUSER")),
    // Both are what zerohop does anyway.
    ("client_encoding", None),
    ("fallback_application_name", None),
];

/// Options that are one of several words: an empty one is none of these, as in libpq.
const WORDS: [&str; 5] =
    ["channel_binding", "sslcertmode", "sslmode", "sslnegotiation", "target_session_attrs"];

/// Options that libpq understands and zerohop does not.
const OTHERS: [&str; 25] = [
    "gssdelegation",
    "gssencmode",
    "gsslib",
    "krbsrvname",
    "load_balance_hosts",
    "max_protocol_version",
    "min_protocol_version",
    "oauth_client_id",
    "oauth_client_secret",
    "oauth_issuer",
    "oauth_scope",
    "replication",
    "require_auth",
    "requirepeer",
    "requiressl",
    "scram_client_key",
    "scram_server_key",
    "sslcompression",
    "sslcrl",
    "sslcrldir",
    "sslkeylogfile",
    "sslpassword",
    "sslsni",
    "tty",
    "authtype",
];

/// Variables that make a connection safer than zerohop can, and the values that ask for nothing. All others of libpq that are not read make none
/// less safe.
const SAFER: [(&str, &[&str]); 7] = [
    ("PGREQUIREAUTH", &[]),
    ("PGREQUIREPEER", &[]),
    ("PGGSSENCMODE", &["disable", "prefer"]),
    ("PGSSLCRL", &[]),
    ("PGSSLCRLDIR", &[]),
    ("PGSSLSNI", &["1"]),
    ("PGMINPROTOCOLVERSION", &["3.0"]),
];

/// Checks that no variable asks for what zerohop does not do.
///
/// # Errors
/// When one does: a connection without it would be less safe than was asked for.
pub(super) fn check_variables(environment: &Environment) -> Result<(), Reason> {
    let asks = |(name, nothing): &&(&str, &[&str])| {
        environment.variable(name).is_some_and(|value| !nothing.contains(&value))
    };
    match SAFER.iter().find(asks) {
        Some((name, _)) => Err(format!("zerohop does not support the variable {name}")),
        None => Ok(()),
    }
}

/// Signs that separate options or what is before a host in some notation. No name of a database or a user has them.
const SIGNS: [char; 13] = [';', '&', '=', ':', '/', ',', '?', '|', '"', '\'', '{', '}', '\n'];

/// Whether a text may be the name of a host, its address, or the folder of a socket.
fn is_host(text: &str) -> bool {
    if text.starts_with(['/', '@']) {
        return !text.contains([';', '&', '=']);
    }
    let address = text.split('%').next().unwrap_or_default();
    address.parse::<IpAddr>().is_ok() || !text.contains(SIGNS) && !text.contains('@')
}

/// Options as they were written.
#[derive(Debug, Default)]
pub(super) struct Options(BTreeMap<&'static str, String>);

impl Options {
    /// Sets an option.
    ///
    /// # Errors
    /// When there is no such option. The words repeat its name only if that is surely no part of a password.
    pub(super) fn set(&mut self, keyword: &str, value: String) -> Result<(), Reason> {
        if let Some((keyword, _)) = KEYWORDS.into_iter().find(|(known, _)| *known == keyword) {
            self.0.insert(keyword, value);
            return Ok(());
        }
        Err(match OTHERS.into_iter().find(|known| *known == keyword) {
            Some(known) => format!("zerohop does not support the option `{known}`"),
            None => "it contains an option that PostgreSQL does not have".to_owned(),
        })
    }

    /// Sets an option to the value of a variable, unless it is set.
    pub(super) fn add_variable(&mut self, keyword: &'static str, variable: &str, environment: &Environment) {
        let value = match WORDS.contains(&keyword) {
            true => environment.as_set(variable),
            false => environment.variable(variable),
        };
        if let Some(value) = value {
            self.add_one(keyword, value);
        }
    }

    /// Sets an option, unless it is set.
    pub(super) fn add_one(&mut self, keyword: &'static str, value: &str) {
        self.0.entry(keyword).or_insert_with(|| value.to_owned());
    }

    /// Sets options that are not set.
    pub(super) fn add(&mut self, others: Self) {
        others.0.into_iter().for_each(|(keyword, value)| self.add_one(keyword, &value));
    }

    /// Checks that no value contains other options, as after a misplaced `;` or `&`: messages, also those of a server, repeat names of hosts,
    /// databases and users.
    ///
    /// # Errors
    /// If one does. The message does not repeat it.
    pub(super) fn check_values(&self) -> Result<(), Reason> {
        for (keyword, value) in &self.0 {
            let is_wrong = match *keyword {
                "password" => false,
                "host" => may_hold_secret(value) || value.split(',').any(|host| !is_host(host)),
                "dbname" | "user" => may_hold_secret(value) || value.contains(SIGNS),
                _ => may_hold_secret(value),
            };
            if is_wrong {
                return Err(format!(
                    "`{keyword}` contains characters that may belong to other options or a password: spaces separate pairs, and `?` and `&` separate the \
                     options of a URL"
                ));
            }
        }
        Ok(())
    }

    /// Value of an option; an empty one is ignored.
    pub(super) fn get(&self, keyword: &str) -> Option<&str> {
        self.0.get(keyword).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// An option that is a whole number.
    pub(super) fn number(&self, keyword: &str) -> Result<Option<i64>, Reason> {
        let number =
            |text: &str| text.trim().parse().map_err(|_| format!("`{keyword}` must be a whole number"));
        self.get(keyword).map(number).transpose()
    }

    /// An option that is one of these words; without it, the first.
    pub(super) fn one_of<T: Copy>(&self, keyword: &str, words: &[(&str, T)]) -> Result<T, Reason> {
        let wanted = self.0.get(keyword).map_or(words[0].0, String::as_str);
        let found = words.iter().find(|(word, _)| *word == wanted);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            format!("`{keyword}` must be {}", words.join(" or "))
        })
    }
}
