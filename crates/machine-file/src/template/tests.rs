use std::path::Path;
use std::sync::Arc;

use zerohop_units::{Bytes, Nanoseconds};

use crate::{Hardware, Template};
use zerohop_machine::{NodeId, Settings};

mod machines;

/// Every template of the project.
fn templates() -> Vec<Arc<Template>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        Template::parse(&path.display().to_string(), &text).unwrap_or_else(|error| panic!("{error}"))
    };
    paths.iter().map(|path| Arc::new(read(path))).collect()
}

fn template(name: &str) -> Arc<Template> {
    templates().into_iter().find(|template| template.name() == name).unwrap()
}

fn settings(words: &[&str]) -> Settings {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

fn hardware(template: &Arc<Template>, words: &[&str]) -> Hardware {
    let file = template.machine_file(&Settings::none(), &settings(words));
    let file = file.unwrap_or_else(|error| panic!("{} {words:?}: {error}", template.name()));
    file.hardware().unwrap_or_else(|error| panic!("{} {words:?}: {error}", template.name()))
}

fn refusal(template: &Arc<Template>, words: &[&str]) -> String {
    template.machine_file(&Settings::none(), &settings(words)).unwrap_err().to_string()
}

fn idle(hardware: &Hardware, from: u32, to: u32) -> f64 {
    let pu = hardware.machine.usable_cores(NodeId(from))[0];
    hardware.idle_read(pu, NodeId(to)).unwrap().time().get()
}

/// Idle latencies are solved for to 0.02 ns; those of several dies are means.
fn close(found: f64, stated: f64) -> bool {
    (found - stated).abs() < 3.0
}

#[test]
fn every_template_describes_a_machine_with_every_number_of_sockets_and_nodes() {
    for template in templates() {
        hardware(&template, &[]);
        for sockets in 1..=8_u32 {
            for nodes in [1, 2, 4] {
                let words = [format!("sockets={sockets}"), format!("nodes={nodes}")];
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let Ok(file) = template.machine_file(&Settings::none(), &settings(&words)) else { continue };
                let machine = file.hardware().unwrap_or_else(|error| panic!("{error}")).machine;
                assert_eq!(machine.packages.len(), sockets as usize, "{} {words:?}", template.name());
                assert_eq!(machine.initiators().count(), (sockets * nodes) as usize, "{}", template.name());
            }
        }
    }
}

/// It read "1 socket of 1 cores and 1 channels".
#[test]
fn one_of_a_part_is_not_several() {
    let title = |words: &[&str]| hardware(&template("xeon-nehalem"), words).title;
    let one = title(&["sockets=1", "cores=1", "channels=1"]);
    assert!(one.contains("1 socket of 1 core and 1 channel of DDR3"), "{one}");
    let several = title(&["sockets=2", "cores=4", "channels=3"]);
    assert!(several.contains("2 sockets of 4 cores and 3 channels of DDR3"), "{several}");
}

#[test]
fn idle_latencies_are_those_of_the_template() {
    let cascade_lake = hardware(&template("xeon-cascade-lake"), &["links=3"]);
    assert!(close(idle(&cascade_lake, 0, 0), 81.0) && close(idle(&cascade_lake, 0, 1), 131.0));
    let with_two_links = hardware(&template("xeon-cascade-lake"), &["links=2"]);
    assert!(close(idle(&with_two_links, 0, 1), 141.0));
    let stated = hardware(&template("xeon-cascade-lake"), &["local=90 ns", "remote=155 ns"]);
    assert!(close(idle(&stated, 0, 0), 90.0) && close(idle(&stated, 0, 1), 155.0));
    let clusters = hardware(&template("xeon-broadwell"), &["nodes=2"]);
    assert!(close(idle(&clusters, 0, 0), 75.0) && close(idle(&clusters, 0, 1), 146.0));
}

#[test]
fn a_number_of_links_joins_four_and_eight_sockets() {
    let links = |words: &[&str]| hardware(&template("xeon-cascade-lake"), words).links.len();
    assert_eq!(links(&["sockets=4", "links=3"]), 6);
    assert_eq!(links(&["sockets=4", "links=2"]), 4);
    assert_eq!(links(&["sockets=8", "links=3"]), 12);
}

#[test]
fn what_nobody_stated_is_said() {
    let prediction =
        |words: &[&str]| hardware(&template("xeon-cascade-lake"), words).machine.prediction.unwrap();
    let all = prediction(&[]);
    assert_eq!(all.template, "xeon-cascade-lake");
    assert!(all.assumed.contains(&"3 links between two sockets are wired".to_owned()), "{:?}", all.assumed);
    assert!(all.assumed.contains(&"6 of the memory channels of a socket are populated".to_owned()));
    let given =
        prediction(&["links=2", "channels=4", "rate=2666 MT/s", "dimms=2", "nodes=1", "link_rate=10.4 GT/s"]);
    assert_eq!(given.assumed, Vec::<String>::new());
}

#[test]
fn every_value_has_a_source_and_given_ones_say_so() {
    let hardware = hardware(&template("epyc-9004"), &["cores=24", "ccds=4"]);
    let source = |path: &str| &hardware.parameters.iter().find(|one| one.path == path).unwrap().source;
    assert_eq!(source("core.core.cache.l3.shared_by"), "given");
    assert!(source("channel.dimm.rate").starts_with("assumed: template epyc-9004: "));
    assert!(source("wire.gmi.capacity").starts_with("template epyc-9004: Intel MLC"));
}

#[test]
fn what_no_such_processor_has_is_refused() {
    let cascade_lake = template("xeon-cascade-lake");
    assert!(refusal(&cascade_lake, &["cores=40"]).contains("at most 28"));
    assert!(refusal(&cascade_lake, &["channel=4"]).contains("did you mean `channels`"));
    assert!(refusal(&cascade_lake, &["rate=3200 MT/s"]).contains("maximum for this processor is 2933 MT/s"));
    assert!(refusal(&cascade_lake, &["channels=5", "nodes=2"]).contains("cannot be divided evenly"));
    assert!(refusal(&cascade_lake, &["local=20 ns"]).contains("its parts take at least"));
    // These were left out without a word.
    for (name, set) in [
        ("xeon-cascade-lake", "gmi=2"),
        ("xeon-cascade-lake", "ccds=4"),
        ("xeon-cascade-lake", "hbm=64 GiB"),
        ("a64fx", "links=2"),
    ] {
        assert!(
            refusal(&template(name), &[set]).contains("does not apply: this processor has none"),
            "{name}: {set}"
        );
    }
    assert!(refusal(&template("epyc-9004"), &["cxl_socket=2"]).contains("does not apply without CXL"));
    assert!(refusal(&template("epyc-9004"), &["ccds=7"]).contains("cannot be divided evenly"));
}

/// The 128 cores of a Xeon 6980P were refused with SNC3, its default: they are 43, 43 and 42 on three dies.
#[test]
fn cores_that_dies_do_not_share_evenly_are_all_there() {
    let hardware = hardware(&template("xeon-granite-rapids"), &["cores=128", "nodes=3", "channels=12"]);
    let of_node = |node: u32| hardware.machine.usable_cores(NodeId(node)).len();
    assert_eq!((0..6).map(of_node).collect::<Vec<_>>(), [43, 43, 42, 43, 43, 42]);
    assert!(close(idle(&hardware, 2, 2), idle(&hardware, 0, 0)));
    assert!(
        refusal(&template("xeon-granite-rapids"), &["cores=2", "nodes=3", "channels=12"])
            .contains("cannot form 3")
    );
}

#[test]
fn later_settings_do_not_forget_those_of_the_name() {
    let file =
        template("xeon-cascade-lake").machine_file(&settings(&["cores=18"]), &Settings::none()).unwrap();
    let file = file.set(&settings(&["links=2", "core.core.evictions=3"])).unwrap();
    let hardware = file.hardware().unwrap();
    assert_eq!(hardware.machine.cores.len(), 36);
    let set: Vec<String> = hardware.machine.settings.iter().map(ToString::to_string).collect();
    assert_eq!(set, ["cores=18", "links=2", "core.core.evictions=3"]);
}

/// Whatever was set before, paths give the machine that they give when it is generated with them.
#[test]
fn paths_set_later_give_the_machine_that_is_generated_with_them() {
    let template = template("xeon-cascade-lake");
    let (named, paths) = (settings(&["cores=18", "core.core.evictions=4"]), ["core.core.evictions=3"]);
    let generated = template.machine_file(&named, &settings(&paths)).unwrap();
    let bare = template.machine_file(&named, &Settings::none()).unwrap();
    let before = template.machine_file(&named, &settings(&["links=2", "core.core.issue=1 ns"])).unwrap();
    for file in [bare, before] {
        let file = file.set(&settings(&paths)).unwrap();
        assert_eq!(file.to_toml(), generated.to_toml());
        assert!(file.hardware().unwrap() == generated.hardware().unwrap());
    }
}

#[test]
fn without_a_study_nothing_is_fitted_to_it() {
    for template in templates() {
        for study in template.left_out() {
            let hardware = hardware(&template, &[&format!("without={study}")]);
            let fitted = hardware.fitted().flat_map(|(_, fitted)| &fitted.figures);
            assert!(
                fitted.into_iter().all(|figure| figure.study != study),
                "{} without {study}",
                template.name()
            );
        }
    }
}

/// Templates had a table of their own, without refresh, timer and bank groups: latency did not rise until a channel was full.
#[test]
fn channels_have_the_timings_of_their_technology() {
    let channel = |name: &str, words: &[&str]| hardware(&template(name), words).channels[0].parameters;
    let ddr4 = channel("xeon-cascade-lake", &[]);
    assert_eq!(ddr4.refresh.unwrap().every, Nanoseconds(7800.0));
    assert!(ddr4.close_after.is_some() && ddr4.precharge > Nanoseconds(0.0));
    assert_eq!((ddr4.banks, ddr4.bank_block), (32, Bytes(64)));
    assert_eq!(channel("xeon-cascade-lake", &["dimms=2"]).banks, 64);
    assert_eq!(channel("xeon-sapphire-rapids", &[]).refresh.unwrap().every, Nanoseconds(3900.0));
}

/// A die of Granite Rapids has links of its own; with fewer links than dies, all go through the middle.
#[test]
fn nodes_of_a_socket_have_links_of_their_own_where_there_are_enough() {
    let between = |links: &str| {
        let hardware =
            hardware(&template("xeon-granite-rapids"), &["channels=12", "cores=96", "nodes=3", links]);
        let package = |router: usize| match hardware.routers[router].name.as_str() {
            "0" | "1" | "2" => 0,
            _ => 1,
        };
        let across = hardware.links.iter().filter(|link| package(link.ends[0]) != package(link.ends[1]));
        across.count()
    };
    assert_eq!(["links=6", "links=4", "links=3", "links=2"].map(between), [3, 3, 3, 1]);
}

/// The next die of a row is nearer than the one after, on both sides of the links.
#[test]
fn dies_in_a_row_are_farther_the_more_lie_between() {
    let words = ["channels=12", "cores=96", "nodes=3", "links=6"];
    let hardware = hardware(&template("xeon-granite-rapids"), &words);
    let latencies = [0, 1, 2, 3, 4, 5].map(|node| idle(&hardware, 0, node));
    let expected = [99.0, 121.0, 143.0, 225.0, 247.0, 269.0];
    assert!(latencies.iter().zip(expected).all(|(found, ns)| (found - ns).abs() < 1.0), "{latencies:?}");
}

/// Processors of several dies are farther from the other socket.
#[test]
fn more_cores_than_a_die_has_make_the_other_socket_farther() {
    let far = |cores| idle(&hardware(&template("xeon-sapphire-rapids"), &[cores]), 0, 1);
    assert!((far("cores=48") - far("cores=32") - 16.0).abs() < 0.1);
}

/// What reads reach depends on how many nodes a socket has.
#[test]
fn nodes_of_a_socket_change_what_reads_of_a_channel_reach() {
    let share = |nodes| hardware(&template("epyc-7002"), &[nodes]).channels[0].parameters.efficiency.0;
    assert!(share("nodes=4") > 1.15 * share("nodes=1"));
}

/// Thirty-two channels of 128 bits were taken for as many of 64.
#[test]
fn a_channel_of_several_parts_has_the_bandwidth_of_all() {
    let peak = |name: &str, words: &[&str]| -> f64 {
        hardware(&template(name), words).channels.iter().map(|channel| channel.bandwidth.get()).sum()
    };
    assert!((peak("a64fx", &[]) - 1024.0).abs() < 1.0);
    assert!((peak("grace", &["sockets=1"]) - 546.0).abs() < 1.0);
    assert_eq!(hardware(&template("grace"), &["sockets=1"]).channels.len(), 32);
}

#[test]
fn what_a_study_decided_of_a_technology_is_not_known_without_it() {
    let of = |words: &[&str]| {
        let hardware = hardware(&template("xeon-haswell"), words);
        let efficiency = hardware.channels[0].parameters.efficiency.0;
        let fitted: Vec<String> = hardware
            .fitted()
            .filter(|(parameter, _)| parameter.path.starts_with("channel.dimm."))
            .flat_map(|(_, fitted)| fitted.figures.iter().map(|figure| figure.study.clone()))
            .collect();
        (efficiency, fitted.contains(&"mlc-haswell-2699v3".to_owned()))
    };
    let (efficiency, fitted) = of(&[]);
    let (without, still) = of(&["without=mlc-haswell-2699v3"]);
    assert!(fitted && !still && (efficiency - without).abs() > 1e-4, "{efficiency} {without}");
}
