//! Measured distances between nodes, next to the firmware's.

use zerohop_diagnosis::{DistanceDoubt, MeasuredDistances};
use zerohop_machine::NodeId;
use zerohop_units::counted;

use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;

/// How to make the kernel use the measured table.
const OVERRIDE: [&str; 8] = [
    "acpidump -b -n SLIT && iasl -d slit.dat   # the firmware's own table",
    "zerohop advise distances RESULT --quiet -o measured.dsl",
    "# in measured.dsl, set Oem ID and Oem Table ID as in slit.dsl, and a larger Oem Revision",
    "iasl measured.dsl && mkdir -p kernel/firmware/acpi && mv measured.aml kernel/firmware/acpi/",
    "find kernel | cpio -o -H newc > /boot/distances.cpio",
    "cat /boot/distances.cpio /boot/initrd.img > /boot/initrd-distances.img",
    "# boot with that initrd, then",
    "dmesg | grep -i -e 'table upgrade' -e slit; numactl --hardware",
];

/// Writes measured distances, those of the firmware, and instructions to override these.
pub(crate) fn measured_distances_page(distances: &MeasuredDistances, style: &Style) -> Page {
    let mut page = Page::new(style);
    page.banner(&format!("distances of {}", distances.name), "10 is local memory");
    let verdict = match (&distances.stated, distances.differing()) {
        (None, _) => "the result does not contain the firmware's distances (SLIT)".to_owned(),
        (Some(_), 0) => "the firmware's table agrees with the measurement".to_owned(),
        (Some(_), count) => {
            let all = distances.pairs().count();
            format!("{count} of {} in firmware differ from the measurement", counted(all, "distance"))
        }
    };
    page.line("verdict", &verdict);
    let measured = |from, to| distances.measured.get(from, to);
    table(&mut page, distances, "measured, in proportion to idle latency", measured);
    if let Some(stated) = &distances.stated {
        table(&mut page, distances, "by firmware (SLIT)", |from, to| stated.get(from, to));
    }
    let latency = |from, to| distances.latencies.get(&(from, to)).map(|value| value.get().round() as u32);
    table(&mut page, distances, "idle latency (ns)", latency);
    let doubts = distances.doubts();
    if doubts.iter().any(DistanceDoubt::rules_out_a_table) {
        page.section("these cannot be written as a firmware table");
    } else {
        page.section("to override the firmware's table");
        OVERRIDE.into_iter().for_each(|line| page.command(line));
        page.remark(
            "the kernel needs CONFIG_ACPI_TABLE_UPGRADE, and rejects tables under lockdown (Secure Boot); rows are in the order of the \
             kernel's nodes, which is that of the firmware's proximity domains unless nodes are offline",
        );
    }
    doubts.iter().for_each(|doubt| page.remark(&doubt.to_string()));
    page.remark(
        "programs that use hwloc need no override: `--format hwloc` writes the machine for HWLOC_XMLFILE",
    );
    page
}

fn table(
    page: &mut Page,
    distances: &MeasuredDistances,
    title: &str,
    value: impl Fn(NodeId, NodeId) -> Option<u32>,
) {
    let nodes = &distances.measured.nodes;
    let heads = std::iter::once(("from \\ to".to_owned(), Side::Left));
    let mut grid = Grid::new(heads.chain(nodes.iter().map(|node| (node.to_string(), Side::Right))));
    for from in nodes {
        let cell = |to: &NodeId| {
            value(*from, *to).map_or_else(|| Entry::text("–"), |distance| Entry::number(&distance))
        };
        grid.push(std::iter::once(Entry::number(from)).chain(nodes.iter().map(cell)).collect());
    }
    page.title(title, "");
    page.grid(grid);
}
