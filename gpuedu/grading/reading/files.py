"""The notebook's bytes from a folder, an archive or a single file; nothing is ever unpacked.

Only regular files are opened, names are never followed out of the submission, and sizes are added
up before the first byte is read.
"""

from __future__ import annotations

import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from gpuedu.grading.reading.limits import ReadingLimits, SubmissionError
from gpuedu.units import format_size

_COPY = re.compile(r"( \(\d+\)| ?- ?(copy|kopie)\d*( \(\d+\))?|_\d+)$", re.IGNORECASE)
_ENTRY_BYTES = 2_048
"""Of an archive's list of files, for each file, at most: it has the name, and extra fields."""
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Python unpacks these a piece at a time, and others at once: a thousand bytes of bzip2 can be a
gigabyte."""
_HIDDEN = ("__MACOSX", "__pycache__")
_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True)
class Found:
    """The bytes of a submission's notebook.

    Attributes:
        data: of the notebook.
        name: where it was, inside the submission.
        remarks: what was skipped, and why.
    """

    data: bytes
    name: str
    remarks: tuple[str, ...] = ()


@dataclass
class _Entry:
    """A file of a submission: where, how large, when changed, and how to read it."""

    name: str
    size_bytes: int
    changed: tuple[float, ...]
    read: Callable[[], bytes]


@dataclass
class _Listing:
    """Regular files, and why others were passed over."""

    entries: list[_Entry] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def find_notebook(path: Path, lesson: str, limits: ReadingLimits | None = None) -> Found:
    """Find a lesson's notebook in what was handed in.

    Args:
        path: a folder, a zip archive, or a notebook under any name.
        lesson: the folder of the lesson, such as ``01_why_gpus``.
        limits: beyond which it is refused.

    Raises:
        SubmissionError: there is none, or the submission exceeds the limits.
    """
    limits = limits or ReadingLimits()
    try:
        mode = path.lstat().st_mode
    except OSError as fault:
        raise SubmissionError(f"{path.name} cannot be read: {fault.strerror}") from fault
    if stat.S_ISDIR(mode):
        try:
            listing = _list_folder(path, limits)
        except PermissionError as fault:
            told = f"a folder in {path.name} cannot be read: {fault.strerror}"
            raise SubmissionError(told) from fault
    elif not stat.S_ISREG(mode):
        raise SubmissionError(f"{path.name} is {_kind(mode)}: regular files only")
    elif zipfile.is_zipfile(path):
        listing = _list_archive(path, limits)
    else:
        return Found(_read_file(path, limits.notebook_bytes), path.name)
    _require_size(listing.entries, limits)
    chosen = _choose(listing, lesson, with_archives=stat.S_ISDIR(mode))
    if chosen.name.lower().endswith(".zip"):
        inner = _list_archive(path / chosen.name, limits)
        _require_size(inner.entries, limits)
        remarks, listing = listing.remarks, inner
        listing.remarks[:0] = remarks
        chosen = _choose(listing, lesson, with_archives=False)
    if chosen.size_bytes > limits.notebook_bytes:
        raise _too_large(chosen.name, chosen.size_bytes, limits.notebook_bytes)
    return Found(chosen.read(), chosen.name, tuple(listing.remarks))


# A folder


def _list_folder(root: Path, limits: ReadingLimits) -> _Listing:
    listing, seen = _Listing(), 0
    for name, entry in _walk(root, limits.depth):
        seen += 1
        if seen > limits.files:
            raise SubmissionError(f"there are more than {limits.files} files in it")
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            continue
        if not stat.S_ISREG(status.st_mode):
            listing.remarks.append(f"skipped {name}: {_kind(status.st_mode)}")
            continue

        def read(file: Path = root / name) -> bytes:
            return _read_file(file, limits.notebook_bytes)

        listing.entries.append(_Entry(name, status.st_size, (status.st_mtime,), read))
    return listing


def _walk(root: Path, depth: int) -> Iterator[tuple[str, os.DirEntry]]:
    """What lies in a folder, by name below it; links are listed and never followed."""
    folders = [""]
    while folders:
        folder = folders.pop()
        if folder.count("/") >= depth:
            raise SubmissionError(f"folders are nested more than {depth} deep")
        with os.scandir(root / folder) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                name = f"{folder}{entry.name}"
                yield name, entry
                if entry.is_dir(follow_symlinks=False):
                    folders.append(name + "/")


def _read_file(path: Path, most_bytes: int) -> bytes:
    """A regular file's bytes; nothing else is opened, and what is behind a link is not read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as fault:
        raise SubmissionError(f"{path.name} cannot be opened: {fault.strerror}") from fault
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise SubmissionError(f"{path.name} is {_kind(status.st_mode)}: regular files only")
        _require_one_name(path.name, status)
        if status.st_size > most_bytes:
            raise _too_large(path.name, status.st_size, most_bytes)
        return file.read(most_bytes)


def _require_one_name(name: str, status: os.stat_result) -> None:
    if status.st_nlink > 1:
        raise SubmissionError(
            f"{name} is a hard link: it has another name on this disk",
            remedy="if a backup or a copy of the class made it, copy the file itself",
        )


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISLNK, "a symbolic link"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISDIR, "a folder"),
    )
    return next((told for is_kind, told in kinds if is_kind(mode)), "a device")


