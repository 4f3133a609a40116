"""Firmware tables of machines that QEMU cannot describe: nodes without memory, holes in their numbers, generic initiators.

Linux takes ACPI tables from an uncompressed archive before the initial root file system
(<https://docs.kernel.org/admin-guide/acpi/initrd_table_override.html>). The forms of SRAT and SLIT are those of the
ACPI specification 6.5, sections 5.2.16 and 5.2.17; that of HMAT is revision 2, section 5.2.27.
"""

import struct

from . import archive
from .topology import Topology

MIB = 1 << 20
ENABLED = 1

# No processor has it: it gives an absent node its place in the order in which Linux numbers nodes.
NOBODYS_APIC_ID = 0xFE


def overrides(topology: Topology) -> bytes:
    """What goes before the initial root file system: nothing where QEMU makes the tables itself."""
    if not topology.needs_own_tables:
        return b""
    tables = archive.Archive()
    tables.add("kernel/firmware/acpi/srat.aml", archive.FILE, _srat(topology))
    tables.add("kernel/firmware/acpi/slit.aml", archive.FILE, _slit(topology))
    if topology.access:
        tables.add("kernel/firmware/acpi/hmat.aml", archive.FILE, _hmat(topology))
    return tables.bytes()


def _srat(topology: Topology) -> bytes:
    entries = []
    for node in topology.nodes:
        # QEMU counts APIC ids as it counts CPUs, if cores and dies are powers of two.
        apic_ids = topology.cpus()[node.number] or ([NOBODYS_APIC_ID] if node.absent else [])
        for apic_id in apic_ids:
            domain = struct.pack("<I", node.number)
            entries.append(struct.pack("<BBcBIB3sI", 0, 16, domain[:1], apic_id, ENABLED, 0, domain[1:], 0))
    base = 0
    for node in topology.nodes:
        length = node.memory_mib * MIB
        if length:
            entries.append(struct.pack("<BBIHQQIIQ", 1, 40, node.number, 0, base, length, 0, ENABLED, 0))
        base += length
    for node in topology.nodes:
        if node.generic_initiator:
            # A PCI function that is not there: Linux only asks for the node.
            handle = struct.pack("<HH12x", 0, 0x00F8)
            entries.append(struct.pack("<BBBBI16sI4x", 5, 32, 0, 1, node.number, handle, ENABLED))
    return _table(b"SRAT", 3, struct.pack("<IQ", 1, 0) + b"".join(entries))


def _slit(topology: Topology) -> bytes:
    count = struct.pack("<Q", len(topology.nodes))
    return _table(b"SLIT", 1, count + b"".join(bytes(row) for row in topology.distances))


def _hmat(topology: Topology) -> bytes:
    parts = [b"\0" * 4]
    for node in topology.nodes:
        if node.memory_mib:
            attached = 1 if node.cpus else 0
            parts.append(struct.pack("<HHIHHIIIQQ", 0, 0, 40, attached, 0, node.number, node.number, 0, 0, 0))
    initiators = sorted({row.initiator for row in topology.access})
    targets = sorted({row.target for row in topology.access})
    values = {(row.initiator, row.target): row for row in topology.access}
    # Latencies in units of 1,000 ps, bandwidths in units of 100 MB/s; zero means unknown.
    for kind, unit, value in (
        (0, 1000, lambda row: row.latency_ns),
        (3, 100, lambda row: row.bandwidth_mbps // 100),
    ):
        pairs = [values.get((initiator, target)) for initiator in initiators for target in targets]
        numbers = [value(row) if row else 0 for row in pairs]
        domains = struct.pack(f"<{len(initiators)}I{len(targets)}I", *initiators, *targets)
        matrix = struct.pack(f"<{len(numbers)}H", *numbers)
        length = 32 + len(domains) + len(matrix)
        head = struct.pack("<HHIBBBBIIIQ", 1, 0, length, 0, kind, 0, 0, len(initiators), len(targets), 0, unit)
        parts.append(head + domains + matrix)
    return _table(b"HMAT", 2, b"".join(parts))


def _table(signature: bytes, revision: int, body: bytes) -> bytes:
    head = struct.pack("<4sIBB6s8sI4sI", signature, 36 + len(body), revision, 0, b"ZEROHO", b"TESTBED ", 1, b"ZERO", 1)
    table = bytearray(head + body)
    table[9] = -sum(table) % 256
    return bytes(table)
