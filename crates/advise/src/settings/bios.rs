//! What firmware is set to: a dump read by the names that vendors have for settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::{Change, Standing};
use super::dump::{Dump, DumpError, DumpForm, DumpItem};
use super::goal::{Goal, WorkloadKind};
use super::remedy::{Facts, Remedy, remedies};
use super::settings_files::{LINUX, on_file};
use super::vendor::{Spelled, Spelling, Vendor};

/// Firmware settings of a machine, from a dump.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BiosState {
    /// File name of the dump.
    pub file: String,
    /// Format of the dump.
    pub form: DumpForm,
    /// Vendor whose names the dump uses, by the name of its file; absent if no name in it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// Number of settings in the dump.
    pub count: usize,
    /// Number of lines or entries that are not settings.
    pub others: usize,
    /// Whether these are the settings for the next boot: the dump does not contain the ones in force.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
    /// Settings that affect memory performance, in the order of `kinds.toml`.
    pub settings: Vec<BiosSetting>,
}

/// A firmware setting that affects memory performance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BiosSetting {
    /// Id of the setting.
    pub kind: String,
    /// Title of the setting.
    pub title: String,
    /// Name of the setting in the dump.
    pub name: String,
    /// Value as spelled in the dump.
    pub spelled: String,
    /// Value of the setting in `kinds.toml`; absent if the spelling is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Value from the next boot on, as spelled in the dump.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<String>,
    /// Whether the value is the vendor's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_default: Option<bool>,
    /// Recommended value, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<String>,
    /// Reason for the recommendation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Source of the recommendation: a document, or the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Instructions to change the setting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<Remedy>,
}

/// A setting with different values in two dumps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BiosDifference {
    /// Name of the setting.
    pub name: String,
    /// Id of the setting, if it affects memory performance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Effect of the setting on memory, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// Value in the first dump; absent if the dump lacks the setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// Value in the second dump; absent if the dump lacks the setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
}

impl BiosState {
    /// Reads the text of a dump.
    ///
    /// # Errors
    /// When it holds no settings of firmware.
    pub fn read(file: &str, text: &str) -> Result<(Dump, Self), DumpError> {
        let dump = Dump::read(text)?;
        let state = Self::of(file, &dump);
        if state.vendor.is_none() && !dump.is_firmware {
            return Err(DumpError::Foreign { form: dump.form, names: dump.items.len() });
        }
        Ok((dump, state))
    }

    /// Reads a dump by the names of the vendor that has most of them.
    pub fn of(file: &str, dump: &Dump) -> Self {
        let vendor = vendor_of(dump);
        let mut settings = Vec::new();
        for kind in &on_file().kinds {
            for item in &dump.items {
                // Names are alike from vendor to vendor where they come from the same firmware.
                let found = vendor.and_then(|vendor| found(vendor, &kind.id, item)).or_else(|| {
                    let others = on_file().vendors.iter().filter(|vendor| vendor.name != LINUX);
                    let mut found =
                        others.filter_map(|vendor| found(vendor, &kind.id, item)).collect::<Vec<_>>();
                    let known = found.iter().position(|(_, spelling)| spelling.value(&item.value).is_some());
                    (!found.is_empty()).then(|| found.swap_remove(known.unwrap_or(0)))
                });
                let Some((setting, spelling)) = found else { continue };
                let value = spelling.value(&item.value).map(str::to_owned);
                settings.push(BiosSetting {
                    kind: kind.id.clone(),
                    title: kind.title.clone(),
                    name: item.name.clone(),
                    spelled: item.value.clone(),
                    pending: item.pending.clone(),
                    is_default: value.as_ref().zip(setting.default.as_ref()).map(|(one, other)| one == other),
                    value,
                    recommended: None,
                    why: None,
                    source: None,
                    remedies: Vec::new(),
                });
            }
        }
        Self {
            file: file.to_owned(),
            form: dump.form,
            vendor: vendor.map(|vendor| vendor.name.clone()),
            count: dump.items.len(),
            others: dump.others,
            pending: dump.is_pending,
            settings,
        }
    }

    /// The names of settings that the machine's processor does not have: the dump is then another machine's.
    pub fn foreign(&self, facts: &Facts) -> Vec<&str> {
        let is_foreign = |setting: &&BiosSetting| {
            on_file().kind(&setting.kind).is_some_and(|kind| !kind.is_of(&facts.model))
        };
        self.settings.iter().filter(is_foreign).map(|setting| setting.name.as_str()).collect()
    }

