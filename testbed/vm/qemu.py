"""QEMU's command line for a topology."""

from pathlib import Path

from .topology import Topology

PORTS = ("stdout", "stderr", "files", "status")

# Emulation on one thread: with more guest CPUs than host CPUs, guest CPUs that spin for one another would each hold a
# host CPU for a time slice; on one thread they give way at once. Intel's vendor id, because QEMU does not tell the dies
# of a package apart for AMD's, and the guest's kernel then warns of caches that span nodes.
ACCELERATORS = {
    "tcg": ["-accel", "tcg,thread=single", "-cpu", "max,vendor=GenuineIntel"],
    "kvm": ["-accel", "kvm", "-cpu", "host"],
}

# A core that has a name, and whose caches nothing describes: with this firmware, the kernel shows none.
ARM = ["-machine", "virt,gic-version=3", "-accel", "tcg,thread=single", "-cpu", "neoverse-n1"]

# No console scrolling by, no watchdog that takes slow emulation for a hang, no panic when a busy host makes the timer late, and no
# pause at the end.
KERNEL_PARAMETERS = "no_timer_check quiet panic=-1 nowatchdog rcupdate.rcu_cpu_stall_suppress=1 mitigations=off"


def command(
    topology: Topology, accelerator: str, kernel: Path, initramfs: Path, work: Path, parameters: str
) -> list[str]:
    """The program and its arguments; what the guest says goes to files in `work`."""
    arm = topology.architecture == "aarch64"
    console = "console=ttyAMA0" if arm else "console=ttyS0"
    return [
        f"qemu-system-{topology.architecture}",
        *["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"],
        *(ARM if arm else ACCELERATORS[accelerator]),
        *(_arm_nodes(topology) if arm else _processors(topology)),
        *([] if arm else _plain_memory(topology) if topology.needs_own_tables else _nodes(topology)),
        *["-kernel", str(kernel), "-initrd", str(initramfs)],
        *["-append", f"{console} {KERNEL_PARAMETERS} {topology.kernel_parameters} {parameters}"],
        *["-serial", f"file:{work / 'console'}"],
        *_ports(work),
    ]


def _processors(topology: Topology) -> list[str]:
    with_cpus = [node for node in topology.nodes if node.cpus]
    packages = len({node.package for node in with_cpus})
    threads = topology.threads
    cores = with_cpus[0].cpus // threads
    dies = len(with_cpus) // packages
    count = packages * dies * cores * threads
    return ["-smp", f"{count},sockets={packages},dies={dies},cores={cores},threads={threads}"]


def _arm_nodes(topology: Topology) -> list[str]:
    cpus = topology.cpus()
    count = sum(len(numbers) for numbers in cpus.values())
    arguments = ["-smp", f"{count},sockets={count},cores=1,threads=1", "-m", f"{topology.memory_mib}M"]
    for node in topology.nodes:
        arguments += ["-object", f"memory-backend-ram,id=memory{node.number},size={node.memory_mib}M"]
        numbers = "".join(f",cpus={cpu}" for cpu in cpus[node.number])
        arguments += ["-numa", f"node,nodeid={node.number},memdev=memory{node.number}{numbers}"]
    return arguments + _distances(topology)


def _distances(topology: Topology) -> list[str]:
    arguments = []
    for source, row in enumerate(topology.distances):
        for target, distance in enumerate(row):
            arguments += ["-numa", f"dist,src={source},dst={target},val={distance}"]
    return arguments


def _plain_memory(topology: Topology) -> list[str]:
    return ["-machine", "q35", "-m", f"{topology.memory_mib}M"]


def _nodes(topology: Topology) -> list[str]:
    hmat = bool(topology.access)
    arguments = ["-machine", f"q35,hmat={'on' if hmat else 'off'}", "-m", f"{topology.memory_mib}M"]
    several_dies = len({node.package for node in topology.nodes if node.cpus}) < sum(
        1 for node in topology.nodes if node.cpus
    )
    dies_so_far: dict[int, int] = {}
    for node in topology.nodes:
        arguments += ["-object", f"memory-backend-ram,id=memory{node.number},size={node.memory_mib}M"]
        initiator = f",initiator={topology.nearest(node)[0]}" if hmat else ""
        arguments += ["-numa", f"node,nodeid={node.number},memdev=memory{node.number}{initiator}"]
        if node.cpus:
            die = dies_so_far.get(node.package, 0)
            dies_so_far[node.package] = die + 1
            place = f"socket-id={node.package}" + (f",die-id={die}" if several_dies else "")
            arguments += ["-numa", f"cpu,node-id={node.number},{place}"]
    arguments += _distances(topology)
    for row in topology.access:
        pair = f"hmat-lb,initiator={row.initiator},target={row.target},hierarchy=memory"
        arguments += ["-numa", f"{pair},data-type=access-latency,latency={row.latency_ns}"]
        arguments += ["-numa", f"{pair},data-type=access-bandwidth,bandwidth={row.bandwidth_mbps}M"]
    for node in topology.nodes:
        if node.side_cache_mib:
            size = f"size={node.side_cache_mib}M,level=1,associativity=direct,policy=write-back,line=64"
            arguments += ["-numa", f"hmat-cache,node-id={node.number},{size}"]
    return arguments


def _ports(work: Path) -> list[str]:
    # One virtual serial port for each stream: they stay apart, and are a hundred times faster than a UART.
    arguments = ["-device", "virtio-serial"]
    for port in PORTS:
        arguments += ["-chardev", f"file,id={port},path={work / port}"]
        arguments += ["-device", f"virtserialport,chardev={port},name={port}"]
    return arguments
