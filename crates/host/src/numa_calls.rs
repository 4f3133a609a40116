//! The kernel's NUMA system calls. They are made directly: musl does not wrap them, and libnuma is not worth a dependency.

use std::io;

use libc::{c_int, c_long, c_ulong};
use zerohop_machine::NodeId;

/// The NUMA policy of a range of memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Policy {
    /// On these nodes and no others (`MPOL_BIND`).
    Bind(NodeId),
    /// Page by page over these nodes (`MPOL_INTERLEAVE`).
    Interleave(Vec<NodeId>),
    /// On the node of the thread that touches it first (`MPOL_LOCAL`). This is the kernel's default. Set explicitly, it
    /// also holds under `numactl --interleave`, and automatic NUMA balancing leaves the pages in place.
    Local,
}

/// The calls. Tests replace them to see what happens without them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumaCalls {
    /// Sets the policy of the pages that `address` and `length` span.
    pub(crate) bind: fn(address: *mut u8, length: usize, policy: &Policy) -> io::Result<()>,
    /// Gets the node of each page: its number, or a negative error number.
    pub(crate) locate: fn(pages: &[*const u8], nodes: &mut [c_int]) -> io::Result<()>,
    /// Moves each page to a node, also if other processes map it where this process may. Writes for each page the number
    /// of the node that it is on then, or a negative error number.
    pub(crate) relocate: fn(pages: &[*const u8], to: NodeId, nodes: &mut [c_int]) -> io::Result<()>,
    /// Lets pages that this thread brings into memory from now on come from this node, as long as it has free ones.
    pub(crate) prefer: fn(node: NodeId) -> io::Result<()>,
}

impl NumaCalls {
    /// The calls of this host.
    pub(crate) const LIVE: Self = Self { bind, locate, relocate, prefer };
}

fn bind(address: *mut u8, length: usize, policy: &Policy) -> io::Result<()> {
    let (mode, nodes) = match policy {
        Policy::Bind(node) => (libc::MPOL_BIND, std::slice::from_ref(node)),
        Policy::Interleave(nodes) => (libc::MPOL_INTERLEAVE, nodes.as_slice()),
        Policy::Local => (libc::MPOL_LOCAL, [].as_slice()),
    };
    let mask = node_mask(nodes);
    // The kernel reads one bit less than this argument says.
    let bits = mask.len() * c_ulong::BITS as usize + 1;
    // SAFETY: the kernel reads `bits - 1` bits of the mask, and changes no memory, only the policy of the range.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mbind,
            address,
            length,
            c_long::from(mode),
            mask.as_ptr(),
            bits as c_ulong,
            0 as c_ulong,
        )
    };
    outcome(result)
}

fn locate(pages: &[*const u8], nodes: &mut [c_int]) -> io::Result<()> {
    move_pages(pages, None, nodes, 0)
}

fn relocate(pages: &[*const u8], to: NodeId, nodes: &mut [c_int]) -> io::Result<()> {
    /// Pages of this process only, and pages that others map, too: the second needs a privilege.
    const OWN: c_long = 1 << 1;
    const ALL: c_long = 1 << 2;
    let targets = vec![to.0.cast_signed(); pages.len()];
    match move_pages(pages, Some(&targets), nodes, ALL) {
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => {
            move_pages(pages, Some(&targets), nodes, OWN)
        }
        moved => moved,
    }
}

/// Moves pages to the target nodes, or without targets only reports where they are.
fn move_pages(
    pages: &[*const u8],
    targets: Option<&[c_int]>,
    nodes: &mut [c_int],
    flags: c_long,
) -> io::Result<()> {
    assert_eq!(pages.len(), nodes.len(), "the kernel writes one number for each page");
    assert!(
        targets.is_none_or(|targets| targets.len() == pages.len()),
        "the kernel reads one target for each page"
    );
    const THIS_PROCESS: c_long = 0;
    // SAFETY: the kernel reads `pages` and, if there are any, `targets`, and writes one number per page to `nodes`; moving
    // a page changes neither its content nor its address.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            THIS_PROCESS,
            pages.len() as c_ulong,
            pages.as_ptr(),
            targets.map_or(std::ptr::null(), <[c_int]>::as_ptr),
            nodes.as_mut_ptr(),
            flags,
        )
    };
    // A positive number counts pages that did not move; their numbers say why.
    outcome(result)
}

fn prefer(node: NodeId) -> io::Result<()> {
    let mask = node_mask(&[node]);
    // The kernel reads one bit less than this argument says.
    let bits = mask.len() * c_ulong::BITS as usize + 1;
    // SAFETY: the kernel reads `bits - 1` bits of the mask, and changes the policy of this thread only.
    let result = unsafe {
        libc::syscall(
            libc::SYS_set_mempolicy,
            c_long::from(libc::MPOL_PREFERRED),
            mask.as_ptr(),
            bits as c_ulong,
        )
    };
    outcome(result)
}

fn outcome(result: c_long) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A mask with the bit of each node set, as long as the highest node number requires.
fn node_mask(nodes: &[NodeId]) -> Vec<c_ulong> {
    let word = |node: &NodeId| (node.0 / c_ulong::BITS) as usize;
    let words = nodes.iter().map(word).max().map_or(1, |last| last + 1);
    let mut mask = vec![0; words];
    for node in nodes {
        mask[word(node)] |= 1 << (node.0 % c_ulong::BITS);
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_a_bit_for_each_number() {
        assert_eq!(node_mask(&[NodeId(0)]), [1]);
        assert_eq!(node_mask(&[NodeId(1), NodeId(33), NodeId(72)]), [1 << 33 | 1 << 1, 1 << 8]);
    }
}
