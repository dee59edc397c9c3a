"""The command ``gpuedu profile``."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpuedu.errors import GpueduError

if TYPE_CHECKING:
    from gpuedu.profiling.records import Watched


def profile(
    script: Annotated[
        Path, typer.Argument(help="A training script; its own arguments go after `--`.")
    ],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- ARGUMENTS]", help="The script's own arguments."),
    ] = None,
    steps: Annotated[int, typer.Option(help="Steps to watch; then the script is ended.")] = 20,
    warmup: Annotated[int, typer.Option(help="Steps to skip first.")] = 3,
    whole: Annotated[bool, typer.Option("--whole", help="Let the script run to its end.")] = False,
    compile_check: Annotated[
        bool,
        typer.Option("--compile-check", help="Say where torch.compile would break the graph."),
    ] = False,
    html: Annotated[
        Path | None, typer.Option(help="File to write the report to, as a page.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(help="File to write a trace for ui.perfetto.dev to.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run a PyTorch training script for some steps, and say by line what costs time and memory."""
    from gpuedu.profiling.running import ScriptError, watch_script

    html, trace = _writable(html), _writable(trace)  # the script may change the folder
    # What the script prints is none of the JSON.
    aside = contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext()
    fault = None
    with aside:
        try:
            watched = watch_script(
                script,
                arguments or (),
                steps=steps,
                warmup=warmup,
                whole=whole,
                compile_check=compile_check,
            )
        except ScriptError as error:
            if error.watched is None:
                raise
            fault, watched = error, error.watched
    if watched.is_unwatched:
        return
    _tell(watched, html, trace, as_json)
    if fault is not None:
        raise fault


def _writable(path: Path | None) -> Path | None:
    """The whole path; GpueduError, before anything runs, where its folder is not there."""
    if path is not None and not path.resolve().parent.is_dir():
        raise GpueduError(
            f"there is no folder {path.resolve().parent} for {path.name}",
            remedy="a file name in a folder that exists",
        )
    return path if path is None else path.resolve()


def _tell(watched: Watched, html: Path | None, trace: Path | None, as_json: bool) -> None:
    from gpuedu.profiling.as_json import as_dict
    from gpuedu.profiling.findings import find
    from gpuedu.profiling.page import to_html
    from gpuedu.profiling.text import as_text
    from gpuedu.profiling.trace import write_file, write_trace

    findings = find(watched)
    sys.stdout.flush()
    if as_json:
        print(json.dumps(as_dict(watched, findings), indent=2, ensure_ascii=False))
    elif watched.steps:
        print(f"\n{as_text(watched, findings)}")
    if html is not None:
        write_file(html, to_html(watched, findings))
    if trace is not None:
        write_trace(watched, trace)
