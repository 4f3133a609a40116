//! Arguments of whoever starts programs on nodes: of fleets, and of sweeps.

use std::path::PathBuf;

use clap::Args;

/// Where programs are started, and how many.
#[derive(Debug, Args)]
pub(crate) struct LaunchArguments {
    /// Number of nodes; with a scheduler, the first that start a job (default: all)
    #[arg(long, value_name = "COUNT", requires = "launcher")]
    pub(crate) nodes: Option<usize>,

    /// Nodes to use, such as `n[001-016,20],m3`
    #[arg(long, value_name = "NODES", requires = "launcher")]
    pub(crate) nodelist: Option<String>,

    /// Maximum number of jobs that run or wait at once (default: 200; on this host, as many as there are CPUs for)
    #[arg(long, value_name = "COUNT", requires = "launcher")]
    pub(crate) max_at_once: Option<usize>,

    /// Path to zerohop on the nodes (default: this program; with ssh and Kubernetes, `zerohop`)
    #[arg(long, value_name = "FILE", requires = "launcher")]
    pub(crate) program: Option<PathBuf>,

    /// Time limit of each job: minutes, or `hours:minutes:seconds` (default: that of the partition; with Kubernetes, 60
    /// minutes, including waiting)
    #[arg(long, value_name = "TIME", requires = "launcher")]
    pub(crate) time: Option<String>,

    #[command(flatten)]
    pub(crate) slurm: SlurmArguments,
}

/// Options of Slurm.
#[derive(Debug, Args)]
#[command(next_help_heading = "Slurm options")]
pub(crate) struct SlurmArguments {
    /// Partition
    #[arg(long, value_name = "NAME", requires = "launcher")]
    pub(crate) partition: Option<String>,

    /// Account
    #[arg(long, value_name = "NAME", requires = "launcher")]
    account: Option<String>,

    /// Quality of service
    #[arg(long, value_name = "NAME", requires = "launcher")]
    qos: Option<String>,

    /// Reservation
    #[arg(long, value_name = "NAME", requires = "launcher")]
    reservation: Option<String>,

    /// Start steps in the current allocation instead of jobs
    #[arg(long, requires = "launcher")]
    pub(crate) in_allocation: bool,
}

impl SlurmArguments {
    /// As options of `sbatch` and `srun`.
    pub(crate) fn options(&self, time: Option<&String>) -> Vec<String> {
        let Self { partition, account, qos, reservation, in_allocation: _ } = self;
        let named = [
            ("partition", partition.as_ref()),
            ("account", account.as_ref()),
            ("qos", qos.as_ref()),
            ("reservation", reservation.as_ref()),
            ("time", time),
        ];
        let given = named.into_iter().filter_map(|(name, value)| Some((name, value?)));
        given.map(|(name, value)| format!("--{name}={value}")).collect()
    }
}
