"""How large a submission may be, and the error for one that cannot be read."""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.errors import GpueduError

MIB = 2**20


class SubmissionError(GpueduError):
    """A submission that cannot be read; it ends as failed, by the learner, with this reason."""


@dataclass(frozen=True)
class ReadingLimits:
    """Beyond these a submission is refused, before anything is written or unpacked.

    Attributes:
        files: in a folder or an archive, folders included.
        depth: of nested folders.
        total_bytes: of all files together, as they say, unpacked.
        archive_bytes: of an archive.
        notebook_bytes: of the notebook, outputs included.
        values: commas and brackets in the notebook, each of which takes memory once it is read.
        objects: opening braces in it: what is read of one takes a quarter of a kilobyte.
        cells: in the notebook.
        source_bytes: of one answer.
    """

    files: int = 2_000
    depth: int = 12
    total_bytes: int = 200 * MIB
    archive_bytes: int = 60 * MIB
    notebook_bytes: int = 30 * MIB
    values: int = 1_000_000
    objects: int = 200_000
    cells: int = 2_000
    source_bytes: int = 200_000
