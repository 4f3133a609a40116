//! Tests of the result of each kernel in every element, in every instruction set that this processor has.

use super::code::{FACTOR, LINE, numbered};
use super::*;

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Line([u64; LINE / 8]);

/// Guard lines before and after an array, which must stay unchanged: prefetches reach into them.
const GUARD: usize = 16;

/// An array between guards. Its values are normal in both widths and all different.
fn array(rank: usize, length: usize) -> Vec<Line> {
    let lines = length / LINE + 2 * GUARD;
    (0..lines)
        .map(|line| Line(std::array::from_fn(|i| numbered(((rank * lines) + line) * 8 + i + 1))))
        .collect()
}

fn words(array: &[Line]) -> Vec<u64> {
    array.iter().flat_map(|line| line.0).collect()
}

/// Runs over arrays of `length` bytes, checks the guards, and returns all three arrays before and after, without guards.
fn pass(code: &KernelCode, length: usize) -> [[Vec<u64>; 3]; 2] {
    let mut arrays = [0, 1, 2].map(|rank| array(rank, length));
    let before = arrays.clone();
    let starts = arrays.each_mut().map(|lines| lines[GUARD..].as_mut_ptr().cast());
    // SAFETY: each array has `length` bytes past its first guard, aligned as lines are.
    unsafe { (code.run)(starts, length / code.parts, length / code.parts) };
    [before.clone(), arrays].map(|state| {
        std::array::from_fn(|rank| {
            let (now, original) = (words(&state[rank]), words(&before[rank]));
            let within = GUARD * 8..GUARD * 8 + length / 8;
            assert_eq!(now[..within.start], original[..within.start], "before array {rank}");
            assert_eq!(now[within.end..], original[within.end..], "after array {rank}");
            now[within].to_vec()
        })
    })
}

/// All forms of every kernel and instruction set on this processor.
fn all_codes(access: Access) -> impl Iterator<Item = (Kernel, InstructionSet, KernelCode)> {
    instruction_sets().into_iter().flat_map(move |set| {
        Kernel::all().flat_map(move |kernel| {
            codes(kernel, access, set, LINE).into_iter().map(move |code| (kernel, set, code))
        })
    })
}

/// `x + factor * y` in the width of `set`, rounded twice, as in all kernels.
fn combined(set: InstructionSet, x: u64, factor: f64, y: u64) -> u64 {
    let narrow = |x: u32, y: u32| (f32::from_bits(x) + factor as f32 * f32::from_bits(y)).to_bits();
    match set {
        InstructionSet::Scalar32 => {
            u64::from(narrow((x >> 32) as u32, (y >> 32) as u32)) << 32
                | u64::from(narrow(x as u32, y as u32))
        }
        _ => (f64::from_bits(x) + factor * f64::from_bits(y)).to_bits(),
    }
}

#[test]
fn every_element_is_computed_from_its_sources() {
    for (kernel, set, code) in all_codes(Access::Sequential) {
        for length in [1, 2, 5].map(|times| times * code.granule()) {
            let [[a, b, _], after] = pass(&code, length);
            let two =
                |factor| a.iter().zip(&b).map(|(&a, &b)| combined(set, a, factor, b)).collect::<Vec<_>>();
            let expected = match kernel {
                Kernel::Copy | Kernel::CopyNt => a.clone(),
                Kernel::Scale | Kernel::ScaleNt => a.iter().map(|&a| combined(set, 0, FACTOR, a)).collect(),
                Kernel::Add | Kernel::AddNt => two(1.0),
                Kernel::Triad | Kernel::TriadNt => two(FACTOR),
                _ => continue,
            };
            let destination = kernel.arrays() as usize - 1;
            assert_eq!(after[destination], expected, "{kernel} {set}, {length} bytes");
        }
    }
}

