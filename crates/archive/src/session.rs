//! A connection to a server of PostgreSQL. Every wait on it has an end: a server may stop, or a network, without a word.

use std::collections::HashMap;
use std::error::Error as _;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Error, Row, Statement};

use crate::database::Field;
use crate::location::Access;
use crate::server::Server;
use crate::tls::Tls;

/// Time limit for a silent server while it reads.
pub(crate) const ANSWER: Duration = Duration::from_secs(30);

/// Time limit for a silent server while it writes: it may have to change every row of a large table.
pub(crate) const CHANGE: Duration = Duration::from_secs(600);

pub(crate) struct Session {
    /// Carries messages while something waits for them. It is there until the connection ends.
    runtime: Option<Runtime>,
    client: Client,
    /// Statements that the server has prepared.
    prepared: HashMap<String, Statement>,
    /// Whether others could read the connection without permission.
    pub(crate) is_open_to_others: bool,
}

/// Reason why an operation failed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The connection is lost.
    Lost(String),
    /// The server was silent for so long.
    Silent(Duration),
    /// The server cannot be reached.
    Unreachable(String),
    /// Encryption, or a certificate, is not as it has to be.
    Untrusted(String),
    Refused(Error),
    /// This host is at fault.
    Host(String),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        if is_lost(&error) { Self::Lost(words(&error)) } else { Self::Refused(error) }
    }
}

impl Session {
    /// Connects to the first of the servers that answers.
    pub(crate) fn open(server: &Server, access: Access) -> Result<Self, Fault> {
        let tls = server.security.tls().map_err(Fault::Untrusted)?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let mut runtime = Background(Some(runtime.map_err(|error| Fault::Host(error.to_string()))?));
        let mut failed = Fault::Host("it contains no server".to_owned());
        for (_, config) in &server.hosts {
            let tls = tls.another();
            match connect(runtime.get(), config, tls.clone(), server.connect) {
                Ok(client) => {
                    let mut session = Self {
                        runtime: runtime.0.take(),
                        client,
                        prepared: HashMap::new(),
                        is_open_to_others: !tls.has_begun() && is_open_to_others(config),
                    };
                    // What it says of tables that are there already is no news.
                    session.script("SET client_min_messages = warning", ANSWER)?;
                    if access == Access::Read {
                        session.script("SET default_transaction_read_only = on", ANSWER)?;
                    }
                    return Ok(session);
                }
                Err(fault) => failed = fault,
            }
        }
        Err(failed)
    }

    /// Waits for a message, and for others that come meanwhile.
    fn wait<T>(&self, limit: Duration, work: impl Future<Output = Result<T, Error>>) -> Result<T, Fault> {
        let runtime = self.runtime.as_ref().ok_or_else(|| Fault::Lost("it was closed".to_owned()))?;
        let done = runtime.block_on(async { tokio::time::timeout(limit, work).await });
        Ok(done.map_err(|_| Fault::Silent(limit))??)
    }

    /// Carries out statements that have no parameters.
    pub(crate) fn script(&mut self, statements: &str, limit: Duration) -> Result<(), Fault> {
        self.wait(limit, self.client.batch_execute(statements))
    }

    /// Carries out a statement, and says how many rows it changed.
    pub(crate) fn execute(
        &mut self,
        statement: &str,
        fields: &[Field],
        limit: Duration,
    ) -> Result<u64, Fault> {
        let prepared = self.prepared(statement, limit)?;
        let fields: Vec<&(dyn ToSql + Sync)> = fields.iter().map(|field| field as _).collect();
        self.wait(limit, self.client.execute(&prepared, &fields))
    }

    /// The rows that a statement finds, one after the other, until `each` wants no more.
    pub(crate) fn query(
        &mut self,
        statement: &str,
        fields: &[Field],
        limit: Duration,
        each: &mut dyn FnMut(&Row) -> Result<bool, Error>,
    ) -> Result<(), Fault> {
        let prepared = self.prepared(statement, limit)?;
        let runtime = self.runtime.as_ref().ok_or_else(|| Fault::Lost("it was closed".to_owned()))?;
        runtime.block_on(async {
            let silent = |_| Fault::Silent(limit);
            let rows = tokio::time::timeout(limit, self.client.query_raw(&prepared, fields)).await;
            let mut rows = std::pin::pin!(rows.map_err(silent)??);
            while let Some(row) = tokio::time::timeout(limit, rows.next()).await.map_err(silent)? {
                if !each(&row?)? {
                    break;
                }
            }
            Ok(())
        })
    }

