//! Lists the files that become part of the program: machines, templates of machines, published figures and rules.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Folders of the repository, and the name of the list of each.
const FOLDERS: [(&str, &str); 5] = [
    ("machines", "MACHINES"),
    ("published", "STUDIES"),
    ("templates", "TEMPLATES"),
    ("processors", "PROCESSORS"),
    ("rules", "RULES"),
];

fn main() -> io::Result<()> {
    let repository = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("../..");
    let mut code = String::new();
    for (folder, list) in FOLDERS {
        let folder = repository.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        writeln!(code, "static {list}: &[(&str, &str)] = &[").expect("a string takes any text");
        for path in files(&folder)? {
            let name = path.file_stem().unwrap_or_default();
            writeln!(
                code,
                "    ({:?}, include_str!({:?})),",
                name.display().to_string(),
                path.display().to_string()
            )
            .expect("a string takes any text");
        }
        code.push_str("];\n");
    }
    fs::write(Path::new(&variable("OUT_DIR")).join("library.rs"), code)
}

/// The TOML files in a folder, in the order of their names.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            paths.push(path.canonicalize()?);
        }
    }
    paths.sort();
    Ok(paths)
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
