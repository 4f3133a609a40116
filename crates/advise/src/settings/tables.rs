//! The files of `settings/` as they are written.

use zerohop_document::{ByName, ByText, List, Names, Plain, Text, tables};

use super::goal::{Goal, WorkloadKind};

tables! {
    /// Settings of firmware and kernel that affect memory performance, independent of the vendor.
    KindsTable {
        /// Settings by their ids, which rules and other files refer to.
        kind: ByName<KindTable>,
    }

    /// A setting.
    KindTable {
        /// Common name of the setting.
        title: Text,
        /// Words in the names of processors that have the setting, such as `EPYC`. All, if absent.
        processors: Option<Names>,
        /// Minimum number of sockets of a machine with the setting; one, if absent.
        sockets: Option<Plain<usize>>,
        /// Meaning of the setting.
        meaning: Text,
        /// Effect of the setting on memory.
        effect: Text,
        /// Caution before the setting is changed.
        caution: Option<Text>,
        /// Documentation of the setting.
        source: Text,
        /// Values that save power.
        saves_power: Option<Names>,
        /// Values with their meanings. Vendors spell them in their own way.
        values: ByText<Text>,
        /// Ways in which a model can express the setting; the first that suits the machine is used.
        model: List<ModelTable>,
        /// Recommendations of documents.
        advice: List<AdviceTable>,
    }

    /// Way in which a machine's model expresses a setting.
    ModelTable {
        /// An option of the machine file.
        option: Option<Text>,
        /// A parameter of the template.
        parameter: Option<Text>,
        /// Values of the machine file by path; `*` stands for any name.
        path: Option<Text>,
        /// The values, by path, that those of `path` become with the word `like`.
        like: Option<Text>,
        /// Templates in which the parameter has this meaning; all, if absent.
        templates: Option<Names>,
        /// Each value as the machine file writes it; the same words if absent.
        values: ByText<Text>,
        /// Other options of the machine file to set as well, if it has them.
        with: ByText<Text>,
    }

    /// Recommendation of a document.
    AdviceTable {
        /// Goals that the value serves.
        goal: Plain<Vec<Goal>>,
        /// Workloads that the value serves.
        workload: Plain<Vec<WorkloadKind>>,
        /// Words in the names of processors that the recommendation is for; all with the setting, if absent.
        processors: Option<Names>,
        /// The recommended value.
        value: Text,
        /// Other values that are equally good if already chosen.
        unless: Option<Names>,
        /// Reason for the recommendation.
        why: Text,
        /// The document.
        source: Text,
    }

    /// One vendor's spelling of settings, and the tools that read and change them.
    VendorTable {
        /// Machines of the vendor.
        title: Text,
        /// Name of the vendor in firmware: the beginning of `sys_vendor`, or a word of a machine's title.
        system: Option<Names>,
        /// Tools by name.
        tool: ByName<ToolTable>,
        /// Settings.
        setting: List<SpelledTable>,
    }

    /// A tool that reads and changes settings. `{name}` and `{value}` stand for a setting and its value.
    ToolTable {
        /// Name of the tool.
        title: Text,
        /// Command that shows a setting.
        read: Text,
        /// Command that changes a setting, if it is certain.
        write: Option<Text>,
        /// Command that lists the available values.
        registry: Option<Text>,
        /// Whether a change takes effect only at the next boot.
        reboot: Plain<bool>,
        /// Whether names end in `_` and a number that differs between boards.
        numbered: Option<Plain<bool>>,
        /// Facts to check before the tool is used.
        confirm: Option<Text>,
        /// Documentation of the tool.
        source: Text,
    }

    /// A setting of a vendor.
    SpelledTable {
        /// Id of the setting in `kinds.toml`.
        kind: Text,
        /// Name of the setting in the vendor's documents.
        label: Text,
        /// Path in the setup menu.
        menu: Option<Text>,
        /// Condition for the machine to have the setting.
        condition: Option<Text>,
        /// The only processors for which the vendor uses this name.
        processor: Option<Text>,
        /// Options that a machine file must have, if it has options of that name.
        machine: ByText<Text>,
        /// Default value.
        default: Option<Text>,
        /// Values required of other settings, by their ids.
        needs: ByText<Text>,
        /// Source of the vendor's name.
        source: Text,
        /// Facts to check in this machine's registry before the setting is changed.
        confirm: Option<Text>,
        /// Names of the setting by tool.
        spelling: ByName<SpellingTable>,
    }

    /// Spelling of a setting in a tool.
    SpellingTable {
        /// Name of the setting in the tool.
        name: Text,
        /// Values of `kinds.toml`, with their spelling in the tool. Values of unknown spelling are absent.
        values: ByText<Text>,
        /// Source of the spelling, if it differs from the setting's source.
        source: Option<Text>,
        /// Facts to check in this machine's registry before the setting is changed.
        confirm: Option<Text>,
    }
}
