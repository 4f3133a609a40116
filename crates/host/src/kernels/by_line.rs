//! Kernels that make one access of 8 bytes to each line: in order, or at random.
//!
//! Accesses are volatile, so that the compiler cannot drop, merge or move them.

use zerohop_workload::{Kernel, Traffic};

use super::code::{KernelCode, Run, numbered};

/// The lines in ascending order.
pub(super) fn strided(kernel: Kernel, line: usize) -> Option<KernelCode> {
    match line {
        128 => by_line(kernel, read::<InOrder, 128>, write::<InOrder, 128>, line),
        _ => by_line(kernel, read::<InOrder, 64>, write::<InOrder, 64>, 64),
    }
}

/// The lines in random order.
pub(super) fn random(kernel: Kernel, line: usize) -> Option<KernelCode> {
    match line {
        128 => by_line(kernel, read::<AtRandom, 128>, write::<AtRandom, 128>, line),
        _ => by_line(kernel, read::<AtRandom, 64>, write::<AtRandom, 64>, 64),
    }
}

/// Each access moves a whole line, so whole lines are counted.
fn by_line(kernel: Kernel, read: Run, write: Run, line: usize) -> Option<KernelCode> {
    let (run, traffic) = match kernel {
        Kernel::Read => (read, Traffic { loads: 1, stores: 0, allocates: 0 }),
        Kernel::Write => (write, Traffic { loads: 0, stores: 1, allocates: 1 }),
        _ => return None,
    };
    Some(KernelCode { run, parts: 1, step: line, ahead: None, traffic })
}

/// An order that visits each of `lines` lines exactly once.
trait Order {
    fn visit(lines: usize, each: impl FnMut(usize));
}

struct InOrder;

impl Order for InOrder {
    #[inline(always)]
    fn visit(lines: usize, each: impl FnMut(usize)) {
        (0..lines).for_each(each);
    }
}

struct AtRandom;

impl Order for AtRandom {
    /// Splits the lines into blocks of powers of two, largest first, and permutes each block. The first block has at least
    /// half of all lines, and all of them if their number is a power of two. No index list is read beside the buffer,
    /// and no line's address depends on another line's data.
    #[inline(always)]
    fn visit(lines: usize, mut each: impl FnMut(usize)) {
        let mut start = 0;
        while start < lines {
            let bits = (lines - start).ilog2();
            for index in 0..1 << bits {
                each(start + permuted(index, bits));
            }
            start += 1 << bits;
        }
    }
}

/// The position of `index`, of 2^`bits` indices. Adding, multiplying by an odd number and xor with the upper half are each
/// invertible modulo 2^`bits`, so no two indices share a position. The factors are those of the 64-bit finalizer of
/// `MurmurHash3`, which is in the public domain.
#[inline(always)]
fn permuted(index: usize, bits: u32) -> usize {
    let mask = (1u64 << bits) - 1;
    let fold = bits.div_ceil(2);
    let mut z = (index as u64).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xff51_afd7_ed55_8ccd) & mask;
    z ^= z >> fold;
    z = z.wrapping_mul(0xc4ce_b9fe_1a85_ec53) & mask;
    (z ^ (z >> fold)) as usize
}

unsafe fn read<O: Order, const LINE: usize>(arrays: [*mut u8; 3], _stride: usize, length: usize) {
    let array = arrays[0].cast::<u64>();
    O::visit(length / LINE, |line| {
        // SAFETY: `line` is below `length / LINE`, the caller guarantees `length` bytes and their alignment.
        unsafe { array.add(line * LINE / size_of::<u64>()).read_volatile() };
    });
}

unsafe fn write<O: Order, const LINE: usize>(arrays: [*mut u8; 3], _stride: usize, length: usize) {
    let array = arrays[0].cast::<u64>();
    O::visit(length / LINE, |line| {
        // SAFETY: as in `read`.
        unsafe { array.add(line * LINE / size_of::<u64>()).write_volatile(numbered(line)) };
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visited<O: Order>(lines: usize) -> Vec<usize> {
        let mut visited = Vec::new();
        O::visit(lines, |line| visited.push(line));
        visited
    }

    #[test]
    fn random_order_visits_every_line_once() {
        for lines in [0, 1, 2, 3, 7, 16, 100, 1 << 12, (1 << 14) - 1] {
            let mut order = visited::<AtRandom>(lines);
            order.sort_unstable();
            assert_eq!(order, visited::<InOrder>(lines));
        }
    }

    #[test]
    fn random_order_leaves_no_stride_to_learn() {
        let order = visited::<AtRandom>(1 << 14);
        let mut steps: Vec<isize> =
            order.windows(2).map(|pair| pair[1] as isize - pair[0] as isize).collect();
        let near = steps.iter().filter(|step| step.abs() <= 64).count();
        steps.sort_unstable();
        let commonest = steps.chunk_by(PartialEq::eq).map(<[isize]>::len).max();
        assert!(near < 3 * 128, "{near} of {} steps stay near; about 128 would by chance", steps.len());
        assert!(commonest < Some(40), "one step occurs {commonest:?} times");
    }
}
