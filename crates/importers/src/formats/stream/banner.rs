//! STREAM's banner and its validation: how the next run ran, and lines that hold nothing.

use zerohop_units::Bytes;

use super::run::Run;
use crate::harvest::Harvest;
use crate::number::first_number;

/// Takes a line that says how the next run ran; other lines of STREAM's banner are known, and hold nothing.
pub(super) fn surroundings(line: &str, lower: &str, run: &mut Run, harvest: &mut Harvest) -> bool {
    if lower.contains("stream version") {
        // 5.10 is not 5.1.
        let version = lower.split("revision:").nth(1).and_then(|rest| rest.split_whitespace().next());
        run.version = version.filter(|version| first_number(version).is_some()).map(str::to_owned);
        return true;
    }
    // The version for MPI: each rank has as many threads as the first.
    if let Some(ranks) = lower.strip_prefix("data is distributed across").and_then(first_number) {
        run.threads = Some(ranks as u64);
        return true;
    }
    if lower.starts_with("number of threads counted for rank") {
        let threads = lower.rsplit('=').next().and_then(first_number).map(|threads| threads as u64);
        run.threads = run.threads.zip(threads).map(|(ranks, threads)| ranks * threads).or(run.threads);
        return true;
    }
    if lower.starts_with("number of threads counted") || lower.starts_with("number of threads =") {
        run.threads = lower.rsplit('=').next().and_then(first_number).map(|threads| threads as u64);
        return true;
    }
    if lower.starts_with("number of threads requested") && !lower.contains("each mpi rank") {
        let requested = lower.rsplit('=').next().and_then(first_number).map(|threads| threads as u64);
        run.threads = run.threads.or(requested);
        return true;
    }
    if (lower.starts_with("total memory required") || lower.starts_with("total aggregate memory required"))
        && let Some(size) = lower.split('=').nth(1).and_then(first_number)
    {
        let unit = match () {
            () if lower.contains("mib") => 20,
            () if lower.contains("gib") => 30,
            // MPI_STREAM.
            () if lower.trim_end_matches('.').ends_with(" kb") => 10,
            () => 20,
        };
        run.buffers = Bytes((size * f64::from(1u32 << unit)) as u64);
        return true;
    }
    if lower.starts_with("failed validation") || lower.starts_with("solution does not validate") {
        harvest.tool_says(line);
        return true;
    }
    run.banner.0 |= ABOVE_THREADS.iter().any(|start| lower.starts_with(start));
    run.banner.1 |= BELOW_THREADS.iter().any(|start| lower.starts_with(start));
    KNOWN.iter().any(|known| lower.starts_with(known))
}

/// Lines of the banner of C above and below the number of threads.
const ABOVE_THREADS: [&str; 3] = ["each kernel will be executed", "each test is run", "the *best* time"];
const BELOW_THREADS: [&str; 2] = ["your clock granularity", "each test below will take"];

/// Lines of the banner and of the validation.
const KNOWN: [&str; 41] = [
    "total aggregate array size",
    "total aggregate memory per array",
    "array size per mpi rank",
    "memory per array per mpi rank",
    "total memory per mpi rank",
    "the scalar value used",
    "number of threads requested for each mpi rank",
    "you are running each test",
    "the total memory requirement",
    "this system uses",
    "array size",
    "memory per array",
    "total memory",
    "each kernel will be executed",
    "the *best* time",
    "will be used to compute",
    "number of processors",
    "number of mpi ranks",
    "your clock granularity",
    "each test below will take",
    "(= ",
    "increase the size of the arrays",
    "you are not getting at least",
    "warning -- the above",
    "warning - the above",
    "for best results",
    "precision of your system timer",
    "solution validates",
    "results validation",
    "expected",
    "observed",
    "stream fortran version",
    "double precision appears to have",
    "assuming",
    "offset",
    "each test is run",
    "the *best* time for each test",
    "*excluding* the first",
    "is used",
    "printing one line per active thread",
    "results comparison",
];
