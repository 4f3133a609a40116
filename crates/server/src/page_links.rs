//! Addresses of pages, by which they lead to each other.

use zerohop_report::{Links, Reference};

/// Form that the boxes next to results belong to.
pub(crate) const PICKED_BY: &str = "picked";

/// The pages of this server.
pub(crate) struct Served;

impl Links for Served {
    fn address(&self, reference: &Reference) -> Option<String> {
        Some(match reference {
            Reference::Machine(name) => of_machine(name),
            Reference::Result(id) => of_result(id),
        })
    }

    fn picked_by(&self) -> Option<&str> {
        Some(PICKED_BY)
    }
}

/// The address of a machine's page.
pub(crate) fn of_machine(name: &str) -> String {
    address("/history", "machine", name)
}

/// The address of a result's page.
pub(crate) fn of_result(id: &str) -> String {
    format!("/results/{id}")
}

/// The address of a page with one parameter.
pub(crate) fn address(path: &str, name: &str, value: &str) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish();
    format!("{path}?{query}")
}
