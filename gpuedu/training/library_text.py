"""Real text that every machine has: the sources of the learner's own Python standard library."""

from __future__ import annotations

import platform
import sysconfig
from importlib import import_module
from pathlib import Path

import torch
from torch import Tensor

from gpuedu.training.data import DataSet, Split
from gpuedu.training.errors import DataUnavailableError

MODULES = (
    "argparse", "ast", "bdb", "calendar", "cmd", "codecs", "configparser", "contextlib", "copy",
    "csv", "dataclasses", "datetime", "difflib", "dis", "doctest", "enum", "filecmp", "fileinput",
    "fractions", "ftplib", "functools", "gettext", "getopt", "heapq", "imaplib", "inspect",
    "ipaddress", "linecache", "locale", "mailbox", "netrc", "optparse", "os", "pathlib", "pdb",
    "pickle", "platform", "plistlib", "poplib", "pprint", "profile", "pstats", "pydoc", "queue",
    "random", "sched", "selectors", "shelve", "shlex", "shutil", "smtplib", "socket",
    "socketserver", "statistics", "string", "subprocess", "tarfile", "tempfile", "textwrap",
    "threading", "timeit", "tokenize", "trace", "traceback", "types", "typing", "uuid", "warnings",
    "weakref", "zipfile",
)  # fmt: skip
"""Read in this order. A module that is a package, or that has no source here, is skipped."""

MOST_OF_ONE = 20_000
"""Characters taken from one module, from its start: many voices, none dominant."""

LEAST = 100_000
"""Characters below which the text is filled up from Python's own help texts."""

UNKNOWN = "\N{REPLACEMENT CHARACTER}"
VOCABULARY = "\n" + "".join(map(chr, range(32, 127))) + UNKNOWN
"""The 97 characters that the models know, whatever the text: all others become the last one."""

_NUMBER = {character: number for number, character in enumerate(VOCABULARY)}


def load_library(*, context: int = 64, most: int = 600_000) -> DataSet:
    """The text, cut into windows of ``context`` characters with the characters that come next.

    Inputs and targets are (N, context) int64; ``targets[i, t]`` is the character after
    ``inputs[i, t]``. The last tenth of each module is held out. Sources are read, never executed.
    Python's versions differ in their sources, so two machines need not have the same text.

    Args:
        context: characters in a window.
        most: characters of text at most.

    Raises:
        DataUnavailableError: if this Python has neither sources nor help texts.

    >>> text = load_library(context=32)
    >>> text.train.inputs.shape[1], len(text.classes)
    (32, 97)
    """
    texts = read_texts(most)
    cut = [len(text) * 9 // 10 for text in texts]
    train = "".join(text[:place] for text, place in zip(texts, cut, strict=True))
    held_out = "".join(text[place:] for text, place in zip(texts, cut, strict=True))
    return DataSet(
        name="library",
        train=_windows(encode(train), context),
        held_out=_windows(encode(held_out), context),
        classes=tuple(VOCABULARY),
        source=f"{len(texts)} texts of Python {platform.python_version()}'s standard library",
    )


def read_texts(most: int = 600_000, folder: Path | None = None) -> list[str]:
    """The sources of ``MODULES`` in ``folder``, at most ``most`` characters in total.

    Args:
        most: characters at most.
        folder: where the sources are; by default this Python's own library, so that a learner's
            file of the same name is never read.

    Raises:
        DataUnavailableError: as ``load_library`` does.
    """
    folder = Path(sysconfig.get_path("stdlib")) if folder is None else folder
    texts: list[str] = []
    for path in (folder / f"{name}.py" for name in MODULES):
        left = most - sum(map(len, texts))
        if left > 0 and path.is_file():
            texts.append(path.read_text("utf-8", "replace")[: min(left, MOST_OF_ONE)])
    if sum(map(len, texts)) < min(LEAST, most):
        texts.append(_help_texts()[: most - sum(map(len, texts))])
    return texts


def _help_texts() -> str:
    """What `help("topics")` shows: a Python without sources keeps it in a compiled module."""
    try:
        topics = import_module("pydoc_data.topics").topics
    except ImportError as fault:
        raise DataUnavailableError(
            "this Python has neither the sources of its standard library nor its help texts",
            remedy="a Python from python.org, conda or your system's packages",
        ) from fault
    return "\n".join(topics[name] for name in sorted(topics))


def encode(text: str) -> Tensor:
    """Characters as their numbers in the vocabulary: (len(text),) int64. A tab is four spaces.

    >>> encode("if é").tolist()
    [74, 71, 1, 96]
    """
    text = text.expandtabs(4)
    return torch.tensor([_NUMBER.get(character, len(VOCABULARY) - 1) for character in text])


def decode(numbers: Tensor) -> str:
    """The characters of (T,) numbers.

    >>> decode(encode("x = 1"))
    'x = 1'
    """
    return "".join(VOCABULARY[number] for number in numbers.tolist())


def _windows(numbers: Tensor, context: int) -> Split:
    """Windows beside each other; views, so the text lies in memory once."""
    return Split(numbers[:-1].unfold(0, context, context), numbers[1:].unfold(0, context, context))
