//! Kinds of channel that take what they do not say from a memory technology.

use zerohop_units::{Bytes, Nanoseconds};

use super::{LIBRARY, SQUARE, complaints, machine};
use crate::{MachineFile, Refresh, technologies};
use zerohop_machine::{Setting, Settings};

/// The square with a channel of these keys.
fn with_channel(keys: &str) -> String {
    let (before, rest) = SQUARE.split_once("[channel.ddr400]").unwrap();
    let (_, after) = rest.split_once("\n[home.").unwrap();
    format!("{before}[channel.ddr400]\n{keys}\n\n[home.{after}")
}

#[test]
fn every_technology_completes_a_channel_that_has_only_a_rate() {
    for technology in technologies() {
        let text = with_channel(&format!("rate = \"4800 MT/s\"\ntimings = \"{technology}\""));
        let channel = &machine("square.toml", &text).channels[0];
        let parameters = &channel.parameters;
        assert!(channel.bandwidth.get() > 9.0, "{technology}");
        assert!(parameters.precharge.get() > 0.0 && parameters.refresh.is_some(), "{technology}");
        let opening = parameters.row_miss - parameters.precharge;
        assert!(parameters.row_cycle > parameters.row_miss && opening.get() > 0.0, "{technology}");
    }
}

#[test]
fn what_a_file_says_of_a_channel_comes_before_its_timings() {
    let keys = "rate = \"2933 MT/s\"\ntimings = \"DDR4-16Gb\"\nbanks = 16\nrefresh.takes = \"400 ns\"\nsource = \"a test\"";
    let parameters = machine("square.toml", &with_channel(keys)).channels[0].parameters;
    let refresh = Refresh { every: Nanoseconds(7800.0), takes: Nanoseconds(400.0) };
    assert_eq!((parameters.banks, parameters.refresh), (16, Some(refresh)));
    assert_eq!((parameters.row, parameters.row_group), (Bytes::kib(8), 1), "those of DDR4");
}

#[test]
fn a_bandwidth_takes_the_place_of_a_rate_and_the_width_of_the_timings() {
    let channel = &machine(
        "square.toml",
        &with_channel("bandwidth = \"20 GB/s\"\ntimings = \"DDR4\"\nsource = \"a test\""),
    );
    assert_eq!(channel.channels[0].bandwidth.get(), 20.0);
}

#[test]
fn settings_change_timings_and_what_comes_from_them() {
    let text = with_channel("rate = \"2933 MT/s\"\ntimings = \"DDR4\"\nsource = \"a test\"");
    let file = MachineFile::parse("square.toml", &text, &LIBRARY).unwrap();
    let set = |settings: &[&str]| {
        let pairs = settings.iter().map(|setting| setting.split_once('=').unwrap());
        let settings = pairs.fold(Settings::none(), |all, (name, value)| all.with(Setting::new(name, value)));
        file.set(&settings).unwrap().hardware().unwrap().channels[0].parameters
    };
    assert_eq!(set(&["channel.ddr400.refresh.takes=550 ns"]).refresh.unwrap().takes, Nanoseconds(550.0));
    assert_eq!(set(&["channel.ddr400.timings=DDR5"]).refresh.unwrap().every, Nanoseconds(3900.0));
    let both = set(&["channel.ddr400.timings=DDR5", "channel.ddr400.banks=64"]);
    assert_eq!((both.banks, both.write_batch), (64, 32));
}

#[test]
fn an_exported_file_still_names_its_timings() {
    let text = with_channel("rate = \"2933 MT/s\"\ntimings = \"DDR4\"\nsource = \"a test\"");
    let file = MachineFile::parse("square.toml", &text, &LIBRARY).unwrap();
    let again = machine("square.toml", &file.to_toml());
    assert_eq!(again.channels[0].parameters, file.hardware().unwrap().channels[0].parameters);
}

#[test]
fn timings_that_do_not_exist_or_do_not_fit() {
    let text = with_channel("rate = \"2933 MT/s\"\ntimings = \"DDR4\"\nsource = \"a test\"");
    let told = complaints(
        "square.toml",
        &text,
        &[
            ("timings = \"DDR4\"", "timings = \"DDR44\""),
            ("timings = \"DDR4\"", "timings = \"DDR4\"\nprecharge = \"30 ns\""),
            ("timings = \"DDR4\"", "timings = \"DDR4\"\nbank_block = \"96 B\""),
        ],
    );
    for message in [
        "no timings for `DDR44`",
        "a precharge of 30 ns is longer than a row miss of 28 ns",
        "a block of 96 B is not a multiple of the line size",
    ] {
        assert!(told.contains(message), "{message}\n{told}");
    }
}
