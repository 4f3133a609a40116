//! hwloc's XML, as `lstopo --of xml` writes it, versions 1 to 3, and `lstopo`'s text. It has no measured values: the result is a machine, with
//! the firmware's HMAT where the file has it; what a machine has no place for is named.

mod others;
mod text;

use zerohop_machine::{ParseHwlocError, parse_hwloc_xml};
use zerohop_workload::Warning;

use crate::format::{Declaration, Sign};
use crate::harvest::Harvest;
use crate::lines::Text;
use crate::problem::Problem;
use crate::sample::Sample;
use crate::structured::xml_of;

use others::{doubts, others, without_memory_caches};

pub(super) const FORMAT: Declaration = Declaration {
    name: "lstopo",
    words: "a topology by `lstopo`, as text or as hwloc's XML",
    marks: &["numanode l#", "pu l#"],
    sign,
    cells: true,
    read,
};

fn sign(text: &Sample<'_>) -> Sign {
    let is_text = || {
        let objects = text.seen().filter(|seen| text::is_object(seen.line));
        objects.take(2).count() == 2
    };
    if text.raw().contains("<topology") || is_text() { Sign::Certain } else { Sign::None }
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let raw = text.raw().to_owned();
    if !raw.contains("<topology") {
        let (machine, lines) = text::machine(&raw).ok_or_else(|| {
            Problem::of_text("an element `topology`, or objects such as `PU L#0 (P#0)`", "none")
        })?;
        lines.into_iter().for_each(|rank| text.mark(rank));
        return Ok(Harvest { machine: Some(machine), ..Harvest::default() });
    }
    let (xml, before) =
        xml_of(&raw, "topology").ok_or_else(|| Problem::of_text("an element `topology`", "none"))?;
    let of_processor = without_memory_caches(xml);
    let machine = parse_hwloc_xml(of_processor.as_deref().unwrap_or(xml)).map_err(|error| match &error {
        ParseHwlocError::Xml(fault) => {
            let line = before + fault.pos().row as usize;
            Problem::at(line, "hwloc's XML", raw.lines().nth(line.saturating_sub(1)).unwrap_or_default())
        }
        _ => Problem::of_text("hwloc's XML of version 1, 2 or 3 with PUs", error.to_string()),
    })?;
    let last = before + xml.matches('\n').count();
    (before..=last).for_each(|rank| text.mark(rank));
    let warnings = doubts(xml).into_iter().map(|reason| Warning::Implausible { reason }).collect();
    Ok(Harvest { machine: Some(machine), left_out: others(xml), warnings, ..Harvest::default() })
}
