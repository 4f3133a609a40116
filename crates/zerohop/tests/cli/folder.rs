//! A folder with machine files.

use std::fs;

use tempfile::TempDir;

pub(crate) const OPTIONS: &str = include_str!("../../../machine-file/tests/files/options.toml");
pub(crate) const SQUARE: &str = include_str!("../../../machine-file/tests/files/square.toml");

/// A folder with `options.toml`, which can be set and refuses something.
pub(crate) fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let text = OPTIONS.replace("extend = \"square\"", "extend = \"./square.toml\"");
    fs::write(directory.path().join("options.toml"), text).unwrap();
    fs::write(directory.path().join("square.toml"), SQUARE).unwrap();
    directory
}

/// A machine file of that many nodes with two cores each, in a ring.
pub(crate) fn ring(nodes: usize) -> String {
    let mut text = SQUARE.split_once("[link]").unwrap().0.to_owned();
    for node in 0..nodes {
        let next = (node + 1) % nodes;
        text.push_str(&format!(
            "[link.{node}-{next}]\nends = [\"{node}\", \"{next}\"]\nwire = \"ht1000\"\n\
             [node.{node}]\npackage = {node}\ncores = {{ kind = \"k8\", count = 2 }}\nmemory = \"2 GiB\"\n\
             channels = {{ kind = \"ddr400\" }}\nhomes = {{ kind = \"k8\" }}\n"
        ));
    }
    text.push_str(
        "[routing]\nkind = \"shortest\"\ntraversal = \"5 ns\"\n[coherence]\nkind = \"directory\"\nlookup = \"1 ns\"\n\
         [system]\nnumbering = \"core\"\npage = \"4 KiB\"\n",
    );
    text
}
