//! Arguments of `zerohop machine`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use zerohop_machine::{Capture, Machine, Setting};
use zerohop_report::{Form, MachineList, TemplateList};

use super::{FaultArguments, SetArguments};
use crate::completion;
use crate::kind::Kind;

/// Arguments of `machine`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop machine show
  zerohop machine show --format json | jq '.nodes[].pus'
  zerohop machine draw -o machine.svg
  zerohop machine export | lstopo --if xml -i -
  zerohop machine capture -o odd.json
  zerohop --sysfs-root odd.json machine show

Simulated machines:
  zerohop machine list
  zerohop machine show quartet             links, routes, and the peak of each part
  zerohop machine export quartet --format toml > mine.toml
  zerohop machine check mine.toml          a summary, or the errors in it
  zerohop run crossfire --on quartet --detail -o a.json
  zerohop machine draw quartet --load a.json > load.svg

Machines known only from a spec sheet:
  zerohop machine templates
  zerohop machine new --template xeon-cascade-lake --set cores=28 -o mine.toml
  zerohop machine new --model 'Xeon Gold 6240' --set links=2 -o mine.toml
  zerohop survey --on xeon-cascade-lake,cores=28,links=3")]
pub(crate) struct MachineArguments {
    #[command(subcommand)]
    pub(crate) verb: MachineVerb,
}

/// What to do with a machine.
#[derive(Debug, Subcommand)]
pub(crate) enum MachineVerb {
    /// List the machines that can be simulated by name
    List {
        #[arg(short, long, value_name = "FILE", help = Kind::of::<MachineList<'static>>().saving())]
        output: Option<PathBuf>,

        /// Output format (default: table)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<MachineList<'static>>().parser())]
        format: Option<Form>,
    },
    /// Check a machine file: print a summary, or the errors in it
    Check {
        /// Machine file, or a machine's name
        #[arg(value_name = "FILE", add = completion::simulated_machines(), required_unless_present = "on")]
        machine: Option<String>,

        #[command(flatten)]
        on: OnArgument,

        #[command(flatten)]
        set: SetArguments,
    },
    /// Print a machine's hardware and settings
    Show {
        #[command(flatten)]
        which: MachineArgument,

        #[command(flatten)]
        fault: FaultArguments,

        #[arg(short, long, value_name = "FILE", help = Kind::of::<Machine>().saving())]
        output: Option<PathBuf>,

        /// Output format (default: table)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<Machine>().parser())]
        format: Option<Form>,
    },
    /// Draw packages, nodes, caches and distances as SVG, or the routers and links of a simulated machine
    Draw {
        #[command(flatten)]
        which: MachineArgument,

        #[command(flatten)]
        fault: FaultArguments,

        /// Show the load of links and channels in a result of `zerohop run … --detail`
        #[arg(long, value_name = "RESULT")]
        load: Option<PathBuf>,

        /// Workload to show, as `axis=place` as in queries; may be repeated (default: the first in the result)
        #[arg(long, value_name = "AXIS=PLACE", requires = "load")]
        at: Vec<String>,

        #[arg(short, long, value_name = "FILE", help = Kind::of_drawing().saving())]
        output: Option<PathBuf>,
    },
    /// Export a machine as hwloc XML, for example for `lstopo`, or as a machine file
    Export {
        #[command(flatten)]
        which: MachineArgument,

        /// Output format (default: hwloc, or the one selected by the file extension)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of_export().parser())]
        format: Option<Form>,

        #[arg(short, long, value_name = "FILE", help = Kind::of_export().saving())]
        output: Option<PathBuf>,
    },
    /// List templates, or the properties that a template accepts
    Templates {
        /// Template, by name or by file (default: list all)
        #[arg(value_name = "TEMPLATE", add = completion::templates())]
        template: Option<String>,

        #[arg(short, long, value_name = "FILE", help = Kind::of::<TemplateList<'static>>().saving())]
        output: Option<PathBuf>,

        /// Output format (default: table)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<TemplateList<'static>>().parser())]
        format: Option<Form>,
    },
    /// Write a machine file for a machine known only from its spec sheet
    New {
        /// Template, by name or by file
        #[arg(long, value_name = "TEMPLATE", add = completion::templates(), required_unless_present_any = ["model", "from_host", "from"])]
        template: Option<String>,

        /// Marketing name of the processor, such as `Xeon Gold 6240`
        #[arg(long, value_name = "NAME")]
        model: Option<String>,

        /// Fill in the hardware of this host
        #[arg(long, conflicts_with = "from")]
        from_host: bool,

        /// Fill in the hardware recorded in a result or a captured machine
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,

        /// Set a property of the machine; may be repeated
        #[arg(long, value_name = "NAME=VALUE")]
        set: Vec<Setting>,

        #[arg(short, long, value_name = "FILE", help = Kind::of_machine_file().saving())]
        output: Option<PathBuf>,
    },
    /// Save everything that zerohop reads about this machine to one file, to view it elsewhere
    ///
    /// The file omits serial numbers, asset tags, the host name and kernel parameters that do not affect memory.
    Capture {
        #[arg(short, long, value_name = "FILE", help = Kind::of::<Capture>().saving())]
        output: Option<PathBuf>,
    },
}

/// Which machine.
#[derive(Debug, Args)]
pub(crate) struct MachineArgument {
    /// Machine's name, a machine file, hwloc XML, a captured machine, or a result (default: this host)
    #[arg(add = completion::shown_machines())]
    pub(crate) machine: Option<String>,

    #[command(flatten)]
    pub(crate) on: OnArgument,

    #[command(flatten)]
    pub(crate) set: SetArguments,
}

/// The machine as other verbs take it, for users who type `--on quartet` as in `run hops --on quartet`.
#[derive(Debug, Args)]
pub(crate) struct OnArgument {
    #[arg(
        long,
        value_name = "MACHINE",
        hide = true,
        conflicts_with = "machine",
        add = completion::shown_machines()
    )]
    on: Option<String>,
}

impl OnArgument {
    /// The machine named by `--on` or by the positional argument.
    pub(crate) fn or(self, machine: Option<String>) -> Option<String> {
        machine.or(self.on)
    }
}
