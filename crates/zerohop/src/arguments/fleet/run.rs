//! Arguments of `zerohop fleet run` and `fleet resume`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::arguments::LaunchArguments;

/// Who starts the surveys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LauncherArgument {
    /// Simulations on this host, to try out a fleet
    Local,
    /// A Slurm job for each node, or a step in an allocation
    Slurm,
    /// A Kubernetes job for each node
    Kubernetes,
    /// The OpenSSH client
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
  zerohop fleet analyse fleet                 find the bad nodes

Each line of faults.txt has nodes, then their faults and settings:
  n03 slow-dimm:node0=3200 slow-dimm:node1=3200
  n[10-12] link:0-1=x8

Survey options follow `--`:
  zerohop fleet run -o fleet --launcher slurm -- --full

Exit status:
  0    every node has a result
  2    some nodes have no result; the output names them
  130  interrupted; surveys in progress are canceled, and `fleet resume` continues")]
pub(crate) struct FleetRunArguments {
    /// Directory for the results of all nodes; with Slurm, on a shared file system
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,

    /// How to start the surveys
    #[arg(long, value_enum)]
    pub(crate) launcher: LauncherArgument,

    /// With --launcher local: machine to simulate as each node
    #[arg(long, value_name = "MACHINE", required_if_eq("launcher", "local"))]
    pub(crate) on: Option<String>,

    /// File with one host per line
    #[arg(long, value_name = "FILE", conflicts_with = "nodelist")]
    pub(crate) hosts: Option<PathBuf>,

    /// With --launcher local: file with faults and settings of some nodes
    #[arg(long, value_name = "FILE", requires = "on")]
    pub(crate) faults: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) launch: LaunchArguments,

    #[command(flatten)]
    pub(crate) kubernetes: KubernetesArguments,

    /// Jump host, as in `ssh -J`
    #[arg(long, value_name = "HOST", help_heading = "ssh options")]
    pub(crate) jump: Option<String>,

    /// OpenSSH configuration file, as in `ssh -F`
    #[arg(long, value_name = "FILE", help_heading = "ssh options")]
    pub(crate) ssh_config: Option<PathBuf>,

    /// Options for each survey, after `--`
    #[arg(last = true, value_name = "OPTIONS", help_heading = "Survey options")]
    pub(crate) survey: Vec<String>,
}

/// Options of Kubernetes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Kubernetes options")]
pub(crate) struct KubernetesArguments {
    /// Container image with zerohop
    #[arg(long, value_name = "IMAGE", required_if_eq("launcher", "kubernetes"))]
    pub(crate) image: Option<String>,

    /// Namespace (default: that of the context)
    #[arg(long, value_name = "NAME")]
    pub(crate) namespace: Option<String>,

    /// kubectl context (default: the current one)
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
}

/// Arguments of `fleet resume`.
#[derive(Debug, Args)]
pub(crate) struct FleetResumeArguments {
    /// Directory of the fleet run to resume
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,

    /// Not accepted: survey options are those of `fleet run`
    #[arg(last = true, hide = true)]
    pub(crate) survey: Vec<String>,
}
