//! Dumps of firmware settings as vendors' tools print them, with values of our own: what is known of each, and that nothing breaks
//! the reader.

use std::fs;
use std::path::Path;

use zerohop_advise::settings::{BiosState, Dump, Facts, Goal, WorkloadKind, differences};

/// Mutations of each input.
const MUTATIONS: usize = 10_000;

/// What is put into texts: signs that readers look for.
const PIECES: [&str; 22] = [
    "\n",
    "\t",
    " ",
    "=",
    ",",
    ";",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    "#",
    "[Key=",
    "null",
    "\u{1b}[",
    "\u{202e}",
    "é",
    "Attributes",
    "BIOS.Setup.1-1",
    "\\u0000",
    "(Pending Value=",
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

fn inputs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs");
    let mut inputs: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().display().to_string(), fs::read_to_string(path).unwrap())
        })
        .collect();
    inputs.sort();
    inputs
}

fn input(name: &str) -> (Dump, BiosState) {
    let (_, text) = inputs().into_iter().find(|(known, _)| known == name).unwrap();
    let dump = Dump::read(&text).unwrap();
    let state = BiosState::of(name, &dump);
    (dump, state)
}

/// Ids and values of what decides how fast memory is.
fn values(name: &str) -> (Option<String>, Vec<(String, Option<String>)>) {
    let (_, state) = input(name);
    (state.vendor, state.settings.into_iter().map(|one| (one.kind, one.value)).collect())
}

fn expect(name: &str, vendor: &str, wanted: &[(&str, Option<&str>)]) {
    let (found, values) = values(name);
    assert_eq!(found.as_deref(), Some(vendor), "{name}");
    let values: Vec<_> = values.iter().map(|(kind, value)| (kind.as_str(), value.as_deref())).collect();
    assert_eq!(values, wanted, "{name}");
}

#[test]
fn every_vendor_s_dump_is_understood() {
    expect(
        "lenovo-redfish.json",
        "lenovo",
        &[
            ("nps", Some("1")),
            ("llc-as-numa", Some("off")),
            ("memory-speed", Some("maximum")),
            ("channel-interleaving", Some("on")),
            ("operating-mode", Some("maximum-efficiency")),
            ("fabric-p-state", Some("auto")),
            ("fabric-c-state", Some("on")),
        ],
    );
    expect(
        "lenovo-onecli.txt",
        "lenovo",
        &[
            ("xgmi-speed", Some("16")),
            ("xgmi-speed", Some("16")),
            ("xgmi-max-width", Some("x8")),
            ("xgmi-force-width", Some("auto")),
            ("memory-speed", Some("maximum")),
            ("operating-mode", Some("custom")),
        ],
    );
    expect(
        "dell-racadm.txt",
        "dell",
        &[("nps", Some("1")), ("llc-as-numa", Some("off")), ("operating-mode", Some("maximum-efficiency"))],
    );
    expect(
        "dell-profile.json",
        "dell",
        &[
            ("nps", Some("1")),
            ("xgmi-force-width", Some("auto")),
            ("operating-mode", Some("maximum-performance")),
            ("fabric-p-state", Some("auto")),
        ],
    );
    expect(
        "hpe-redfish.json",
        "hpe",
        &[
            ("nps", None),
            ("llc-as-numa", Some("off")),
            ("xgmi-speed", None),
            ("xgmi-force-width", Some("auto")),
            ("fabric-p-state", Some("auto")),
            ("fabric-c-state", Some("auto")),
        ],
    );
    expect(
        "supermicro-redfish.json",
        "supermicro",
        &[
            ("nps", Some("4")),
            ("llc-as-numa", None),
            ("channel-interleaving", Some("auto")),
            ("fabric-p-state", Some("auto")),
            ("fabric-c-state", Some("auto")),
        ],
    );
    expect(
        "dell.csv",
        "dell",
        &[
            ("node-interleaving", Some("on")),
            ("snc", Some("off")),
            ("upi-prefetch", Some("on")),
            ("uncore-frequency", Some("auto")),
        ],
    );
}

#[test]
fn a_pending_value_is_shown_beside_the_present_one() {
    let (_, state) = input("dell-racadm.txt");
    assert_eq!(state.settings[0].pending.as_deref(), Some("4"));
}

#[test]
fn ten_thousand_mutations_of_each_input_do_not_panic() {
    let mut random = Random(31);
    let mut read = 0;
    for (_, text) in inputs() {
        for count in 0..MUTATIONS {
            let mutated = mutated(&text, &mut random);
            let Ok(dump) = Dump::read(&mutated) else { continue };
            read += 1;
            for item in &dump.items {
                assert!(!item.name.chars().chain(item.value.chars()).any(char::is_control), "{item:?}");
            }
            // Judging one is slower than reading it.
            if count % 50 == 0 {
                let mut state = BiosState::of("mutated", &dump);
                state.recommend(Goal::Latency, WorkloadKind::Mixed, &[], &Facts::default());
                assert!(differences((&dump, &state), (&dump, &state)).is_empty());
            }
        }
    }
    assert!(read > MUTATIONS, "{read}");
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