#[test]
fn only_destinations_change() {
    for (kernel, set, code) in
        [Access::Sequential, Access::Strided, Access::Random].into_iter().flat_map(all_codes)
    {
        let [before, after] = pass(&code, 3 * code.granule());
        let destination = match kernel {
            Kernel::Read => None,
            mix if mix.name().starts_with("mix_") => None,
            _ => Some(kernel.arrays() as usize - 1),
        };
        for rank in (0..3).filter(|rank| Some(*rank) != destination) {
            assert_eq!(before[rank], after[rank], "array {rank} of {kernel} {set}");
        }
    }
}

#[test]
fn every_line_is_written_with_a_value_of_its_own() {
    for (kernel, set, code) in all_codes(Access::Sequential) {
        if !matches!(kernel, Kernel::Write | Kernel::WriteNt) {
            continue;
        }
        let [[before, ..], [after, ..]] = pass(&code, 4 * code.granule());
        for (old, new) in before.iter().zip(&after) {
            assert_ne!(old, new, "{kernel} {set}");
            let halves = [*new as u32, (*new >> 32) as u32].map(f32::from_bits);
            assert!(f64::from_bits(*new).is_normal() && halves.iter().all(|half| (1.0..2.0).contains(half)));
        }
        for pair in after.chunks(LINE / 8).collect::<Vec<_>>().windows(2) {
            assert_ne!(pair[0], pair[1], "{kernel} {set}");
        }
    }
}

#[test]
fn one_word_of_every_line_is_written() {
    for (kernel, set, code) in all_codes(Access::Strided).chain(all_codes(Access::Random)) {
        if kernel == Kernel::Write {
            let [[before, ..], [after, ..]] = pass(&code, 77 * code.granule());
            for (i, (old, new)) in before.iter().zip(&after).enumerate() {
                assert_eq!(old != new, i % (LINE / 8) == 0, "{set}, word {i}");
            }
        }
    }
}

#[test]
fn every_page_is_loaded_and_none_beyond() {
    const PAGE: usize = 4096;
    for (kernel, set, code) in
        [Access::Sequential, Access::Strided, Access::Random].into_iter().flat_map(all_codes)
    {
        let length = 48 * PAGE / code.granule() * code.granule();
        assert_eq!(length, 48 * PAGE, "{kernel} {set}");
        if kernel != Kernel::Read && !kernel.name().starts_with("mix_") {
            continue;
        }
        let untouched = Untouched::new(length);
        let array = untouched.start.cast();
        assert!(untouched.touched().iter().all(|touched| !touched));
        // SAFETY: `length` bytes are mapped.
        unsafe { (code.run)([array; 3], length / code.parts, length / code.parts) };
        assert!(untouched.touched().iter().all(|touched| *touched), "{kernel} {set}");
    }
}

/// Untouched pages, followed by a page that must not be touched.
struct Untouched {
    start: *mut libc::c_void,
    pages: usize,
}

impl Untouched {
    const PAGE: usize = 4096;

