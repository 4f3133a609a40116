//! Package and channel of a DIMM slot, from the names that board vendors give it.
//!
//! SMBIOS has no field for either. These spellings occur in public `dmidecode` listings:
//!
//! | locator, bank | board maker |
//! |---|---|
//! | `DIMM 0`, `P0 CHANNEL A` | AMD's platforms |
//! | `P1-DIMMA1`, `P0_Node0_Channel0_Dimm0` | Supermicro X-boards |
//! | `CPU1_DIMM_A1`, `NODE 1` | Intel, and boards after it |
//! | `Controller0-ChannelA-DIMM0`, `BANK 0` | Intel's client parts |
//! | `DIMM_P0_A0`, `BANK 0` | Gigabyte |
//! | `CPU0_C0D0` | Inspur |
//! | `DIMM000`, `SOCKET 0 CHANNEL 0 DIMM 0` | Huawei |
//! | `CPU0_A0` | Quanta, Hitachi |
//! | `PROC 1 DIMM 3` | HPE: consecutive slots share a channel |
//! | `PROC 1 DIMM 4B` | HP, earlier: the same; the letter is the order in which to fill slots |
//! | `A3` | Dell: the letter is the processor; the first slots of all channels come before all second slots |

use std::collections::BTreeMap;

use crate::{MemoryDevice, PackageId, Processor};

/// The position of a slot, as its name indicates.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Slot {
    package: Option<u32>,
    channel: Channel,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Channel {
    /// The name contains the channel.
    Named(String),
    /// The name contains the slot's number within the package.
    Numbered(u32, Order),
    /// The name does not indicate the channel.
    Unknown,
}

/// The numbering of slots on boards with several slots per channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Consecutive slots share a channel.
    ChannelByChannel,
    /// The first slots of all channels come before all second slots.
    RankByRank,
    /// The order is unknown, so slots can be assigned only if no channel has two of them.
    Unknown,
}

/// Sets the package and channel of every device, as far as the names indicate them.
///
/// Packages are numbered from zero in the order of their names, as in the kernel on such boards.
pub(super) fn assign(
    mut devices: Vec<MemoryDevice>,
    vendor: &str,
    channels: Option<usize>,
) -> Vec<MemoryDevice> {
    let places: Vec<Slot> = devices.iter().map(|device| place(device, vendor)).collect();
    // Numbers of the slots of each package, ascending.
    let mut numbers: BTreeMap<Option<u32>, Vec<u32>> = BTreeMap::new();
    for place in &places {
        let slots = numbers.entry(place.package).or_default();
        if let Channel::Numbered(number, _) = place.channel {
            slots.push(number);
        }
    }
    numbers.values_mut().for_each(|slots| slots.sort_unstable());
    let ranks: BTreeMap<u32, u32> = numbers.keys().copied().flatten().zip(0..).collect();
    for (device, place) in devices.iter_mut().zip(places) {
        device.package = place.package.map(|label| PackageId(ranks[&label]));
        device.channel = match place.channel {
            Channel::Named(name) => Some(name),
            Channel::Numbered(number, order) => {
                channel_of_slot(number, &numbers[&place.package], order, channels)
            }
            Channel::Unknown => None,
        };
    }
    devices
}

/// The channel of the slot with that number, in a package with `channels` channels.
fn channel_of_slot(number: u32, slots: &[u32], order: Order, channels: Option<usize>) -> Option<String> {
    let channels = channels?;
    let rank = slots.iter().position(|&slot| slot == number)?;
    let channel = match order {
        _ if slots.len() <= channels => rank,
        _ if !slots.len().is_multiple_of(channels) => return None,
        Order::ChannelByChannel => rank / (slots.len() / channels),
        Order::RankByRank => rank % channels,
        Order::Unknown => return None,
    };
    Some((channel + 1).to_string())
}

fn place(device: &MemoryDevice, vendor: &str) -> Slot {
    let (locator, bank) = (words(&device.locator), words(&device.bank));
    if let ([Word::Letters(letter), Word::Number(number)], true) = (&locator[..], vendor.contains("Dell"))
        && letter.len() == 1
    {
        return Slot {
            package: letter.bytes().next().map(u32::from),
            channel: Channel::Numbered(*number, Order::RankByRank),
        };
    }
    let number_after = |names: &[&str]| [&bank, &locator].iter().find_map(|words| number(words, names));
    let socket = number_after(&["P", "CPU", "PROC", "SOCKET"]);
    let node = number_after(&["NODE"]);
    let named = [&bank, &locator]
        .iter()
        .find_map(|words| label(words, &["CHANNEL", "CHAN", "CH", "C"]))
        .or_else(|| channel_letter(&locator));
    let channel = match (named, number(&locator, &["DIMM"])) {
        (Some(name), _) => {
            // Once the package is known, a node or controller number is part of the channel's name.
            let controller = socket.and(node).or_else(|| number_after(&["CONTROLLER", "MC", "IMC"]));
            Channel::Named(controller.map_or(name.clone(), |controller| format!("{controller}.{name}")))
        }
        (None, Some(slot)) if vendor.starts_with("HP") => Channel::Numbered(slot, Order::ChannelByChannel),
        (None, Some(slot)) => Channel::Numbered(slot, Order::Unknown),
        (None, None) => Channel::Unknown,
    };
    Slot { package: socket.or(node), channel }
}

