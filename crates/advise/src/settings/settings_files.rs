//! The files of `settings/`, read once.

use std::sync::LazyLock;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use zerohop_document::read;

use super::kind::Kind;
use super::tables::{KindsTable, VendorTable};
use super::vendor::Vendor;

/// The file of what there is.
const KINDS: &str = include_str!("../../../../settings/kinds.toml");

/// Name and text of each vendor's file.
const VENDORS: [(&str, &str); 7] = [
    ("lenovo", include_str!("../../../../settings/lenovo.toml")),
    ("dell", include_str!("../../../../settings/dell.toml")),
    ("hpe", include_str!("../../../../settings/hpe.toml")),
    ("supermicro", include_str!("../../../../settings/supermicro.toml")),
    ("ami-amd-cbs", include_str!("../../../../settings/ami-amd-cbs.toml")),
    ("cisco", include_str!("../../../../settings/cisco.toml")),
    (LINUX, include_str!("../../../../settings/linux.toml")),
];

/// The file of Linux.
pub(super) const LINUX: &str = "linux";

/// What the files of `settings/` say.
#[derive(Debug)]
pub struct OnFile {
    /// Settings, whoever made the machine.
    pub kinds: Vec<Kind>,
    /// How each vendor spells them; Linux last.
    pub vendors: Vec<Vendor>,
}

/// What the files of `settings/` say.
pub fn on_file() -> &'static OnFile {
    static ON_FILE: LazyLock<OnFile> =
        LazyLock::new(|| OnFile::read().unwrap_or_else(|wrong| panic!("{wrong}")));
    &ON_FILE
}

/// The JSON Schema (draft 2020-12) of `settings/kinds.toml`.
pub fn settings_schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<KindsTable>()
}

/// The JSON Schema (draft 2020-12) of a vendor's file in `settings/`.
pub fn vendor_schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<VendorTable>()
}

impl OnFile {
    fn read() -> Result<Self, String> {
        let hint = "docs/settings.md describes its keys";
        let wrong = |problems: Vec<zerohop_document::TextProblem>| {
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        let (kinds, _) =
            read::<KindsTable>("the list of settings", hint, "settings/kinds.toml", KINDS).map_err(wrong)?;
        let vendors = VENDORS.iter().map(|(name, text)| {
            let file = format!("settings/{name}.toml");
            let (table, _) =
                read::<VendorTable>("the vendor's settings", hint, &file, text).map_err(wrong)?;
            Ok(Vendor::new(name, &table))
        });
        Ok(Self {
            kinds: kinds.kind.iter().map(Kind::new).collect(),
            vendors: vendors.collect::<Result<_, String>>()?,
        })
    }

    /// The setting with that id.
    pub fn kind(&self, id: &str) -> Option<&Kind> {
        self.kinds.iter().find(|kind| kind.id == id)
    }

    /// The vendor with that name.
    pub fn vendor(&self, name: &str) -> Option<&Vendor> {
        self.vendors.iter().find(|vendor| vendor.name == name)
    }

    /// The vendor of a machine, by what its firmware says of its maker (`sys_vendor`), or by the title of its file.
    pub fn vendor_of(&self, system: &str) -> Option<&Vendor> {
        let words: Vec<String> =
            system.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
        let names = |vendor: &&Vendor| {
            vendor.system.iter().any(|name| {
                let name: Vec<String> = name.split_whitespace().map(str::to_lowercase).collect();
                words.windows(name.len()).any(|part| part == name)
            })
        };
        self.vendors.iter().find(names)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_of_the_folder_is_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../settings");
        let files: BTreeSet<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().display().to_string())
            .collect();
        let known: BTreeSet<String> =
            VENDORS.iter().map(|(name, _)| (*name).to_owned()).chain(["kinds".to_owned()]).collect();
        assert_eq!(files, known);
    }

    #[test]
    fn whatever_a_file_refers_to_exists() {
        let OnFile { kinds, vendors } = OnFile::read().unwrap();
        for kind in &kinds {
            for value in kind.advice.iter().map(|advice| &advice.value).chain(&kind.saves_power) {
                assert!(kind.has(value), "{} has no value {value}", kind.id);
            }
            for model in &kind.models {
                for (value, _) in &model.values {
                    assert!(kind.has(value), "{} has no value {value}", kind.id);
                }
            }
        }
        let is_value = |id: &str, value: &str| kinds.iter().any(|kind| kind.id == id && kind.has(value));
        for vendor in &vendors {
            for setting in &vendor.settings {
                let kind = &setting.kind;
                assert!(kinds.iter().any(|known| known.id == *kind), "{}: no kind {kind}", vendor.name);
                assert!(setting.default.iter().all(|value| is_value(kind, value)), "{}: {kind}", vendor.name);
                assert!(
                    setting.needs.iter().all(|(id, value)| is_value(id, value)),
                    "{}: {kind}",
                    vendor.name
                );
                for spelling in &setting.spellings {
                    assert!(
                        vendor.tool(&spelling.tool).is_some(),
                        "{}: no tool {}",
                        vendor.name,
                        spelling.tool
                    );
                    for (value, _) in &spelling.values {
                        assert!(is_value(kind, value), "{}: {kind} has no value {value}", vendor.name);
                    }
                }
            }
        }
    }

    #[test]
    fn every_way_into_a_model_was_understood() {
        for (text, kind) in
            KINDS.split("[kind.").skip(1).map(|text| (text, text.split([']', '.']).next().unwrap()))
        {
            let _ = text;
            assert!(OnFile::read().unwrap().kind(kind).is_some(), "{kind}");
        }
        let models: usize = OnFile::read().unwrap().kinds.iter().map(|kind| kind.models.len()).sum();
        assert_eq!(models, KINDS.matches(".model]]").count());
    }

    #[test]
    fn a_vendor_is_known_by_its_name_in_firmware() {
        let of = |system: &str| on_file().vendor_of(system).map(|vendor| vendor.name.as_str());
        assert_eq!(of("Lenovo ThinkSystem SR665 V3: two EPYC 9354"), Some("lenovo"));
        assert_eq!(of("Dell Inc."), Some("dell"));
        assert_eq!(of("HP"), Some("hpe"));
        assert_eq!(of("Hewlett Packard Enterprise"), Some("hpe"));
        assert_eq!(of("QEMU"), None);
        assert_eq!(of(""), None);
    }
}
