//! Arguments of `zerohop machine`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use zerohop_machine::Machine;
use zerohop_report::{Form, MachineList};

use super::SetArguments;
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

Machines that can be simulated:
  zerohop machine list
  zerohop machine show quartet             links, routes, what each part can reach
  zerohop machine export quartet --format toml > mine.toml
  zerohop machine check mine.toml          what it is, or what is wrong with it
  zerohop run crossfire --on quartet --detail -o a.json
  zerohop machine draw quartet --load a.json > load.svg")]
pub(crate) struct MachineArguments {
    #[command(subcommand)]
    pub(crate) verb: MachineVerb,
}

/// What to do with a machine.
#[derive(Debug, Subcommand)]
pub(crate) enum MachineVerb {
    /// List the machines that can be simulated by name
    List {
        #[command(flatten)]
        destination: Destination,

        /// How to print it (default: table)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<MachineList<'static>>().parser())]
        format: Option<Form>,
    },
    /// Say what a machine file describes, or what is wrong with it
    Check {
        /// A machine file, or a machine's name
        #[arg(value_name = "FILE", add = completion::simulated_machines(), required_unless_present = "on")]
        machine: Option<String>,

        #[command(flatten)]
        on: OnArgument,

        #[command(flatten)]
        set: SetArguments,
    },
    /// Print what the machine is and how it is set
    Show {
        #[command(flatten)]
        which: MachineArgument,

        #[command(flatten)]
        destination: Destination,

        /// How to print it (default: table)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<Machine>().parser())]
        format: Option<Form>,
    },
    /// Draw packages, nodes, caches and distances as SVG; of a machine to simulate, its routers and links
    Draw {
        #[command(flatten)]
        which: MachineArgument,

        /// Show what links and channels carried in a result of `zerohop run … --detail`
        #[arg(long, value_name = "RESULT")]
        load: Option<PathBuf>,

        /// Which of the result's workloads, as `axis=place`; may be given again (default: the first)
        #[arg(long, value_name = "AXIS=PLACE", requires = "load")]
        at: Vec<String>,

        #[command(flatten)]
        destination: Destination,
    },
    /// Write the machine as hwloc XML, which `lstopo` opens, or as a machine file
    Export {
        #[command(flatten)]
        which: MachineArgument,

        /// In which form (default: hwloc, or what the file's name says)
        #[arg(long, value_name = "FORMAT", value_parser = Kind::of_export().parser())]
        format: Option<Form>,

        #[command(flatten)]
        destination: Destination,
    },
    /// Write all that is read of the machine to one file, from which it can be shown again elsewhere
    ///
    /// Serial numbers, asset tags, the host's name and kernel parameters that do not bear on memory are left out.
    Capture(Destination),
}

/// Which machine.
#[derive(Debug, Args)]
pub(crate) struct MachineArgument {
    /// This host where left out; else a machine's name, a machine file, hwloc's XML, a captured machine, or a result
    #[arg(add = completion::shown_machines())]
    pub(crate) machine: Option<String>,

    #[command(flatten)]
    pub(crate) on: OnArgument,

    #[command(flatten)]
    pub(crate) set: SetArguments,
}

/// The machine as other verbs take it: whoever has typed `run hops --on quartet` types that here as well.
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
    /// The machine that is named, here or before.
    pub(crate) fn or(self, machine: Option<String>) -> Option<String> {
        machine.or(self.on)
    }
}

/// Where a document goes.
#[derive(Debug, Args)]
pub(crate) struct Destination {
    /// Keep it in this file, in the form that the ending of its name says; an earlier one is replaced
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
