//! Shell completion. The program itself computes the candidates, since it knows its machines, studies and experiments;
//! the script that `zerohop completions` prints only calls it.

use clap::CommandFactory;
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};

use crate::arguments::Arguments;
use crate::failure::Failure;

/// The environment variable that the scripts set. Not `COMPLETE`, clap's default: a user may have that for something
/// else.
const VARIABLE: &str = "ZEROHOP_COMPLETE";

const PROGRAM: &str = "zerohop";

/// Answers a shell that asks for completions, and ends the program; returns at once otherwise.
pub(crate) fn answer() {
    CompleteEnv::with_factory(Arguments::command).var(VARIABLE).bin(PROGRAM).completer(PROGRAM).complete();
}

/// The script that makes a shell ask.
///
/// # Errors
/// When there is no script for that shell.
pub(crate) fn script(shell: Shell) -> Result<String, Failure> {
    let shells = Shells::builtins();
    let completer = shells
        .completer(&shell.to_string())
        .ok_or_else(|| Failure::new(format_args!("no completions for {shell}")))?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script).map_err(|error| {
        Failure::new(format_args!("cannot write the completion script for {shell}: {error}"))
    })?;
    let mut script = String::from_utf8_lossy(&script).trim().to_owned();
    if shell == Shell::Zsh {
        // A file in zsh's `fpath` is loaded by the first TAB, which would otherwise offer nothing.
        script.push_str(
            "\n\nif [ \"$funcstack[1]\" = \"_zerohop\" ]; then\n    _clap_dynamic_completer_zerohop \"$@\"\nfi",
        );
    }
    script.push('\n');
    Ok(script)
}
