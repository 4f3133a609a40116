"""The guest's kernel: Debian's package, downloaded and unpacked, never installed."""

import lzma
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

# Debian's names of architectures.
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}

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


def fetch(cache: Path, architecture: str = "x86_64") -> Kernel:
    """The newest kernel that the package index knows, from the cache if it was fetched before."""
    apt = _apt(cache, architecture)
    package = _newest(apt, f"linux-image-{DEBIAN[architecture]}")
    folder = cache / package
    if not (folder / "kernel").exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            _unpack(apt, package, Path(scratch))
            shutil.rmtree(folder, ignore_errors=True)
            Path(scratch, "parts").rename(folder)
    return Kernel(folder)


def busybox(cache: Path, architecture: str) -> bytes:
    """A static busybox: this machine's, or one downloaded for another architecture."""
    if architecture == "x86_64":
        path = shutil.which("busybox")
        if not path:
            raise KernelError("no program `busybox` (package busybox-static)")
        return Path(path).read_bytes()
    kept = cache / f"busybox-{architecture}"
    if not kept.exists():
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            tree = _download(_apt(cache, architecture), "busybox-static", Path(scratch))
            found = next(path for path in (tree / "bin/busybox", tree / "usr/bin/busybox") if path.exists())
            shutil.move(found, kept)
    return kept.read_bytes()


def packaged(cache: Path, package: str, path: str) -> Path:
    """A file of a Debian package, from the cache if it was fetched before."""
    kept = cache / package / Path(path).name
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            tree = _download(_apt(cache, "x86_64"), package, Path(scratch))
            shutil.move((tree / path).resolve(), kept)
    return kept


def _apt(cache: Path, architecture: str) -> list[str]:
    """Options of apt: for another architecture, an index of its own, so that this machine's stays as it is."""
    if architecture == "x86_64":
        return []
    state = cache / f"apt-{architecture}"
    name = DEBIAN[architecture]
    options = [f"APT::Architecture={name}", f"APT::Architectures={name}"]
    options += [f"Dir::State::lists={state}/lists", f"Dir::Cache={state}/cache"]
    apt = [word for option in options for word in ("-o", option)]
    if not (state / "lists/partial").exists():
        (state / "lists/partial").mkdir(parents=True)
        (state / "cache/archives/partial").mkdir(parents=True)
        _run("apt-get", "-q", *apt, "update")
    return apt


def _run(*command: str, folder: Path | None = None) -> str:
    try:
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        raise KernelError(f"no program `{command[0]}`") from None
    except subprocess.CalledProcessError as error:
        raise KernelError(f"`{' '.join(command)}` failed: {error.stderr.strip()}") from None


def _newest(apt: list[str], package: str) -> str:
    found = re.search(r"Depends: (linux-image-\S+)", _run("apt-cache", *apt, "depends", package))
    if not found:
        raise KernelError(f"no package {package}: is `apt-get update` needed?")
    return found[1]


def _download(apt: list[str], package: str, scratch: Path) -> Path:
    """The tree of a package's files."""
    # apt's own user may not write here.
    _run("apt-get", "-q", *apt, "-o", "APT::Sandbox::User=root", "download", package, folder=scratch)
    (archive,) = scratch.glob("*.deb")
    _run("dpkg-deb", "--extract", archive.name, "tree", folder=scratch)
    return scratch / "tree"


def _unpack(apt: list[str], package: str, scratch: Path) -> None:
    tree = _download(apt, package, scratch)
    parts = scratch / "parts"
    parts.mkdir()
    for path in tree.glob("**/*.ko"):
        if path.stem in MODULES:
            shutil.move(path, parts)
    (image,) = tree.glob("boot/vmlinuz-*")
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
