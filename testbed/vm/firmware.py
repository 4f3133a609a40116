"""Firmware tables of machines that QEMU cannot describe: nodes without memory, holes in their numbers.

Linux takes ACPI tables from an uncompressed archive before the initial root file system
(<https://docs.kernel.org/admin-guide/acpi/initrd_table_override.html>). The forms of SRAT and SLIT are those of the
ACPI specification 6.5, sections 5.2.16 and 5.2.17.
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
    return _table(b"SRAT", 3, struct.pack("<IQ", 1, 0) + b"".join(entries))


def _slit(topology: Topology) -> bytes:
    count = struct.pack("<Q", len(topology.nodes))
    return _table(b"SLIT", 1, count + b"".join(bytes(row) for row in topology.distances))


def _table(signature: bytes, revision: int, body: bytes) -> bytes:
    head = struct.pack("<4sIBB6s8sI4sI", signature, 36 + len(body), revision, 0, b"ZEROHO", b"TESTBED ", 1, b"ZERO", 1)
    table = bytearray(head + body)
    table[9] = -sum(table) % 256
    return bytes(table)
