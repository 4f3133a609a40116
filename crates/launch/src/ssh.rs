//! Hosts that OpenSSH's own client logs in to.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::children::{self, ENDS_WITH_INPUT};
use crate::launcher::{LaunchError, Launcher, Offer, Standing, Task, Ticket};
use crate::shell::Shell;

/// How hosts are logged in to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SshOptions {
    /// What each task starts with: a program of the hosts, and its arguments.
    pub words: Vec<String>,
    /// A host to go over.
    pub jump: Option<String>,
    /// OpenSSH's configuration, if not the user's.
    pub configuration: Option<PathBuf>,
}

/// Nothing asks, the agent stays here, and a host whose key is not known is refused. One that does not answer, or dies, is noticed: without these, a client
/// waits for hours.
const OPTIONS: [&str; 6] = [
    "BatchMode=yes",
    "ForwardAgent=no",
    "StrictHostKeyChecking=yes",
    "ConnectTimeout=60",
    "ServerAliveInterval=15",
    "ServerAliveCountMax=8",
];

impl SshOptions {
    fn client(&self, task: &Task) -> Vec<String> {
        let Self { words: _, jump, configuration } = self;
        let mut words = vec!["ssh".to_owned()];
        words.extend(OPTIONS.iter().flat_map(|option| ["-o".to_owned(), (*option).to_owned()]));
        words.extend(configuration.iter().flat_map(|path| ["-F".to_owned(), path.display().to_string()]));
        words.extend(jump.iter().flat_map(|jump| ["-J".to_owned(), jump.clone()]));
        // What begins with a dash is an option, and no host.
        words.extend(["--".to_owned(), task.place().to_owned()]);
        let remote = self.program(task);
        let quoted = remote.iter().map(|word| match shlex::try_quote(word) {
            Ok(quoted) => quoted.into_owned(),
            // A word with a zero byte cannot be written on any command line.
            Err(_) => word.replace('\0', ""),
        });
        words.push(quoted.collect::<Vec<_>>().join(" "));
        words
    }
}

impl Launcher for &SshOptions {
    fn nodes(&self, _: &dyn Shell) -> Result<Vec<Offer>, LaunchError> {
        Err(LaunchError::NoNodes)
    }

    fn program(&self, task: &Task) -> Vec<String> {
        let mut words = task.words_with_output(&self.words);
        words.push(ENDS_WITH_INPUT.to_owned());
        words
    }

    /// The result comes over the connection: hosts need to share no directory.
    fn start(&self, task: &Task, shell: &dyn Shell) -> Result<Ticket, LaunchError> {
        let number = shell.start(&self.client(task), &task.draft, &task.log)?;
        Ok(Ticket(number.to_string()))
    }

    fn has_children(&self) -> bool {
        true
    }

    fn standing(&self, tickets: &[Ticket], shell: &dyn Shell) -> Result<Vec<Standing>, LaunchError> {
        Ok(children::standing(tickets, shell))
    }

    fn stop(&self, tickets: &[Ticket], shell: &dyn Shell) -> Result<(), LaunchError> {
        children::stop(tickets, shell);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_forwards_nothing_and_asks_nothing() {
        let options = SshOptions {
            words: vec!["/opt/my tools/zerohop".into(), "survey".into()],
            jump: Some("login".into()),
            configuration: None,
        };
        let task = Task {
            name: "-oProxyCommand=x".into(),
            node: None,
            arguments: Vec::new(),
            rank: 0,
            draft: "f/.n.part.json".into(),
            log: "f/.log/n.txt".into(),
        };
        let words = options.client(&task).join(" ");
        assert_eq!(
            words,
            "ssh -o BatchMode=yes -o ForwardAgent=no -o StrictHostKeyChecking=yes -o ConnectTimeout=60 \
             -o ServerAliveInterval=15 -o ServerAliveCountMax=8 -J login -- -oProxyCommand=x \
             '/opt/my tools/zerohop' survey --format json --no-files --end-with-stdin"
        );
    }
}
