//! Reasons why the server cannot run.

use std::io;
use std::net::SocketAddr;

use zerohop_app::Hinted;
use zerohop_archive::ArchiveError;

/// Reason why the server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Others could reach it, and nothing would ask who they are.
    #[error("other hosts can reach `{address}`, and no token protects it")]
    Unprotected {
        /// Address to listen on.
        address: SocketAddr,
    },
    /// The address is taken, or not one of this host.
    #[error("cannot listen on `{address}`: {reason}")]
    Address {
        /// Address to listen on.
        address: SocketAddr,
        reason: io::Error,
    },
    /// The archive cannot be opened.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The system has no room for threads.
    #[error("cannot start the threads of the server: {0}")]
    Threads(io::Error),
}

impl Hinted for ServeError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unprotected { .. } => {
                "protect it with --token-file FILE, or listen on 127.0.0.1".to_owned()
            }
            Self::Address { reason, .. } if reason.kind() == io::ErrorKind::AddrInUse => {
                "another program is listening there; choose another port with --listen, such as 127.0.0.1:0 for any free one"
                    .to_owned()
            }
            Self::Address { .. } => "use an address of this host and a port with --listen, such as 127.0.0.1:7717".to_owned(),
            Self::Archive(error) => return error.hint(),
            Self::Threads(_) => "allow more threads (`ulimit -u`, pids.max of the cgroup)".to_owned(),
        })
    }
}
