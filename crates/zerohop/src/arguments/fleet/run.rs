//! Arguments of `zerohop fleet run` and `fleet resume`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::arguments::LaunchArguments;

/// Who starts the surveys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LauncherArgument {
    /// Models on this host, to try a fleet
    Local,
    /// A job of Slurm for each node, or a step of an allocation
    Slurm,
    /// A job of Kubernetes for each node
    Kubernetes,
    /// OpenSSH's client
    Ssh,
}

/// Arguments of `fleet run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  zerohop fleet run -o fleet --launcher slurm --partition batch --time 10
  zerohop fleet run -o fleet --launcher kubernetes --image registry.example/zerohop:1
  zerohop fleet run -o fleet --launcher ssh --hosts hosts.txt
  zerohop fleet run -o fleet --launcher local --on epyc-9354 --nodes 40 --faults faults.txt
  zerohop fleet analyse fleet                 then

faults.txt holds nodes, then faults and settings:
  n03 slow-dimm:node0=3200 slow-dimm:node1=3200
  n[10-12] link:0-1=x8

Options of the survey follow `--`:
  zerohop fleet run -o fleet --launcher slurm -- --full

Exit status:
  0    every node has a result
  2    some have none; each is named
  130  interrupted: its surveys are cancelled, and `fleet resume` goes on")]
pub(crate) struct FleetRunArguments {
    /// Directory for the results, one for each node; nodes of Slurm must share it
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,

    /// Who starts the surveys
    #[arg(long, value_enum)]
    pub(crate) launcher: LauncherArgument,

    /// The machine that each node is a model of, with --launcher local
    #[arg(long, value_name = "MACHINE", required_if_eq("launcher", "local"))]
    pub(crate) on: Option<String>,

    /// A file with a host on each line
    #[arg(long, value_name = "FILE", conflicts_with = "nodelist")]
    pub(crate) hosts: Option<PathBuf>,

    /// Faults and settings of some nodes, with --launcher local
    #[arg(long, value_name = "FILE", requires = "on")]
    pub(crate) faults: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) launch: LaunchArguments,

    #[command(flatten)]
    pub(crate) kubernetes: KubernetesArguments,

    /// A host to go over, as in `ssh -J`
    #[arg(long, value_name = "HOST", help_heading = "Options of ssh")]
    pub(crate) jump: Option<String>,

    /// OpenSSH's configuration, as in `ssh -F`
    #[arg(long, value_name = "FILE", help_heading = "Options of ssh")]
    pub(crate) ssh_config: Option<PathBuf>,

    /// Options of the survey, after `--`
    #[arg(last = true, value_name = "OPTIONS")]
    pub(crate) survey: Vec<String>,
}

/// Options of Kubernetes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of Kubernetes")]
pub(crate) struct KubernetesArguments {
    /// An image that has zerohop
    #[arg(long, value_name = "IMAGE", required_if_eq("launcher", "kubernetes"))]
    pub(crate) image: Option<String>,

    /// The namespace (default: that of the context)
    #[arg(long, value_name = "NAME")]
    pub(crate) namespace: Option<String>,

    /// The context of `kubectl` (default: the current one)
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
}

/// Arguments of `fleet resume`.
#[derive(Debug, Args)]
pub(crate) struct FleetResumeArguments {
    /// The directory that `fleet run` was given
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,

    /// No options of the survey: they are those of `fleet run`
    #[arg(last = true, hide = true)]
    pub(crate) survey: Vec<String>,
}
