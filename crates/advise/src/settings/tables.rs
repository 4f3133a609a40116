//! The files of `settings/` as they are written.

use zerohop_document::{ByName, ByText, List, Names, Plain, Text, tables};

use super::goal::{Goal, WorkloadKind};

tables! {
    /// Settings of firmware and kernel that decide how fast memory is, whoever made the machine.
    KindsTable {
        /// Settings by their ids, which rules and other files refer to.
        kind: ByName<KindTable>,
    }

    /// A setting.
    KindTable {
        /// Its name, as most people call it.
        title: Text,
        /// Words of the names of processors that have it, as `EPYC`. All, if absent.
        processors: Option<Names>,
        /// Fewest sockets of a machine that has it; one, if absent.
        sockets: Option<Plain<usize>>,
        /// What is set.
        meaning: Text,
        /// What that does to memory.
        effect: Text,
        /// What to know before it is changed.
        caution: Option<Text>,
        /// Where that is documented.
        source: Text,
        /// Values that save power.
        saves_power: Option<Names>,
        /// Its values, and what each means. Vendors spell them in their own way.
        values: ByText<Text>,
        /// How a model of a machine expresses it; the first that suits the machine is used.
        model: List<ModelTable>,
        /// What documents recommend.
        advice: List<AdviceTable>,
    }

    /// How a model of a machine expresses a setting.
    ModelTable {
        /// An option of the machine file.
        option: Option<Text>,
        /// A parameter of the template.
        parameter: Option<Text>,
        /// Values of the machine file by path; `*` stands for any name.
        path: Option<Text>,
        /// The values, by path, that those of `path` become with the word `like`.
        like: Option<Text>,
        /// The templates that the parameter means that for; all, if absent.
        templates: Option<Names>,
        /// Each value as the machine file writes it; the same words if absent.
        values: ByText<Text>,
        /// Other options of the machine file that have to be set as well, if it has them.
        with: ByText<Text>,
    }

    /// What a document recommends.
    AdviceTable {
        /// What it is good for.
        goal: Plain<Vec<Goal>>,
        /// Which programs it is good for.
        workload: Plain<Vec<WorkloadKind>>,
        /// Words of the names of processors that it is about; all that have the setting, if absent.
        processors: Option<Names>,
        /// The recommended value.
        value: Text,
        /// Other values that are as good where they were chosen.
        unless: Option<Names>,
        /// Why.
        why: Text,
        /// The document.
        source: Text,
    }

    /// How one vendor spells settings, and the tools that read and set them.
    VendorTable {
        /// The vendor's machines.
        title: Text,
        /// How firmware names the maker of such a machine: the beginning of `sys_vendor`, or a word of a machine's title.
        system: Option<Names>,
        /// Tools by name.
        tool: ByName<ToolTable>,
        /// Settings.
        setting: List<SpelledTable>,
    }

    /// A tool that reads and sets settings. `{name}` and `{value}` stand for a setting and its value.
    ToolTable {
        /// Its name.
        title: Text,
        /// The command that shows a setting.
        read: Text,
        /// The command that changes it, where it is known for certain.
        write: Option<Text>,
        /// The command that shows which values there are.
        registry: Option<Text>,
        /// Whether a change takes effect only at the next boot.
        reboot: Plain<bool>,
        /// Whether names end in `_` and a number that differs from board to board.
        numbered: Option<Plain<bool>>,
        /// What to make sure of before the tool is used.
        confirm: Option<Text>,
        /// Where it is documented.
        source: Text,
    }

    /// A setting as a vendor has it.
    SpelledTable {
        /// Its id in `kinds.toml`.
        kind: Text,
        /// What the vendor calls it.
        label: Text,
        /// Where it is in the setup menu.
        menu: Option<Text>,
        /// When the machine has it.
        condition: Option<Text>,
        /// The only processors for which the vendor calls it so.
        processor: Option<Text>,
        /// Options that a machine file has to have, if it has options of that name.
        machine: ByText<Text>,
        /// Its default.
        default: Option<Text>,
        /// Values that other settings have to have, by their ids.
        needs: ByText<Text>,
        /// Where the vendor's name comes from.
        source: Text,
        /// What to make sure of in this machine's registry before it is changed.
        confirm: Option<Text>,
        /// Its names by tool.
        spelling: ByName<SpellingTable>,
    }

    /// How a tool spells a setting.
    SpellingTable {
        /// Its name.
        name: Text,
        /// Its values, as `kinds.toml` has them, and as the tool writes them. Those that nobody has seen are left out.
        values: ByText<Text>,
        /// Where the spelling comes from, if not where the setting does.
        source: Option<Text>,
        /// What to make sure of in this machine's registry before it is changed.
        confirm: Option<Text>,
    }
}
