//! Described machines: their pages, and pictures of them without and with what links carried.

use std::path::Path;

use insta::assert_snapshot;
use roxmltree::Document;
use zerohop_machine::Setting;
use zerohop_machine_file::{Combinations, Hardware, Library, MachineFile};
use zerohop_report::NoLoad;
use zerohop_report::pages::Style;
use zerohop_result::{Axis, Cell, Coordinates, ExperimentName, Measure, ResultFile};
use zerohop_workload::{Origin, SolverName};

use crate::examples::*;
use crate::shown::*;

const WIDE: Style = Style { colour: false, width: 100 };

fn hardware(name: &str, text: &str) -> Hardware {
    let file = MachineFile::parse(name, text, &()).unwrap_or_else(|error| panic!("{error}"));
    file.hardware().unwrap_or_else(|error| panic!("{error}"))
}

fn square() -> Hardware {
    hardware("square", include_str!("../../../machine-file/tests/files/square.toml"))
}

fn mesh() -> Hardware {
    hardware("mesh", include_str!("../../../machine-file/tests/files/mesh.toml"))
}

fn chiplets() -> Hardware {
    hardware("chiplets", include_str!("../../../machine-file/tests/files/chiplets.toml"))
}

/// All text of a picture, which is left in the tests' scratch folder.
fn text_of(name: &str, picture: &str) -> String {
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.svg")), picture).unwrap();
    let document = Document::parse(picture).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_square_of_nodes() {
    assert_snapshot!(hardware_page(&square(), &WIDE));
}

#[test]
fn a_mesh_whose_nodes_share_home_agents() {
    assert_snapshot!(hardware_page(&mesh(), &WIDE));
}

/// The page named the parameters that it showed one by one, and left out `release` and `outbound_limit`.
#[test]
fn no_parameter_of_a_kind_is_missing_from_the_page() {
    for machine in [square(), mesh(), chiplets()] {
        let page = hardware_page(&machine, &WIDE);
        let kinds = ["core.", "channel.", "home.", "wire.", "routing.", "coherence.", "system."];
        let of_kinds = |path: &str| kinds.iter().any(|kind| path.starts_with(kind));
        let keys: Vec<&str> =
            machine.keys.iter().map(|key| key.path.as_str()).filter(|path| of_kinds(path)).collect();
        assert!(keys.iter().any(|path| path.ends_with(".release")), "{keys:?}");
        assert!(keys.iter().any(|path| path.ends_with(".outbound_limit")), "{keys:?}");
        for path in keys {
            assert!(page.contains(path), "{path} is missing from\n{page}");
        }
    }
}

#[test]
fn chiplets_and_an_expander_in_short() {
    let alone = Combinations { sound: 1, refused: 0, all: true };
    assert_snapshot!(hardware_summary(&chiplets(), alone, &WIDE));
}

/// A square with options, set.
fn chosen() -> (Hardware, Combinations) {
    struct Square;
    impl Library for Square {
        fn read(&self, name: &str, _: &str) -> Option<String> {
            (name == "square")
                .then(|| include_str!("../../../machine-file/tests/files/square.toml").to_owned())
        }
    }
    let text = include_str!("../../../machine-file/tests/files/options.toml");
    let file = MachineFile::parse("options.toml", text, &Square).unwrap();
    let settings = ["speed=slow", "home.k8.latency=12 ns"].map(|text| text.parse::<Setting>().unwrap());
    let hardware = file.set(&settings.into_iter().collect()).unwrap().hardware().unwrap();
    (hardware, file.check().unwrap())
}

#[test]
fn a_machine_tells_what_can_be_chosen_and_what_was() {
    let (hardware, combinations) = chosen();
    let page = hardware_page(&hardware, &WIDE);
    let (head, _) = page.split_once("nodes").unwrap();
    let (_, options) = page.split_once("\noptions ").unwrap();
    assert_snapshot!(format!("{head}…{options}\n{}", hardware_summary(&hardware, combinations, &WIDE)));
    let picture = text_of("options", &hardware_picture(&hardware));
    assert!(picture.starts_with("model of options (speed=slow, home.k8.latency=12 ns)"), "{picture}");
}

#[test]
fn machines_are_listed_with_how_well_they_are_founded() {
    assert_snapshot!(machine_list(&[square(), mesh()], &WIDE));
}

#[test]
fn every_router_and_every_link_is_drawn_and_no_box_lies_on_another() {
    for hardware in [square(), mesh(), chiplets()] {
        let name = &hardware.machine.name;
        let picture = hardware_picture(&hardware);
        assert_eq!(picture, hardware_picture(&hardware), "the same machine, the same picture");
        let text = text_of(name, &picture);
        assert!(text.starts_with(&format!("model of {name}")), "{text}");
        assert_eq!(text.matches(" cores (").count() > 0, !hardware.cores.is_empty());
        let document = Document::parse(&picture).unwrap();
        let titles: Vec<_> = document.descendants().filter(|node| node.has_tag_name("title")).collect();
        for link in &hardware.links {
            let title = format!("link {}: ", link.name);
            assert!(titles.iter().any(|node| node.text().unwrap().starts_with(&title)), "{name}: {title}");
        }
        // Boxes of routers are the only ones that wide.
        let number =
            |node: &roxmltree::Node<'_, '_>, key| node.attribute(key).unwrap().parse::<f64>().unwrap();
        let boxes: Vec<(f64, f64, f64)> = document
            .descendants()
            .filter(|node| node.has_tag_name("rect") && node.attribute("width") == Some("216"))
            .map(|node| (number(&node, "x"), number(&node, "y"), number(&node, "height")))
            .collect();
        assert_eq!(boxes.len(), hardware.routers.len(), "{name}");
        for (rank, one) in boxes.iter().enumerate() {
            for other in &boxes[..rank] {
                let apart = (one.0 - other.0).abs() >= 216.0 || (one.1 - other.1).abs() >= one.2;
                assert!(apart, "{name}: boxes at {one:?} and {other:?}");
            }
        }
    }
}

/// The numbers of sr665-v3's xGMI links lay under the lines of others.
#[test]
fn the_number_of_a_link_is_clear_of_other_links_where_there_is_room() {
    let text = include_str!("../../../../machines/sr665-v3.toml");
    for hardware in [square(), chiplets(), hardware("sr665-v3", text)] {
        let name = hardware.machine.name.clone();
        let picture = hardware_picture(&hardware);
        let document = Document::parse(&picture).unwrap();
        let number =
            |node: &roxmltree::Node<'_, '_>, key| node.attribute(key).unwrap().parse::<f64>().unwrap();
        let with = |tag: &'static str, key: &'static str, value: &'static str| {
            let nodes = document.descendants().filter(move |node| node.has_tag_name(tag));
            nodes.filter(move |node| node.attribute(key) == Some(value)).collect::<Vec<_>>()
        };
        let lines: Vec<[f64; 4]> = with("line", "stroke-width", "1.5")
            .iter()
            .map(|line| ["x1", "y1", "x2", "y2"].map(|key| number(line, key)))
            .collect();
        let labels: Vec<[f64; 4]> = with("rect", "height", "17")
            .iter()
            .map(|label| ["x", "y", "width", "height"].map(|key| number(label, key)))
            .collect();
        assert_eq!((lines.len(), labels.len()), (hardware.links.len(), hardware.links.len()), "{name}");
        let last_line = document.descendants().rfind(|node| node.has_tag_name("line")).unwrap();
        for (rank, [x, y, width, height]) in labels.into_iter().enumerate() {
            let inside = |[x1, y1, x2, y2]: [f64; 4]| {
                (0..=400).any(|step| {
                    let share = f64::from(step) / 400.0;
                    let (at_x, at_y) = (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share);
                    (x..x + width).contains(&at_x) && (y..y + height).contains(&at_y)
                })
            };
            let beside = |other: usize| {
                let ends = |rank: usize| {
                    let mut ends = hardware.links[rank].ends;
                    ends.sort_unstable();
                    ends
                };
                ends(other) == ends(rank)
            };
            let crossing = (0..lines.len()).filter(|&other| !beside(other) && inside(lines[other]));
            assert_eq!(crossing.count(), 0, "{name}: number of {}", hardware.links[rank].name);
        }
        let first_label = with("rect", "height", "17")[0];
        assert!(first_label.range().start > last_line.range().start, "{name}: lines are below numbers");
    }
}

