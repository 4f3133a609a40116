//! Database names, interpreted like libpq, PostgreSQL's own library: <https://www.postgresql.org/docs/current/libpq-connect.html>.
//!
//! Parts that the name omits are read from a service file, from variables `PG…`, and from a password file, so no password has to be in an argument
//! list. Errors never repeat a name: it may hold a password.

mod environment;
mod name;
mod options;
mod password_file;
mod service_file;

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{ChannelBinding, SslMode, SslNegotiation, TargetSessionAttrs};

pub use environment::Environment;
pub(crate) use name::is_name;

use crate::server::Server;
use crate::tls::{Identity, Roots, Security, Trust, Versions};
use environment::SOCKET_FOLDERS;
use options::{Options, Reason};
use password_file::PasswordFile;

/// The port of a server that names none.
const PORT: u16 = 5432;

/// How long a connection may take to begin, unless an option says otherwise.
const CONNECT: Duration = Duration::from_secs(10);

/// After how much silence the kernel asks whether the other host is still there, how often, and when it gives up.
const IDLE: Duration = Duration::from_secs(30);
const INTERVAL: Duration = Duration::from_secs(10);
const RETRIES: u32 = 3;

/// How long what was sent may stay without an acknowledgement.
const UNACKNOWLEDGED: Duration = Duration::from_secs(30);

/// The server and the database that a name means.
///
/// # Errors
/// When it is no name of a database, or an option, a variable or a file says something impossible.
pub(crate) fn server(name: &str, environment: &Environment) -> Result<Server, Reason> {
    let mut options = name::read(name)?;
    if let Some(service) = options.get("service").or_else(|| environment.variable("PGSERVICE")) {
        let file = options.get("servicefile").map(PathBuf::from);
        options.add(service_file::find(service, file, environment)?);
    }
    for (keyword, variable) in options::KEYWORDS {
        if let Some(variable) = variable {
            options.add_variable(keyword, variable, environment);
        }
    }
    // As libpq still has it.
    if environment.variable("PGREQUIRESSL").is_some_and(|value| value.starts_with('1')) {
        options.add_one("sslmode", "require");
    }
    options::check_variables(environment)?;
    options.check_values()?;
    resolved(&options, environment)
}

fn resolved(options: &Options, environment: &Environment) -> Result<Server, Reason> {
    let user = options.get("user").or(environment.user.as_deref());
    let user = user.ok_or("`user` is missing, and the user name of this process is unknown")?.to_owned();
    let database = options.get("dbname").unwrap_or(&user).to_owned();
    let (security, mode) = security(options, environment)?;
    let mut common = Config::new();
    common
        .user(&user)
        .dbname(&database)
        .application_name(options.get("application_name").unwrap_or("zerohop"));
    if let Some(settings) = options.get("options") {
        common.options(settings);
    }
    limit(&mut common, options)?;
    choose(&mut common, options)?;
    let mut passwords = match options.get("password") {
        Some(password) => {
            common.password(password);
            None
        }
        None => PasswordFile::open(options.get("passfile"), environment),
    };
    let mut hosts = Vec::new();
    for Host { name, address, port } in self::hosts(options)? {
        let mut config = common.clone();
        config.host(&name).port(port);
        if let Some(address) = address {
            config.hostaddr(address);
        }
        // No server encrypts what goes through a socket of its own host.
        config.ssl_mode(if is_socket(&name) { SslMode::Disable } else { mode });
        if let Some(password) =
            passwords.as_mut().and_then(|file| file.password(&name, port, &database, &user))
        {
            config.password(password);
        }
        hosts.push((shown(&name, port), config));
    }
    let warnings = passwords.and_then(|file| file.warning).into_iter().collect();
    Ok(Server { database, hosts, security, connect: connect_timeout(options)?, warnings })
}

/// Where a server listens.
struct Host {
    name: String,
    address: Option<IpAddr>,
    port: u16,
}