    fn prepared(&mut self, statement: &str, limit: Duration) -> Result<Statement, Fault> {
        if let Some(prepared) = self.prepared.get(statement) {
            return Ok(prepared.clone());
        }
        let prepared = self.wait(limit, self.client.prepare(statement))?;
        self.prepared.insert(statement.to_owned(), prepared.clone());
        Ok(prepared)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(Background(self.runtime.take()));
    }
}

/// A runtime that ends without a wait for what it does: a name server may be silent, too.
struct Background(Option<Runtime>);

impl Background {
    const fn get(&self) -> Option<&Runtime> {
        self.0.as_ref()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

fn connect(
    runtime: Option<&Runtime>,
    config: &Config,
    tls: Tls,
    limit: Option<Duration>,
) -> Result<Client, Fault> {
    let runtime = runtime.ok_or_else(|| Fault::Lost("it was closed".to_owned()))?;
    let connected = runtime.block_on(async {
        match limit {
            Some(limit) => tokio::time::timeout(limit, config.connect(tls)).await,
            None => Ok(config.connect(tls).await),
        }
    });
    let silent =
        |_| Fault::Unreachable(format!("request timed out after {} s", limit.unwrap_or_default().as_secs()));
    let (client, connection) = connected.map_err(silent)?.map_err(of_connecting)?;
    // What ends it shows in what the client asks next.
    drop(runtime.spawn(async { drop(connection.await) }));
    Ok(client)
}

/// Whether a connection that is not encrypted leaves this host, though no option says that it may.
fn is_open_to_others(config: &Config) -> bool {
    let is_elsewhere = |host: &Host| match host {
        Host::Tcp(name) => {
            name != "localhost" && !name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        }
        Host::Unix(_) => false,
    };
    let is_elsewhere = match config.get_hostaddrs() {
        [] => config.get_hosts().iter().any(is_elsewhere),
        addresses => !addresses.iter().all(IpAddr::is_loopback),
    };
    is_elsewhere && config.get_ssl_mode() == SslMode::Prefer
}

/// Why there is no connection.
fn of_connecting(error: Error) -> Fault {
    if error.as_db_error().is_some() {
        return if is_lost(&error) { Fault::Unreachable(words(&error)) } else { Fault::Refused(error) };
    }
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    let is_of_tls = error.to_string().contains("TLS")
        || cause
            .and_then(io::Error::get_ref)
            .and_then(|inner| inner.downcast_ref::<rustls::Error>())
            .is_some();
    match cause {
        _ if is_of_tls => Fault::Untrusted(words(&error)),
        Some(_) => Fault::Unreachable(words(&error)),
        None if error.is_closed() => Fault::Unreachable(words(&error)),
        None => Fault::Refused(error),
    }
}

/// Whether a connection is of no more use: it is closed, or the server is about to close it.
fn is_lost(error: &Error) -> bool {
    let Some(of_server) = error.as_db_error() else {
        let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
        return error.is_closed() || cause.is_some();
    };
    let of_class = of_server.code().code().starts_with("08");
    let is_ending = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::TOO_MANY_CONNECTIONS,
    ]
    .contains(of_server.code());
    let is_severe = matches!(of_server.parsed_severity(), Some(Severity::Panic));
    // Connections of their own accord end only idle ones; the state has no name in the driver.
    of_class || is_ending || is_severe || of_server.code().code() == "57P05"
}

/// Description of an error with its causes: the error itself only names the place.
pub(crate) fn words(error: &Error) -> String {
    if let Some(of_server) = error.as_db_error() {
        return of_server.message().to_owned();
    }
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        // Some repeat the words of their causes.
        if !words.contains(&next) {
            words = format!("{words}: {next}");
        }
        cause = error.source();
    }
    words
}
