//! Arguments of `zerohop serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::ArchiveArgument;

/// Arguments of `serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop serve                                            http://127.0.0.1:7717, for this host only
  zerohop serve --archive postgresql://zerohop@db/zerohop  a team's archive
  zerohop serve --listen 0.0.0.0:7717 --token-file token   for other hosts, with an access token
  zerohop serve --read-only                                without uploads
  curl --data-binary @result.json localhost:7717/api/v1/results
  curl --data-binary @mlc.txt 'localhost:7717/api/v1/results?machine=node-07'

On SIGINT or SIGTERM, the server finishes the requests in progress and exits. \
docs/serve.md describes its pages, API and metrics.")]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    pub(crate) location: ArchiveArgument,

    /// Address to listen on; an address that other hosts can reach requires --token-file
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7717", value_parser = address)]
    pub(crate) listen: SocketAddr,

    /// File with the access token that clients must send, 16 characters or more
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// Reject uploads
    #[arg(long)]
    pub(crate) read_only: bool,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!(
            "invalid address `{text}` (expected ADDRESS:PORT, such as `127.0.0.1:7717`, `[::1]:7717` or `0.0.0.0:7717`)"
        )
    })
}
