//! What is said of a file that can be read, and whose machine is impossible.

use super::{CHIPLETS, MESH, SQUARE, complaints};

#[test]
fn kinds() {
    let told = complaints(
        "square.toml",
        SQUARE,
        &[
            ("rate = \"400 MT/s\"", "bandwidth = \"6.4 GB/s\""),
            ("rate = \"400 MT/s\"\n", ""),
            ("technology = \"DDR\"\n", ""),
            ("devices = 2", "devices = 3"),
            ("value = \"32 KiB\"", "value = \"100 B\""),
            ("local_limit = 24", "local_limit = 25"),
            ("on_full = \"wait\"", "on_full = \"retry\""),
            ("on_full = \"wait\"", "on_full = \"wait\"\nretry_delay = \"5 ns\""),
            ("capacity = \"4 GB/s\"", "capacity = \"4 GB/s\"\nlanes = 16"),
            ("capacity = \"4 GB/s\"\n", ""),
            ("data = \"68 B\"", "data = \"60 B\""),
            ("write = \"72 B\"", "write = \"8 B\""),
            ("level = 2", "level = 1"),
            ("value = \"5.5 ns\"", "value = \"1 ns\""),
            ("latency = { value = \"5.5 ns\"", "shared_by = { value = 1"),
            ("holds = \"instructions\"", "holds = \"instructions\"\nlatency = \"2 ns\""),
        ],
    );
    insta::assert_snapshot!(told);
}

#[test]
fn nodes() {
    let told = complaints(
        "square.toml",
        SQUARE,
        &[
            ("[node.3]", "[node.third]"),
            ("[node.3]", "[node.1024]"),
            ("[node.3]", "[node.02]"),
            ("package = 0\n", ""),
            ("cores = { kind = \"k8\", count = 2 }\nmemory = \"2 GiB\"\n", ""),
            ("memory = \"2 GiB\"\n", ""),
            ("channels = { kind = \"ddr400\" }\n", ""),
            ("homes = { kind = \"k8\" }\n", ""),
            ("cores = { kind = \"k8\", count = 2 }", "cores = { kind = \"k9\", count = 2 }"),
            ("channels = { kind = \"ddr400\" }", "channels = { kind = \"ddr\" }"),
            ("homes = { kind = \"k8\" }", "homes = { kind = \"directory\" }"),
            ("homes = { kind = \"k8\" }", "homes = { count = 1 }"),
            ("cores = { kind = \"k8\", count = 2 }", "cores = { kind = \"k8\", count = 8190 }"),
            ("package = 0", "package = 0\nrouter = \"4\""),
        ],
    );
    insta::assert_snapshot!(told);
}

#[test]
fn machines_without_anything() {
    let (before, _) = SQUARE.split_once("[node.0]").unwrap();
    let (_, after) = SQUARE.split_once("# All nodes alike").unwrap();
    let machine = |nodes: &str| {
        let text = format!("{before}\n{nodes}\n# All nodes {after}");
        super::read("square.toml", &text).unwrap_err().to_string()
    };
    let told = [
        machine(""),
        machine("[node.0]\nmemory = \"1 GiB\"\nchannels = { kind = \"ddr400\" }\nhomes = { kind = \"k8\" }"),
        machine("[node.0]\npackage = 0\ncores = { kind = \"k8\", count = 2 }"),
    ];
    insta::assert_snapshot!(told.join("\n\n"));
}

#[test]
fn units() {
    let told = complaints(
        "mesh.toml",
        MESH,
        &[
            ("at = [\"a0\", \"b0\"]", "at = [\"a0\", \"c0\"]"),
            ("at = [\"a0\", \"b0\"]", "at = [\"a0\", \"b0\", \"a1\"]"),
            ("at = [\"a0\", \"b0\"]", "at = []"),
            (", at = [\"a0\", \"b0\"]", ""),
            (", at = [\"a0\", \"b0\"], interleave = \"256 B\"", ", at = [\"a0\", \"b0\"]"),
            ("interleave = \"256 B\"", "interleave = \"100 B\""),
            ("of = \"0\"", "of = \"00\""),
            ("of = \"0\"", "of = \"4\""),
            ("of = \"0\"", "of = \"0\", kind = \"tile\""),
            ("shared_by = 2", "shared_by = 3"),
            ("memory = \"2 GiB\"\n", "package = 0\ncores = { kind = \"little\", count = 2 }\n"),
        ],
    );
    insta::assert_snapshot!(told);
}

#[test]
fn links() {
    let told = complaints(
        "square.toml",
        SQUARE,
        &[
            ("ends = [\"0\", \"1\"]", "ends = [\"0\", \"4\"]"),
            ("ends = [\"0\", \"1\"]", "ends = [\"0\", \"0\"]"),
            ("ends = [\"0\", \"1\"]", "ends = [\"0\", \"1\", \"2\"]"),
            ("wire = \"ht1000\"", "wire = \"ht2000\""),
            ("[link]", "[mesh]\nrow = \"ht1000\"\ncolumn = \"ht1000\"\n[link]"),
        ],
    );
    insta::assert_snapshot!(told);
}

