"""What is compared, and how one program is asked for it."""

from collections.abc import Callable
from dataclasses import dataclass, field

GIGABYTE = 1e9
MIB = 1 << 20


@dataclass(frozen=True)
class Measure:
    """A number that several tools give, always in the same unit and counted in the same way.

    Bandwidth is decimal GB/s of the bytes that the program loads and stores, as STREAM counts: a copy counts twice, a
    write allocate not at all.
    """

    name: str
    unit: str
    words: str
    pairs_a_round: int = 1


LATENCY = Measure("latency", "ns", "idle latency of memory", pairs_a_round=2)
READ = Measure("read", "GB/s", "load every byte")
WRITE = Measure("write", "GB/s", "store every byte")
WRITE_NT = Measure("write_nt", "GB/s", "store every byte past the caches")
COPY = Measure("copy", "GB/s", "c = a")
COPY_NT = Measure("copy_nt", "GB/s", "c = a past the caches")
TRIAD = Measure("triad", "GB/s", "a = b + s c")
TRIAD_NT = Measure("triad_nt", "GB/s", "a = b + s c past the caches")
UPDATE = Measure("mix_1_1", "GB/s", "a = s a: every line loaded and stored")
STREAM_NT = Measure("stream_nt", "GB/s", "copy, scale, add and triad in turn, past the caches")

MEASURES = [LATENCY, READ, WRITE, WRITE_NT, COPY, COPY_NT, TRIAD, TRIAD_NT, UPDATE, STREAM_NT]


@dataclass(frozen=True)
class Task:
    """How large and how long."""

    size: int
    seconds: float
    cpus: tuple[int, ...]

    @property
    def threads(self) -> int:
        """One on each CPU."""
        return len(self.cpus)

    @property
    def cpu_list(self) -> str:
        """The CPUs as `taskset` and zerohop take them."""
        return ",".join(map(str, self.cpus))


@dataclass(frozen=True, eq=False)
class Variant:
    """One way in which one tool gives one measure."""

    tool: str
    name: str
    measure: Measure
    command: list[str]
    # Takes what it wrote to standard output and error, and gives the number; None where it is not there.
    read: Callable[[str], float | None]
    environment: dict[str, str] = field(default_factory=dict)
    # Whether its buffers are on huge pages, as zerohop's are: on 4 KiB pages a tool loses a quarter and more.
    huge_pages: bool = True
