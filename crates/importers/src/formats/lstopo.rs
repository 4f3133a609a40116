//! hwloc's XML, as `lstopo --of xml` writes it, versions 1 to 3. It has no measured values: the result is a machine, with
//! the firmware's HMAT where the file has it; distances and attributes of other kinds are named.

use roxmltree::{Document, ParsingOptions};
use zerohop_machine::{ParseHwlocError, parse_hwloc_xml};

use crate::format::{Declaration, Sign};
use crate::harvest::Harvest;
use crate::lines::Text;
use crate::problem::Problem;
use crate::structured::xml_of;

pub(super) const FORMAT: Declaration = Declaration {
    name: "lstopo",
    words: "a topology in hwloc's XML, by `lstopo --of xml`",
    sign,
    cells: true,
    read,
};

fn sign(text: &Text) -> Sign {
    if text.raw().contains("<topology") { Sign::Certain } else { Sign::None }
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let raw = text.raw().to_owned();
    let (xml, before) =
        xml_of(&raw, "topology").ok_or_else(|| Problem::of_text("an element `topology`", "none"))?;
    let machine = parse_hwloc_xml(xml).map_err(|error| match &error {
        ParseHwlocError::Xml(fault) => {
            let line = before + fault.pos().row as usize;
            Problem::at(line, "hwloc's XML", raw.lines().nth(line.saturating_sub(1)).unwrap_or_default())
        }
        _ => Problem::of_text("hwloc's XML of version 1, 2 or 3 with PUs", error.to_string()),
    })?;
    let last = before + xml.matches('\n').count();
    (before..=last).for_each(|rank| text.mark(rank));
    Ok(Harvest { machine: Some(machine), left_out: others(xml), ..Harvest::default() })
}

/// What a machine has no place for: distances between other objects than nodes or of other kinds than the firmware's, and memory
/// attributes that hwloc does not define.
fn others(xml: &str) -> Vec<String> {
    const ATTRIBUTES: [&str; 8] = [
        "Capacity",
        "Locality",
        "Bandwidth",
        "ReadBandwidth",
        "WriteBandwidth",
        "Latency",
        "ReadLatency",
        "WriteLatency",
    ];
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let Ok(document) = Document::parse_with_options(xml, options) else { return Vec::new() };
    let mut others = Vec::new();
    let mut has_nodes = false;
    for element in document.descendants() {
        let name = element.attribute("name").unwrap_or_default();
        match element.tag_name().name() {
            "distances2" | "distances2hetero" => {
                let of = element.attribute("type").unwrap_or("several types");
                let is_firmware = of == "NUMANode" && ["NUMALatency", ""].contains(&name) && !has_nodes;
                has_nodes |= is_firmware;
                if !is_firmware {
                    others.push(format!("distances {name} between objects of {of}").replace("  ", " "));
                }
            }
            "memattr" if element.has_children() && !ATTRIBUTES.contains(&name) => {
                others.push(format!("memory attribute {name}"));
            }
            _ => {}
        }
    }
    others
}
