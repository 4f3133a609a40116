//! The hypervisor of this machine, if it is a guest and reveals it.

use super::reader::{Reader, field};

/// Names in the DMI strings of virtual machines that no physical machine has.
const VIRTUAL_VENDORS: [(&str, &str); 12] = [
    ("VMware", "VMware"),
    ("innotek", "VirtualBox"),
    ("VirtualBox", "VirtualBox"),
    ("Xen", "Xen"),
    ("QEMU", "QEMU"),
    ("KVM", "KVM"),
    ("Bochs", "QEMU"),
    ("OpenStack", "KVM (OpenStack)"),
    ("Parallels", "Parallels"),
    ("BHYVE", "bhyve"),
    ("Nutanix", "Nutanix AHV"),
    ("Virtual Machine", "Hyper-V"),
];

/// Clouds. Their bare-metal instances have the same DMI strings, so the processor must also report a hypervisor.
const CLOUDS: [(&str, &str); 4] = [
    ("Amazon EC2", "KVM (Amazon EC2)"),
    ("Google", "KVM (Google Compute Engine)"),
    ("Alibaba Cloud", "KVM (Alibaba Cloud)"),
    ("Tencent Cloud", "KVM (Tencent Cloud)"),
];

/// Clock sources that only a guest has.
const CLOCK_SOURCES: [(&str, &str); 4] = [
    ("kvm-clock", "KVM"),
    ("hyperv_clocksource_tsc_page", "Hyper-V"),
    ("hyperv_clocksource_msr", "Hyper-V"),
    ("xen", "Xen"),
];

/// The name of the first entry of `names` that some line starts with, as a whole word.
fn named(lines: &str, names: &[(&str, &'static str)]) -> Option<&'static str> {
    let begins = |line: &str, word: &str| {
        line.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    };
    names.iter().find(|(word, _)| lines.lines().any(|line| begins(line, word))).map(|&(_, name)| name)
}

/// The hypervisor's name, or `unknown` if only the processor reports that there is one; `None` on bare metal or
/// without any indication.
pub(super) fn hypervisor(reader: &Reader<'_>) -> Option<String> {
    if let Some(name) = reader.text("/sys/hypervisor/type").filter(|name| !name.is_empty()) {
        return Some(if name == "xen" { "Xen".to_owned() } else { name });
    }
    let identity = ["sys_vendor", "product_name", "bios_vendor"]
        .map(|file| reader.text(&format!("/sys/class/dmi/id/{file}")).unwrap_or_default())
        .join("\n");
    let cpuinfo = reader.text("/proc/cpuinfo").unwrap_or_default();
    let is_guest = field(&cpuinfo, "flags")
        .is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"));
    // On Arm, no flag says so: there, only bare-metal instances, which say that they are, are no guests of their cloud.
    let is_arm = field(&cpuinfo, "CPU implementer").is_some();
    let is_guest = is_guest || is_arm && named(&identity, &CLOUDS).is_some() && !identity.contains("metal");
    let clock = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
    let clocks = reader.text(clock).unwrap_or_default().replace(' ', "\n");
    let device_tree = reader.text("/proc/device-tree/hypervisor/compatible").unwrap_or_default();
    // QEMU's and KVM's board for Arm guests.
    let board = reader.text("/proc/device-tree/compatible").unwrap_or_default();
    let name = named(&identity, &VIRTUAL_VENDORS)
        .or_else(|| is_guest.then(|| named(&identity, &CLOUDS)).flatten())
        .or_else(|| named(&clocks, &CLOCK_SOURCES))
        .or_else(|| device_tree.contains("kvm").then_some("KVM"))
        .or_else(|| board.contains("linux,dummy-virt").then_some("KVM or QEMU"))
        .or(is_guest.then_some("unknown"));
    name.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capture;

    fn of<const N: usize>(files: [(&str, &str); N]) -> Option<String> {
        hypervisor(&Reader::new(&Capture::from_files(files)))
    }

    #[test]
    fn bare_metal_in_a_cloud_is_no_guest() {
        let vendor = ("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
        assert_eq!(of([vendor, ("/proc/cpuinfo", "flags : fpu\n")]), None);
        let guest = of([vendor, ("/proc/cpuinfo", "flags : fpu hypervisor\n")]);
        assert_eq!(guest.as_deref(), Some("KVM (Amazon EC2)"));
    }

    /// Arm processors have no flag `hypervisor`, and guests of clouds passed for bare metal.
    #[test]
    fn arm_guests_are_recognized_without_a_flag() {
        let cpuinfo = ("/proc/cpuinfo", "Features : fp asimd\nCPU implementer : 0x41\nCPU part : 0xd40\n");
        let vendor = ("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
        let product = |name| ("/sys/class/dmi/id/product_name", name);
        let guest = of([cpuinfo, vendor, product("c7g.large\n")]);
        assert_eq!(guest.as_deref(), Some("KVM (Amazon EC2)"));
        assert_eq!(of([cpuinfo, vendor, product("c7g.metal\n")]), None);
        let board = ("/proc/device-tree/compatible", "linux,dummy-virt\0");
        assert_eq!(of([cpuinfo, board]).as_deref(), Some("KVM or QEMU"));
    }

    #[test]
    fn a_guest_is_recognized_by_its_board_its_clock_or_its_processor() {
        assert_eq!(of([("/sys/class/dmi/id/sys_vendor", "QEMU\n")]).as_deref(), Some("QEMU"));
        let clock = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
        assert_eq!(of([(clock, "kvm-clock tsc\n")]).as_deref(), Some("KVM"));
        let unnamed = of([("/proc/cpuinfo", "flags\t: hypervisor\n")]).unwrap();
        assert_eq!(unnamed, "unknown");
        assert_eq!(of([("/sys/class/dmi/id/sys_vendor", "Dell Inc.\n")]), None);
        assert_eq!(of([("/sys/class/dmi/id/sys_vendor", "Xenophon Servers\n")]), None);
    }
}
