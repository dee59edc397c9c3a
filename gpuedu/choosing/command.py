"""The command ``gpuedu choose``."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Annotated

import typer

from gpuedu.choosing.grids import AVERAGE_PUE, GRIDS_G_PER_KWH
from gpuedu.choosing.models import KNOWN, Model, ShapeError, count_parameters, known_model

_Whole = int | None


def choose(
    model: Annotated[
        str, typer.Option("--model", help=f"A published model: {', '.join(KNOWN)}.")
    ] = "",
    parameters: Annotated[
        float | None,
        typer.Option(help="Parameters of your own model; by default, computed from its shapes."),
    ] = None,
    layers: Annotated[int | None, typer.Option(help="Its layers.")] = None,
    width: Annotated[int | None, typer.Option(help="Numbers per token.")] = None,
    heads: Annotated[int | None, typer.Option(help="Heads; width / 64 by default.")] = None,
    vocabulary: Annotated[int, typer.Option(help="Different tokens.")] = 50_257,
    batch: Annotated[int, typer.Option(help="Texts per device.")] = 8,
    length: Annotated[int, typer.Option(help="Tokens per text.")] = 1024,
    tokens: Annotated[float, typer.Option(help="Total tokens to train on, such as 10e9.")] = 1e9,
    precision: Annotated[str, typer.Option(help="fp32, tf32, mixed or bf16.")] = "mixed",
    optimizer: Annotated[str, typer.Option(help="sgd, momentum or adam.")] = "adam",
    devices: Annotated[
        int, typer.Option(help="How many share the run; 0 takes the fewest that can hold it.")
    ] = 0,
    deadline: Annotated[float | None, typer.Option(help="Hours the run may take.")] = None,
    plain: Annotated[
        bool, typer.Option("--plain-attention", help="Attention that stores all pairs.")
    ] = False,
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Save only each layer's input.")
    ] = False,
    prices: Annotated[
        Path | None, typer.Option(help="Your prices, in TOML; an example's by default.")
    ] = None,
    pue: Annotated[
        float, typer.Option(help="Total power, relative to the devices' alone.")
    ] = AVERAGE_PUE,
    grid: Annotated[
        float, typer.Option(help="Grams of CO2 per kWh; the world average by default.")
    ] = GRIDS_G_PER_KWH["world"],
    why: Annotated[
        str, typer.Option("--why", help="Explain this device's row (`all`: every row that works).")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say which devices hold a model, how long training takes there, and what it costs."""
    from gpuedu.choosing.prices import example_prices, read_prices
    from gpuedu.choosing.report import as_dicts, as_table, explain
    from gpuedu.choosing.table import Run, rows
    from gpuedu.hardware.catalog import device
    from gpuedu.hardware.catalog import devices as all_devices

    if why and why != "all":
        device(why)
    run = Run(
        _model(model, parameters, layers, width, heads, vocabulary),
        batch,
        length,
        tokens,
        precision,
        optimizer,
        is_fused=not plain,
        is_recomputed=recompute,
        devices=devices,
        deadline_h=math.inf if deadline is None else deadline,
        pue=pue,
        g_per_kwh=grid,
    )
    known = example_prices() if prices is None else read_prices(prices)
    found = rows(run, all_devices(), known)
    if as_json:
        print(json.dumps(as_dicts(found), indent=2))
        return
    if why:
        told = [row for row in found if why in (row.device.key, "all")]
        print("\n\n".join(explain(run, row) for row in told if why != "all" or row.is_good))
        return
    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else 120).print(as_table(run, found, known))
    if prices is None:
        print("The rents are an example. To use yours, pass `--prices mine.toml`, a TOML file with")
        print("a table [rent_per_hour] that has lines such as `h100-sxm = 3.0`.")


def _model(
    name: str,
    parameters: float | None,
    layers: _Whole,
    width: _Whole,
    heads: _Whole,
    vocabulary: int,
) -> Model:
    """A published model, or the user's own."""
    if name:
        if layers or width or heads or parameters:
            raise ShapeError(
                "a published model and shapes of your own",
                remedy="--model, or --layers and --width",
            )
        return known_model(name)
    if not layers or not width:
        raise ShapeError("no model was named", remedy="--model gpt2, or --layers 24 --width 1024")
    own = heads or max(1, width // 64)
    if parameters is not None and parameters < 1e4:
        raise ShapeError(
            f"{parameters:g} parameters", remedy="parameters, not billions: 7 billion are 7e9"
        )
    counted = count_parameters(layers, width, vocabulary) if parameters is None else int(parameters)
    return Model(counted, layers, width, own, own, vocabulary)
