"""Whether what zerohop says of a guest is what its topology file says: every function yields what is wrong."""

import math
from collections.abc import Iterator

from .topology import Node, Topology

MIB = 1 << 20

# A guest's kernel keeps part of the memory for itself; of a node of 256 MiB that is less than a third.
LEAST_MEMORY_SHARE = 0.6

# Warnings that say that a number was not measured where it should have been.
FATAL_WARNINGS = {"pages_misplaced", "placement_unproven", "placement_not_bound", "experiment_skipped"}

# The guest's CPUs take turns on one thread: of many workers there may be no moment at which all run, or they take so long that there is
# no time left for others.
TURNS = (
    "other programs prevented them from running",
    "other programs took the CPUs of its workers in every sample",
    "no sample showed any progress",
    "the time ran out before its turn",
)

# Where every node has one CPU.
NO_LOAD = "one CPU must chase and another generate load, but no node has two CPUs"

EXPERIMENTS = {
    "latency-matrix",
    "bandwidth-matrix",
    "stream",
    "mixes",
    "loaded-latency",
    "cache-latency",
    "core-to-core",
}
MATRICES = {"latency-matrix", "bandwidth-matrix"}


def numbers(text: str) -> list[int]:
    """The numbers of a CPU list such as `0-3,8`."""
    parts = [part.partition("-") for part in text.split(",") if part]
    return [number for low, _, high in parts for number in range(int(low), int(high or low) + 1)]


def online_cpus(topology: Topology, node: Node) -> list[int]:
    """CPUs of a node that run."""
    return [cpu for cpu in topology.cpus()[node.number] if cpu not in topology.offline_cpus]


def initiators(topology: Topology) -> set[int]:
    """Nodes that have a CPU online."""
    return {node.number for node in topology.present if online_cpus(topology, node)}


def targets(topology: Topology) -> set[int]:
    """Nodes that have memory."""
    return {node.number for node in topology.present if node.memory_mib}


