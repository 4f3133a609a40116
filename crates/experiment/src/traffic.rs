//! Traffic computed from the workers' accesses, next to the traffic counted by memory controllers.

use zerohop_units::Bytes;
use zerohop_workload::{Activity, Meters, Role, Sample, Workload};

/// Bytes of a line.
const LINE: f64 = 64.0;

/// The sample's meters with what needs the workers' progress as well: the traffic that memory controllers should have counted, and page
/// table walks per line of the measured workers. Workers that bounce lines between caches cause no traffic that could be computed.
pub(crate) fn with_computed(workload: &Workload, sample: &Sample) -> Meters {
    let meters = sample.meters;
    let each = || workload.workers.iter().zip(&sample.workers);
    // Bytes and lines per second, of a worker by itself.
    let rates = each().map(|(worker, done)| {
        let time = done.own_time.get();
        let (bus, lines) = match worker.activity {
            Activity::Kernel { .. } => (done.own.bus_bytes.get() as f64, done.own.bytes.get() as f64 / LINE),
            Activity::Chase { chains, .. } => {
                let lines = done.own.steps * f64::from(chains);
                (lines * LINE, lines)
            }
            Activity::TimedChase { .. } => (done.own.steps * LINE, done.own.steps),
            Activity::LineTransfer { .. } => return None,
        };
        (time > 0.0).then(|| (bus / time, lines / time))
    });
    let rates: Option<Vec<(f64, f64)>> = rates.collect();
    let computed = rates.as_ref().map(|rates| rates.iter().map(|rate| rate.0).sum::<f64>() / 1e9);
    let walks_per_line = rates.as_ref().and_then(|rates| {
        let measured = each().zip(rates).filter(|((worker, _), _)| worker.role == Role::Foreground);
        let mut sums = (0.0, 0.0);
        for ((_, done), (_, lines)) in measured {
            sums.0 += done.noise.walks_per_second?;
            sums.1 += lines;
        }
        (sums.1 > 0.0).then(|| sums.0 / sums.1)
    });
    Meters {
        // Buffers that stay in caches cause less traffic than they move; without a count there is nothing to compare.
        bus_computed_gbps: computed.filter(|_| meters.bus_counted_gbps.is_some() && leaves_caches(workload)),
        walks_per_line,
        ..meters
    }
}

/// Whether every buffer is at least as large as those of experiments about memory.
fn leaves_caches(workload: &Workload) -> bool {
    const LEAST: Bytes = Bytes::mib(64);
    let total: Bytes = workload.workers.iter().map(|worker| worker.buffer).sum();
    total >= LEAST
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use zerohop_machine::{NodeId, PuId};
    use zerohop_units::Bytes;
    use zerohop_workload::{Access, Demand, Kernel, Pages, Placement, Worker};

    use super::*;

    fn workload(activities: &[Activity], buffer: Bytes) -> Workload {
        let workers = activities.iter().zip(0..).map(|(&activity, pu)| Worker {
            pu: PuId(pu),
            role: Role::Foreground,
            placement: Placement::Node(NodeId(0)),
            buffer,
            activity,
            demand: Demand::Unlimited,
        });
        Workload { workers: workers.collect(), pages: Pages::Best, instruction_set: None }
    }

    const COPY: Activity = Activity::Kernel { kernel: Kernel::Copy, access: Access::Sequential };
    const CHASE: Activity = Activity::Chase { chains: 2, pages: None };

    /// A line of a copy every 4 ns, a step of a chase every 100 ns, a walk for every hundredth line of a copy.
    fn sample(workload: &Workload) -> Sample {
        let is_copy = |rank: usize| workload.workers[rank].activity == COPY;
        let step = |rank| if is_copy(rank) { 4.0 } else { 100.0 };
        let mut sample = Sample::steady(workload, Duration::from_millis(30), step);
        sample.meters.bus_counted_gbps = Some(24.5);
        for worker in &mut sample.workers {
            worker.noise.walks_per_second = Some(2.5e6);
        }
        sample
    }

    #[test]
    fn counted_traffic_stands_beside_what_workers_must_have_caused() {
        let workload = workload(&[COPY, CHASE], Bytes::mib(64));
        let meters = with_computed(&workload, &sample(&workload));
        // 16 GB/s asked, half as much again for write allocates, and two lines every 100 ns.
        assert!((meters.bus_computed_gbps.unwrap() - (24.0 + 1.28)).abs() < 1e-3, "{meters:?}");
        assert_eq!(meters.bus_counted_gbps, Some(24.5));
        assert!((meters.bus_proof().unwrap() - 24.5 / 25.28).abs() < 1e-3);
    }

    #[test]
    fn walks_are_per_line() {
        let workload = workload(&[COPY], Bytes::mib(64));
        let walks = with_computed(&workload, &sample(&workload)).walks_per_line.unwrap();
        assert!((walks - 0.01).abs() < 1e-4, "{walks}");
    }

    #[test]
    fn data_that_stays_in_caches_proves_nothing_about_memory() {
        let workload = workload(&[COPY], Bytes::kib(32));
        assert_eq!(with_computed(&workload, &sample(&workload)).bus_computed_gbps, None);
    }
}
