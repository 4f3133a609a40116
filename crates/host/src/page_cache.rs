//! The pages of a file that the kernel caches: where they are, and bringing them to where they should be.
//!
//! A file's pages are on the nodes of the threads that read it first. They stay there for all who map it later.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread::Builder;

use libc::c_int;
use rustix::fs::{Access, Advice, AtFlags, CWD, accessat, fadvise};
use zerohop_machine::NodeId;
use zerohop_placement::{
    CachedFile, FullNode, PLACED_FILE_VERSION, PlacedFile, RefusedPages, Rotation, Spread,
};
use zerohop_units::Bytes;
use zerohop_workload::StopFlag;

use crate::numa_calls::NumaCalls;
use crate::window::Window;

/// A part of a file that is looked at in one go.
const LOOK: u64 = 64 << 20;

/// Why the cached pages of a file cannot be found or placed.
#[derive(Debug, thiserror::Error)]
pub enum PageCacheError {
    /// The file cannot be opened, read or mapped.
    #[error("cannot read `{}`: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    /// It is a directory, a device or a pipe.
    #[error("`{}` is not a regular file", .0.display())]
    NotRegular(PathBuf),
    /// The kernel hides which pages are cached.
    #[error("only users who own or may write `{}` can see which of its pages are cached", .0.display())]
    Hidden(PathBuf),
    /// The kernel does not report the nodes of pages, or does not move them.
    #[error("the kernel cannot {what} the pages of `{}`: {error}", path.display())]
    Refused {
        /// What it does not do.
        what: &'static str,
        path: PathBuf,
        error: io::Error,
    },
    /// The placing was stopped.
    #[error("interrupted")]
    Stopped,
}

impl PageCacheError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::File { .. } => Some("give an existing file with read permission; check with `ls -l`"),
            Self::Stopped => None,
            Self::NotRegular(_) => Some("give a regular file"),
            Self::Hidden(_) => Some("run zerohop as such a user, or as root"),
            Self::Refused { error, .. } => match error.raw_os_error() {
                Some(libc::EPERM | libc::ENOSYS) => Some(
                    "a container's seccomp profile may forbid `move_pages`; run zerohop outside, or allow it",
                ),
                Some(libc::EACCES) => Some("the cpuset of this process may not allow that node"),
                _ => None,
            },
        }
    }
}

/// A file whose pages are looked at.
#[derive(Debug)]
pub struct PageCache {
    calls: NumaCalls,
    file: File,
    path: PathBuf,
    length: u64,
}

impl PageCache {
    /// Opens the file.
    ///
    /// # Errors
    /// When it is not a regular file, or cannot be read, or its cached pages are hidden from this user.
    pub fn open(path: &Path) -> Result<Self, PageCacheError> {
        Self::open_with(path, NumaCalls::LIVE)
    }