    /// Adds what is recommended: by the model, where it gives a change a gain; else by documents.
    pub fn recommend(&mut self, goal: Goal, workload: WorkloadKind, changes: &[Change], facts: &Facts) {
        let vendor = self.vendor.clone();
        if !self.foreign(facts).is_empty() {
            return;
        }
        for setting in &mut self.settings {
            let Some(kind) = on_file().kind(&setting.kind) else { continue };
            let gain = changes.iter().find(|change| {
                change.kind == setting.kind && change.standing == Standing::Gain && change.is_advised(goal)
            });
            let by_model = gain.map(|change| {
                let percent = change.effect.map_or(0.0, |effect| effect.percent);
                (change.to.clone(), change.why.clone(), format!("the model of the machine: {percent:+.1} %"))
            });
            let documents = || {
                let advice = kind.advice_for(goal, workload, &facts.model).next()?;
                let is_fine = setting.value.as_ref().is_some_and(|value| advice.unless.contains(value));
                if is_fine {
                    return None;
                }
                Some((advice.value.clone(), advice.why.clone(), advice.source.clone()))
            };
            let Some((value, why, source)) = by_model.or_else(documents) else { continue };
            // `Auto` may well be the recommended value; whoever wants to know looks it up.
            if setting.value.as_deref() == Some(value.as_str()) {
                continue;
            }
            let mut how = remedies(&setting.kind, Some(&value), vendor.as_deref(), facts);
            how.retain(|remedy| {
                remedy.vendor != LINUX
                    && remedy.commands.iter().any(|command| is_named(&command.name, &setting.name))
            });
            setting.remedies = how;
            setting.recommended = Some(value);
            setting.why = Some(why);
            setting.source = Some(source);
        }
    }
}

/// The vendor whose names a dump has most of.
fn vendor_of(dump: &Dump) -> Option<&'static Vendor> {
    let names = |vendor: &&'static Vendor| {
        let kinds = on_file().kinds.iter().map(|kind| kind.id.as_str());
        let known = |item: &DumpItem| kinds.clone().any(|kind| found(vendor, kind, item).is_some());
        dump.items.iter().filter(|item| known(item)).count()
    };
    let vendors = on_file().vendors.iter().filter(|vendor| vendor.name != LINUX);
    // Of two with as many, the first.
    let counted: Vec<(usize, &Vendor)> = vendors.map(|vendor| (names(&vendor), vendor)).collect();
    let most = counted.iter().map(|(count, _)| *count).max().filter(|count| *count > 0)?;
    counted.into_iter().find(|(count, _)| *count == most).map(|(_, vendor)| vendor)
}

/// The setting of that kind that an item is, by one of the vendor's tools.
fn found<'v>(vendor: &'v Vendor, kind: &str, item: &DumpItem) -> Option<(&'v Spelled, &'v Spelling)> {
    let settings = vendor.settings.iter().filter(|setting| setting.kind == kind);
    settings.flat_map(|setting| setting.spellings.iter().map(move |spelling| (setting, spelling))).find(
        |(_, spelling)| {
            let numbered = vendor.tool(&spelling.tool).is_some_and(|tool| tool.numbered);
            is_named(&spelling.name, &item.name)
                || numbered
                    && item.name.rsplit_once('_').is_some_and(|(name, number)| {
                        is_named(&spelling.name, name) && number.chars().all(|c| c.is_ascii_hexdigit())
                    })
        },
    )
}

fn is_named(name: &str, other: &str) -> bool {
    name.eq_ignore_ascii_case(other)
}

/// A name without racadm's group before it, or the board's number after it.
fn bare(name: &str) -> &str {
    let name =
        name.strip_prefix("BIOS.").and_then(|rest| rest.rsplit_once('.')).map_or(name, |(_, last)| last);
    match name.rsplit_once('_') {
        Some((before, number)) if number.len() == 4 && number.chars().all(|c| c.is_ascii_hexdigit()) => {
            before
        }
        _ => name,
    }
}

