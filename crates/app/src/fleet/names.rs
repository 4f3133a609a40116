//! Names of the nodes of results.

use std::path::Path;

use zerohop_result::{Origin, ResultFile};

/// The name of a result's node: as its scheduler or itself calls it; otherwise, `shared` says that several files would give the same name.
pub fn node_name(path: &Path, result: &ResultFile, shared: bool) -> String {
    let host = result.run.as_ref().and_then(|run| run.host.as_ref());
    let own = host.and_then(|host| host.scheduler_node.clone().or_else(|| host.name.clone()));
    let of_file = || if shared { path.display().to_string() } else { stem(path) };
    match (own, &result.origin) {
        (Some(own), _) => own,
        (None, Origin::Model(_)) => of_file(),
        (None, _) if result.machine.name.is_empty() || result.machine.name == stem(path) => of_file(),
        (None, _) => result.machine.name.clone(),
    }
}

/// The name of a file without its extension, or of a directory.
pub(super) fn stem(path: &Path) -> String {
    let stem = if path.extension().is_some_and(|extension| is_format(&extension.to_string_lossy())) {
        path.file_stem()
    } else {
        path.file_name()
    };
    stem.map_or_else(|| path.display().to_string(), |stem| stem.to_string_lossy().into_owned())
}

/// Names of nodes have dots, too.
fn is_format(extension: &str) -> bool {
    ["json", "html", "txt", "out", "log", "csv", "xml"].contains(&extension.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_its_node_up_to_its_extension() {
        for (path, name) in [
            ("mlc/node07.txt", "node07"),
            ("fleet/node07.rack2.example", "node07.rack2.example"),
            ("fleet/node07.rack2.json", "node07.rack2"),
            ("fleet/node07/", "node07"),
        ] {
            assert_eq!(stem(Path::new(path)), name);
        }
    }
}
