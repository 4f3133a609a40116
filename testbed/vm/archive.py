"""The guest's root file system: a cpio archive in the `newc` form that Linux unpacks at its start.

Form: <https://docs.kernel.org/driver-api/early-userspace/buffer-format.html>
"""

import stat

LINK = stat.S_IFLNK | 0o777
FOLDER = stat.S_IFDIR | 0o755
PROGRAM = stat.S_IFREG | 0o755
FILE = stat.S_IFREG | 0o644


class Archive:
    """Entries in the order in which they were added."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._count = 0
        self._folders: set[str] = set()

    def add(self, path: str, mode: int, content: bytes = b"") -> None:
        """Adds a file, a folder or a link (its content is where it leads), and the folders above it."""
        above = path.rpartition("/")[0]
        if above and above not in self._folders:
            self.add(above, FOLDER)
        if mode == FOLDER:
            if path in self._folders:
                return
            self._folders.add(path)
        self._entry(path, mode, content)

    def bytes(self) -> bytes:
        """The whole archive."""
        self._entry("TRAILER!!!", 0, b"")
        return b"".join(self._parts)

    def _entry(self, path: str, mode: int, content: bytes) -> None:
        self._count += 1
        name = path.encode() + b"\0"
        owner = links = modified = device = 0
        fields = [self._count, mode, owner, owner, links, modified, len(content), *[device] * 4, len(name), 0]
        head = b"070701" + b"".join(b"%08X" % value for value in fields) + name
        self._parts += [_padded(head), _padded(content)]


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
