"""Source text made around a learner's expressions, and the way back: whose text each place is.

What the compiler or the machine says about the made text is reported in the learner's lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from gpuedu.compilers.nvrtc_errors import Complaint, CudaCError
from gpuedu.errors import KernelSourceError
from gpuedu.trace import CUDA_C, Finding, Place, Source, Trace

MADE = "_raw_"
"""What made names of arrays begin with."""


_CONSTANTS = {
    "M_PI": "3.1415926535897932384626433832795",
    "CUDART_INF_F": "__int_as_float(0x7f800000)",
    "CUDART_NAN_F": "__int_as_float(0x7fffffff)",
    "CUDART_INF": "((double)__int_as_float(0x7f800000))",
    "CUDART_NAN": "((double)__int_as_float(0x7fffffff))",
}
"""What CuPy's own headers define in front of each made kernel."""


def constants_in(*texts: str) -> tuple[str, ...]:
    """Options that define CuPy's constants where the learner's texts use them.

    >>> constants_in("y = 2 * M_PI * x")
    ('-DM_PI=3.1415926535897932384626433832795',)
    """
    whole = "\n".join(texts)
    if "math_constants" in whole:
        return ()
    used = [name for name in _CONSTANTS if re.search(rf"\b{name}\b", whole)]
    return tuple(
        f"-D{name}={_CONSTANTS[name]}"
        for name in used
        if not re.search(rf"#\s*define\s+{name}\b", whole)
    )


@dataclass(frozen=True)
class Part:
    """One of the learner's texts, by the name of its argument, such as "operation"."""

    name: str
    text: str

    def line(self, number: int) -> str:
        """One of its lines, counted from 1; empty beyond the last."""
        lines = self.text.split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""


@dataclass(frozen=True)
class _Stretch:
    """A learner's text within a made line: its columns, from 0, and which line of it this is."""

    part: Part
    number: int
    start: int
    stop: int


@dataclass
class MadeSource:
    """A text that is put together from generated pieces and the learner's.

    ``rewritten`` pieces replace a learner's text with the same number of lines: columns in them
    mean nothing.
    """

    code: str = ""
    _stretches: dict[int, list[_Stretch]] = field(default_factory=dict)

    def made(self, text: str) -> MadeSource:
        """Add text that the learner did not write."""
        self.code += text
        return self

    def learners(self, name: str, text: str, rewritten: str | None = None) -> MadeSource:
        """Add a learner's text, or what it was rewritten to."""
        part = Part(name, text)
        for at, line in enumerate((text if rewritten is None else rewritten).split("\n")):
            self.code += "\n" if at else ""
            start = len(self.code) - (self.code.rfind("\n") + 1)
            number = self.code.count("\n") + 1
            stretch = _Stretch(part, at + 1, start, start + len(line))
            self._stretches.setdefault(number, []).append(stretch)
            self.code += line
        return self

    def find(self, line: int | None, column: int | None = None) -> tuple[Part, int, int] | None:
        """The learner's part, line and column (0 for none) of a place in the made text."""
        there = self._stretches.get(line or 0, [])
        if column is not None:
            for one in there:
                if one.start < column <= one.stop + 1:
                    exact = self._text(line or 0, one) == one.part.line(one.number)
                    return one.part, one.number, column - one.start if exact else 0
        written = [one for one in there if one.part.line(one.number).strip()]
        return (written[-1].part, written[-1].number, 0) if written else None

    def _text(self, line: int, stretch: _Stretch) -> str:
        return self.code.split("\n")[line - 1][stretch.start : stretch.stop]

    @property
    def options(self) -> tuple[str, ...]:
        """Options of the compiler that the learner's texts need."""
        parts = {one.part for there in self._stretches.values() for one in there}
        return constants_in(*sorted(part.text for part in parts))

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Errors of the compiler and the front end inside are reported in the learner's lines."""
        try:
            yield
        except CudaCError as fault:
            complaints = tuple(dict.fromkeys(self._complaint(one) for one in fault.complaints))
            raise CudaCError(complaints, details=fault.details) from None
        except KernelSourceError as fault:
            found = self.find(fault.line)
            if found is None:
                raise
            part, number, _ = found
            raise KernelSourceError(
                _bare(fault),
                function=part.name,
                line=number,
                text=part.line(number),
                remedy=fault.remedy,
            ) from None

    def _complaint(self, one: Complaint) -> Complaint:
        found = None if one.is_header else self.find(one.line, one.column)
        if one.remedy.startswith("_"):  # a made name that looks like what was written
            one = replace(one, remedy="")
        if found is None:
            return one
        part, number, column = found
        return replace(
            one,
            file=part.name,
            line=number,
            column=column or None,
            text=part.line(number),
            remedy=self._renumbered(one.remedy),
            notes=tuple(map(self._renumbered, one.notes)),
        )

    def _renumbered(self, text: str) -> str:
        """A text whose "line 7" of the made source is the learner's."""

        def written(match: re.Match[str]) -> str:
            found = self.find(int(match[1]))
            return f"line {found[1]}" if found else match[0]

        return re.sub(r"\bline (\d+)\b", written, text)

    def told(self, trace: Trace) -> Trace:
        """A trace whose texts are the learner's: the sources' lines, and accesses as written."""
        sources = tuple(
            replace(source, text=self._shown(source)) if source.file == CUDA_C else source
            for source in trace.launch.sources
        )
        sites = tuple(replace(s, text=s.text.replace(MADE, "")) for s in trace.sites)
        return replace(trace, launch=replace(trace.launch, sources=sources), sites=sites)

    def _shown(self, source: Source) -> str:
        lines = source.text.split("\n")
        for at, line in enumerate(lines):
            there = self._stretches.get(source.first_line + at, [])
            mine = [one.part.line(one.number) for one in there]
            lines[at] = "; ".join(text for text in mine if text.strip()) or line
        return "\n".join(lines)

    def in_parts(self, trace: Trace) -> Trace:
        """A trace whose findings name the learner's parts and lines, for messages."""
        parts = {one.part for there in self._stretches.values() for one in there}
        added = tuple(Source(part.name, CUDA_C, 1, part.text) for part in parts)
        launch = replace(trace.launch, sources=(*trace.launch.sources, *added))
        return replace(trace, launch=launch, findings=tuple(map(self._finding, trace.findings)))

    def _finding(self, finding: Finding) -> Finding:
        return replace(
            finding, place=self._place(finding.place), other_place=self._place(finding.other_place)
        )

    def _place(self, place: Place | None) -> Place | None:
        found = self.find(place.line) if place else None
        return Place(found[0].name, found[1]) if found else place


def _bare(fault: KernelSourceError) -> str:
    """The message without its place and line of text."""
    shown = f"\n    {fault.text.strip()}\n" if fault.text.strip() else ""
    return fault.message.removeprefix(f"line {fault.line} of `{fault.function}`: ").removesuffix(
        shown
    )
