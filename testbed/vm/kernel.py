"""The guest's kernel: Debian's package, downloaded and unpacked, never installed."""

import lzma
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

PACKAGE = "linux-image-amd64"

# In the order in which they have to be loaded. A kernel that lacks one has it built in.
MODULES = ("virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "virtio_console")


class KernelError(Exception):
    """No kernel could be had."""


class Kernel:
    """An unpacked kernel in the cache."""

    def __init__(self, folder: Path) -> None:
        self.image = folder / "kernel"
        self.modules = [folder / f"{name}.ko" for name in MODULES if (folder / f"{name}.ko").exists()]


def default_cache() -> Path:
    """Where kernels are kept unless told otherwise."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "zerohop-testbed"


def fetch(cache: Path) -> Kernel:
    """The newest kernel that the package index knows, from the cache if it was fetched before."""
    package = _newest()
    folder = cache / package
    if not (folder / "kernel").exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            _unpack(package, Path(scratch))
            shutil.rmtree(folder, ignore_errors=True)
            Path(scratch, "parts").rename(folder)
    return Kernel(folder)


def _run(*command: str, folder: Path | None = None) -> str:
    try:
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        raise KernelError(f"no program `{command[0]}`") from None
    except subprocess.CalledProcessError as error:
        raise KernelError(f"`{' '.join(command)}` failed: {error.stderr.strip()}") from None


def _newest() -> str:
    found = re.search(r"Depends: (linux-image-\S+)", _run("apt-cache", "depends", PACKAGE))
    if not found:
        raise KernelError(f"no package {PACKAGE}: is `apt-get update` needed?")
    return found[1]


def _unpack(package: str, scratch: Path) -> None:
    # apt's own user may not write here.
    _run("apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", package, folder=scratch)
    (archive,) = scratch.glob("*.deb")
    _run("dpkg-deb", "--extract", archive.name, "tree", folder=scratch)
    parts = scratch / "parts"
    parts.mkdir()
    for path in scratch.glob("tree/**/*.ko"):
        if path.stem in MODULES:
            shutil.move(path, parts)
    (image,) = scratch.glob("tree/boot/vmlinuz-*")
    (parts / "kernel").write_bytes(_executable(image.read_bytes()))


def _executable(image: bytes) -> bytes:
    """The ELF inside a compressed image, which starts at once: emulated, unpacking itself takes a kernel seconds.

    An image that is packed in another way is left as it is.
    """
    start = image.find(b"\xfd7zXZ\0")
    if start < 0:
        return image
    try:
        inner = lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(image[start:])
    except lzma.LZMAError:
        return image
    return inner if inner.startswith(b"\x7fELF") else image