#[derive(Debug, PartialEq, Eq)]
enum Word {
    Letters(String),
    Number(u32),
}

/// Splits a name into runs of upper-case letters and runs of digits. A channel letter that directly follows `DIMM` or
/// `CHANNEL` becomes a run of its own.
fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    for piece in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut rest = piece;
        while let Some(first) = rest.chars().next() {
            let is_digit = first.is_ascii_digit();
            let end = rest.find(|c: char| c.is_ascii_digit() != is_digit).unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            rest = after;
            if is_digit {
                words.extend(run.parse().ok().map(Word::Number));
                continue;
            }
            let run = run.to_ascii_uppercase();
            let glued = ["DIMM", "CHANNEL"].iter().find_map(|name| {
                run.strip_prefix(name).filter(|letter| letter.len() == 1).map(|l| (*name, l))
            });
            match glued {
                Some((name, letter)) => {
                    words.extend([Word::Letters(name.to_owned()), Word::Letters(letter.to_owned())]);
                }
                None => words.push(Word::Letters(run)),
            }
        }
    }
    words
}

/// The number that follows one of `names`.
fn number(words: &[Word], names: &[&str]) -> Option<u32> {
    words.windows(2).find_map(|pair| match pair {
        [Word::Letters(name), Word::Number(number)] if names.contains(&name.as_str()) => Some(*number),
        _ => None,
    })
}

/// The number or single letter that follows one of `names`.
fn label(words: &[Word], names: &[&str]) -> Option<String> {
    let letter = words.windows(2).find_map(|pair| match pair {
        [Word::Letters(name), Word::Letters(letter)]
            if letter.len() == 1 && name.len() > 1 && names.contains(&name.as_str()) =>
        {
            Some(letter.clone())
        }
        _ => None,
    });
    letter.or_else(|| labelled_number(words, names))
}

/// The number after one of `names`. A lone `C` is a channel only before a `D` for the DIMM (`C0D0`): otherwise it is
/// a channel's own letter (`DIMM_C1`).
fn labelled_number(words: &[Word], names: &[&str]) -> Option<String> {
    words.iter().enumerate().find_map(|(at, word)| match (word, words.get(at + 1)?) {
        (Word::Letters(name), Word::Number(number)) if names.contains(&name.as_str()) => {
            let before_dimm = matches!(words.get(at + 2), Some(Word::Letters(next)) if next == "D");
            (name != "C" || before_dimm).then(|| number.to_string())
        }
        _ => None,
    })
}

/// The single letter that names a channel in `DIMM_A1`, `DIMM_P0_A0`, `P1-DIMMA1` or `CPU0_A0`: it follows `DIMM`, or
/// the package's number, directly.
fn channel_letter(words: &[Word]) -> Option<String> {
    let is =
        |word: &Word, names: &[&str]| matches!(word, Word::Letters(name) if names.contains(&name.as_str()));
    words.iter().enumerate().find_map(|(at, word)| {
        let before = |back: usize| at.checked_sub(back).map(|place| &words[place]);
        let follows_dimm = before(1).is_some_and(|word| is(word, &["DIMM"]));
        let follows_package = matches!(before(1), Some(Word::Number(_)))
            && before(2).is_some_and(|word| is(word, &["P", "CPU"]))
            && matches!(words.get(at + 1), Some(Word::Number(_)));
        match word {
            Word::Letters(letter)
                if letter.len() == 1 && letter != "P" && (follows_dimm || follows_package) =>
            {
                Some(letter.clone())
            }
            _ => None,
        }
    })
}