/// A result that tells what links and channels of the square carried in two cases.
fn detailed(hardware: &Hardware) -> ResultFile {
    let cases = [("0.0.w.1 1.0.w.0", 3.5), ("0.0.w.0 1.0.w.1", 0.1)];
    let cells = cases.into_iter().flat_map(|(case, traffic)| {
        let at = Coordinates::new().with(Axis::Case, case).with(Axis::Background, "none");
        let link = || at.clone().with(Axis::Link, "0-1").with(Axis::Direction, "0->1");
        let channel = |name: &str| at.clone().with(Axis::Channel, name);
        vec![
            cell(at.clone(), Measure::TimePerLine, 110.0),
            cell(at.clone(), Measure::RelativeTime, 1.5),
            cell(link(), Measure::LinkTraffic, traffic),
            cell(link(), Measure::Utilization, traffic / 4.0),
            cell(channel("0").with(Axis::Direction, "read"), Measure::BusTraffic, 1.25),
            cell(channel("0").with(Axis::Direction, "written"), Measure::BusTraffic, 1.0),
            cell(channel("0"), Measure::Utilization, 0.4),
        ]
    });
    let mut file =
        file(hardware.machine.clone(), vec![experiment(ExperimentName::known("crossfire"), cells.collect())]);
    file.origin = Origin::model(&hardware.machine, SolverName::Event, Some(1));
    file
}

