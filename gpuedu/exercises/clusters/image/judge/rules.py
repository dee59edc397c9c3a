"""image: rules for the Dockerfile of any program in Python.

Each gives complaints, of which each is true by itself: what can't be known without building the
image is not complained about.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from gpuedu.exercises.clusters.commands import Command
from gpuedu.exercises.clusters.dockerfile import Dockerfile, Instruction, pairs
from gpuedu.exercises.clusters.image.judge.contents import command_of
from gpuedu.exercises.clusters.installs import (
    APT_LISTS,
    apt,
    commands_of,
    fetched_wheels,
    keeps_apt_lists,
    keeps_pip_cache,
    pip_arguments,
    removes_apt_lists,
    script,
    stops_at_failures,
)
from gpuedu.exercises.documents import Complaint

_NAMED_RELEASES = ("debian", "ubuntu", "buildpack-deps")
_SHELLS = r"(/(usr/)?bin/)?(ba|da|z|a)?sh"
_SECRET_NAME = re.compile(
    r"(?i)(^|_)(token|password|passwd|secrets?|credentials?|api_?key|private_?key|access_?key"
    r"|auth)$"
)
_LOGIN = re.compile(r"https?://[^\s/@'\"$]+@")
_OFFICIAL = re.compile(r"(docker\.io/)?(library/)?(python|debian|ubuntu|nvidia/cuda)(:|$)")
_MAKE_USERS = ("useradd", "adduser", "usermod")
_PIP_CACHE = "/root/.cache/pip"
_SYSTEM_USERS = {"daemon", "bin", "sys", "games", "man", "lp", "mail", "news", "www-data"}
_SYSTEM_USERS |= {"proxy", "backup", "list", "irc", "nobody", "_apt"}


def outside_images(dockerfile: Dockerfile) -> Iterator[tuple[str, int]]:
    """Images that are fetched, each with its line."""
    for at in dockerfile.needed():
        stage = dockerfile.stages[at]
        if dockerfile.stage_called(stage.image, at) is None:
            yield stage.image, stage.line
        for one in stage.instructions:
            for name in (one.flag("from"), *(mount.get("from", "") for mount in one.mounts)):
                if name and dockerfile.stage_called(name, at) is None:
                    yield name, one.line


def moving_images(dockerfile: Dockerfile) -> Iterator[Complaint]:
    """Images whose name means another image tomorrow."""
    for image, line in outside_images(dockerfile):
        name, _, digest = image.partition("@")
        repository, _, tag = name.rpartition("/")[2].partition(":")
        if digest and not re.fullmatch(r"sha256:[0-9a-f]{64}", digest) and "$" not in image:
            told = "should be `sha256:` and 64 hexadecimal digits"
            yield Complaint(f"Line {line}: the digest of `{image[:80]}` {told}.")
        if digest or not name or image == "scratch" or "$" in image:
            continue
        if not tag:
            yield Complaint(f"Line {line}: `{image}` has no tag, which means `latest`.")
        elif re.search(r"(^|-)latest(-|$)", tag):
            yield Complaint(f"Line {line}: the tag of `{image}` moves on to each new version.")
        elif not re.search(r"\d", tag) and repository not in _NAMED_RELEASES:
            yield Complaint(f"Line {line}: the tag of `{image}` names no version.")
        elif repository == "python" and not re.match(r"\d+\.\d+", tag):
            yield Complaint(
                f"Line {line}: `{image}` is 3.13 at one time and 3.14 at another; the wheels in"
                " requirements.txt are for some versions only.",
                "Which part of a version of Python do wheels depend on?",
            )


def in_image(dockerfile: Dockerfile) -> Iterator[Instruction]:
    """Instructions whose layers the image has."""
    for at in dockerfile.lineage():
        yield from dockerfile.stages[at].instructions


def copied_stage(dockerfile: Dockerfile, one: Instruction, at: int) -> int | None:
    """The stage that an instruction of the stage ``at`` copies from; None if there's none."""
    is_copying = one.name in ("COPY", "ADD") and one.flag("from")
    return dockerfile.stage_called(one.flag("from"), at) if is_copying else None


def is_within(path: str, folder: str) -> bool:
    """Whether a path is a folder, or in it.

    >>> is_within("/etc/pip.conf", "/"), is_within("/etc/pip.conf", "etc/"), is_within("/x", "/y")
    (True, True, False)
    """
    top = posixpath.normpath(posixpath.join("/", folder))
    return top in ("/", path) or path.startswith(f"{top}/")


def _copied_caches(dockerfile: Dockerfile) -> Iterator[Complaint]:
    """Caches that an earlier stage ends with, where a folder around them is copied."""
    for at in dockerfile.lineage():
        for one in dockerfile.stages[at].instructions:
            stage = copied_stage(dockerfile, one, at)
            for path in sorted(_caches(dockerfile, stage) if stage is not None else ()):
                if any(is_within(path, source) for source in one.words[:-1]):
                    yield Complaint(
                        f"Line {one.line} copies `{path}` from an earlier stage, into the image."
                    )