/// What differs between two dumps: first what decides how fast memory is, then the rest; of each, what both have before what one lacks, in the
/// order of the first dump.
pub fn differences(first: (&Dump, &BiosState), second: (&Dump, &BiosState)) -> Vec<BiosDifference> {
    // Another tool, or another board, may have a longer name for the same.
    let short = |dump: &Dump| Dump {
        items: dump
            .items
            .iter()
            .map(|item| DumpItem { name: bare(&item.name).to_owned(), ..item.clone() })
            .collect(),
        ..dump.clone()
    };
    let same_names = first.0.items.iter().any(|item| second.0.value(&item.name).is_some());
    let (one, other) = match same_names {
        true => (first.0.clone(), second.0.clone()),
        false => (short(first.0), short(second.0)),
    };
    let kind = |name: &str| {
        let settings = first.1.settings.iter().chain(&second.1.settings);
        let setting = settings
            .into_iter()
            .find(|setting| is_named(&setting.name, name) || bare(&setting.name) == name)?;
        on_file().kind(&setting.kind)
    };
    let missing = other.items.iter().filter(|item| one.value(&item.name).is_none());
    let names = one.items.iter().chain(missing).map(|item| item.name.as_str());
    let differ = names.filter_map(|name| {
        let (before, after) = (one.value(name), other.value(name));
        (before != after).then(|| BiosDifference {
            name: name.to_owned(),
            kind: kind(name).map(|kind| kind.id.clone()),
            effect: kind(name).map(|kind| kind.effect.clone()),
            first: before.map(str::to_owned),
            second: after.map(str::to_owned),
        })
    });
    let mut differ: Vec<BiosDifference> = differ.collect();
    // A plan names a few settings: what it lacks comes after what it has otherwise.
    differ.sort_by_key(|difference| (difference.kind.is_none(), !difference.is_contradiction()));
    differ
}

