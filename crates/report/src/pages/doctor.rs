//! Measurements that a host allows, the cost of each missing capability, and the commands to add it.

use zerohop_diagnosis::{Cure, DoctorReport, HostCheck, HostStanding};
use zerohop_units::counted;

use crate::page::Page;
use crate::pages::style::Style;

/// Checks that a copy of a host's files does not allow.
pub(crate) const NOT_ASKED: &str =
    "read from a copy of its files: counters, system calls, clock and load were not checked";

/// Whether everything can be measured.
pub(crate) fn verdict_of_host(report: &DoctorReport) -> String {
    let costs = report.standing(HostStanding::Costs).count();
    match (report.allows_measuring(), costs) {
        (false, _) => "nothing can be measured".to_owned(),
        (true, 0) => "everything can be measured".to_owned(),
        (true, _) => counted(costs, "limitation"),
    }
}

/// Writes checks that reduce the measurement with their remedies, then the checks that pass.
pub(crate) fn doctor_page(report: &DoctorReport, style: &Style) -> Page {
    let mut page = Page::new(style);
    page.banner(&format!("what {} allows", report.machine), &verdict_of_host(report));
    for (standing, head) in [
        (HostStanding::Prevents, "prevents measuring"),
        (HostStanding::Costs, "what is missing, and its cost"),
    ] {
        if report.standing(standing).next().is_some() {
            page.section(head);
            report.standing(standing).for_each(|check| write(&mut page, check));
        }
    }
    if report.standing(HostStanding::Fine).next().is_some() {
        page.section("fine");
        let fine = report.standing(HostStanding::Fine);
        let lines: Vec<(&str, String)> = fine.map(|check| (check.what.as_str(), check.is.clone())).collect();
        page.lines(&lines);
    }
    if !report.live {
        page.remark(NOT_ASKED);
    }
    page
}

/// Commands are not wrapped, so that they can be pasted.
fn write(page: &mut Page, check: &HostCheck) {
    let cost = check.cost.as_deref().unwrap_or_default();
    let text = format!("{}: {}; {cost}", check.what, check.is);
    match &check.cure {
        Some(Cure::Command(command)) => {
            page.alert(&text, "");
            page.command(command);
        }
        Some(Cure::Elsewhere(why)) => page.alert(&text, why),
        None => page.alert(&text, ""),
    }
}
