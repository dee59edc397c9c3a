"""What a builder of images does again, and what it has in its cache.

A step has a key: the step before it, its own text, and what goes into it. ``COPY`` and ``ADD`` add
the content of the files that they take, ``RUN`` the values of all ``ARG`` variables and the content
of what it mounts by ``type=bind``. A step whose key is known is cached; since a key has the one
before it in it, all steps after a miss are missed, too, except ``COPY --link``, which doesn't
depend on what it's put on. Times of files don't count, secrets don't, and neither does what
a command would find on the network. Stages that the last one doesn't need are not built.

Simplified: what a rebuilt stage gives is taken to be new, though a builder compares its content;
``ENV`` and other steps that make no layer are part of the chain, as in Docker's documentation
(BuildKit doesn't let ``ENV`` spoil a later ``COPY``); and the cache never runs full.

Source: Docker's documentation, "Build cache invalidation"; "Dockerfile reference", sections "Impact
on build caching" (of ARG), "COPY --link" and "RUN --mount=type=cache"; read in November 2026.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gpuedu.exercises.clusters.context import File, Files, selected
from gpuedu.exercises.clusters.dockerfile import Dockerfile, Instruction

MAKES_LAYER = frozenset(("RUN", "COPY", "ADD", "WORKDIR"))


@dataclass(frozen=True)
class Work:
    """What a step does when it isn't cached.

    ``downloads`` has the MB of each thing that is fetched, by name; what a cache mount holds under
    the id ``mount`` isn't fetched again. ``layer_mb`` is the size of the layer that is made.
    """

    layer_mb: float = 0.0
    downloads: Mapping[str, float] = field(default_factory=dict)
    mount: str = ""


@dataclass(frozen=True)
class Step:
    """An instruction, as it was built: whether it was cached, and the MB that it took."""

    instruction: Instruction
    stage: int
    key: str
    is_cached: bool
    download_mb: float
    layer_mb: float
    in_image: bool


@dataclass(frozen=True)
class Build:
    """All steps of a build, and the MB of new layers that a push then sends."""

    steps: tuple[Step, ...]
    push_mb: float

    @property
    def download_mb(self) -> float:
        """Of all steps."""
        return sum(step.download_mb for step in self.steps)

    @property
    def layers_mb(self) -> float:
        """The size of the image: of the layers that it has."""
        return sum(step.layer_mb for step in self.steps if step.in_image)


Working = Callable[[Instruction, Files, Files, float], Work]
"""``work(instruction, given, files, made_mb)``: what a step does.

``given`` are the files that it takes or mounts, ``files`` all of the context, and ``made_mb``
the size of what the stage holds that a ``COPY --from`` takes from.
"""


class Builder:
    """One machine that builds images one after another, and pushes each of them.

    Args:
        work: What a step does; also of ``FROM``, with the name of an image.
    """

    def __init__(self, work: Working) -> None:
        self._work = work
        self._layers: dict[str, float] = {}
        self._mounted: dict[str, set[str]] = {}
        self._pushed: set[str] = set()

    def build(self, dockerfile: Dockerfile, files: Files) -> Build:
        """Build the last stage with the files of a context."""
        ends: dict[int, tuple[str, float]] = {}
        steps: list[Step] = []
        in_image = set(dockerfile.lineage())
        for at in dockerfile.needed():
            stage = dockerfile.stages[at]
            parent = dockerfile.stage_called(stage.image, at)
            place = at, at in in_image
            if parent is None:
                start = Instruction("FROM", stage.image, stage.line)
                steps.append(self._step(start, _key(stage.image), place, {}, files, 0.0))
                end, made_mb = steps[-1].key, 0.0
            else:
                end, made_mb = ends[parent]
            for one in stage.instructions:
                given, extra, taken_mb = self._taken(dockerfile, at, one, files, ends)
                is_linked = one.flags and dict(one.flags).get("link", "false") != "false"
                own = (one.name, one.value, one.flags, one.heredocs, extra)
                key = _key("" if is_linked else end, own)
                steps.append(self._step(one, key, place, given, files, taken_mb))
                end = _key(end, key) if is_linked else key
                made_mb += steps[-1].layer_mb
            ends[at] = end, made_mb
        layers = {step.key: step.layer_mb for step in steps if step.in_image}
        push_mb = sum(mb for key, mb in layers.items() if key not in self._pushed)
        self._pushed |= set(layers)
        return Build(tuple(steps), push_mb)

    def _taken(
        self,
        dockerfile: Dockerfile,
        at: int,
        one: Instruction,
        files: Files,
        ends: Mapping[int, tuple[str, float]],
    ) -> tuple[dict[str, File], list[object], float]:
        """Files that go into a step, what that adds to its key, and the MB of a stage's part."""
        given: dict[str, File] = {}
        extra: list[object] = []
        taken_mb = 0.0
        pairs = [(mount.get("from", ""), [mount.get("source", ".")]) for mount in one.mounts
                 if mount["type"] == "bind"]  # fmt: skip
        if one.name in ("COPY", "ADD"):
            pairs.append((one.flag("from"), one.words[:-1]))
        for origin, sources in pairs:
            stage = dockerfile.stage_called(origin, at) if origin else None
            if stage is not None:
                extra.append(ends[stage][0])
                taken_mb += ends[stage][1]
            elif origin:
                extra.append(origin)
            else:
                for source in sources:
                    given |= selected(files, source)
        extra += sorted((path, file.content) for path, file in given.items())
        if one.name == "RUN":
            extra += sorted(one.arguments.items())
        if one.name == "ENV":
            extra += sorted(one.environment.items())
        return given, extra, taken_mb

    def _step(
        self,
        one: Instruction,
        key: str,
        place: tuple[int, bool],
        given: Files,
        files: Files,
        taken_mb: float,
    ) -> Step:
        stage, in_image = place
        if key in self._layers:
            return Step(one, stage, key, True, 0.0, self._layers[key], in_image)
        work = self._work(one, given, files, taken_mb)
        held = self._mounted.setdefault(work.mount, set()) if work.mount else set()
        download_mb = sum(mb for name, mb in work.downloads.items() if name not in held)
        held |= set(work.downloads)
        self._layers[key] = work.layer_mb if one.name in {*MAKES_LAYER, "FROM"} else 0.0
        return Step(one, stage, key, False, download_mb, self._layers[key], in_image)


def _key(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def build_all(work: Working, dockerfile: Dockerfile, folders: Sequence[Files]) -> list[Build]:
    """Builds of the same Dockerfile one after another, with what is in the folder each time."""
    builder = Builder(work)
    return [builder.build(dockerfile, files) for files in folders]
