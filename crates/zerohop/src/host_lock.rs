//! Waits until no other zerohop measures on this host: two at once would measure each other.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::thread;
use std::time::{Duration, Instant};

use zerohop_host::{HostLock, HostLockHolder};

use crate::failure::Failure;
use crate::terminal;

/// Names another lock, or none.
const VARIABLE: &str = "ZEROHOP_HOST_LOCK";

/// The value of the variable that means no lock.
const NONE: &str = "none";

/// The pause before another try, also where nobody can be waited for: the holder ends, or does not listen yet.
const PAUSE: Duration = Duration::from_millis(10);

/// How long a holder may take to listen.
const TO_LISTEN: Duration = Duration::from_millis(500);

/// Waits until nobody else measures on this host, for `most` at most, and keeps others from it. `None` if the user wants no lock, or there is no way to
/// have one, which is said.
///
/// # Errors
/// When another process measures for longer than that.
pub(crate) fn hold(most: Duration, quiet: bool) -> Result<Option<HostLock>, Failure> {
    match name(std::env::var_os(VARIABLE)) {
        Some(name) => hold_named(name.as_bytes(), most, quiet),
        None => Ok(None),
    }
}

/// The name of the lock, given the value of the variable.
fn name(variable: Option<OsString>) -> Option<OsString> {
    match variable {
        Some(value) if value == NONE => None,
        Some(value) if !value.is_empty() => {
            let mut name = OsString::from("zerohop-measures-");
            name.push(value);
            Some(name)
        }
        Some(_) | None => Some("zerohop-measures".into()),
    }
}

fn hold_named(name: &[u8], most: Duration, quiet: bool) -> Result<Option<HostLock>, Failure> {
    let began = Instant::now();
    let left = |limit: Duration| limit.checked_sub(began.elapsed()).filter(|left| !left.is_zero());
    let mut announced = false;
    loop {
        match HostLock::take(name) {
            Ok(Some(lock)) => return Ok(Some(lock)),
            Ok(None) => {}
            Err(error) => {
                if !quiet {
                    terminal::say(&terminal::warning_line(&format!(
                        "cannot tell whether another zerohop is measuring on this host: {error}"
                    )));
                }
                return Ok(None);
            }
        }
        match HostLockHolder::of(name, left(most).unwrap_or(TO_LISTEN)) {
            Ok(holder) => {
                let Some(left) = left(most) else { return Err(taken(Some(&holder), most)) };
                if !announced && !quiet {
                    announced = true;
                    terminal::say(&format!("{}: waiting {} at most", described(Some(&holder)), time(left)));
                }
                holder.wait(left);
            }
            Err(_) if left(most.max(TO_LISTEN)).is_none() => return Err(taken(None, most)),
            Err(_) => {}
        }
        thread::sleep(PAUSE);
    }
}

fn taken(holder: Option<&HostLockHolder>, waited: Duration) -> Failure {
    let waited = match waited.is_zero() {
        true => String::new(),
        false => format!(", still after {}", time(waited)),
    };
    Failure::new(format_args!("{}{waited}", described(holder))).hint(format!(
        "simultaneous measurements disturb each other; let it finish, or wait longer with --wait-for-host; \
         {VARIABLE}=NAME uses a separate lock, for cpusets that share nothing"
    ))
}

/// Who measures, and for how long.
fn described(holder: Option<&HostLockHolder>) -> String {
    let who = match holder.and_then(HostLockHolder::pid) {
        Some(pid) => match age(pid) {
            Some(age) => format!(" (pid {pid}, for {})", time(age)),
            None => format!(" (pid {pid})"),
        },
        None => String::new(),
    };
    format!("another zerohop is measuring on this host{who}")
}

/// How long a process has been running.
fn age(pid: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    // The 22nd field (proc_pid_stat(5)); the second one ends with the last bracket, and may hold blanks.
    let ticks: f64 = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    let age = uptime - ticks / rustix::param::clock_ticks_per_second() as f64;
    Duration::try_from_secs_f64(age.max(0.0)).ok()
}

/// `12 s`, `5 min`.
fn time(duration: Duration) -> String {
    match duration.as_secs_f64().ceil() {
        seconds if seconds < 120.0 => format!("{seconds} s"),
        seconds => format!("{} min", (seconds / 60.0).round()),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    fn hold(name: &str, most: Duration) -> Result<Option<HostLock>, Failure> {
        hold_named(format!("zerohop-test-{}-{name}", std::process::id()).as_bytes(), most, true)
    }

    #[test]
    fn one_holds_the_lock_and_the_next_is_told_who() {
        let first = hold("a", Duration::ZERO).unwrap().unwrap();
        let failure = hold("a", Duration::ZERO).unwrap_err();
        let named = format!("another zerohop is measuring on this host (pid {}, for ", std::process::id());
        assert!(failure.message().starts_with(&named), "{failure:?}");
        assert!(failure.advice().unwrap().contains("--wait-for-host"), "{failure:?}");
        assert!(hold("b", Duration::ZERO).unwrap().is_some(), "other names do not wait for it");
        let failure = hold("a", Duration::from_millis(50)).unwrap_err();
        assert!(failure.message().ends_with("still after 1 s"), "{failure:?}");
        drop(first);
        assert!(hold("a", Duration::ZERO).unwrap().is_some());
    }

    #[test]
    fn each_of_many_that_wait_has_it_alone() {
        let (alone, ended) = mpsc::channel();
        let holders = Arc::new(AtomicUsize::new(0));
        for _ in 0..20 {
            let (alone, holders) = (alone.clone(), holders.clone());
            thread::spawn(move || {
                let lock = hold("many", Duration::from_secs(120)).unwrap().unwrap();
                let others = holders.fetch_add(1, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(3));
                holders.fetch_sub(1, Ordering::SeqCst);
                drop(lock);
                alone.send(others).unwrap();
            });
        }
        for _ in 0..20 {
            assert_eq!(ended.recv_timeout(Duration::from_secs(120)), Ok(0));
        }
    }

    #[test]
    fn the_variable_names_a_lock_or_none() {
        let of = |value: Option<&str>| name(value.map(OsString::from));
        assert_eq!(of(Some("none")), None);
        assert_eq!(of(None), of(Some("")));
        assert_eq!(of(None).as_deref(), Some(OsStr::new("zerohop-measures")));
        assert_eq!(of(Some("left")).as_deref(), Some(OsStr::new("zerohop-measures-left")));
    }
}
