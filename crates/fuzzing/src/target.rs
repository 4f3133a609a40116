//! Parsers, and what each promises of any text.

use zerohop_advise::settings::{BiosState, Dump};
use zerohop_importers::{Format, import};
use zerohop_machine::{Capture, Machine, hwloc_xml, parse_hwloc_xml};
use zerohop_machine_file::{Library, MachineFile, MachineFileError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its name, which is that of its file in `fuzz/fuzz_targets`.
    pub name: String,
    parser: Parser,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parser {
    /// The importers: all that recognize the text, or the one of that format.
    Import(Option<Format>),
    BiosDump,
    Capture,
    HwlocXml,
    MachineFile,
}

impl Target {
    /// All parsers of texts that other programs or people write.
    pub fn all() -> impl Iterator<Item = Self> {
        let others = [
            ("import_recognized", Parser::Import(None)),
            ("bios_dump", Parser::BiosDump),
            ("capture", Parser::Capture),
            ("hwloc_xml", Parser::HwlocXml),
            ("machine_file", Parser::MachineFile),
        ];
        let others = others.into_iter().map(|(name, parser)| Self { name: name.to_owned(), parser });
        others.chain(Self::formats())
    }

    /// The importers, one for each format.
    pub fn formats() -> impl Iterator<Item = Self> {
        Format::all().map(|format| {
            let name = format!("import_{}", format.name().replace('-', "_"));
            Self { name, parser: Parser::Import(Some(format)) }
        })
    }

    /// The target of that name.
    ///
    /// # Panics
    /// When there is none.
    pub fn named(name: &str) -> Self {
        Self::all().find(|target| target.name == name).unwrap_or_else(|| panic!("no target `{name}`"))
    }

    /// Parses a text, and says whether it could be parsed.
    ///
    /// # Panics
    /// When the parser does, or when it breaks its promise.
    pub fn check(&self, text: &str) -> bool {
        match self.parser {
            Parser::Import(format) => imports(text, format),
            Parser::BiosDump => dumps(text),
            Parser::Capture => captures(text),
            Parser::HwlocXml => writes_again(text),
            Parser::MachineFile => describes_a_machine(text),
        }
    }
}

/// It is imported with sound values, or what is wrong with it is stated, and what to do.
fn imports(text: &str, format: Option<Format>) -> bool {
    match import("fuzzed.txt", text, format) {
        Ok(imported) => {
            assert!(!imported.is_empty());
            let experiments = imported.iter().flat_map(|one| &one.result.experiments);
            assert!(experiments.flat_map(|one| &one.cells).all(|cell| cell.estimate.is_sound()), "{text}");
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty() && !error.hint().is_empty());
            false
        }
    }
}

/// It is a dump of firmware settings, of which nothing would be obeyed by a terminal; or what is wrong with it is stated.
fn dumps(text: &str) -> bool {
    match Dump::read(text) {
        Ok(dump) => {
            assert!(!dump.items.is_empty());
            for item in &dump.items {
                assert!(!item.name.chars().chain(item.value.chars()).any(char::is_control), "{item:?}");
            }
            drop(BiosState::of("fuzzed", &dump));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// Its files are those of a machine that can be captured again, or of none.
fn captures(text: &str) -> bool {
    let Ok(tree) = Capture::from_json(text) else { return false };
    let Ok(machine) = Machine::load(&tree) else { return false };
    assert!(machine.pus.iter().all(|pu| machine.node(pu.node).is_some()));
    drop(machine.theoretical_bandwidth());
    assert!(hwloc_xml(&machine).ends_with("</topology>\n"));
    let again = Capture::record(&tree).and_then(|capture| Machine::load(&capture));
    assert_eq!(again.map(|again| again.pus), Ok(machine.pus));
    true
}

/// It is a machine that can be written as XML and read again, or what is wrong with it is stated.
fn writes_again(text: &str) -> bool {
    match parse_hwloc_xml(text) {
        Ok(machine) => {
            assert!(machine.pus.iter().all(|pu| machine.node(pu.node).is_some() || machine.nodes.is_empty()));
            let written = hwloc_xml(&machine);
            assert!(parse_hwloc_xml(&written).is_ok(), "{written}");
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// A machine to be extended.
struct Square;

impl Library for Square {
    fn read(&self, name: &str, _: &str) -> Option<String> {
        (name == "square").then(|| include_str!("../../machine-file/tests/files/square.toml").to_owned())
    }
}

/// It is a machine that can be written out and read again, or what is wrong with it is stated.
fn describes_a_machine(text: &str) -> bool {
    let file = match MachineFile::parse("fuzz.toml", text, &Square) {
        Ok(file) => file,
        Err(error) => return is_refused(&error),
    };
    let hardware = match file.hardware() {
        Ok(hardware) => hardware,
        Err(error) => return is_refused(&error),
    };
    let written = file.to_toml();
    let again = MachineFile::parse("fuzz.toml", &written, &()).and_then(|file| file.hardware());
    assert_eq!(again.as_ref(), Ok(&hardware), "{written}");
    true
}

fn is_refused(error: &MachineFileError) -> bool {
    assert!(!error.problems().is_empty());
    assert!(!error.to_string().is_empty());
    false
}