    fn open_with(path: &Path, calls: NumaCalls) -> Result<Self, PageCacheError> {
        let wrong = |error| PageCacheError::File { path: path.to_owned(), error };
        // Opening a pipe waits for a writer, and opening a device may have effects.
        if !fs::metadata(path).map_err(wrong)?.is_file() {
            return Err(PageCacheError::NotRegular(path.to_owned()));
        }
        let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path).map_err(wrong)?;
        let facts = file.metadata().map_err(wrong)?;
        if !facts.is_file() {
            return Err(PageCacheError::NotRegular(path.to_owned()));
        }
        let path = fs::canonicalize(path).map_err(wrong)?;
        if !may_see(&path, &facts) {
            return Err(PageCacheError::Hidden(path));
        }
        Ok(Self { calls, file, path, length: facts.len() })
    }

    /// Its path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub const fn length(&self) -> Bytes {
        Bytes(self.length)
    }

    /// Where its cached pages are.
    ///
    /// # Errors
    /// When the kernel does not report that.
    pub fn look(&self) -> Result<CachedFile, PageCacheError> {
        let mut bytes = Spread::default();
        let mut unknown = Bytes(0);
        for (offset, length) in parts(self.length, LOOK) {
            let window = self.window(offset, length)?;
            for node in self.nodes(&window)?.1 {
                let page = Bytes(window.page() as u64);
                match number(node) {
                    Some(node) => bytes.add(node, page),
                    None => unknown += page,
                }
            }
        }
        let path = self.path.to_string_lossy().into_owned();
        Ok(CachedFile { path, length: Bytes(self.length), bytes, unknown })
    }

    /// Brings the whole file into the cache, its parts by turns on the nodes of the rotation, and proves where they are.
    /// `progress` is called with the bytes that are done.
    ///
    /// # Errors
    /// When the file cannot be read, the kernel neither reports nor moves pages, or `stop` is raised.
    pub fn place(
        &self,
        rotation: &Rotation,
        stop: &StopFlag,
        progress: &mut (dyn FnMut(Bytes) + Send),
    ) -> Result<PlacedFile, PageCacheError> {
        let before = self.look()?;
        let step = rotation.step(self.length(), Bytes(rustix::param::page_size() as u64));
        let mut place = || self.place_parts(rotation, step, stop, progress);
        // A thread of its own, since its policy for new memory changes.
        let placed = std::thread::scope(|scope| {
            let thread = Builder::new().spawn_scoped(scope, &mut place).ok()?;
            Some(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        // Where the kernel starts no thread, the policy of this one changes: little is left for it to do.
        let NotMoved { refused, full } = placed.unwrap_or_else(place)?;
        let right = self.right(rotation, step)?;
        let after = self.look()?;
        let plan = rotation.plan(self.length(), step);
        let of_full = |node| {
            let wanted = plan.on(node);
            FullNode { node, wanted, fit: after.bytes.on(node).min(wanted) }
        };
        let full = full.into_iter().map(of_full).filter(|node| node.fit < node.wanted).collect();
        Ok(PlacedFile {
            schema_version: PLACED_FILE_VERSION,
            wanted: rotation.shares(),
            before,
            after,
            step,
            right,
            full,
            refused,
        })
    }

    fn place_parts(
        &self,
        rotation: &Rotation,
        step: Bytes,
        stop: &StopFlag,
        progress: &mut (dyn FnMut(Bytes) + Send),
    ) -> Result<NotMoved, PageCacheError> {
        // Without this the kernel reads ahead into the next part, which belongs on another node.
        let _ = fadvise(&self.file, 0, None, Advice::Random);
        let mut not_moved = NotMoved::default();
        let mut buffer = vec![0; step.get() as usize];
        for (part, (offset, length)) in parts(self.length, step.get()).enumerate() {
            if stop.is_raised() {
                return Err(PageCacheError::Stopped);
            }
            let wanted = rotation.node(part as u64);
            // What is read for a full node would take the memory of others.
            if not_moved.full.contains(&wanted) {
                progress(Bytes(offset + length as u64));
                continue;
            }
            (self.calls.prefer)(wanted).map_err(|error| self.refused("place", error))?;
            let window = self.window(offset, length)?;
            let whole = length.div_ceil(window.page());
            if window.cached().map_err(|error| self.refused("list", error))?.len() < whole {
                self.read(&mut buffer[..length], offset)?;
            }
            let (pages, nodes) = self.nodes(&window)?;
            let elsewhere: Vec<usize> = pages
                .iter()
                .zip(nodes)
                .filter(|(_, node)| number(*node) != Some(wanted))
                .map(|(page, _)| *page)
                .collect();
            if !elsewhere.is_empty() {
                let relocate =
                    |pages: &[*const u8], nodes: &mut [c_int]| (self.calls.relocate)(pages, wanted, nodes);
                match window.nodes(&elsewhere, relocate) {
                    Ok(moved) => moved
                        .into_iter()
                        .filter(|node| *node < 0)
                        .for_each(|error| not_moved.add(wanted, -error, Bytes(window.page() as u64))),
                    Err(error) if error.raw_os_error() == Some(libc::ENOMEM) => not_moved.full.push(wanted),
                    Err(error) => return Err(self.refused("move", error)),
                }
            }
            progress(Bytes(offset + length as u64));
        }
        let _ = fadvise(&self.file, 0, None, Advice::Normal);
        Ok(not_moved)
    }

    /// How many bytes are on the node where the rotation wants them.
    fn right(&self, rotation: &Rotation, step: Bytes) -> Result<Bytes, PageCacheError> {
        let mut right = 0;
        for (part, (offset, length)) in parts(self.length, step.get()).enumerate() {
            let window = self.window(offset, length)?;
            let wanted = rotation.node(part as u64);
            let (pages, nodes) = self.nodes(&window)?;
            for (page, node) in pages.into_iter().zip(nodes) {
                if number(node) == Some(wanted) {
                    let start = page * window.page();
                    right += (length - start).min(window.page()) as u64;
                }
            }
        }
        Ok(Bytes(right))
    }

    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), PageCacheError> {
        match self.file.read_exact_at(buffer, offset) {
            Err(error) => Err(PageCacheError::File { path: self.path.clone(), error }),
            Ok(()) => Ok(()),
        }
    }

    fn window(&self, offset: u64, length: usize) -> Result<Window, PageCacheError> {
        Window::new(&self.file, offset, length)
            .map_err(|error| PageCacheError::File { path: self.path.clone(), error })
    }

    /// The cached pages of a window, and the node of each or a negative error number.
    fn nodes(&self, window: &Window) -> Result<(Vec<usize>, Vec<c_int>), PageCacheError> {
        let pages = window.cached().map_err(|error| self.refused("list", error))?;
        window.enter(&pages);
        let nodes = window.nodes(&pages, self.calls.locate).map_err(|error| self.refused("locate", error))?;
        Ok((pages, nodes))
    }

    fn refused(&self, what: &'static str, error: io::Error) -> PageCacheError {
        PageCacheError::Refused { what, path: self.path.clone(), error }
    }
}

/// What the kernel did not move.
#[derive(Debug, Default)]
struct NotMoved {
    /// Single pages, by the reason.
    refused: Vec<RefusedPages>,
    /// Nodes without memory for more.
    full: Vec<NodeId>,
}

impl NotMoved {
    /// Counts a page that did not move to a node for that error.
    fn add(&mut self, to: NodeId, error: c_int, page: Bytes) {
        if error == libc::ENOMEM && !self.full.contains(&to) {
            self.full.push(to);
        }
        let why = io::Error::from_raw_os_error(error).to_string();
        match self.refused.iter_mut().find(|known| known.reason == why) {
            Some(known) => known.bytes += page,
            None => self.refused.push(RefusedPages { reason: why, bytes: page }),
        }
    }
}

/// Whether the kernel shows this user which pages are cached; to others it reports all pages as cached.
fn may_see(path: &Path, facts: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::geteuid();
    user.is_root()
        || facts.uid() == user.as_raw()
        || accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

/// A node's number, unless it is an error's.
fn number(node: c_int) -> Option<NodeId> {
    node.try_into().ok().map(NodeId)
}

/// Parts of that size, each with its offset; the last one may be shorter.
fn parts(length: u64, size: u64) -> impl Iterator<Item = (u64, usize)> {
    (0..length.div_ceil(size)).map(move |part| (part * size, size.min(length - part * size) as usize))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// A file of that length, cached as far as it was just written.
    fn file(length: usize) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&vec![7; length]).unwrap();
        file
    }

    #[test]
    fn pages_of_a_file_that_was_written_are_cached_on_some_node() {
        let file = file(3 << 20);
        let calls = NumaCalls {
            locate: |_, nodes| {
                nodes.fill(5);
                Ok(())
            },
            ..NumaCalls::LIVE
        };
        let found = PageCache::open_with(file.path(), calls).unwrap().look().unwrap();
        assert_eq!(found.bytes.on(NodeId(5)), Bytes::mib(3));
        assert_eq!(found.unknown, Bytes(0));
        assert_eq!(found.cached_share(), 1.0);
    }

    #[test]
    fn parts_go_to_the_nodes_by_turns() {
        // Pages are on the node that was asked for last.
        thread_local! { static WANTED: std::cell::Cell<u32> = const { std::cell::Cell::new(0) }; }
        let calls = NumaCalls {
            locate: |_, nodes| {
                nodes.fill(WANTED.get().cast_signed());
                Ok(())
            },
            relocate: |_, to, nodes| {
                WANTED.set(to.0);
                nodes.fill(to.0.cast_signed());
                Ok(())
            },
            prefer: |_| Ok(()),
            ..NumaCalls::LIVE
        };
        let file = file((5 << 20) + 1);
        let cache = PageCache::open_with(file.path(), calls).unwrap();
        let rotation = Rotation::even(&[NodeId(0), NodeId(1)]).unwrap();
        let mut done = Vec::new();
        let placed =
            cache.place(&rotation, &StopFlag::default(), &mut |bytes| done.push(bytes.get())).unwrap();
        assert_eq!(placed.step, Bytes::kib(512), "2 MiB would leave 20 % away from the shares");
        assert_eq!((done[0], *done.last().unwrap()), (512 << 10, (5 << 20) + 1));
        assert_eq!(placed.refused, []);
    }

    #[test]
    fn pages_that_do_not_move_say_why() {
        let calls = NumaCalls {
            locate: |_, nodes| {
                nodes.fill(0);
                Ok(())
            },
            relocate: |_, _, nodes| {
                nodes.fill(-libc::EBUSY);
                Ok(())
            },
            prefer: |_| Ok(()),
            ..NumaCalls::LIVE
        };
        let file = file(4 << 20);
        let cache = PageCache::open_with(file.path(), calls).unwrap();
        let rotation = Rotation::even(&[NodeId(0), NodeId(1)]).unwrap();
        let placed = cache.place(&rotation, &StopFlag::default(), &mut |_| ()).unwrap();
        assert_eq!(placed.right, Bytes::mib(2));
        assert_eq!(placed.refused.len(), 1);
        assert!(!placed.is_placed());
        assert_eq!(placed.refused[0].bytes, Bytes::mib(2));
        assert!(placed.refused[0].reason.contains("busy"), "{:?}", placed.refused);
    }

    #[test]
    fn a_full_node_is_named_with_what_fits_and_the_others_get_their_parts() {
        // Pages are on the node that was asked for last, or on node 0 while node 1 has no memory.
        thread_local! { static MOVED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) }; }
        let calls = NumaCalls {
            locate: |_, nodes| {
                nodes.fill(0);
                Ok(())
            },
            relocate: |pages, to, nodes| {
                assert_eq!(to, NodeId(1));
                MOVED.set(MOVED.get() + pages.len() as u64);
                assert_eq!(MOVED.get(), pages.len() as u64, "a full node is not asked again");
                nodes.fill(0);
                Err(io::Error::from_raw_os_error(libc::ENOMEM))
            },
            prefer: |_| Ok(()),
            ..NumaCalls::LIVE
        };
        let file = file(8 << 20);
        let cache = PageCache::open_with(file.path(), calls).unwrap();
        let rotation = Rotation::even(&[NodeId(0), NodeId(1)]).unwrap();
        let placed = cache.place(&rotation, &StopFlag::default(), &mut |_| ()).unwrap();
        assert_eq!(placed.full, [FullNode { node: NodeId(1), wanted: Bytes::mib(4), fit: Bytes(0) }]);
        assert_eq!(placed.right, Bytes::mib(4));
        assert!(!placed.is_placed());
    }

    #[test]
    fn only_a_call_that_is_forbidden_is_blamed_on_seccomp() {
        let hint = |code| {
            let error = io::Error::from_raw_os_error(code);
            PageCacheError::Refused { what: "move", path: PathBuf::from("file"), error }.hint()
        };
        assert!(hint(libc::EPERM).is_some_and(|hint| hint.contains("seccomp")));
        assert_eq!(hint(libc::EIO), None);
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        assert!(matches!(PageCache::open(directory.path()), Err(PageCacheError::NotRegular(_))));
        assert!(matches!(PageCache::open(Path::new("/dev/zero")), Err(PageCacheError::NotRegular(_))));
        let absent = PageCache::open(&directory.path().join("none")).unwrap_err();
        assert!(absent.to_string().contains("No such file"), "{absent}");
    }

    #[test]
    fn an_empty_file_has_no_pages() {
        let file = file(0);
        let found = PageCache::open(file.path()).unwrap().look().unwrap();
        assert_eq!(found.cached_share(), 0.0);
    }

    #[test]
    fn a_raised_flag_stops_it() {
        let calls = NumaCalls {
            prefer: |_| Ok(()),
            locate: |_, nodes| {
                nodes.fill(0);
                Ok(())
            },
            ..NumaCalls::LIVE
        };
        let file = file(4 << 20);
        let cache = PageCache::open_with(file.path(), calls).unwrap();
        let stop = StopFlag::default();
        stop.raise();
        let rotation = Rotation::even(&[NodeId(0)]).unwrap();
        assert!(matches!(cache.place(&rotation, &stop, &mut |_| ()), Err(PageCacheError::Stopped)));
    }
}
