//! Programs that this one starts: schedulers' commands, and surveys of models.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use zerohop_fleet::{Answer, Shell, ShellError};

/// Lines of a log that a message repeats.
const LINES: usize = 2;

/// The programs that this process has started.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    started: RefCell<BTreeMap<u32, Child>>,
}

impl Shell for Programs {
    fn run(&self, words: &[String]) -> Result<Answer, ShellError> {
        let output = command(words).stdin(Stdio::null()).output().map_err(|error| refused(words, &error))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Answer {
            status: status(output.status),
            output: text(&output.stdout),
            errors: text(&output.stderr),
        })
    }

    fn start(&self, words: &[String], output: &Path, errors: &Path) -> Result<u32, ShellError> {
        let not_written = |error| refused(words, &error);
        let errors_to = File::create(errors).map_err(not_written)?;
        let output_to = match output == errors {
            true => errors_to.try_clone(),
            false => File::create(output),
        };
        let mut command = command(words);
        command.stdin(Stdio::null()).stdout(output_to.map_err(not_written)?).stderr(errors_to);
        let child = command.spawn().map_err(|error| refused(words, &error))?;
        let number = child.id();
        self.started.borrow_mut().insert(number, child);
        Ok(number)
    }

    fn ended(&self, number: u32) -> Result<Option<i32>, ShellError> {
        let mut started = self.started.borrow_mut();
        let child = started.get_mut(&number).ok_or(ShellError::Stranger)?;
        // A child that cannot be waited for is none of this process.
        child.try_wait().map(|ended| ended.map(status)).map_err(|_| ShellError::Stranger)
    }

    fn stop(&self, number: u32) {
        if let Some(mut child) = self.started.borrow_mut().remove(&number) {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    fn last_lines(&self, path: &Path) -> Option<String> {
        let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(LINES)..];
        (!last.is_empty()).then(|| last.join("; "))
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), ShellError> {
        // A result that is there in part must not be taken for one.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let draft = path.with_file_name(format!(".{name}.part"));
        std::fs::write(&draft, text)
            .and_then(|()| std::fs::rename(&draft, path))
            .map_err(|error| ShellError::NotWritten { path: path.to_owned(), reason: error.to_string() })
    }

    fn exists(&self, path: &Path) -> bool {
        path.metadata().is_ok_and(|about| about.len() > 0)
    }
}

fn command(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

fn refused(words: &[String], error: &std::io::Error) -> ShellError {
    let program = words[0].clone();
    match error.kind() {
        ErrorKind::NotFound => ShellError::Missing { program },
        _ => ShellError::NotStarted { program, reason: error.to_string() },
    }
}

/// As shells count it: a signal is 128 and its number.
fn status(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}
