//! What is said of a text that cannot be read.

use super::{CHIPLETS, Files, MESH, SQUARE, complaints, read};
use crate::MachineFile;

#[test]
fn keys() {
    let told = complaints(
        "square.toml",
        SQUARE,
        &[
            ("clock = \"2.2 GHz\"", "clok = \"2.2 GHz\""),
            ("clock = \"2.2 GHz\"\n", ""),
            ("[coherence]", "[coherent]"),
            ("[core.k8.in_flight]", "[core.k8.underway]"),
            ("vendor = \"Nobody\"\n", ""),
            ("[link]", "[link.\"0 to 1\"]\n[link]"),
        ],
    );
    insta::assert_snapshot!(told);
}

#[test]
fn kinds_of_values() {
    let told = complaints(
        "square.toml",
        SQUARE,
        &[
            ("title = \"Four", "title = 3 # \"AMD"),
            ("vendor = \"Nobody\"", "vendor = \" \""),
            ("clock = \"2.2 GHz\"", "clock = 2.2"),
            ("clock = \"2.2 GHz\"", "clock = true"),
            ("devices = 2", "devices = \"2\""),
            ("devices = 2", "devices = [2]"),
            ("[processor]", "coherence = 1\n[processor]"),
            ("[processor]", "router = \"all\"\n[processor]"),
        ],
    );
    insta::assert_snapshot!(told);
    let told = complaints(
        "mesh.toml",
        MESH,
        &[
            ("position = [0, 0]", "position = 0"),
            ("position = [0, 0]", "position = [0]"),
            ("position = [0, 0]", "position = [0, \"0\"]"),
            ("distances = [[", "distances = \"far\" # [["),
            ("distances = [[10, 14, 12], ", "distances = [1, "),
            ("distances = [[10, 14, 12], ", "distances = [[9, 14, 12], "),
            ("at = [\"a0\", \"b0\"]", "at = \"a0\""),
            ("at = [\"a0\", \"b0\"]", "at = [0]"),
        ],
    );
    insta::assert_snapshot!("kinds_of_lists", told);
}

#[test]
fn quantities() {
    let told = complaints(
        "square.toml",
        SQUARE,
        &[
            ("capacity = \"4 GB/s\"", "capacity = \"4 GHz\""),
            ("capacity = \"4 GB/s\"", "capacity = \"fast\""),
            ("capacity = \"4 GB/s\"", "capacity = \"-4 GB/s\""),
            ("capacity = \"4 GB/s\"", "capacity = \"0 GB/s\""),
            ("latency = \"10 ns\"", "latency = \"2 s\""),
            ("memory = \"2 GiB\"", "memory = \"0 B\""),
            ("width = \"128 bit\"", "width = \"100 bit\""),
            ("width = \"128 bit\"", "width = \"16 B\""),
            ("value = \"100 %\"", "value = \"101 %\""),
            ("value = \"100 %\"", "value = \"0 %\""),
            ("value = \"100 %\"", "value = \"1\""),
            ("value = \"6.5 B\"", "value = \"6.5\""),
            ("value = \"6.5 B\"", "value = \"65000 B\""),
            ("table = 24", "table = 0"),
            ("table = 24", "table = -1"),
            ("table = 24", "table = 99_999_999_999_999_999_999"),
            ("package = 0", "package = 5000"),
        ],
    );
    insta::assert_snapshot!(told);
}

#[test]
fn sources() {
    let told = complaints(
        "square.toml",
        SQUARE,
        &[
            ("\nsource = \"made up to", "\n# source = \"made up to"),
            ("\nsource = \"made up to", "\nsource = \"\" # \"made up to"),
            ("[wire.ht1000.buffers]\nsource = \"", "[wire.ht1000.buffers]\nsource = 3 # \""),
            ("{ value = \"5 ns\", source", "{ value = \"5 ns\", sorce"),
            ("{ value = \"5 ns\", source", "{ val = \"5 ns\", source"),
            ("fitted = [\"notes/fig-1\"]", "fitted = true"),
            ("fitted = [\"notes/fig-1\"]", "fitted = \"Fig. 1\""),
            ("fitted = [\"notes/fig-1\"]", "fitted = [\"Fig. 1\", 2]"),
            ("fitted = [\"notes/fig-1\"]", "fitted_elsewhere = \"\""),
            ("[link]", "[link]\nsource = \"\""),
        ],
    );
    insta::assert_snapshot!(told);
}

