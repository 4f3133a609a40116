//! Measurements that a host allows, for a ticket.

use zerohop_diagnosis::{Cure, DoctorReport, HostCheck, HostStanding};

use super::page::{MarkdownPage, mark, prose};
use crate::pages::{NOT_ASKED, verdict_of_host};

/// Checks that reduce the measurement with their remedies, then the checks that pass.
pub(crate) fn doctor_markdown(report: &DoctorReport) -> String {
    let mut page = MarkdownPage::default();
    page.line(&[mark("# What "), prose(&report.machine), mark(" allows")]);
    page.paragraph(&[prose(verdict_of_host(report)), mark(".")]);
    for (standing, head) in [
        (HostStanding::Prevents, "## Prevents measuring\n\n"),
        (HostStanding::Costs, "## What is missing, and its cost\n\n"),
    ] {
        if report.standing(standing).next().is_some() {
            page.own(head);
            report.standing(standing).for_each(|check| write_lost(&mut page, check));
        }
    }
    if report.standing(HostStanding::Fine).next().is_some() {
        page.own("## Fine\n\n");
        for check in report.standing(HostStanding::Fine) {
            page.line(&[mark("- "), prose(&check.what), mark(": "), prose(&check.is)]);
        }
    }
    if !report.live {
        page.paragraph(&[prose(NOT_ASKED), mark(".")]);
    }
    page.finish()
}

/// Commands are listings, which GitHub offers to copy.
fn write_lost(page: &mut MarkdownPage, check: &HostCheck) {
    let cost = check.cost.as_deref().unwrap_or_default();
    page.line(&[mark("**"), prose(&check.what), mark("**: "), prose(&check.is), mark("; "), prose(cost)]);
    page.blank();
    match &check.cure {
        Some(Cure::Command(command)) => {
            page.listing([command.into()]);
            page.blank();
        }
        Some(Cure::Elsewhere(why)) => {
            page.line(&[mark("No command on this host changes it: "), prose(why), mark(".")]);
            page.blank();
        }
        None => {}
    }
}
