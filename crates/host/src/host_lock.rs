//! A lock that one process of this host holds at a time: two measurements at once would measure each other.
//!
//! It is an abstract Unix socket (unix(7)). The kernel releases it when its holder ends, however that ends; it is the same for all users; and it leaves
//! nothing on the disk. Whoever waits connects to the holder, and is woken by the end of the connection: waiting takes no CPU time from what is measured.
//! Only processes of one network namespace see each other. Containers do not share the directory of a lock file either, and other users may not open a file
//! that somebody left in a directory of all users (`fs.protected_regular`).

use std::ffi::c_int;
use std::io::{self, ErrorKind, Read};
use std::mem::{size_of, zeroed};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

/// The lock, until it is dropped or its process ends.
#[derive(Debug)]
pub struct HostLock {
    _socket: UnixListener,
}

/// Who holds a lock that somebody wants.
#[derive(Debug)]
pub struct HostLockHolder(UnixStream);

impl HostLock {
    /// Takes the lock of this name, if nobody holds it.
    ///
    /// # Errors
    /// When the kernel gives no socket of that name.
    pub fn take(name: &[u8]) -> io::Result<Option<Self>> {
        let socket =
            SocketAddr::from_abstract_name(name).and_then(|address| UnixListener::bind_addr(&address));
        match socket {
            Ok(socket) => Ok(Some(Self { _socket: socket })),
            Err(error) if error.kind() == ErrorKind::AddrInUse => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl HostLockHolder {
    /// Whoever holds the lock of this name. Where many wait already, this may take as long as `limit`.
    ///
    /// # Errors
    /// When nobody holds it, or not for long enough to listen yet.
    pub fn of(name: &[u8], limit: Duration) -> io::Result<Self> {
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        set_socket_timeout(&socket, Timeout::Send, Some(limit))?;
        connect(&socket, &SocketAddrUnix::new_abstract_name(name)?)?;
        Ok(Self(socket.into()))
    }

    /// Its number; `None` for a process of another PID namespace.
    pub fn pid(&self) -> Option<u32> {
        // SAFETY: a `ucred` is three integers, for which zero is a value.
        let mut who: libc::ucred = unsafe { zeroed() };
        let mut length = size_of::<libc::ucred>() as libc::socklen_t;
        // SAFETY: the descriptor is open, and the kernel writes `length` bytes at most, which is the size of `who`. (rustix has this call, but its type has no
        // room for the 0 of another PID namespace.)
        let status: c_int = unsafe {
            libc::getsockopt(
                self.0.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_PEERCRED,
                (&raw mut who).cast(),
                &raw mut length,
            )
        };
        u32::try_from(who.pid).ok().filter(|&pid| status == 0 && pid > 0)
    }

    /// Returns when the holder has ended, or after this time.
    pub fn wait(mut self, limit: Duration) {
        if self.0.set_read_timeout(Some(limit)).is_ok() {
            // The holder writes nothing, and its end resets a connection that it never took. Why this returns does not matter: the lock is tried again.
            let _ = self.0.read(&mut [0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;

    fn name(of: &str) -> Vec<u8> {
        format!("zerohop-test-{}-{of}", std::process::id()).into_bytes()
    }

    #[test]
    fn one_at_a_time_holds_it_and_is_known_to_the_others() {
        let limit = Duration::from_secs(60);
        assert!(HostLockHolder::of(&name("one"), limit).is_err(), "nobody holds it");
        let lock = HostLock::take(&name("one")).unwrap().unwrap();
        assert!(HostLock::take(&name("one")).unwrap().is_none());
        assert!(HostLock::take(&name("two")).unwrap().is_some());
        let holder = HostLockHolder::of(&name("one"), limit).unwrap();
        assert_eq!(holder.pid(), Some(std::process::id()));
        let began = Instant::now();
        holder.wait(Duration::from_millis(20));
        assert!(began.elapsed() >= Duration::from_millis(20), "it is still held");
        let holder = HostLockHolder::of(&name("one"), limit).unwrap();
        let release = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            drop(lock);
        });
        holder.wait(limit);
        release.join().unwrap();
        assert!(began.elapsed() < limit);
        assert!(HostLock::take(&name("one")).unwrap().is_some());
    }

    #[test]
    fn a_name_that_is_too_long_is_an_error_and_no_lock() {
        assert!(HostLock::take(&[b'x'; 200]).is_err());
    }
}
