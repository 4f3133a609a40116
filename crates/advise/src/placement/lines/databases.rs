//! Databases, whose threads share their data.

use super::binding::Spot;
use super::line::{Kind, Line, Tool};
use super::numactl::memory_option;
use crate::placement::candidate::Memory;
use crate::placement::program::DataUse;

const POSTGRESQL: &str = "https://www.postgresql.org/docs/18/view-pg-shmem-allocations-numa.html";

const REDIS: &str = "https://github.com/redis/redis/commit/1a0deab2a548fa306171f03439e858c00836fe69";

pub(super) fn lines(spot: &Spot<'_>) -> Vec<Line> {
    if spot.program.data != DataUse::Shared || matches!(spot.memory(), Memory::Weighted { .. }) {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let cpus = spot.cpu_list();
    if let Some(option) = memory_option(spot.memory()) {
        let text = format!("numactl --physcpubind={cpus} {option} pg_ctl -D /path/to/data start");
        lines.push(Line::shell(Tool::PostgreSql, text, POSTGRESQL).note(
            "the server's processes inherit it; since version 18, `SELECT * FROM pg_shmem_allocations_numa` shows where its \
             shared memory is, if it was built with --with-libnuma",
        ));
    }
    // Its commands run in one thread: one node is its place.
    if spot.only_node().is_some() && spot.is_first_touch() {
        let text = format!("server_cpulist {cpus}\nbio_cpulist {cpus}");
        lines.push(
            Line::shell(Tool::Redis, text, REDIS)
                .with(Kind::Configuration)
                .note("in redis.conf, since version 6"),
        );
    }
    lines
}