def _caches(dockerfile: Dockerfile, stage: int) -> set[str]:
    """The caches that are there at the end of a stage."""
    found = set[str]()
    steps = [one for at in dockerfile.lineage(stage) for one in dockerfile.stages[at].instructions]
    for one in steps:
        if keeps_apt_lists(one):
            found.add(APT_LISTS)
        elif removes_apt_lists(one):
            found.discard(APT_LISTS)
        for command in commands_of(one):
            if pip_arguments(command) and command.name != "uv" and keeps_pip_cache(one, command):
                found.add(_PIP_CACHE)
            elif command.name == "rm" and ".cache" in " ".join(command.words):
                found.discard(_PIP_CACHE)
    return found


def left_behind(dockerfile: Dockerfile) -> Iterator[Complaint]:
    """Caches in the layers of the image."""
    yield from _copied_caches(dockerfile)
    for one in in_image(dockerfile):
        if keeps_apt_lists(one):
            yield Complaint(
                f"Line {one.line}: the lists that `apt-get update` fetched stay in this layer. A"
                " later step can hide them, but the layer that has them stays part of the image.",
                "Which step can still take them out of this layer?",
            )
        for command in commands_of(one):
            arguments = pip_arguments(command)
            if (folder := fetched_wheels(command)) and _stays(folder, one):
                yield Complaint(
                    f"Line {one.line}: the wheels in `{folder}` stay in this layer.",
                    "Which of them does a program need that is installed?",
                )
            if arguments and command.name != "uv" and keeps_pip_cache(one, command):
                yield Complaint(
                    f"Line {one.line}: nothing here tells pip not to keep a copy of each wheel in"
                    " its cache, and that is in this layer, too.",
                    "How is pip told to keep none, or to keep it outside the image?",
                )


def _stays(folder: str, one: Instruction) -> bool:
    """Whether nothing removes a folder, and no mount is around it."""
    commands = [command for command in commands_of(one) if command.name == "rm"]
    removed = [word for command in commands for word in command.words]
    is_removed = any(folder.rstrip("/") in word or "whl" in word for word in removed)
    is_mounted = any(is_within(folder, mount.get("target") or "/none") for mount in one.mounts)
    return not is_removed and not is_mounted and "$" not in folder


def unsafe_user(dockerfile: Dockerfile) -> Iterator[Complaint]:
    """An image that runs as root, or as somebody who isn't there."""
    said = [one for one in in_image(dockerfile) if one.name == "USER"]
    if not said:
        base = dockerfile.stages[dockerfile.lineage()[0]].image
        known = "the program runs as root"
        up_to = f"whether the program runs as root is up to `{base or 'the image below'}`"
        yield Complaint(f"There's no USER, so {known if _OFFICIAL.match(base) else up_to}.")
        return
    user = said[-1].value.strip("'\"").partition(":")[0]
    if user in ("root", "") or (user.isdecimal() and int(user) == 0):
        yield Complaint(f"Line {said[-1].line}: the last USER is root.")
    elif _is_roots(dockerfile, user):
        yield Complaint(f"Line {said[-1].line}: `{user}` has the number 0, so it's root, too.")
    elif not user.isdecimal() and "$" not in user and not _is_made(dockerfile, user):
        yield Complaint(
            f"Line {said[-1].line}: this image has no user `{user}`, so no container starts.",
            "Which step makes that user?",
        )


def _is_roots(dockerfile: Dockerfile, user: str) -> bool:
    """Whether a step gives a user root's number."""
    named = re.escape(user)
    return any(
        re.search(rf"(^|[\s'\"]){named}:[^:\s]*:0+:", script(one))
        or any(
            command.name in _MAKE_USERS
            and user in command.words
            and re.search(r"\s(-[a-z]*u|--uid)[= ]?0+(\s|$)", " ".join(command.words))
            for command in commands_of(one)
        )
        for one in in_image(dockerfile)
        if one.name == "RUN"
    )


def _is_made(dockerfile: Dockerfile, user: str) -> bool:
    base = dockerfile.stages[dockerfile.lineage()[0]].image
    if not _OFFICIAL.match(base):
        return True
    for one in in_image(dockerfile):
        text = " ".join([one.value, *one.heredocs])
        if one.name == "RUN" and f"{user}:" in text and re.search(r">\s*/etc/passwd", text):
            return True
        for command in commands_of(one):
            is_named = any(word == user or "$" in word for word in command.words)
            if command.name in _MAKE_USERS and is_named:
                return True
        if one.name in ("COPY", "ADD") and "passwd" in one.value:
            return True
    return user in _SYSTEM_USERS or (user == "ubuntu" and "24.04" in base)