#[test]
fn links_and_channels_show_what_they_carried() {
    let square = square();
    let file = detailed(&square);
    let first = load_picture(&square, &file, &Coordinates::new()).unwrap();
    let text = text_of("square-load", &first);
    for part in [
        "3.50 GB/s · 88 %",
        "2.25 GB/s · 40 %",
        "case 0.0.w.1 1.0.w.0",
        "relative time 150.0 %",
        "1 more workload",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    assert!(first.contains("Simulated, not measured"), "{first}");
    let second = Coordinates::new().with(Axis::Case, "0.0.w.0 1.0.w.1");
    let text = text_of("square-load-2", &load_picture(&square, &file, &second).unwrap());
    assert!(text.contains("0.100 GB/s · 2 %") && !text.contains("88 %"), "{text}");
}

#[test]
fn what_cannot_be_drawn_says_why() {
    let square = square();
    let file = detailed(&square);
    let error = |file: &ResultFile, at: Coordinates| load_picture(&square, file, &at).unwrap_err();
    let elsewhere = Coordinates::new().with(Axis::Case, "0.0.r.0");
    assert_eq!(
        error(&file, elsewhere).to_string(),
        "it has no workload at case=0.0.r.0 (it has case=0.0.w.1 1.0.w.0, background=none; \
         case=0.0.w.0 1.0.w.1, background=none)"
    );
    let mut plain = file.clone();
    let outside = |cell: &Cell| cell.at.get(Axis::Channel).is_none();
    plain.experiments[0].cells.change(|cells| cells.retain(outside)).unwrap();
    assert_eq!(error(&plain, Coordinates::new()), NoLoad::NoDetail.into());
    let mut other = file;
    other.machine.name = "round".to_owned();
    assert_eq!(error(&other, Coordinates::new()).to_string(), "it is a result of round, not square");
}
