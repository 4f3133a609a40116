"""What a topology file says: nodes, distances, and what the firmware promises of reaching them.

The same object makes QEMU's options, the firmware tables, and what a test expects to read back, so that a machine is
written down once.
"""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "topologies"


class TopologyError(Exception):
    """A topology file that cannot be had or does not make sense."""


@dataclass(frozen=True)
class Node:
    """A NUMA node as the firmware numbers it."""

    number: int
    cpus: int
    memory_mib: int
    package: int
    absent: bool
    side_cache_mib: int
    generic_initiator: bool


@dataclass(frozen=True)
class Access:
    """What the HMAT promises from one initiator to one target."""

    initiator: int
    target: int
    latency_ns: int
    bandwidth_mbps: int


@dataclass(frozen=True)
class Topology:
    """A whole machine."""

    path: Path
    summary: str
    nodes: list[Node]
    distances: list[list[int]]
    access: list[Access]
    offline_cpus: list[int] = field(default_factory=list)
    architecture: str = "x86_64"
    threads: int = 1
    kernel_parameters: str = ""

    @classmethod
    def load(cls, wanted: str) -> "Topology":
        """Reads a file, or the one of that name among the presets."""
        path = Path(wanted)
        if path.suffix != ".toml":
            path = FOLDER / f"{wanted}.toml"
        try:
            table = tomllib.loads(path.read_text())
        except FileNotFoundError:
            raise TopologyError(f"no topology `{wanted}` (there are {', '.join(presets())})") from None
        except tomllib.TOMLDecodeError as error:
            raise TopologyError(f"{path}: {error}") from None
        try:
            topology = cls._of_table(path, table)
        except KeyError as error:
            raise TopologyError(f"{path}: key {error} is missing") from None
        topology._check()
        return topology

    @classmethod
    def _of_table(cls, path: Path, table: dict) -> "Topology":
        nodes = [
            Node(
                number=number,
                cpus=row.get("cpus", 0),
                memory_mib=row.get("memory_mib", 0),
                package=row.get("package", 0),
                absent=row.get("absent", False),
                side_cache_mib=row.get("side_cache_mib", 0),
                generic_initiator=row.get("generic_initiator", False),
            )
            for number, row in enumerate(table["node"])
        ]
        access = [Access(**row) for row in table.get("access", [])]
        return cls(
            path=path,
            summary=table["summary"],
            nodes=nodes,
            distances=table["distances"],
            access=access,
            offline_cpus=table.get("offline_cpus", []),
            architecture=table.get("architecture", "x86_64"),
            threads=table.get("threads", 1),
            kernel_parameters=table.get("kernel_parameters", ""),
        )

    def _check(self) -> None:
        count = len(self.nodes)
        counts = {node.cpus for node in self.nodes if node.cpus}
        if len(counts) != 1:
            raise TopologyError(f"{self.path}: nodes with CPUs must have equally many, at least one")
        if [len(row) for row in self.distances] != [count] * count:
            raise TopologyError(f"{self.path}: {count} nodes need {count} rows of {count} distances")
        for node in self.nodes:
            empty = node.cpus == 0 and node.memory_mib == 0
            if (node.absent or node.generic_initiator) != empty:
                raise TopologyError(
                    f"{self.path}: node {node.number}: only an absent node and a generic initiator have neither CPUs "
                    "nor memory"
                )
        if any(node.cpus % self.threads for node in self.nodes):
            raise TopologyError(f"{self.path}: the CPUs of a node must be whole cores of {self.threads} threads")
        if self.architecture != "x86_64" and self.needs_own_tables:
            raise TopologyError(f"{self.path}: tables of our own are for x86-64 only")

    @property
    def name(self) -> str:
        """What it is called in lists."""
        return self.path.stem

    @property
    def needs_own_tables(self) -> bool:
        """Whether QEMU cannot describe it: it wants memory in every node and no holes in their numbers."""
        return any(node.memory_mib == 0 for node in self.nodes)

    @property
    def present(self) -> list[Node]:
        """Nodes that the guest's kernel brings online."""
        return [node for node in self.nodes if not node.absent]

    @property
    def memory_mib(self) -> int:
        """Memory of all nodes."""
        return sum(node.memory_mib for node in self.nodes)

    def cpus(self) -> dict[int, list[int]]:
        """CPU numbers of every node: QEMU and Linux count them node after node."""
        first, numbers = 0, {}
        for node in self.nodes:
            numbers[node.number] = list(range(first, first + node.cpus))
            first += node.cpus
        return numbers

    def nearest(self, target: Node) -> list[int]:
        """CPUs' nodes that the HMAT calls best for a target: least latency, then most bandwidth."""
        with_cpus = {node.number for node in self.nodes if node.cpus}
        rows = [row for row in self.access if row.target == target.number and row.initiator in with_cpus]
        if target.cpus:
            return [target.number]
        best = min((row.latency_ns, -row.bandwidth_mbps) for row in rows)
        return [row.initiator for row in rows if (row.latency_ns, -row.bandwidth_mbps) == best]


def presets() -> list[str]:
    """Names of the files in the folder of topologies."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))
