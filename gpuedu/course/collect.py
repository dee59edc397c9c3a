"""Collect submissions by the names that a learning platform gives them.

Such a name ends with what a learner called their file, which says nothing about whose it is, or
when it came. Only what the platform wrote in front of that does.
"""

from __future__ import annotations

import errno
import re
import shutil
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from nbgrader.plugins import ExtractorPlugin, FileNameCollectorPlugin
from nbgrader.utils import unzip
from traitlets import default

from gpuedu.course.lesson_names import lesson_named
from gpuedu.course.timestamps import A_TIME, in_utc

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)-(\d\d)-(\d\d)-(\d\d)")
_NAME_IS_AT_FAULT = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR)


def platforms_part(pattern: str, name: str) -> dict[str, Any] | None:
    """What a platform wrote in front of a learner's file name; none if it wrote none of this.

    Args:
        pattern: is matched from the beginning of the name on.
        name: below the folder of extracted archives. It may begin with the folder of an archive, or
            another one of the teacher's, but never with a folder of a learner's.
    """
    found = re.match(pattern, name) or re.match(pattern, name.partition("/")[2])
    return found.groupdict() if found else None


@dataclass(frozen=True)
class _HandedIn:
    """A file with a learner's work on the lesson.

    Attributes:
        path: of the file.
        said: what the platform said about it.
        at: when it was handed in, if the platform said so.
        own_name: what the learner called it, with folders of theirs.
    """

    path: Path
    said: Mapping[str, Any]
    at: datetime | None
    own_name: PurePosixPath

    def rank(self, lesson: str) -> tuple:
        """Of a learner's files, the one with the largest rank counts."""
        is_notebook = self.path.suffix == ".ipynb"
        depth = len(self.own_name.parts)
        return self.at or datetime.min, is_notebook, self.own_name.stem == lesson, -depth


class SubmittedNames(FileNameCollectorPlugin):
    """nbgrader's collector, for one file of each learner, whatever learners call their files.

    Of several files the newest is taken, by the platform's time; then a notebook before an archive;
    then one with the lesson's own name; then the one in the fewest folders. If there is still more
    than one, none is.

    Times such as ``2026-11-20-18-30-00`` are read in full. nbgrader would read this one as 18:00,
    which changes late penalties.
    """

    @default("valid_ext")
    def _readable(self) -> list[str]:
        return [".ipynb", ".zip"]

    def collect(self, submitted_file: str) -> dict | None:
        """Whose file this is and when it came, if it is the one that counts."""
        one = self._kept.get(Path(submitted_file))
        if one is None:
            return None
        return {
            "student_id": one.said["student_id"],
            "file_id": f"{self._lesson}{one.path.suffix}",
            "timestamp": one.at,
        }

    @property
    def _lesson(self) -> str:
        return self.parent.coursedir.assignment_id

    @cached_property
    def _kept(self) -> dict[Path, _HandedIn]:
        """The file that counts of each learner."""
        by_learner = defaultdict(list)
        for one in self._handed_in():
            by_learner[one.said["student_id"]].append(one)
        best = [self._best(learner, files) for learner, files in by_learner.items()]
        return {one.path: one for one in best if one}

    def _handed_in(self) -> Iterator[_HandedIn]:
        folder = Path(self.parent._format_collect_path(self.parent.extracted_directory))
        for path in sorted(folder.rglob("*")):
            if path.suffix not in self.valid_ext or not path.is_file():
                continue
            name = path.relative_to(folder).as_posix()
            said = platforms_part(self.named_regexp, name)
            if not said or not (said.get("student_id") and said.get("file_id")):
                self.log.warning("skipped %r: the platform's name does not say whose it is", name)
                continue
            own_name = PurePosixPath(said["file_id"])
            if (lesson_named(own_name.name) or own_name.stem) != self._lesson:
                told = "skipped %r: a learner called it %r, which is no name of %s.ipynb"
                self.log.warning(told, name, own_name.name, self._lesson)
                continue
            yield _HandedIn(path, said, self._time(name, said.get("timestamp")), own_name)

    def _time(self, name: str, text: str | None) -> datetime | None:
        found = in_utc(_MOMENT.sub(r"\1 \2:\3:\4", text)) if text else None
        if text and not found:
            self.log.warning("%r was taken without its time: %r is no %s", name, text, A_TIME)
        return found

    def _best(self, learner: str, files: Sequence[_HandedIn]) -> _HandedIn | None:
        """The file that counts of a learner's; none, and why, if that is for the teacher to say."""
        names = ", ".join(repr(one.path.name) for one in files[:4])
        if len({one.said.get("title") for one in files}) > 1:
            self.log.warning(
                "skipped %s: the platform's names have different texts before %r, who may be"
                " several people. Try: FileNameCollectorPlugin.named_regexp with the assignment's"
                " title in front",
                *(names, learner),
            )
            return None
        top = max(one.rank(self._lesson) for one in files)
        best = [one for one in files if one.rank(self._lesson) == top]
        if len(best) > 1:
            told = "skipped %s: %d submissions of %r, and neither is newer. Try: keep one of them"
            self.log.warning(told, names, len(best), learner)
            return None
        if len(files) > 1:
            self.log.warning("took %r of %r, who has %s", best[0].path.name, learner, names)
        return best[0]


class PlatformArchives(ExtractorPlugin):
    """nbgrader's extractor, which opens what the platform packed and nothing that a learner did.

    What is inside a learner's archive may have any name, and the archive may be broken.
    ``gpuedu grade`` reads such archives itself.
    """

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Open the archives that lie directly in ``archive_path``, and copy all other files."""
        given, extracted = Path(archive_path), Path(extracted_path)
        pattern = self.parent.collector_plugin_inst.named_regexp
        files = [path for path in sorted(given.rglob("*")) if path.is_file()]
        if not files:
            self.log.warning("No files found in directory: %s", given)
        # Where learners' files lie beside it, an archive may be one of them under any name.
        is_unpacked = any(
            platforms_part(pattern, path.name) for path in files if path.parent == given
        )
        for path in files:
            is_archive = path.parent == given and path.suffix in self.zip_ext
            if is_archive and not is_unpacked:
                self._open(path, extracted)
                continue
            if is_archive:
                self.log.warning("did not open %s, which lies among learners' files", path)
            copy = extracted / path.relative_to(given)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)

    def _open(self, path: Path, extracted: Path) -> None:
        self.log.info("Extracting from: %s", path)
        try:
            if path.suffix == ".zip":
                self._unzip(path, extracted / path.stem)
            else:
                unzip(str(path), str(extracted), zip_ext=self.zip_ext, create_own_folder=True)
        except Exception as fault:  # decompressors raise errors of their own
            self.parent.fail(
                f"{path} cannot be opened: {fault}. Try: download it again from the platform"
            )

    def _unzip(self, path: Path, folder: Path) -> None:
        """Unpack an archive without the files whose names this disk cannot have."""
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                try:
                    archive.extract(member, folder)
                except OSError as fault:
                    if fault.errno not in _NAME_IS_AT_FAULT:
                        raise
                    name = member.filename
                    self.log.warning("skipped %.200r in %s: %s", name, path, fault.strerror)
