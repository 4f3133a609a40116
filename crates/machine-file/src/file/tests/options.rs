//! What a machine file leaves to choose.

use super::{LIBRARY, OPTIONS, complaints};
use crate::{Combinations, Hardware, MachineFile, MachineFileError};
use zerohop_machine::{Setting, Settings};

fn file() -> MachineFile {
    MachineFile::parse("options.toml", OPTIONS, &LIBRARY).unwrap_or_else(|error| panic!("{error}"))
}

fn settings(texts: &[&str]) -> Settings {
    texts.iter().map(|text| text.parse::<Setting>().unwrap()).collect()
}

fn set(texts: &[&str]) -> Result<Hardware, MachineFileError> {
    file().set(&settings(texts))?.hardware()
}

fn link_names(hardware: &Hardware) -> Vec<&str> {
    hardware.links.iter().map(|link| link.name.as_str()).collect()
}

#[test]
fn what_is_chosen_changes_the_machine() {
    let plain = set(&[]).unwrap();
    assert_eq!(link_names(&plain), ["0-1", "1-3", "3-2", "2-0"]);
    assert_eq!((plain.channels.len(), plain.links[0].capacity.get()), (4, 4.0));
    assert_eq!(plain.machine.settings, []);
    let other = set(&["diagonal=1-2", "channels=4"]).unwrap();
    assert_eq!(link_names(&other), ["0-1", "1-3", "3-2", "2-0", "1-2"]);
    assert_eq!(other.path(1, 2).len(), 1);
    assert_eq!(other.channels.len(), 7, "the second change of node 0 is laid over the first");
    assert!((other.channels[0].parameters.efficiency.0 - 0.9).abs() < 1e-12);
    let source = |path: &str| other.parameters.iter().find(|one| one.path == path).unwrap().source.as_str();
    assert_eq!(source("node.0.channels.count"), "made up, and four of them");
    assert_eq!(source("node.0.channels.interleave"), "made up to choose from");
    assert_eq!(source("channel.ddr400.efficiency"), "made up for many");
    assert_eq!(source("core.k8.clock"), "made up to test with");
}

#[test]
fn a_machine_knows_what_was_chosen() {
    let hardware = set(&["speed=slow", "diagonal=none", "core.k8.clock=2 GHz"]).unwrap();
    let chosen: Vec<(&str, &str)> =
        hardware.options.iter().map(|option| (option.name.as_str(), option.chosen.as_str())).collect();
    assert_eq!(chosen, [("diagonal", "none"), ("channels", "1"), ("speed", "slow")]);
    assert_eq!(hardware.options[0].values, ["none", "0-3", "1-2"]);
    assert_eq!(hardware.options[2].default, "fast");
    // What is as the file has it is not told: asking for a default changes no result.
    assert_eq!(
        hardware.machine.settings,
        [Setting::new("speed", "slow"), Setting::new("core.k8.clock", "2 GHz")]
    );
}

#[test]
fn any_number_can_be_set() {
    let hardware = set(&["home.k8.table=30", "node.1.memory=\"1 GiB\"", "link.0-1.count=2"]).unwrap();
    assert_eq!((hardware.homes[0].parameters.table, hardware.machine.nodes[1].memory.get()), (30, 1 << 30));
    assert_eq!(hardware.links[0].capacity.get(), 8.0, "a key that the file leaves out");
    let strided = set(&["core.k8.in_flight.strided=5"]).unwrap();
    let parameter = strided.parameters.iter().find(|one| one.path == "core.k8.in_flight.strided").unwrap();
    assert_eq!((parameter.value.as_str(), parameter.source.as_str()), ("5", "set on the command line"));
    assert_eq!(parameter.fitted, None, "another number is not the fitted one");
    // A number counts last: it may be one that a choice brings.
    assert_eq!(set(&["node.0.channels.count=3", "channels=4"]).unwrap().channels.len(), 6);
}

#[test]
fn settings_start_from_the_file_and_not_from_one_another() {
    let slow = file().set(&settings(&["speed=slow"])).unwrap();
    let fast = slow.set(&settings(&["diagonal=0-3"])).unwrap();
    assert_eq!(fast.hardware(), set(&["diagonal=0-3"]));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let error = set(&["speed=slow", "channels=4"]).unwrap_err();
    assert!(error.is_refusal());
    insta::assert_snapshot!(error);
    assert!(!set(&["speed=slower"]).unwrap_err().is_refusal());
}

#[test]
fn what_cannot_be_set() {
    let wrong = [
        "sped=slow",
        "speed=fats",
        "home.k9.table=7",
        "home.k8.tabel=7",
        "home.k8.table=many",
        "home.k8.table.value=7",
        "core.k8.clock=3",
        "core.k8.clock=2.5",
        "link.0-9.count=2",
        "core.k8.cache.l1d.latency=1e3",
    ];
    let told: Vec<String> = wrong.iter().map(|text| set(&[text]).unwrap_err().to_string()).collect();
    insta::assert_snapshot!(told.join("\n\n"));
    let square = MachineFile::parse("square.toml", super::SQUARE, &LIBRARY).unwrap();
    insta::assert_snapshot!("nothing_to_choose", square.set(&settings(&["links=3"])).unwrap_err());
}