# An archive


def _list_archive(path: Path, limits: ReadingLimits) -> _Listing:
    status = path.lstat()
    _require_one_name(path.name, status)
    if status.st_size > limits.archive_bytes:
        raise _too_large(path.name, status.st_size, limits.archive_bytes)
    try:
        if _directory_bytes(path) > limits.files * _ENTRY_BYTES:
            raise SubmissionError(f"there are more than {limits.files} files in {path.name}")
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as fault:
        raise SubmissionError(f"{path.name} is a broken archive: {fault}") from fault
    listing = _Listing()
    if len(archive.infolist()) > limits.files:
        raise SubmissionError(f"there are more than {limits.files} files in {path.name}")
    for info in archive.infolist():
        if info.filename.endswith("/"):  # `is_dir` fails where there is no name
            continue
        why = _why_not(info)
        if why:
            listing.remarks.append(f"skipped {info.filename[:80]!r}: {why}")
            continue

        def read(info: zipfile.ZipInfo = info) -> bytes:
            return _read_member(archive, info, limits.notebook_bytes)

        listing.entries.append(_Entry(info.filename, info.file_size, info.date_time, read))
    return listing


def _directory_bytes(path: Path) -> int:
    """Size of an archive's list of files, which is read whole when the archive is opened."""
    with path.open("rb") as file:
        record = zipfile._EndRecData(file)  # the very record that ZipFile goes by
    return record[zipfile._ECD_SIZE] if record else 0


def _why_not(info: zipfile.ZipInfo) -> str:
    """Why a member of an archive is not read, or ""."""
    parts = PurePosixPath(info.filename.replace("\\", "/"))
    mode = info.external_attr >> 16
    if parts.is_absolute() or _DRIVE.match(info.filename) or ".." in parts.parts:
        return "its name leads out of the archive"
    if stat.S_IFMT(mode) and not stat.S_ISREG(mode):
        return _kind(mode)
    return "it is encrypted" if info.flag_bits & 1 else ""


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most_bytes: int) -> bytes:
    """A member's bytes, counted while they are unpacked: what its header says may be untrue."""
    if info.compress_type not in _PACKED:
        raise SubmissionError(
            f"{info.filename} is compressed in a way that cannot be read here",
            remedy="make an ordinary zip archive, or hand in the notebook itself",
        )
    try:
        with archive.open(info) as file:
            data = file.read(most_bytes + 1)
    except Exception as fault:  # decompressors raise errors of their own
        raise SubmissionError(f"{info.filename} cannot be unpacked: {fault}") from fault
    if len(data) > most_bytes:
        raise _too_large(info.filename, len(data), most_bytes)
    return data


# Which file it is


def _require_size(entries: Sequence[_Entry], limits: ReadingLimits) -> None:
    total = sum(entry.size_bytes for entry in entries)
    if total > limits.total_bytes:
        raise _too_large("all files together", total, limits.total_bytes)


def _choose(listing: _Listing, lesson: str, *, with_archives: bool) -> _Entry:
    """The lesson's notebook: by its name, by nearly its name, or the only one; else an archive.

    An archive in an archive is not looked into.
    """
    shown = [entry for entry in listing.entries if not _is_hidden(entry.name)]
    notebooks = [entry for entry in shown if entry.name.lower().endswith(".ipynb")]
    exact = [one for one in notebooks if PurePosixPath(one.name).name == f"{lesson}.ipynb"]
    top = [one for one in exact if one.name == f"{lesson}.ipynb"]
    if top and len(exact) > 1:
        below = ", ".join(sorted(one.name for one in exact if one is not top[0])[:4])
        listing.remarks.append(f"took {top[0].name}, which nbgrader shows; not {below}")
    near = [one for one in notebooks if _is_near(one.name, lesson)]
    archives = [one for one in shown if with_archives and one.name.lower().endswith(".zip")]
    alone = notebooks if len(notebooks) == 1 else []
    for kind in (top, exact, near, alone, archives):
        if not kind:
            continue
        # The newest, as whoever hands in again expects; of equal ones that which lies highest.
        best = max(kind, key=lambda one: (one.changed, -one.name.count("/"), one.name))
        if len(kind) > 1:
            others = ", ".join(sorted(one.name for one in kind if one is not best)[:4])
            listing.remarks.append(f"took {best.name}, the newest; not {others}")
        return best
    names = ", ".join(sorted(one.name for one in shown)[:6]) or "nothing that can be read"
    raise SubmissionError(
        f"there is no {lesson}.ipynb in it, but {names}", remedy="hand in the lesson's notebook"
    )


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") or part in _HIDDEN for part in PurePosixPath(name).parts)


def _is_near(name: str, lesson: str) -> bool:
    """Whether a browser or a learning platform made this name of the lesson's."""
    stem = _COPY.sub("", PurePosixPath(name).stem).lower()
    return stem == lesson.lower() or stem.endswith("_" + lesson.lower())


def _too_large(name: str, size_bytes: int, most_bytes: int) -> SubmissionError:
    return SubmissionError(
        f"{name}: {format_size(size_bytes)}, at most {format_size(most_bytes)} are read",
        remedy="hand in the notebook without outputs and without other files",
    )
