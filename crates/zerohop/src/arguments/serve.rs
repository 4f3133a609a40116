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
  zerohop serve --archive postgresql://zerohop@db/zerohop  the archive of a team
  zerohop serve --listen 0.0.0.0:7717 --token-file token   for others, who must know the token
  zerohop serve --read-only                                nobody can add results
  curl --data-binary @result.json localhost:7717/api/v1/results
  curl --data-binary @mlc.txt 'localhost:7717/api/v1/results?machine=node-07'

SIGINT and SIGTERM end it once the requests in progress are answered. docs/serve.md describes its pages, its API and its metrics.")]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    pub(crate) location: ArchiveArgument,

    /// Where to listen; an address that other hosts can reach needs --token-file
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7717", value_parser = address)]
    pub(crate) listen: SocketAddr,

    /// The file with the token that everyone must know who asks: 16 characters or more
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// Take no results
    #[arg(long)]
    pub(crate) read_only: bool,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!(
            "`{text}` is no address with a port (expected `127.0.0.1:7717`, `[::1]:7717` or `0.0.0.0:7717`)"
        )
    })
}