#[test]
fn routes() {
    let told = complaints(
        "square.toml",
        SQUARE,
        &[
            ("1-3 = { ends = [\"1\", \"3\"]", "1-2 = { ends = [\"1\", \"2\"]"),
            (
                "1-3 = { ends = [\"1\", \"3\"], wire = \"ht1000\" }\n3-2 = { ends = [\"3\", \"2\"], wire = \"ht1000\" }\n",
                "",
            ),
            ("0 = { 3 = \"1\" }", "0 = { 3 = \"3\" }"),
            ("0 = { 3 = \"1\" }", "0 = { 4 = \"1\" }"),
            ("0 = { 3 = \"1\" }", "0 = { 0 = \"1\" }"),
            ("0 = { 3 = \"1\" }", "9 = { 3 = \"1\" }"),
            ("0 = { 3 = \"1\" }\n", ""),
            ("0 = { 3 = \"1\" }\n3 = { 0 = \"2\" }\n", ""),
            ("1 = { 2 = \"0\" }", "1 = { 2 = \"0\", 3 = \"0\" }"),
            ("kind = \"table\"", "kind = \"yx\""),
        ],
    );
    insta::assert_snapshot!(told);
}

#[test]
fn meshes() {
    let told = complaints(
        "mesh.toml",
        MESH,
        &[
            ("position = [1, 0]", "position = [0, 0]"),
            ("row = \"stop\"", "row = \"halt\""),
            ("b1 = { position = [1, 1] }", "b1 = { position = [3, 2] }"),
            ("b0 = { position = [0, 1] }", "b0 = { position = [0, 5] }"),
        ],
    );
    insta::assert_snapshot!(told);
}

#[test]
fn what_an_operating_system_shows() {
    let told = complaints(
        "mesh.toml",
        MESH,
        &[
            ("page = \"4 KiB\"", "page = \"5 KiB\""),
            ("page = \"4 KiB\"", "page = \"2 KiB\""),
            ("distances = [[10, 14, 12], ", "distances = ["),
            ("[10, 14, 12], [14,", "[10, 14], [14,"),
            ("[[10, 14, 12]", "[[11, 14, 12]"),
        ],
    );
    insta::assert_snapshot!(told);
}

#[test]
fn coherence() {
    let told = complaints(
        "chiplets.toml",
        CHIPLETS,
        &[("collector = \"home\"\n", ""), ("\"broadcast\"", "\"directory\"")],
    );
    insta::assert_snapshot!(told);
}

#[test]
fn maps_of_addresses() {
    let homes = r#"at = ["a0", "a1", "a2", "b0", "b1", "b2"], interleave = "64 B" }"#;
    let hash = "[hash.h]\nselect = [\"0x40\"]\ntable = \"01\"\n\n[mesh]";
    let by_hash = |hash: &str| homes.replace("interleave = \"64 B\"", hash);
    let channels = r#"channels = { kind = "ddr4", count = 2, at = ["a0", "b0"], interleave = "256 B" }"#;
    let within = channels.replace(" }", ", within = \"rows\" }");
    let rows = |rest: &str| format!("[cluster.rows]\na = [\"a0\", \"a1\", \"a2\"]\n{rest}\n[mesh]");
    let with =
        |piece: &str, changed: &str, more: &str| MESH.replacen(piece, changed, 1).replacen("[mesh]", more, 1);
    let told = [
        with(homes, &by_hash("hash = \"none\""), "[mesh]"),
        with(homes, &by_hash("hash = \"h\""), hash),
        with(homes, &by_hash("interleave = \"64 B\", hash = \"mixed\""), "[mesh]"),
        with(homes, &by_hash("hash = \"mixed\", within = \"rows\""), &rows("")),
        with(channels, &within, "[mesh]"),
        with(channels, &within, &rows("")),
        with(channels, &within, &rows("b = [\"b0\", \"a0\"]")),
        with("[mesh]", "[hash.mixed]\nselect = [\"0x40\"]\ntable = \"01\"\n\n[mesh]", "[mesh]"),
        with("[mesh]", &hash.replace("01", "0-"), "[mesh]"),
        with("[mesh]", &hash.replace("01", "0 1 2"), "[mesh]"),
        with("[mesh]", &hash.replace("0x40", "40"), "[mesh]"),
        with("[processor]", "disabled = [\"c0\"]\n\n[processor]", "[mesh]"),
        with("[processor]", "disabled = [\"a0\", \"b0\", \"a2\", \"b2\"]\n\n[processor]", "[mesh]"),
    ]
    .map(|text| super::read("mesh.toml", &text).expect_err("it is wrong").to_string());
    insta::assert_snapshot!(told.join("\n\n"));
}
