//! Programs that this one starts: schedulers' commands, clients of ssh, and surveys of models.
//!
//! One that runs while this one waits for it has a process group of its own, so that Ctrl-C reaches this program alone, which then ends the others in order.
//! Its standard input is a pipe whose other end this program has: that closes when this program ends, killed or not, and tells the other one to end
//! (`standard_input.rs`). Its output is a file that stays locked for as long as it, or what it has started, runs: whoever goes on after a crash sees by that
//! what still runs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use zerohop_launch::{Answer, NotWhole, Shell, ShellError};

/// Lines of a log that a message repeats.
const LINES: usize = 2;

/// How long programs may take to save what they have once they are to end, and the time between two looks.
const TO_END: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(10);

/// Says why a text is no whole result.
pub(crate) type Check = fn(&str) -> Result<(), String>;

/// The programs that this process has started.
#[derive(Debug)]
pub(crate) struct Programs {
    started: RefCell<BTreeMap<u32, Child>>,
    check: Check,
}

impl Programs {
    /// None yet. Their results are checked so.
    pub(crate) fn whose_results(check: Check) -> Self {
        Self { started: RefCell::default(), check }
    }
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
        let created = |path: &Path| {
            new(path)
                .map_err(|error| ShellError::NotWritten { path: path.to_owned(), reason: error.to_string() })
        };
        let errors_to = created(errors)?;
        let output_to = match output == errors {
            true => errors_to.try_clone().map_err(|error| refused(words, &error))?,
            false => created(output)?,
        };
        // Some network file systems have no locks; there, nobody sees what still runs.
        let _ = output_to.try_lock();
        let mut command = command(words);
        command.stdin(Stdio::piped()).stdout(output_to).stderr(errors_to).process_group(0);
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

    fn stop(&self, numbers: &[u32]) {
        let mut started = self.started.borrow_mut();
        let mut children: Vec<Child> = numbers.iter().filter_map(|number| started.remove(number)).collect();
        for child in &mut children {
            signal(child, Signal::TERM);
            drop(child.stdin.take());
        }
        let until = Instant::now() + TO_END;
        while !children.iter_mut().all(has_ended) && Instant::now() < until {
            thread::sleep(LOOK);
        }
        for mut child in children {
            signal(&mut child, Signal::KILL);
            let _ = child.wait();
        }
    }

    fn reason(&self, log: &Path) -> Option<String> {
        let text = String::from_utf8_lossy(&fs::read(log).ok()?).into_owned();
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if let Some(error) = lines.iter().rfind(|line| line.starts_with("error:")) {
            return Some((*error).to_owned());
        }
        let last = &lines[lines.len().saturating_sub(LINES)..];
        (!last.is_empty()).then(|| last.join("; "))
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), ShellError> {
        // A file that is there in part must not be taken for one.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let draft = path.with_file_name(format!(".{name}.part"));
        fs::write(&draft, text)
            .and_then(|()| fs::rename(&draft, path))
            .map_err(|error| ShellError::NotWritten { path: path.to_owned(), reason: error.to_string() })
    }

    fn whole(&self, path: &Path) -> Result<(), NotWhole> {
        let bytes = match fs::read(path) {
            Ok(bytes) if !bytes.is_empty() => bytes,
            Ok(_) => return Err(NotWhole::Absent),
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(NotWhole::Absent),
            Err(error) => return Err(NotWhole::Otherwise(error.to_string())),
        };
        let text = str::from_utf8(&bytes).map_err(|error| NotWhole::Otherwise(error.to_string()))?;
        (self.check)(text).map_err(NotWhole::Otherwise)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), ShellError> {
        let renamed = || {
            File::open(from)?.sync_all()?;
            fs::rename(from, to)?;
            // File systems that cannot sync a directory say so; the file itself is safe.
            let _ = File::open(to.parent().unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
            Ok(())
        };
        renamed().map_err(|error: io::Error| ShellError::NotWritten {
            path: to.to_owned(),
            reason: error.to_string(),
        })
    }

    fn set_aside(&self, from: &Path, to: &Path) -> bool {
        match from.metadata() {
            Ok(about) if about.len() > 0 => fs::rename(from, to).is_ok(),
            Ok(_) => {
                let _ = fs::remove_file(from);
                false
            }
            Err(_) => false,
        }
    }

    fn is_held(&self, path: &Path) -> bool {
        File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }
}

/// A new file. One that is there goes: a program that runs still may write to it.
fn new(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => File::create_new(path),
    }
}

fn has_ended(child: &mut Child) -> bool {
    // One that cannot be waited for is not there.
    !matches!(child.try_wait(), Ok(None))
}

/// Sends a signal to a program and to what it has started, unless it has ended: its number may then be another one's.
fn signal(child: &mut Child, signal: Signal) {
    if !has_ended(child) {
        let _ = kill_process_group(Pid::from_child(child), signal);
    }
}

fn command(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

fn refused(words: &[String], error: &io::Error) -> ShellError {
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
