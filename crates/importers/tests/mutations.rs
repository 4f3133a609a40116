//! Whatever happens to a text, it is imported or refused with a reason.

use std::fs;
use std::path::Path;

use zerohop_importers::{Format, import};

/// Mutations of each input.
const MUTATIONS: usize = 10_000;

/// What is put into texts: signs that parsers look for.
const PIECES: [&str; 24] = [
    "\t",
    "\n",
    " ",
    "0",
    "-",
    ".",
    ",",
    ":",
    "nan",
    "1e999",
    "Numa node",
    "Measuring ",
    "{",
    "}",
    "[",
    "<",
    "\"",
    "|",
    "99999999999999999999",
    "\u{1b}[",
    "é",
    "Copy:",
    "node 0 cpus:",
    "(ns)",
];

/// Random numbers, the same on every run (Vigna's SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}

fn mutated(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let length = characters.len().max(1);
        let at = random.below(length);
        let upto = (at + random.below(40)).min(characters.len());
        let at = at.min(upto);
        match random.below(5) {
            0 => drop(characters.drain(at..upto)),
            1 => {
                let piece = PIECES[random.below(PIECES.len())];
                characters.splice(at..at, piece.chars());
            }
            2 => {
                let copy: Vec<char> = characters[at..upto].to_vec();
                characters.splice(at..at, copy);
            }
            3 => characters.truncate(at),
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                characters.splice(at..upto, piece.chars());
            }
        }
    }
    characters.into_iter().collect()
}

#[test]
fn ten_thousand_mutations_of_each_input_do_not_panic() {
    let mut random = Random(20);
    let formats: Vec<Format> = Format::all().collect();
    let mut imported = 0;
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        for count in 0..MUTATIONS {
            let text = mutated(&text, &mut random);
            // Every fourth as a format that it may not be.
            let forced = (count % 4 == 0).then(|| formats[count / 4 % formats.len()]);
            match import("mutated.txt", &text, forced) {
                Ok(results) => {
                    imported += results.len();
                    assert!(!results.is_empty());
                    let sound = |one: &zerohop_importers::Imported| {
                        one.result
                            .experiments
                            .iter()
                            .flat_map(|one| &one.cells)
                            .all(|cell| cell.estimate.is_sound())
                    };
                    assert!(results.iter().all(sound), "{text}");
                }
                Err(error) => assert!(!error.to_string().is_empty() && !error.hint().is_empty()),
            }
        }
    }
    assert!(imported > MUTATIONS, "most mutations leave something to import");
}