#[test]
fn words() {
    let told = complaints(
        "square.toml",
        SQUARE,
        &[("on_full = \"wait\"", "on_full = \"drop\""), ("numbering = \"core\"", "numbering = 1")],
    );
    insta::assert_snapshot!(told);
}

#[test]
fn toml_itself() {
    let mut told = String::new();
    for text in ["title = ", "title = 1\ntitle = 2", "[node.0\n", "title = \"a", "= 3", "\u{0}"] {
        told.push_str(&format!("{}\n\n", read("broken.toml", text).unwrap_err()));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn an_empty_file_lacks_all() {
    insta::assert_snapshot!(read("empty.toml", "").unwrap_err());
}

#[test]
fn extending() {
    let mut told = String::new();
    for text in [
        "extend = \"squarre\"",
        "extend = 3",
        "extend = \"square\"\nremove = \"link.0-1\"",
        "extend = \"square\"\nremove = [1]",
        "extend = \"square\"\nremove = [\"link.0-9\"]",
        "extend = \"square\"\nremove = [\"link.0-1.ends.0\"]",
        "extend = \"square\"\nremove = [\"sockets\"]",
        "remove = [\"link.0-1\"]",
        // The place is in the file that is wrong.
        "extend = \"square\"\n[wire.ht1000]\ncapacity = { value = \"0 GB/s\", source = \"a whim\" }",
        // What the extended file says of sources does not hold here.
        "extend = \"square\"\n[wire.ht1000]\ncapacity = \"8 GB/s\"",
    ] {
        told.push_str(&format!("{}\n\n", read("changed.toml", text).unwrap_err()));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn extending_without_a_library() {
    let error = MachineFile::parse("changed.toml", "extend = \"square\"", &()).unwrap_err();
    insta::assert_snapshot!(error);
}

#[test]
fn circles_of_files() {
    let files = Files(&[("a", "extend = \"b\""), ("b", "extend = \"c\""), ("c", "extend = \"a\"")]);
    insta::assert_snapshot!(MachineFile::parse("a", "extend = \"b\"", &files).unwrap_err());
    let own = Files(&[("self", "extend = \"self\"")]);
    insta::assert_snapshot!(
        "a_file_that_extends_itself",
        MachineFile::parse("x", "extend = \"self\"", &own).unwrap_err()
    );
}

#[test]
fn chains_of_files_end() {
    struct Endless;
    impl crate::Library for Endless {
        fn read(&self, name: &str, _: &str) -> Option<String> {
            Some(format!("extend = \"{name}+\""))
        }
    }
    insta::assert_snapshot!(MachineFile::parse("x", "extend = \"y\"", &Endless).unwrap_err());
}

/// `extend = "../../etc/shadow"` printed lines of that file.
#[test]
fn what_is_no_machine_file_is_not_quoted() {
    struct Foreign(&'static str);
    impl crate::Library for Foreign {
        fn read(&self, _: &str, _: &str) -> Option<String> {
            Some(self.0.to_owned())
        }
    }
    for (text, why) in [
        ("root:SECRET:19000::::::\ndaemon:SECRET:1::::::\n", "line 1 is not TOML"),
        ("[registry]\ntoken = \"SECRET\"\n", "it has none of its tables"),
        ("[core]\nSECRET\n[remote \"SECRET\"]\n", "line 2 is not TOML"),
        ("SECRET", "line 1 is not TOML"),
    ] {
        let error = MachineFile::parse("x", "extend = \"../y\"\n", &Foreign(text)).unwrap_err().to_string();
        assert!(!error.contains("SECRET") && error.contains("x:1:10") && error.contains(why), "{error}");
        assert!(error.contains("hint:"), "{error}");
    }
}

#[test]
fn all_problems_are_found_at_once() {
    let changed = SQUARE
        .replacen("2.2 GHz\"\nissue", "2.2 GB\"\nissue", 1)
        .replacen("evictions =", "evikt =", 1)
        .replacen("on_full = \"wait\"", "on_full = \"drop\"", 1);
    let lines: Vec<_> =
        read("square.toml", &changed).unwrap_err().problems().iter().map(|problem| problem.line).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(lines.is_sorted(), "{lines:?}");
}

/// A kind that was renamed left its references behind: each part that names it had to be written anew.
#[test]
fn a_kind_can_be_renamed_wherever_it_is_named() {
    let text = "extend = \"square\"\nrename.home.k8 = \"hub\"\nrename.core.k8 = \"k10\"\n[home.hub]\ntable = { value = 30, source = \"made up\" }";
    let renamed = read("changed.toml", text).unwrap_or_else(|error| panic!("{error}"));
    let square = read("square.toml", SQUARE).unwrap();
    assert_eq!((renamed.homes[0].parameters.table, square.homes[0].parameters.table), (30, 24));
    assert_eq!(renamed.core_kinds[0].name, "k10");
    assert_eq!((renamed.links, renamed.channels), (square.links, square.channels));
    let paths: Vec<&str> = renamed.parameters.iter().map(|one| one.path.as_str()).collect();
    assert!(paths.contains(&"home.hub.latency") && !paths.iter().any(|path| path.starts_with("home.k8")));
    // What options change of a kind is renamed with it.
    let options = "extend = \"options\"\nrename.wire.ht1000 = \"cable\"\nrename.channel.ddr400 = \"ram\"";
    let file = MachineFile::parse("changed.toml", options, &super::LIBRARY).unwrap();
    assert_eq!(file.check().unwrap().sound, 15);
    // Two that change places.
    let swapped = "extend = \"chiplets\"\n[rename.wire]\ngmi = \"xgmi\"\nxgmi = \"gmi\"";
    let [swapped, plain] = [swapped, CHIPLETS].map(|text| read("chiplets.toml", text).unwrap());
    let kinds = |links: &[crate::Link]| links.iter().map(|link| link.kind.clone()).collect::<Vec<_>>();
    assert_ne!(kinds(&swapped.links), kinds(&plain.links));
    let alike =
        |links: Vec<crate::Link>| links.into_iter().map(|link| crate::Link { kind: String::new(), ..link });
    assert!(alike(swapped.links).eq(alike(plain.links)));
}

#[test]
fn what_cannot_be_renamed() {
    let mut told = String::new();
    for text in [
        "rename.home.k8 = \"hub\"",
        "extend = \"square\"\nrename = \"hub\"",
        "extend = \"square\"\nrename.node.0 = \"1\"",
        "extend = \"square\"\nrename.home = \"hub\"",
        "extend = \"square\"\nrename = { \"home.k8\" = \"home.hub\" }",
        "extend = \"square\"\nrename.home.k9 = \"hub\"",
        "extend = \"square\"\nrename.home.k8 = \"the hub\"",
        "extend = \"chiplets\"\nrename.wire.gmi = \"xgmi\"",
    ] {
        let error = read("changed.toml", text).unwrap_err();
        let of_names =
            error.problems().iter().find(|problem| !problem.message.starts_with("the machine file has no"));
        told.push_str(&format!("{}\n\n", of_names.unwrap()));
    }
    insta::assert_snapshot!(told);
}

/// The line of the extended file was blamed, and nothing said how to get rid of it.
#[test]
fn a_key_that_no_longer_fits_is_dropped_by_its_path() {
    let retry = SQUARE.replace("on_full = \"wait\"", "on_full = \"retry\"\nretry_delay = \"50 ns\"");
    let files = Files(&[("retry", &retry), ("square", SQUARE)]);
    let mut told = String::new();
    for text in [
        "extend = \"retry\"\n[home.k8]\non_full = \"wait\"",
        "extend = \"square\"\n[channel.ddr400]\nbandwidth = { value = \"6 GB/s\", source = \"made up\" }",
        "extend = \"square\"\n[wire.ht1000]\nlanes = { value = 16, source = \"made up\" }",
        "extend = \"square\"\n[node.0.homes]\nof = \"1\"",
        "extend = \"square\"\n[coherence]\nkind = \"directory\"",
    ] {
        let error = MachineFile::parse("changed.toml", text, &files).unwrap().hardware().unwrap_err();
        told.push_str(&format!("{error}\n\n"));
    }
    insta::assert_snapshot!(told);
    let text = "extend = \"retry\"\nremove = [\"home.k8.retry_delay\"]\n[home.k8]\non_full = \"wait\"";
    assert!(MachineFile::parse("changed.toml", text, &files).unwrap().hardware().is_ok());
}

/// One line at the top of a file made a guess count as documented.
#[test]
fn a_source_of_the_whole_file_documents_no_number() {
    use crate::Hardware;
    use zerohop_document::Grade;
    let count = |hardware: &Hardware, grade: Grade| {
        hardware.parameters.iter().filter(|parameter| parameter.grade == grade).count()
    };
    let grade = |hardware: &Hardware, path: &str| {
        hardware.parameters.iter().find(|parameter| parameter.path == path).unwrap().grade
    };
    let text = SQUARE
        .replacen(
            "latency = \"10 ns\"",
            "latency = { value = \"10 ns\", source = \"measured: with a ruler\" }",
            1,
        )
        .replacen("table = 24", "table = { value = 24, source = \"assumed: as its neighbour\" }", 1)
        .replacen("slot = \"", "slot = { source = \"a data sheet\", value = \"", 1);
    let text = match text.find("slot = { source") {
        Some(at) => {
            let end = at + text[at..].find('\n').unwrap();
            format!("{} }}{}", &text[..end], &text[end..])
        }
        None => text,
    };
    let square = read("square.toml", &text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(grade(&square, "home.k8.latency"), Grade::Measured);
    assert_eq!(grade(&square, "home.k8.table"), Grade::Assumed);
    assert_eq!(grade(&square, "home.k8.slot"), Grade::Documented);
    assert_eq!(grade(&square, "node.0.memory"), Grade::Unattributed);
    assert!(count(&square, Grade::Unattributed) > 10);
    assert_eq!(count(&square, Grade::Fitted), square.fitted().count());
    // No file made of it makes more of them.
    for text in [SQUARE, super::OPTIONS, super::DIAGONAL, super::QUARTET] {
        let file = MachineFile::parse("x.toml", text, &super::LIBRARY).unwrap();
        let whole =
            MachineFile::parse("x.toml", &file.to_toml(), &()).unwrap_or_else(|error| panic!("{error}"));
        let [of_file, of_whole] = [file, whole].map(|file| file.hardware().unwrap().parameters);
        assert_eq!(of_file, of_whole);
    }
}

/// Thousands of mistakes made a message of megabytes.
#[test]
fn many_problems_are_counted_and_not_listed() {
    let nodes: String = (0..2000).map(|node| format!("[node.x{node}]\n")).collect();
    let error = read("many.toml", &format!("{SQUARE}\n{nodes}")).unwrap_err();
    let told = error.to_string();
    assert_eq!(error.problems().len(), 20);
    assert!(told.ends_with(&format!("\n\nand {} more", error.more())) && error.more() >= 1900, "{told}");
    let line = format!("title = \"{}\"\nclok = 3", "x".repeat(1 << 20));
    let told = read("long.toml", &line).unwrap_err().to_string();
    assert!(told.len() < 20_000, "{} bytes", told.len());
    let line = format!("title = {}", "x".repeat(1 << 20));
    let told = read("long.toml", &line).unwrap_err().to_string();
    assert!(told.len() < 20_000, "{} bytes", told.len());
}
