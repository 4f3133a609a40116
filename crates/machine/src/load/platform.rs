//! The maker of the machine and its firmware, from `/sys/class/dmi/id`, which shows them without root, and `/proc/cpuinfo`.

use super::reader::{Reader, field};
use crate::Platform;

/// What makers leave in fields that they never filled in, in lower case.
const PLACEHOLDERS: [&str; 9] = [
    "to be filled by o.e.m.",
    "default string",
    "system manufacturer",
    "system product name",
    "not specified",
    "not applicable",
    "none",
    "n/a",
    "unknown",
];

/// The longest name that is kept.
const LONGEST: usize = 120;

pub(super) fn load(reader: &Reader<'_>) -> Platform {
    let shown = |file: &str| reader.text(&format!("/sys/class/dmi/id/{file}")).and_then(|text| real(&text));
    let cpuinfo = reader.text("/proc/cpuinfo").unwrap_or_default();
    Platform {
        maker: shown("sys_vendor"),
        product: shown("product_name"),
        firmware_maker: shown("bios_vendor"),
        firmware_version: shown("bios_version"),
        firmware_date: shown("bios_date"),
        microcode: field(&cpuinfo, "microcode").and_then(real),
    }
}

/// The text, unless it is a placeholder.
fn real(text: &str) -> Option<String> {
    let text = text.trim();
    let is_placeholder = text.is_empty() || PLACEHOLDERS.contains(&text.to_ascii_lowercase().as_str());
    (!is_placeholder).then(|| text.chars().take(LONGEST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capture;

    fn of<const N: usize>(files: [(&str, &str); N]) -> Platform {
        load(&Reader::new(&Capture::from_files(files)))
    }

    #[test]
    fn maker_and_firmware_are_as_shown() {
        let platform = of([
            ("/sys/class/dmi/id/sys_vendor", "Dell Inc.\n"),
            ("/sys/class/dmi/id/product_name", "PowerEdge R750\n"),
            ("/sys/class/dmi/id/bios_version", "1.5.4\n"),
            ("/sys/class/dmi/id/bios_date", "12/17/2021\n"),
            ("/proc/cpuinfo", "processor\t: 0\nmicrocode\t: 0xd0003b9\n"),
        ]);
        assert_eq!(platform.name().unwrap(), "Dell Inc. PowerEdge R750");
        assert_eq!(platform.firmware().unwrap(), "1.5.4 of 12/17/2021, microcode 0xd0003b9");
        assert_eq!(platform.firmware_maker, None);
    }

    #[test]
    fn placeholders_are_no_names() {
        let platform = of([
            ("/sys/class/dmi/id/sys_vendor", "To Be Filled By O.E.M.\n"),
            ("/sys/class/dmi/id/product_name", "Default string\n"),
            ("/sys/class/dmi/id/bios_version", "\n"),
        ]);
        assert!(platform.is_empty(), "{platform:?}");
        assert_eq!((platform.name(), platform.firmware()), (None, None));
    }
}