def told_secrets(dockerfile: Dockerfile) -> Iterator[Complaint]:
    """Secrets in variables and in commands."""
    asks = "Who can read the history of an image that they can pull?"
    for stage in dockerfile.stages:
        for one in stage.instructions:
            if one.name in ("ENV", "ARG"):
                yield from _secret_names(one, asks)
            text = " ".join([one.value, *one.heredocs])
            if one.name in ("RUN", "ENV", "ARG") and _LOGIN.search(text):
                yield Complaint(
                    f"Line {one.line} has an address with a name or a token in it, before the"
                    " `@`, where everybody who has the Dockerfile reads it.",
                    asks,
                )


def _secret_names(one: Instruction, asks: str) -> Iterator[Complaint]:
    for word in one.value.split() if one.name == "ARG" else [k for k, _ in pairs(one.value)]:
        name = word.partition("=")[0]
        if _SECRET_NAME.search(name):
            kept = "is in the image for good" if one.name == "ENV" else "is kept with the build"
            yield Complaint(
                f"Line {one.line}: what `{one.name} {name}` is set to {kept}. Docker's"
                " documentation says to use neither ARG nor ENV for secrets.",
                asks,
            )


def deaf_command(dockerfile: Dockerfile) -> Iterator[Complaint]:
    """A shell between the signal and the program."""
    said, words = command_of(dockerfile)
    if not said:
        yield Complaint(
            "There's no CMD and no ENTRYPOINT, so the image starts what the image below it starts.",
            "How does an image know what to start?",
        )
        return
    first = said[0]
    asks = "What is process 1 in this container, and what gets the SIGTERM?"
    if first.arguments_listed is None:
        is_shown = first.value.lstrip().startswith("[")
        if is_shown:
            yield Complaint(
                f"Line {first.line}: this looks like a list, but isn't valid JSON, so a shell"
                " gets it as a command.",
                "Which quotes does JSON know?",
            )
        elif not _hands_over(first.value):
            yield Complaint(
                f"Line {first.line}: `{first.name}` as plain text starts `/bin/sh -c`, and"
                " whether the program ever gets a signal is up to that shell.",
                asks,
            )
        return
    at = next((i for i, word in enumerate(words) if re.fullmatch(r"-[a-z]*c", word)), 0)
    starter = [words[0], *(word for word in words[:at] if not word.startswith("-"))][-1]
    is_python = re.fullmatch(r"(.*/)?python[\d.]*", starter)
    is_shell = any(re.fullmatch(_SHELLS, word) for word in (words[0], starter))
    if at and len(words) > at + 1 and (is_python or (is_shell and not _hands_over(words[at + 1]))):
        what, its = ("a text of Python's", "text") if is_python else ("a shell", "shell")
        yield Complaint(
            f"Line {first.line}: the list starts {what}, and whether the program ever gets a"
            f" signal is up to that {its}.",
            asks,
        )


def _hands_over(command: str) -> bool:
    """Whether a shell's last command takes the shell's place."""
    last = re.split(r"&&|;|\|\|", command)[-1].strip()
    return last.startswith("exec ")


def goes_on(dockerfile: Dockerfile) -> Iterator[Complaint]:
    """Steps that succeed though a command in them failed, and those that ask a question."""
    for at in dockerfile.needed():
        shell: list[str] = []
        user = "root"
        for one in dockerfile.stages[at].instructions:
            if one.name == "SHELL":
                shell = one.words
            if one.name == "USER":
                user = one.value.strip("'\"").partition(":")[0]
            yield from _of_step(one, shell, user)


def _decides(found: Sequence[Command], at: int) -> bool:
    """Whether what follows a command depends on it; ``fi`` succeeds if what it ends did."""
    while found[at].joint in (";", "\n") and at + 1 < len(found):
        following = found[at + 1]
        if following.name in ("done", "esac", "}"):
            return True
        if following.name != "fi" and following.keyword not in ("else", "elif"):
            return False
        ends = (i for i in range(at + 1, len(found)) if found[i].name == "fi")
        at = next(ends, len(found) - 1)
    return True


def _of_step(one: Instruction, shell: list[str], user: str) -> Iterator[Complaint]:
    found = commands_of(one)
    for i, command in enumerate(found[:-1]):
        done = apt(command) or pip_arguments(command)
        if done and not _decides(found, i) and not stops_at_failures(one, shell):
            yield Complaint(
                f"Line {one.line}: if `{' '.join(command.words[:2])}` fails, this step goes on,"
                " and the build with it.",
                "What joins two commands so that the second runs only if the first succeeded?",
            )
    for command in found:
        done = apt(command)
        if not done:
            continue
        if user not in ("root", "0", "") and "sudo" not in script(one) and "$" not in user:
            yield Complaint(f"Line {one.line}: `{user}` isn't allowed to use {command.name}.")
        options = " ".join(word for word in command.words[1:] if word.startswith("-"))
        is_yes = re.search(r"(^|\s)(-[a-zA-Z]*y|--yes|--assume-yes|-qq|-[a-zA-Z]*qq)", options)
        if done[0] == "install" and not is_yes and "Assume-Yes" not in script(one):
            yield Complaint(
                f"Line {one.line}: `{command.name} install` asks whether to go on, and nobody is"
                " there to answer.",
                "Which option answers it?",
            )