impl BiosDifference {
    /// Whether both dumps have the setting.
    pub const fn is_contradiction(&self) -> bool {
        self.first.is_some() && self.second.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(text: &str) -> (Dump, BiosState) {
        let dump = Dump::read(text).unwrap();
        let state = BiosState::of("dump", &dump);
        (dump, state)
    }

    fn values(state: &BiosState) -> Vec<(&str, Option<&str>)> {
        state.settings.iter().map(|one| (one.kind.as_str(), one.value.as_deref())).collect()
    }

    #[test]
    fn a_name_with_the_number_of_its_board_is_known() {
        let (_, state) = state(
            r#"{"Attributes": {"NUMANodesPerSocket_703E": "NPS4", "APBDIS_00F6": "Auto", "QuietBoot_0052": true}}"#,
        );
        assert_eq!(state.vendor.as_deref(), Some("supermicro"));
        assert_eq!(values(&state), [("nps", Some("4")), ("fabric-p-state", Some("auto"))]);
        assert_eq!(state.count, 3);
    }

    #[test]
    fn the_slow_links_of_the_efficiency_preset_are_recognized() {
        let text = "OperatingModes.ChooseOperatingMode=Maximum Efficiency\nProcessors.4-LinkxGMIMaxSpeed=Minimum\nProcessors.xGMIForceLinkWidth=Auto\n";
        let (_, mut state) = state(text);
        assert_eq!(state.vendor.as_deref(), Some("lenovo"));
        state.recommend(Goal::Bandwidth, WorkloadKind::NumaUnaware, &[], &Facts::default());
        let speed = state.settings.iter().find(|one| one.kind == "xgmi-speed").unwrap();
        assert_eq!((speed.value.as_deref(), speed.recommended.as_deref()), (Some("16"), Some("32")));
        let writes: Vec<_> = speed
            .remedies
            .iter()
            .flat_map(|one| &one.commands)
            .filter_map(|one| one.write.as_deref())
            .collect();
        assert_eq!(writes, ["onecli config set Processors.4-LinkxGMIMaxSpeed \"32Gbps\""]);
        state.recommend(Goal::Power, WorkloadKind::NumaAware, &[], &Facts::default());
    }

    /// A Xeon was advised on the clock of EPYC's fabric.
    #[test]
    fn a_dump_of_another_machine_is_not_advised_on() {
        let (_, mut state) = state(r#"{"NUMANodesPerSocket_703E": "NPS4", "APBDIS_00F6": "Auto"}"#);
        let facts = |model: &str| Facts { model: model.to_owned(), ..Facts::default() };
        let xeon = facts("Intel(R) Xeon(R) Platinum 8260");
        assert_eq!(state.foreign(&xeon), ["NUMANodesPerSocket_703E", "APBDIS_00F6"]);
        state.recommend(Goal::Bandwidth, WorkloadKind::Mixed, &[], &xeon);
        assert!(state.settings.iter().all(|one| one.recommended.is_none()), "{state:?}");
        for model in ["AMD EPYC 9354 32-Core Processor", ""] {
            assert_eq!(state.foreign(&facts(model)), [""; 0]);
        }
        state.recommend(Goal::Bandwidth, WorkloadKind::Mixed, &[], &facts("AMD EPYC 9354"));
        assert!(state.settings.iter().any(|one| one.recommended.is_some()), "{state:?}");
    }

    /// Any JSON and any CSV was a dump without a word.
    #[test]
    fn a_foreign_document_is_refused() {
        let refused = |text: &str| BiosState::read("dump", text).unwrap_err();
        let error = refused(r#"{"name": "zerohop", "version": "0.1.0"}"#);
        assert_eq!(error.to_string(), "none of its 2 names is a known setting (read as Redfish JSON)");
        assert!(refused("city,inhabitants\nUlm,126000\n").to_string().contains("read as CSV"));
        assert_eq!(refused("{}"), DumpError::NoSettings);
        assert_eq!(refused(r#"{"Attributes": {}}"#), DumpError::NoSettings);
        // A vendor that is not on file still has settings.
        let resource = r#"{"@odata.id": "/redfish/v1/Systems/1/Bios", "Attributes": {"FooBar": "on"}}"#;
        assert!(BiosState::read("dump", resource).is_ok());
        assert!(BiosState::read("dump", r#"{"NumaNodesPerSocket": "4"}"#).is_ok());
    }

    #[test]
    fn dell_s_and_hpe_s_dumps_are_distinguished() {
        let (_, dell) =
            state("[Key=BIOS.Setup.1-1#ProcSettings]\nNumaNodesPerSocket=4\nCcxAsNumaDomain=Disabled\n");
        assert_eq!(dell.vendor.as_deref(), Some("dell"));
        assert_eq!(values(&dell), [("nps", Some("4")), ("llc-as-numa", Some("off"))]);
        let (_, hpe) = state(
            r#"{"Attributes": {"NumaMemoryDomainsPerSocket": "FourMemoryDomainsPerSocket", "WorkloadProfile": "Custom"}}"#,
        );
        assert_eq!(hpe.vendor.as_deref(), Some("hpe"));
        assert_eq!(values(&hpe), [("nps", Some("4"))]);
    }

    #[test]
    fn a_value_that_nobody_has_seen_is_shown_as_it_is() {
        let (_, state) = state(r#"{"SubNumaCluster": "6-Way", "NodeInterleave": "Disabled"}"#);
        assert_eq!(values(&state), [("node-interleaving", Some("off")), ("snc", None)]);
        assert_eq!(state.settings[1].spelled, "6-Way");
    }

    #[test]
    fn what_decides_how_fast_memory_is_comes_first_among_differences() {
        let (one, first) =
            state(r#"{"BootMode": "Uefi", "NumaNodesPerSocket": "1", "SysProfile": "Custom"}"#);
        let (other, second) =
            state(r#"{"BootMode": "Bios", "NumaNodesPerSocket": "4", "SysProfile": "Custom", "New": "x"}"#);
        let found = differences((&one, &first), (&other, &second));
        let named: Vec<_> = found.iter().map(|one| (one.name.as_str(), one.kind.as_deref())).collect();
        assert_eq!(named, [("NumaNodesPerSocket", Some("nps")), ("BootMode", None), ("New", None)]);
        assert_eq!((found[2].first.as_deref(), found[2].second.as_deref()), (None, Some("x")));
        assert!(differences((&one, &first), (&one, &first)).is_empty());
    }

    /// What both had with other values stood between what the plan did not name.
    #[test]
    fn a_plan_is_held_against_a_dump() {
        let (one, first) = state(
            r#"{"Attributes": {"AdjSecPrefetch": "Enabled", "BootMode": "Uefi", "MinProcIdlePower": "C6", "PowerRegulator": "OsControl"}}"#,
        );
        let (other, second) = state("PowerRegulator=StaticHighPerf\nMinProcIdlePower=C6\n");
        let found = differences((&one, &first), (&other, &second));
        let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["PowerRegulator", "AdjSecPrefetch", "BootMode"]);
    }

    #[test]
    fn dumps_of_two_tools_are_compared_by_the_names_that_they_share() {
        let (one, first) =
            state("[Key=BIOS.Setup.1-1#ProcSettings]\nNumaNodesPerSocket=1\nCcxAsNumaDomain=Disabled\n");
        let (other, second) = state(r#"{"NumaNodesPerSocket": "4", "CcxAsNumaDomain": "Disabled"}"#);
        let found = differences((&one, &first), (&other, &second));
        let [only] = &found[..] else { panic!("{found:?}") };
        assert_eq!((only.name.as_str(), only.kind.as_deref()), ("NumaNodesPerSocket", Some("nps")));
    }

    #[test]
    fn the_custom_mode_is_left_as_it_is() {
        let (_, mut state) =
            state("OperatingModes.ChooseOperatingMode=Custom Mode\nMemory.MemorySpeed=Maximum\n");
        state.recommend(Goal::Bandwidth, WorkloadKind::NumaUnaware, &[], &Facts::default());
        assert!(state.settings.iter().all(|one| one.recommended.is_none()), "{state:?}");
    }
}