/// Memory channels of one package of a server processor, by vendor, family and model, as its maker specifies.
/// They are needed only for slots that are numbered without their channel. For an unlisted processor, the channels of
/// such slots stay unknown.
pub(super) fn channels_of(processor: &Processor) -> Option<usize> {
    let key = (processor.vendor.as_str(), processor.family?, processor.model_number?);
    match key {
        // Sandy Bridge, Ivy Bridge, Haswell and Broadwell EP.
        ("GenuineIntel", 6, 45 | 62 | 63 | 79) => Some(4),
        // Skylake, Cascade Lake and Cooper Lake SP; Xeon Phi x200.
        ("GenuineIntel", 6, 85 | 87) => Some(6),
        // Ice Lake, Sapphire Rapids and Emerald Rapids SP.
        ("GenuineIntel", 6, 106 | 143 | 207) => Some(8),
        // Naples and Rome; Milan.
        ("AuthenticAMD", 0x17, 0x01 | 0x31) | ("AuthenticAMD", 0x19, 0x01) => Some(8),
        // Genoa; Turin and Turin Dense.
        ("AuthenticAMD", 0x19, 0x11) | ("AuthenticAMD", 0x1a, 0x02 | 0x11) => Some(12),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use zerohop_units::Bytes;

    fn device(locator: &str, bank: &str) -> MemoryDevice {
        MemoryDevice {
            locator: locator.to_owned(),
            bank: bank.to_owned(),
            size: Bytes::gib(32),
            technology: "DDR4".to_owned(),
            data_width: Some(64),
            channel_width: None,
            rated: None,
            configured: None,
            part: None,
            package: None,
            channel: None,
        }
    }

    /// The package and channel of each slot, as text.
    fn assigned(vendor: &str, channels: Option<usize>, slots: &[(&str, &str)]) -> Vec<String> {
        let devices = slots.iter().map(|(locator, bank)| device(locator, bank)).collect();
        let show = |device: MemoryDevice| {
            let package = device.package.map_or("-".to_owned(), |package| package.to_string());
            format!("{package}/{}", device.channel.as_deref().unwrap_or("-"))
        };
        assign(devices, vendor, channels).into_iter().map(show).collect()
    }

    #[test]
    fn channels_named_in_either_string_are_found() {
        for (locator, bank, expected) in [
            ("DIMM 0", "P0 CHANNEL A", "0/A"),
            ("P1-DIMMA1", "P0_Node1_Channel2_Dimm0", "0/1.2"),
            ("P1-DIMMC2", "", "0/C"),
            ("CPU1_DIMM_C1", "NODE 1", "0/1.C"),
            ("DIMM_A1", "NODE 1", "0/A"),
            ("Controller1-ChannelA-DIMM0", "BANK 0", "-/1.A"),
            ("DIMM_P0_A0", "BANK 0", "0/A"),
            ("CPU0_C3D1", "", "0/3"),
            ("DIMM000", "SOCKET 0 CHANNEL 5 DIMM 0", "0/5"),
            ("A0", "A0_Node0_Channel1_Dimm0", "0/1"),
            ("CPU1_D0", "", "0/D"),
            ("DIMM_P1_I0", "BANK 0", "0/I"),
            ("DIMM_P0_A0", "P1-CH A", "0/A"),
            ("SODIMM0", "CHANNEL A DIMM0", "-/A"),
            ("DIMM-1A", "", "-/-"),
            ("mystery", "", "-/-"),
        ] {
            assert_eq!(assigned("", None, &[(locator, bank)]), [expected], "{locator}, {bank}");
        }
    }

    #[test]
    fn dell_numbers_first_slots_before_second_ones() {
        let slots = ["A1", "A2", "A3", "A4", "B1", "B2", "B3", "B4"].map(|locator| (locator, ""));
        let expected = ["0/1", "0/2", "0/1", "0/2", "1/1", "1/2", "1/1", "1/2"];
        assert_eq!(assigned("Dell Inc.", Some(2), &slots), expected);
    }

    #[test]
    fn hpe_numbers_slots_channel_by_channel() {
        let slots =
            ["PROC 1 DIMM 1", "PROC 1 DIMM 2", "PROC 1 DIMM 3", "PROC 1 DIMM 4"].map(|name| (name, ""));
        assert_eq!(assigned("HPE", Some(2), &slots), ["0/1", "0/1", "0/2", "0/2"]);
        let older =
            ["PROC 1 DIMM 1D", "PROC 1 DIMM 2A", "PROC 1 DIMM 3E", "PROC 1 DIMM 4B"].map(|name| (name, ""));
        assert_eq!(assigned("HP", Some(2), &older), ["0/1", "0/1", "0/2", "0/2"]);
        assert_eq!(assigned("HPE", None, &slots), ["0/-"; 4]);
        assert_eq!(assigned("Another", Some(2), &slots), ["0/-"; 4]);
        assert_eq!(assigned("Another", Some(4), &slots), ["0/1", "0/2", "0/3", "0/4"]);
    }

    proptest! {
        #[test]
        fn any_names_are_survived(slots in proptest::collection::vec(("\\PC{0,20}", "\\PC{0,20}"), 0..8)) {
            let devices: Vec<_> = slots.iter().map(|(locator, bank)| device(locator, bank)).collect();
            prop_assert_eq!(assign(devices, "Dell Inc.", Some(2)).len(), slots.len());
        }
    }
}