#[test]
fn wrong_options() {
    let told = complaints(
        "options.toml",
        OPTIONS,
        &[
            ("default = \"none\"", "default = \"nome\""),
            ("values = [\"1\", \"2\", \"4\"]", "values = [1, 2]"),
            ("values = [\"1\", \"2\", \"4\"]", "values = []"),
            ("values = [\"slow\", \"fast\"]", "values = [\"slow\", \"fast\", \"slow\"]"),
            ("meaning = \"which diagonal has a cable\"\n", ""),
            ("is = { diagonal = \"0-3\" }", "is = { diagnal = \"0-3\" }"),
            ("is = { diagonal = \"0-3\" }", "is = { diagonal = \"0-4\" }"),
            ("is = { channels = [\"2\", \"4\"] }", "is = { channels = 2 }"),
            ("change.node.0.channels = { count = 2, interleave = \"256 B\" }", ""),
            ("refuse = ", "refused = "),
            ("[[when]]", "[when]"),
            ("change.wire.ht1000.capacity = \"2 GB/s\"", "change = \"2 GB/s\""),
        ],
    );
    insta::assert_snapshot!(told);
}

#[test]
fn every_combination_is_tried() {
    assert_eq!(file().check(), Ok(Combinations { sound: 15, refused: 3, all: true }));
    let wrong = [
        // Wrong in a choice that is not the default.
        ("capacity = \"2 GB/s\"", "capacty = \"2 GB/s\""),
        ("[\"routing.next.1.2\"", "[\"routing.next.1.9\""),
        // Wrong only where two choices meet.
        (
            "is = { speed = \"slow\", channels = \"4\" }\nrefuse = \"four channels would wait for the links\"",
            "is = { speed = \"slow\", channels = \"4\" }\nchange.node.0.channels.kind = \"ddr500\"",
        ),
        // Nothing is left of a value.
        ("is = { speed = \"slow\", channels = \"4\" }", "is = { channels = \"4\" }"),
    ];
    let mut told = String::new();
    for (piece, instead) in wrong {
        assert!(OPTIONS.contains(piece), "{piece}");
        let file =
            MachineFile::parse("options.toml", &OPTIONS.replacen(piece, instead, 1), &LIBRARY).unwrap();
        assert!(file.hardware().is_ok(), "by default it is sound");
        told.push_str(&format!("{}\n\n", file.check().unwrap_err()));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn of_thousands_of_combinations_every_two_values_are_tried() {
    let mut text = OPTIONS.to_owned();
    for rank in 0..8 {
        text.push_str(&format!(
            "[option.more-{rank}]\nmeaning = \"nothing\"\nvalues = [\"a\", \"b\", \"c\"]\ndefault = \"a\"\n"
        ));
    }
    let file = MachineFile::parse("options.toml", &text, &LIBRARY).unwrap();
    // 1 alone, 5 + 16 values that are no defaults, and their pairs of different options; one of these is refused.
    let pairs = 2 * 3 + 2 + 5 * 16 + 16 * 14 / 2;
    assert_eq!(file.check(), Ok(Combinations { sound: 1 + 21 + pairs - 1, refused: 1, all: false }));
}

#[test]
fn a_file_without_options_is_its_own_combination() {
    let square = MachineFile::parse("square.toml", super::SQUARE, &LIBRARY).unwrap();
    assert_eq!(square.check(), Ok(Combinations { sound: 1, refused: 0, all: true }));
}

#[test]
fn what_is_written_out_has_the_same_options() {
    let whole = file().to_toml();
    let again =
        MachineFile::parse("options.toml", &whole, &()).unwrap_or_else(|error| panic!("{error}\n{whole}"));
    assert_eq!(again.to_toml(), whole);
    for choice in [&[][..], &["diagonal=1-2", "channels=4"], &["speed=slow"], &["core.k8.clock=2 GHz"]] {
        let settings = settings(choice);
        assert_eq!(
            again.set(&settings).unwrap().hardware(),
            file().set(&settings).unwrap().hardware(),
            "{choice:?}"
        );
    }
    // What was chosen becomes the default, and what was set holds always.
    let chosen = file().set(&settings(&["channels=4", "home.k8.table=30"])).unwrap();
    let again = MachineFile::parse("options.toml", &chosen.to_toml(), &()).unwrap();
    let (again, chosen) = (again.hardware().unwrap(), chosen.hardware().unwrap());
    assert_eq!(again.options[1].default, "4");
    assert_eq!(again.homes[0].parameters.table, 30);
    assert_eq!((again.links, again.channels), (chosen.links, chosen.channels));
    assert_eq!(again.parameters, chosen.parameters);
}

#[test]
fn a_file_adds_to_the_options_of_the_one_that_it_extends() {
    let text = "extend = \"options\"\ntitle = \"more\"\nsource = \"more\"\n\
                [option.speed]\ndefault = \"slow\"\n\
                [[when]]\nis = { channels = \"4\" }\nchange.node.0.channels.count = 3\n";
    let file = MachineFile::parse("more.toml", text, &LIBRARY).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(file.hardware().unwrap().links[0].capacity.get(), 2.0, "another default");
    let chosen = file.set(&settings(&["speed=fast", "channels=4"])).unwrap().hardware().unwrap();
    assert_eq!(chosen.channels.len(), 6, "the later change counts");
}
