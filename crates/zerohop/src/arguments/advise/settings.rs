//! Arguments of `zerohop advise settings`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use zerohop_advise::settings::{Goal, SettingsAdvice, WorkloadKind, on_file};
use zerohop_report::{Form, OfResult};

use crate::arguments::{SetArguments, values};
use crate::completion;
use crate::kind::Kind;

/// Arguments of `advise settings`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop advise settings                               this host
  zerohop advise settings today/ --workload numa-aware  the machine of a survey
  zerohop advise settings sr665-v3 --set mode=maximum-efficiency --workload numa-unaware
                                                        a simulated machine
  zerohop advise settings sr665-v3 --goal power --workload numa-aware
  zerohop advise settings epyc-9004,links=4 --vendor dell
  zerohop advise settings --bios bios.json              settings in a firmware dump, and recommended ones
  zerohop advise settings --bios good.txt --bios bad.txt
                                                        the differences between two dumps

zerohop tries every change that a model of the machine can express, and ranks changes by the geometric mean of their effect \
on a few experiments. Other recommended changes are listed separately, with the document that recommends them. zerohop does \
not change any setting.")]
pub(crate) struct SettingsArguments {
    /// Machine by name or file, a result, or a captured machine (default: this host)
    #[arg(value_name = "MACHINE|RESULT", add = completion::simulated_machines())]
    pub(crate) machine: Option<String>,

    #[command(flatten)]
    pub(crate) set: SetArguments,

    /// What to improve
    #[arg(long, value_name = "GOAL", default_value = "bandwidth", value_parser = words::<Goal, 3>(Goal::ALL.map(|goal| (goal.name(), goal.words()))))]
    pub(crate) goal: Goal,

    /// How the programs on this machine place their data
    #[arg(long, value_name = "KIND", default_value = "mixed", value_parser = words::<WorkloadKind, 3>(WorkloadKind::ALL.map(|kind| (kind.name(), kind.words()))))]
    pub(crate) workload: WorkloadKind,

    /// Use this vendor's names for settings (default: the vendor in the machine's firmware)
    #[arg(long, value_name = "VENDOR", value_parser = vendors())]
    pub(crate) vendor: Option<String>,

    /// Firmware settings saved by the vendor's tool: Redfish JSON, OneCLI, racadm, a server configuration profile, or
    /// CSV; give it twice to compare two machines
    #[arg(long, value_name = "FILE")]
    pub(crate) bios: Vec<PathBuf>,

    /// Number of workloads to simulate in parallel (default: one per CPU); does not affect results
    #[arg(long, value_name = "COUNT", value_parser = values::count)]
    pub(crate) threads: Option<NonZeroUsize>,

    #[arg(short, long, value_name = "FILE", help = Kind::of::<OfResult<'static, SettingsAdvice>>().saving())]
    pub(crate) output: Option<PathBuf>,

    /// Output format (default: table)
    #[arg(long, value_name = "FORMAT", value_parser = Kind::of::<SettingsAdvice>().parser())]
    pub(crate) format: Option<Form>,
}

/// Reads one of these words.
fn words<T, const N: usize>(words: [(&'static str, &'static str); N]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    let values = words.map(|(name, words)| PossibleValue::new(name).help(words));
    PossibleValuesParser::new(values).try_map(|word| word.parse::<T>())
}

fn vendors() -> impl TypedValueParser<Value = String> {
    let vendors = on_file().vendors.iter().filter(|vendor| !vendor.system.is_empty());
    PossibleValuesParser::new(
        vendors.map(|vendor| PossibleValue::new(vendor.name.as_str()).help(vendor.title.as_str())),
    )
}
