"""The page that sums a comparison up."""

import statistics
from collections import defaultdict
from dataclasses import dataclass

from .execution import QUIET
from .measure import LATENCY, MEASURES
from .record import Row, pairs


@dataclass(frozen=True)
class Comparison:
    """One variant of one tool against zerohop, in one measure, on so many threads."""

    measure: str
    unit: str
    threads: int
    tool: str
    variant: str
    huge_pages: bool
    ours: list[float]
    theirs: list[float]
    cpu_share: float
    disturbed: int

    @property
    def ratios(self) -> list[float]:
        """zerohop over the peer, pair by pair."""
        return [ours / theirs for ours, theirs in zip(self.ours, self.theirs, strict=True)]

    @property
    def ratio(self) -> float:
        """Their median."""
        return statistics.median(self.ratios)


def comparisons(rows: list[Row]) -> list[Comparison]:
    """Every variant, in the order of the measures."""
    groups = defaultdict(list)
    for ours, theirs in pairs(rows):
        groups[theirs.measure, theirs.threads, theirs.tool, theirs.variant].append((ours, theirs))
    found = []
    for (measure, threads, tool, variant), members in groups.items():
        both = [row for pair in members for row in pair]
        found.append(
            Comparison(
                measure=measure,
                unit=both[0].unit,
                threads=threads,
                tool=tool,
                variant=variant,
                huge_pages=members[0][1].huge_pages,
                ours=[ours.value for ours, _ in members],
                theirs=[theirs.value for _, theirs in members],
                cpu_share=min(row.cpu_share for row in both),
                disturbed=sum(any(row.other_load > QUIET for row in pair) for pair in members),
            )
        )
    order = [measure.name for measure in MEASURES]
    return sorted(
        found, key=lambda one: (one.threads, order.index(one.measure), not one.huge_pages, one.tool, one.ratio)
    )


def best_of_each_tool(found: list[Comparison]) -> list[Comparison]:
    """The variant of each tool that comes out best against zerohop: the lowest ratio of a bandwidth, the highest of a latency."""
    best: dict[tuple, Comparison] = {}
    for one in found:
        key = (one.threads, one.measure, one.tool, one.huge_pages)
        if key not in best or (one.unit == "ns" and one.ratio > best[key].ratio):
            best[key] = one
    return list(best.values())


def page(head: dict, rows: list[Row]) -> str:
    """All of it as Markdown."""
    machine = head["machine"]
    found = comparisons(rows)
    lines = [
        f"# zerohop and its peers on {machine['cpu']}",
        "",
        f"{head['date']}. {machine['cpus']} CPUs{' of a virtual machine' if machine['virtual'] else ''}, "
        f"{machine['nodes']} node(s), {machine['memory_gib']} GiB, {', '.join(machine['caches'])}; "
        f"Linux {machine['kernel']}, THP {machine['thp']}.",
        f"Tools: {', '.join(f'{tool} {version}' for tool, version in head['tools'].items())}.",
        f"Buffers of {head['size_mib']} MiB in all. zerohop and the peer took turns; a ratio is that of one such pair, "
        "and the tables have the median and the range. `disturbed` counts pairs in which other programs or the "
        f"hypervisor took more than {QUIET} CPUs even when the pair was taken again. Of each tool the kernel is shown "
        "that comes out best against zerohop. Every run is in `runs.jsonl`.",
    ]
    for threads in sorted({one.threads for one in found}):
        of_threads = [one for one in best_of_each_tool(found) if one.threads == threads]
        lines += ["", f"## {threads} thread{'s' if threads > 1 else ''}"]
        for huge, words in ((True, "On huge pages, as zerohop"), (False, "On 4 KiB pages, as the tool comes")):
            chosen = [one for one in of_threads if one.huge_pages == huge]
            if chosen:
                lines += ["", f"{words}:", "", *_table(chosen)]
    spread = [one for one in found if one.measure == LATENCY.name]
    if spread:
        lines += ["", "## Spread of latency", ""]
        lines += [
            f"{one.tool}, {len(one.ours)} pairs: zerohop {_spread(one.ours)}, {one.tool} {_spread(one.theirs)}."
            for one in spread
        ]
    return "\n".join(lines) + "\n"


def _table(chosen: list[Comparison]) -> list[str]:
    lines = [
        "| measure | peer | zerohop | peer | unit | zerohop / peer | lowest to highest | pairs | disturbed |",
        "|---|---|--:|--:|---|--:|--:|--:|--:|",
    ]
    for one in chosen:
        low, high = min(one.ratios), max(one.ratios)
        lines.append(
            f"| {one.measure} | {one.tool} {one.variant} | {statistics.median(one.ours):.1f} | "
            f"{statistics.median(one.theirs):.1f} | {one.unit} | **{one.ratio:.3f}** | {low:.3f} to {high:.3f} | "
            f"{len(one.ours)} | {one.disturbed} |"
        )
    return lines


def _spread(values: list[float]) -> str:
    middle = statistics.median(values)
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return (
        f"{min(values):.1f} to {max(values):.1f} ns "
        f"(range {(max(values) - min(values)) / middle:.1%}, standard deviation {deviation / middle:.1%})"
    )
