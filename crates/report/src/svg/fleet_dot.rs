//! A node of a fleet as it is drawn: with its name, and as a link to its report.

use zerohop_fleet::{BadNode, FleetMember};

use crate::fleet_words::percent;
use crate::svg::canvas::Canvas;

/// A node as it is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dot<'a> {
    pub(crate) member: &'a FleetMember,
    pub(crate) bad: Option<&'a BadNode>,
}

impl Dot<'_> {
    /// Draws the node with its name and its loss, as a link to its report if it has one.
    pub(crate) fn draw(&self, drawing: &mut Canvas, value: &str, draw: impl FnOnce(&mut Canvas)) {
        let loses = self.bad.map_or_else(String::new, |bad| format!(", bad: it loses {}", percent(bad.loss)));
        let name = match value {
            "" => format!("{}{loses}", self.member.node),
            value => format!("{}: {value}{loses}", self.member.node),
        };
        match self.member.report.as_deref().filter(|report| is_relative(report)) {
            Some(report) => drawing.linked(report, &name, draw),
            None => drawing.named(&name, draw),
        }
    }
}

/// Whether an address is a path from here, and nothing that a browser would run or ask a network for.
pub(crate) fn is_relative(address: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte);
    !address.starts_with('/') && !address.is_empty() && address.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_are_links() {
        for (address, is) in [
            ("n1/report.html", true),
            ("../a%20b.html", true),
            ("javascript:alert(1)", false),
            ("//example.com/", false),
            ("/etc/passwd", false),
            ("", false),
        ] {
            assert_eq!(is_relative(address), is, "{address}");
        }
    }
}
