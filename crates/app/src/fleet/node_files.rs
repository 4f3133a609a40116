//! Checks that each file of a round is from its node: copied, linked or renamed files stand for nodes that gave no result.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use zerohop_result::ResultFile;

/// The files of a round, each with the node that it must be of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeFiles(HashMap<PathBuf, String>);

/// Owner of the result in a node's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    /// The node itself, as far as the result shows.
    Own,
    /// Another node.
    Other(String),
    /// A host of this name, which no node has: the node may be an alias of it.
    Host(String),
}

impl NodeFiles {
    /// The file that must be of a node.
    pub fn insert(&mut self, file: PathBuf, node: String) {
        self.0.insert(file, node);
    }

    /// The node that a file must be of.
    pub(super) fn node(&self, file: &Path) -> Option<&str> {
        self.0.get(file).map(String::as_str)
    }

    /// Owner of the result in the node's file.
    pub(super) fn owner(&self, node: &str, result: &ResultFile) -> Owner {
        let Some(host) = result.run.as_ref().and_then(|run| run.host.as_ref()) else { return Owner::Own };
        // Of a pod, its node has another name.
        let names: Vec<&str> = host.scheduler_node.iter().chain(&host.name).map(String::as_str).collect();
        let Some(first) = names.first() else { return Owner::Own };
        if names.iter().any(|name| name.eq_ignore_ascii_case(node)) {
            return Owner::Own;
        }
        let others = || self.0.values().filter(|other| *other != node);
        let exact = others().find(|other| other.eq_ignore_ascii_case(first));
        if let Some(other) = exact {
            return Owner::Other(other.clone());
        }
        if names.iter().any(|name| is_called(node, name)) {
            return Owner::Own;
        }
        match others().filter(|other| is_called(other, first)).min() {
            Some(other) => Owner::Other(other.clone()),
            // An address says nothing of a name, and neither does what hosts are called that nobody named.
            None if is_address(node) || is_unnamed(first) => Owner::Own,
            None => Owner::Host((*first).to_owned()),
        }
    }
}

/// Whether a node of this name is a host of that one: the parts before the first dot are compared, unless they are addresses.
pub fn is_called(node: &str, host: &str) -> bool {
    label(node).eq_ignore_ascii_case(label(host))
}

/// Whether a host has no name of its own.
pub fn is_unnamed(host: &str) -> bool {
    is_called(host, "localhost")
}

fn is_address(node: &str) -> bool {
    without_user(node).parse::<IpAddr>().is_ok()
}

fn without_user(node: &str) -> &str {
    node.rsplit('@').next().unwrap_or(node)
}

fn label(name: &str) -> &str {
    let name = without_user(name);
    name.split('.').next().filter(|_| !is_address(name)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use zerohop_result::HostIdentity;

    use super::*;

    #[test]
    fn a_node_is_a_host_of_its_name_in_any_domain() {
        assert!(is_called("N1", "n1.example.org") && is_called("n1.local", "n1"));
        assert!(is_called("root@n1", "n1") && is_called("10.0.0.1", "10.0.0.1"));
        assert!(!is_called("n1", "n10") && !is_called("n1", "n2.n1") && !is_called("10.0.0.1", "10.0.0.2"));
    }

    /// A copy of the result of n1 as that of n2, which was not there any more, and no node was bad.
    #[test]
    fn a_file_is_of_the_node_whose_host_it_names() {
        let mut nodes = NodeFiles::default();
        for node in ["n1", "n2", "a.rack1", "a.rack2", "10.0.0.1"] {
            nodes.insert(format!("{node}.json").into(), node.to_owned());
        }
        let text = include_str!("../../../result/tests/files/version-2/host.json");
        let owner = |node: &str, host: Option<&str>, scheduler: Option<&str>| {
            let mut result = ResultFile::read(text).unwrap();
            let host = HostIdentity {
                name: host.map(str::to_owned),
                scheduler_node: scheduler.map(str::to_owned),
                machine_id: None,
            };
            result.run = Some(zerohop_result::Run { id: zerohop_result::RunId(uuid()), host: Some(host) });
            nodes.owner(node, &result)
        };
        let other = |node: &str| Owner::Other(node.to_owned());
        let unknown = |host: &str| Owner::Host(host.to_owned());
        for (node, host, scheduler, wanted) in [
            ("n2", Some("N2.example.org"), None, Owner::Own),
            ("n2", Some("n1"), None, other("n1")),
            ("n2", Some("n1.example.org"), None, other("n1")),
            ("n2", Some("pod-7"), Some("n2"), Owner::Own),
            ("n2", Some("pod-7"), Some("n1"), other("n1")),
            ("a.rack1", Some("a.rack2"), None, other("a.rack2")),
            ("a.rack1", Some("a"), None, Owner::Own),
            ("10.0.0.1", Some("n9"), None, Owner::Own),
            ("10.0.0.1", Some("n1"), None, other("n1")),
            ("n2", Some("n9"), None, unknown("n9")),
            ("n2", Some("localhost.localdomain"), None, Owner::Own),
            ("n2", None, None, Owner::Own),
        ] {
            assert_eq!(owner(node, host, scheduler), wanted, "{node} {host:?} {scheduler:?}");
        }
    }

    fn uuid() -> uuid::Uuid {
        uuid::Uuid::from_u128(7)
    }
}