/// The servers that are tried, one after the other.
fn hosts(options: &Options) -> Result<Vec<Host>, Reason> {
    let list =
        |keyword| options.get(keyword).map(|text| text.split(',').collect::<Vec<_>>()).unwrap_or_default();
    let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"));
    let count = names.len().max(addresses.len()).max(1);
    if !names.is_empty() && !addresses.is_empty() && names.len() != addresses.len() {
        return Err("`host` and `hostaddr` must list the same number of servers".to_owned());
    }
    if ports.len() > 1 && ports.len() != count {
        return Err("`port` must contain one port, or one per server".to_owned());
    }
    let host = |rank: usize| {
        let port = ports.get(rank).or(ports.first()).filter(|port| !port.is_empty());
        let port = match port {
            Some(port) => port.trim().parse().ok().filter(|&port| port > 0),
            None => Some(PORT),
        };
        let port = port.ok_or("`port` must be a number from 1 to 65535")?;
        let address = match addresses.get(rank).filter(|address| !address.is_empty()) {
            Some(address) => Some(address.parse::<IpAddr>().map_err(|_| "`hostaddr` must be an IP address")?),
            None => None,
        };
        let name = match (names.get(rank).filter(|name| !name.is_empty()), address) {
            (Some(name), _) => (*name).to_owned(),
            (None, Some(address)) => address.to_string(),
            (None, None) => socket_folder(port),
        };
        Ok(Host { name, address, port })
    };
    (0..count).map(host).collect()
}

/// The folder in which a server of this host has its socket.
fn socket_folder(port: u16) -> String {
    let has_socket = |folder: &&str| PathBuf::from(folder).join(format!(".s.PGSQL.{port}")).exists();
    SOCKET_FOLDERS.into_iter().find(has_socket).unwrap_or(SOCKET_FOLDERS[0]).to_owned()
}

/// Whether a host is the folder of a socket.
fn is_socket(host: &str) -> bool {
    host.starts_with(['/', '@'])
}

/// A server as messages name it.
fn shown(host: &str, port: u16) -> String {
    match (is_socket(host), port) {
        (true, PORT) => host.to_owned(),
        (true, port) => format!("{host}, port {port}"),
        (false, port) if host.contains(':') => format!("[{host}]:{port}"),
        (false, port) => format!("{host}:{port}"),
    }
}

fn connect_timeout(options: &Options) -> Result<Option<Duration>, Reason> {
    Ok(match options.number("connect_timeout")? {
        None => Some(CONNECT),
        Some(seconds) => u64::try_from(seconds).ok().filter(|&seconds| seconds > 0).map(Duration::from_secs),
    })
}

/// Says when a connection counts as lost.
fn limit(config: &mut Config, options: &Options) -> Result<(), Reason> {
    let positive = |keyword, default: Duration, unit: fn(u64) -> Duration| -> Result<Duration, Reason> {
        let number = options.number(keyword)?.and_then(|number| u64::try_from(number).ok());
        Ok(number.filter(|&number| number > 0).map_or(default, unit))
    };
    let retries = options.number("keepalives_count")?.and_then(|number| u32::try_from(number).ok());
    config
        .keepalives(options.number("keepalives")? != Some(0))
        .keepalives_idle(positive("keepalives_idle", IDLE, Duration::from_secs)?)
        .keepalives_interval(positive("keepalives_interval", INTERVAL, Duration::from_secs)?)
        .keepalives_retries(retries.filter(|&retries| retries > 0).unwrap_or(RETRIES))
        .tcp_user_timeout(positive("tcp_user_timeout", UNACKNOWLEDGED, Duration::from_millis)?);
    Ok(())
}

/// Says which of several servers are wanted.
fn choose(config: &mut Config, options: &Options) -> Result<(), Reason> {
    config.target_session_attrs(options.one_of(
        "target_session_attrs",
        &[
            ("any", TargetSessionAttrs::Any),
            ("read-write", TargetSessionAttrs::ReadWrite),
            ("primary", TargetSessionAttrs::ReadWrite),
            ("read-only", TargetSessionAttrs::ReadOnly),
            ("standby", TargetSessionAttrs::ReadOnly),
        ],
    )?);
    config.channel_binding(options.one_of(
        "channel_binding",
        &[("prefer", ChannelBinding::Prefer), ("disable", ChannelBinding::Disable)],
    )?);
    config.ssl_negotiation(options.one_of(
        "sslnegotiation",
        &[("postgres", SslNegotiation::Postgres), ("direct", SslNegotiation::Direct)],
    )?);
    Ok(())
}