    fn new(length: usize) -> Self {
        let pages = length / Self::PAGE;
        // SAFETY: this maps and protects fresh pages.
        unsafe {
            let all = (pages + 1) * Self::PAGE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let start =
                libc::mmap(std::ptr::null_mut(), all, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            assert_eq!(libc::madvise(start, all, libc::MADV_NOHUGEPAGE), 0);
            assert_eq!(libc::mprotect(start.byte_add(length), Self::PAGE, libc::PROT_NONE), 0);
            Self { start, pages }
        }
    }

    /// For each page, whether it has been touched.
    fn touched(&self) -> Vec<bool> {
        let mut residence = vec![0u8; self.pages];
        // SAFETY: `residence` has a byte for each page in question.
        assert_eq!(unsafe { libc::mincore(self.start, self.pages * Self::PAGE, residence.as_mut_ptr()) }, 0);
        residence.iter().map(|residence| residence & 1 == 1).collect()
    }
}

impl Drop for Untouched {
    fn drop(&mut self) {
        // SAFETY: this unmaps the pages that `new` mapped, and runs once.
        unsafe { libc::munmap(self.start, (self.pages + 1) * Self::PAGE) };
    }
}

#[test]
fn vectors_have_every_kernel_and_scalars_those_that_they_can_express() {
    for set in instruction_sets() {
        for kernel in Kernel::all() {
            let scalar = matches!(set, InstructionSet::Scalar64 | InstructionSet::Scalar32);
            let expected = match set {
                InstructionSet::Sve => kernel == Kernel::Read,
                _ if scalar && cfg!(target_arch = "aarch64") => !kernel.name().ends_with("_nt"),
                _ => true,
            };
            let codes = codes(kernel, Access::Sequential, set, LINE);
            assert_eq!(!codes.is_empty(), expected, "{kernel} {set}");
            assert!(codes.iter().all(|code| code.granule() <= 4096 && code.traffic == kernel.traffic()));
            let largest = codes.iter().map(KernelCode::granule).max().unwrap_or(1);
            assert!(codes.iter().all(|code| largest.is_multiple_of(code.granule())), "{kernel} {set}");
            let words = |&code: &KernelCode| Form { set, code }.words();
            let forms: std::collections::BTreeSet<_> = codes.iter().map(words).collect();
            assert_eq!(forms.len(), codes.len(), "each form has a name of its own");
        }
    }
    assert_eq!(
        instruction_sets()[instruction_sets().len() - 2..],
        [InstructionSet::Scalar64, InstructionSet::Scalar32]
    );
}

#[test]
fn siblings_use_only_forms_whose_streams_their_core_follows() {
    for (kernel, set) in
        Kernel::all().flat_map(|kernel| instruction_sets().into_iter().map(move |set| (kernel, set)))
    {
        let all = on_trial(kernel, Access::Sequential, &[set], LINE);
        let streams = |forms: &[Form]| {
            forms.iter().map(|form| form.code.parts * kernel.arrays() as usize).max().unwrap_or(0)
        };
        assert_eq!(followed(all.clone(), kernel, 1).len(), all.len(), "{kernel} {set}");
        let shared = followed(all.clone(), kernel, 2);
        assert_eq!(shared.is_empty(), all.is_empty());
        assert!(2 * streams(&shared) <= STREAMS_OF_A_CORE, "{kernel} {set}");
    }
}

#[test]
fn a_part_is_walked_piece_by_piece() {
    for (kernel, set, code) in all_codes(Access::Sequential) {
        let part = 6 * code.step;
        let mut arrays = [0, 1, 2].map(|rank| array(rank, part * code.parts));
        let mut whole = arrays.clone();
        let starts = |arrays: &mut [Vec<Line>; 3]| -> [*mut u8; 3] {
            arrays.each_mut().map(|lines| lines[GUARD..].as_mut_ptr().cast())
        };
        // SAFETY: each array has `part` bytes for each part past its first guard.
        unsafe {
            (code.run)(starts(&mut whole), part, part);
            for piece in 0..3 {
                let here = starts(&mut arrays).map(|start| start.add(piece * 2 * code.step));
                (code.run)(here, part, 2 * code.step);
            }
        }
        // Pure writes begin with the same values in each piece.
        if matches!(kernel, Kernel::Write | Kernel::WriteNt) || code.parts == 1 && code.step == LINE {
            continue;
        }
        for (piecewise, whole) in arrays.iter().zip(&whole) {
            assert_eq!(words(piecewise), words(whole), "{kernel} {set}");
        }
    }
}

#[test]
fn a_trial_compares_all_kinds_of_vectors() {
    let sets = |kernel, access, of: &[InstructionSet]| {
        let mut sets: Vec<_> = on_trial(kernel, access, of, LINE).iter().map(|form| form.set).collect();
        sets.dedup();
        sets
    };
    let all = instruction_sets();
    let vectors = all.iter().filter(|set| !set.is_scalar()).count();
    assert_eq!(sets(Kernel::Read, Access::Sequential, &all), all[..vectors.max(1)]);
    assert_eq!(sets(Kernel::Read, Access::Random, &all).len(), 1);
    for asked in all {
        assert_eq!(sets(Kernel::Read, Access::Sequential, &[asked]), [asked]);
    }
}
