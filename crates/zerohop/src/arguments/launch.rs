//! Arguments of whoever starts programs on nodes: of fleets, and of sweeps.

use std::path::PathBuf;

use clap::Args;

/// Where programs are started, and how many.
#[derive(Debug, Args)]
pub(crate) struct LaunchArguments {
    /// How many nodes; of a scheduler, the first that take a job (default: all)
    #[arg(long, value_name = "COUNT", requires = "launcher")]
    pub(crate) nodes: Option<usize>,

    /// Which nodes: `n[001-016,20],m3`
    #[arg(long, value_name = "NODES", requires = "launcher")]
    pub(crate) nodelist: Option<String>,

    /// How many run or wait at once (default: 200; on this host, as many as have CPUs)
    #[arg(long, value_name = "COUNT", requires = "launcher")]
    pub(crate) max_at_once: Option<usize>,

    /// zerohop on the nodes (default: this program; of ssh and Kubernetes, `zerohop`)
    #[arg(long, value_name = "FILE", requires = "launcher")]
    pub(crate) program: Option<PathBuf>,

    /// How long each may take: minutes, or `hours:minutes:seconds` (default: as the partition has it; of Kubernetes, 60, with its
    /// waiting)
    #[arg(long, value_name = "TIME", requires = "launcher")]
    pub(crate) time: Option<String>,

    #[command(flatten)]
    pub(crate) slurm: SlurmArguments,
}

/// Options of Slurm.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of Slurm")]
pub(crate) struct SlurmArguments {
    /// The partition
    #[arg(long, value_name = "NAME", requires = "launcher")]
    pub(crate) partition: Option<String>,

    /// The account
    #[arg(long, value_name = "NAME", requires = "launcher")]
    account: Option<String>,

    /// The quality of service
    #[arg(long, value_name = "NAME", requires = "launcher")]
    qos: Option<String>,

    /// The reservation
    #[arg(long, value_name = "NAME", requires = "launcher")]
    reservation: Option<String>,

    /// Start steps in the allocation that this runs in, and no jobs
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