/// What is encrypted, and whose certificates are believed.
fn security(options: &Options, environment: &Environment) -> Result<(Security, SslMode), Reason> {
    let of_home = |name: &str| environment.home.as_ref().map(|home| home.join(".postgresql").join(name));
    let of_system = options.get("sslrootcert") == Some("system");
    let named = options.get("sslrootcert").filter(|_| !of_system).map(PathBuf::from);
    let file = named.or_else(|| of_home("root.crt").filter(|file| file.is_file()));
    let usual = if of_system { "verify-full" } else { "prefer" };
    let mut modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
    modes.sort_by_key(|mode| *mode != usual);
    let mode = options.one_of("sslmode", &modes.map(|mode| (mode, mode)))?;
    if of_system && mode != "verify-full" {
        return Err(
            "`sslrootcert=system` needs `sslmode=verify-full`: anyone can get a certificate for some name"
                .to_owned(),
        );
    }
    let (mode, trust) = match (mode, file) {
        ("disable", _) => (SslMode::Disable, Trust::Anyone),
        ("allow" | "prefer", _) => (SslMode::Prefer, Trust::Anyone),
        ("require", None) => (SslMode::Require, Trust::Anyone),
        // As libpq has it: a file of certificates is there to be used.
        ("require" | "verify-ca", Some(file)) => (SslMode::Require, Trust::Signed(file)),
        ("verify-ca", None) => {
            return Err(
                "`sslmode=verify-ca` needs the certificate of the server's CA: `sslrootcert=FILE`".to_owned()
            );
        }
        ("verify-full", Some(file)) if !of_system => (SslMode::Require, Trust::Named(Roots::File(file))),
        ("verify-full", _) => (SslMode::Require, Trust::Named(Roots::System)),
        (mode, _) => return Err(format!("`sslmode` cannot be {mode}")),
    };
    if trust != Trust::Anyone
        && let Some(file) = of_home("root.crl").filter(|file| file.is_file())
    {
        return Err(format!("`{}` lists revoked certificates, which zerohop cannot check", file.display()));
    }
    let there = |file: Option<PathBuf>| file.filter(|file| file.is_file());
    let certificate = options.get("sslcert").map(PathBuf::from).or_else(|| there(of_home("postgresql.crt")));
    let key = options.get("sslkey").map(PathBuf::from).or_else(|| there(of_home("postgresql.key")));
    let use_of_own = [("allow", true), ("disable", false)];
    let identity = match (certificate, key) {
        _ if !options.one_of("sslcertmode", &use_of_own)? || mode == SslMode::Disable => None,
        (Some(certificate), Some(key)) => Some(Identity { certificate, key }),
        (Some(_), None) => return Err("`sslcert` needs `sslkey`".to_owned()),
        (None, _) => None,
    };
    Ok((Security { trust, identity, versions: versions(options)? }, mode))
}

/// The versions of TLS between the least and the highest that are named.
fn versions(options: &Options) -> Result<Versions, Reason> {
    let rank = |keyword: &str, without: u8| match options.get(keyword).map(str::to_ascii_lowercase).as_deref()
    {
        None => Ok(without),
        Some("tlsv1" | "tlsv1.1") => Ok(1),
        Some("tlsv1.2") => Ok(2),
        Some("tlsv1.3") => Ok(3),
        Some(_) => Err(format!("`{keyword}` must be TLSv1.2 or TLSv1.3")),
    };
    match (rank("ssl_min_protocol_version", 2)?, rank("ssl_max_protocol_version", 3)?) {
        (..=2, 3) => Ok(Versions::Both),
        (3, 3) => Ok(Versions::Only13),
        (..=2, 2) => Ok(Versions::Only12),
        (least, highest) if least > highest => {
            Err("`ssl_min_protocol_version` is higher than `ssl_max_protocol_version`".to_owned())
        }
        _ => Err("`ssl_max_protocol_version` must be TLSv1.2 or TLSv1.3: older ones are insecure".to_owned()),
    }
}

#[cfg(test)]
mod tests;
