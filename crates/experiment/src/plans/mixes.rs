//! Reads, writes and read:write mixes, on each node's own memory, and on the whole machine; where cores have several threads, the
//! whole machine with one thread per core and with all of them, since either may be the faster.

use zerohop_workload::Kernel;

use super::stream::{groups, on_groups};
use crate::ExperimentError;
use crate::experiment::Experiment;
use crate::plan::Plan;
use crate::scope::Scope;
use zerohop_result::{
    Axis, By, Choice, Columns, Descriptor, Drawing, Glance, Headline, Layout, Measure, MlcBlock, Of, Ranking,
    Survey, Topic, When,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "mixes",
        summary: "read, write, and read:write mixes",
        about: "Reads, writes and mixes of both, on each node by itself and on the whole machine, all memory local; if cores have several threads, the whole machine with one thread per core and with all.",
        accepts: &[Choice::InstructionSet, Choice::Buffer, Choice::Interleave],
        survey: Survey::Every,
        panel: 5,
        topic: Topic::Bandwidth,
        glance: Some(Glance::BestBandwidth(Axis::Mix)),
        headlines: &[Headline::new(Measure::Bandwidth, Of::Machine, By::Axis(Axis::Mix)).highest()],
        layouts: &[
            Layout::new(
                "reads and writes",
                Axis::Mix,
                Columns::Along(Axis::ThreadsPerCore),
                &[Measure::Bandwidth],
            )
            .ranked(Ranking::EachRow)
            .drawn(Drawing::Bars),
            Layout::new(
                "reads and writes, bus traffic",
                Axis::Mix,
                Columns::Along(Axis::ThreadsPerCore),
                &[Measure::BusTraffic],
            )
            .in_detail(),
            Layout::new(
                "reads and writes",
                Axis::Mix,
                Columns::Measures,
                &[Measure::Bandwidth, Measure::BusTraffic],
            )
            .when(When::Fewer(2, Axis::Initiator))
            .drawn(Drawing::Bars),
            Layout::new(
                "reads and writes",
                Axis::Mix,
                Columns::Along(Axis::Initiator),
                &[Measure::Bandwidth],
            )
            .when(When::AtLeast(2, Axis::Initiator))
            .ranked(Ranking::EachRow)
            .drawn(Drawing::Bars),
            Layout::new(
                "reads and writes, bus traffic",
                Axis::Mix,
                Columns::Along(Axis::Initiator),
                &[Measure::BusTraffic],
            )
            .when(When::AtLeast(2, Axis::Initiator))
            .in_detail(),
        ],
        remark: None,
        mlc: Some(MlcBlock::PeakBandwidth),
    },
    plan,
};

/// The kernel and the name of each mix. The mixes update in place; the last is STREAM's triad with non-temporal stores,
/// which reads two arrays and writes a third.
const MIXES: [(Kernel, &str); 7] = [
    (Kernel::Read, "all_reads"),
    (Kernel::Write, "all_writes"),
    (Kernel::WriteNt, "all_writes_nt"),
    (Kernel::Mix3To1, "3:1"),
    (Kernel::Mix2To1, "2:1"),
    (Kernel::Mix1To1, "1:1"),
    (Kernel::TriadNt, "stream_triad_like"),
];

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let mut groups = groups(scope);
    let all_threads = scope.all_threads();
    if let Some(all) = &all_threads
        && let Some(whole) = groups.pop()
    {
        let one = whole.with_threads(whole.initiators(), 1);
        let every = whole.with_threads(all.initiators.iter().collect(), all.threads_per_core);
        groups.extend([one, every]);
    }
    on_groups(scope, EXPERIMENT.descriptor.name(), &groups, Axis::Mix, &MIXES)
}