def machine(topology: Topology, seen: dict) -> Iterator[str]:
    """Of `zerohop machine show`: nodes, CPUs, memory, packages, distances, HMAT, memory-side caches."""
    present = topology.present
    by_number = {node["id"]: node for node in seen["nodes"]}
    if list(by_number) != [node.number for node in present]:
        yield f"nodes are {list(by_number)}, not {[node.number for node in present]}"
        return
    packages = {pu["id"]: pu["package"] for pu in seen["pus"]}
    for node in present:
        found = by_number[node.number]
        cpus = online_cpus(topology, node)
        if numbers(found["pus"]) != cpus:
            yield f"CPUs of node {node.number} are {found['pus'] or 'none'}, not {cpus}"
        if not LEAST_MEMORY_SHARE * node.memory_mib <= found["memory"] / MIB <= node.memory_mib:
            yield f"memory of node {node.number} is {found['memory'] / MIB:.0f} MiB of {node.memory_mib}"
        if {packages.get(cpu) for cpu in cpus} - {node.package}:
            yield f"CPUs of node {node.number} are not all in package {node.package}"
        caches = [cache["size"] // MIB for cache in found.get("memory_side_caches", [])]
        if caches != [node.side_cache_mib] * bool(node.side_cache_mib):
            yield f"memory-side caches of node {node.number} are {caches} MiB, not {node.side_cache_mib}"
    offline = numbers(seen["system"].get("offline_pus") or "")
    if offline != topology.offline_cpus:
        yield f"offline CPUs are {offline}, not {topology.offline_cpus}"
    expected = [[topology.distances[a.number][b.number] for b in present] for a in present]
    distances = seen.get("distances")
    if not distances or distances["rows"] != expected:
        yield f"distances are {distances}, not {expected}"
    yield from _access(topology, seen.get("access", []))


def _access(topology: Topology, seen: list[dict]) -> Iterator[str]:
    if not topology.access:
        if seen:
            yield "there is an HMAT where the firmware has none"
        return
    for node in topology.present:
        if not node.memory_mib:
            continue
        initiators = topology.nearest(node)
        promised = next(row for row in topology.access if row.initiator == initiators[0] and row.target == node.number)
        rows = [row for row in seen if row["target"] == node.number and row["class"] == "nearest_cpu"]
        if len(rows) != 1:
            yield f"node {node.number} has {len(rows)} HMAT rows for CPUs, not 1"
            continue
        (row,) = rows
        if row["initiators"] != initiators:
            yield f"nearest initiators of node {node.number} are {row['initiators']}, not {initiators}"
        found = (row["read_latency"], row["read_bandwidth"])
        if not all(map(math.isclose, found, (promised.latency_ns, promised.bandwidth_mbps / 1000))):
            yield f"HMAT of node {node.number} promises {found}, not {promised}"


def survey(topology: Topology, seen: dict) -> Iterator[str]:
    """Of `zerohop survey`: all of it is there, every pair of nodes was measured, and memory lay where it should."""
    if seen["completion"] != "complete":
        yield f"the survey is {seen['completion']}"
    experiments = {result["experiment"]: result for result in seen["experiments"]}
    if missing := EXPERIMENTS - set(experiments):
        yield f"no {', '.join(sorted(missing))}"
    for name in sorted(MATRICES & set(experiments)):
        yield from matrix(experiments[name], initiators(topology), targets(topology))
    yield from _warnings("the survey", seen)
    for name in sorted(set(experiments) - MATRICES):
        result = experiments[name]
        if name == "loaded-latency" and all(len(online_cpus(topology, node)) < 2 for node in topology.present):
            if [warning.get("reason") for warning in result["warnings"]] != [NO_LOAD]:
                yield f"{name} does not say that it needs two CPUs of a node: {result['warnings']}"
            continue
        yield from _result(result)


def matrix(result: dict, asking: set[int], answering: set[int]) -> Iterator[str]:
    """Of an experiment of nodes by nodes: there is a proven number for every pair, and no other.

    A pair may be missing if zerohop says that its workers, of which there are several, took turns.
    """
    name = result["experiment"]
    wanted = {(initiator, target) for initiator in asking for target in answering}
    found = {(cell["at"]["initiator"], cell["at"]["target"]) for cell in result["cells"]}
    took_turns = sum(map(_took_turns, result.get("warnings", [])))
    if found - wanted or not found or len(wanted - found) > took_turns:
        yield f"{name} lacks {sorted(wanted - found)} and has {sorted(found - wanted)} too many"
    for cell in result["cells"]:
        if cell["evidence"]["backing"]["placed_share"] is None:
            yield f"{name} at {_place(cell)}: placement was not looked at"
    yield from _result(result)


def _whole_nodes(topology: Topology) -> list[int]:
    """Nodes that have both memory and a CPU online."""
    return sorted(initiators(topology) & targets(topology))


def sharing(topology: Topology) -> list[str]:
    """Experiments on threads that use other nodes' memory: those that make sense there."""
    return ["hops", "crossfire", "ramp"] if len(_whole_nodes(topology)) > 1 else ["hops"]


def far_load(topology: Topology) -> list[int]:
    """Two nodes between which a load can be remote: one of them has a CPU beside the one that chases."""
    nodes = _whole_nodes(topology)
    first = [node for node in topology.present if node.number in nodes and len(online_cpus(topology, node)) > 1]
    others = [number for number in nodes if first and number != first[0].number]
    return [first[0].number, others[0]] if others else []


def shared(topology: Topology, result: dict) -> Iterator[str]:
    """Of hops, crossfire and ramp: the places they should have, and that memory lay where it should."""
    name, cells = result["experiment"], result["cells"]
    took_turns = sum(map(_took_turns, result.get("warnings", [])))
    match name:
        case "hops":
            wanted = {(kernel, target) for kernel in ("read", "write") for target in targets(topology)}
            found = {(cell["at"]["kernel"], cell["at"]["target"]) for cell in cells}
        case "crossfire":
            # A third node, for `no-crossfire`, has to be the neighbour of one and not the other.
            wanted = {"local", "crossfire"}
            found = {cell["at"]["scenario"] for cell in cells} - {"base", "no-crossfire", "same-node"}
        case _:
            wanted, found = {1}, {cell["at"]["cores_per_node"] for cell in cells}
    if found - wanted or len(wanted - found) > took_turns:
        yield f"{name} lacks {sorted(wanted - found)} and has {sorted(found - wanted)} too many"
    for cell in cells:
        yield from _cell(name, cell)


def loaded(result: dict, nodes: list[int]) -> Iterator[str]:
    """Of loaded latency: the chase goes through the memory of the other of two nodes."""
    if not result["cells"] and not any(map(_took_turns, result.get("warnings", []))):
        yield "there is no number"
    for cell in result["cells"]:
        at = cell["at"]
        if {at["initiator"], at["target"]} != set(nodes) or at.get("load") != "remote":
            yield f"a number stands at {_place(cell)}"
        yield from _cell("loaded-latency", cell)


def _result(result: dict) -> Iterator[str]:
    name = result["experiment"]
    yield from _warnings(name, result)
    for cell in result["cells"]:
        yield from _cell(name, cell)


def _cell(name: str, cell: dict) -> Iterator[str]:
    share = cell["evidence"]["backing"]["placed_share"]
    if share not in (None, 1.0):
        yield f"{name} at {_place(cell)}: only {share:.3f} of the pages lie right"
    # A standard deviation may be zero; nothing else may.
    if cell["at"].get("statistic") != "standard_deviation" and not cell["estimate"]["median"] > 0:
        yield f"{name} at {_place(cell)}: median is {cell['estimate']['median']}"
    yield from _warnings(f"{name} at {_place(cell)}", cell)


def _took_turns(warning: dict) -> bool:
    return warning["warning"] == "experiment_skipped" and warning["reason"].endswith(TURNS)


def _warnings(where: str, holder: dict) -> Iterator[str]:
    for warning in holder.get("warnings", []):
        if warning["warning"] in FATAL_WARNINGS and not _took_turns(warning):
            yield f"{where}: {warning}"


def _place(cell: dict) -> str:
    return ", ".join(f"{axis} {place}" for axis, place in cell["at"].items())
