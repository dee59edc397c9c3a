"""``cuda.jit``: a Python function becomes a kernel or a device function."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from gpuedu.simt.host import signatures
from gpuedu.simt.host.errors import CudaNotImplementedError, CudaTypeError, CudaValueError
from gpuedu.simt.host.kernels import Kernel
from gpuedu.simt.host.settings import settings

_CARVEOUTS = ("default", "maxl1", "maxshared")
_FREE = ("fastmath", "max_registers", "extensions", "boundscheck", "argtypes", "restype", "bind")


class CudaConfigurationWarning(UserWarning):
    """Options of ``cuda.jit`` that do not go together."""


def jit(
    func_or_sig: Any = None,
    device: bool = False,
    inline: str | bool = "never",
    forceinline: bool = False,
    link: Any = (),
    debug: bool | None = None,
    opt: bool | None = None,
    lineinfo: bool = False,
    cache: bool = False,
    launch_bounds: int | tuple[int, ...] | None = None,
    lto: bool | None = None,
    shared_memory_carveout: str | int | None = None,
    **kws: Any,
) -> Any:
    """Make a kernel, or with ``device=True`` a device function, of a Python function.

    It is used bare, with keywords, or with a signature or a list of them first. Keywords that
    guide the compiler (``fastmath``, ``opt``, ``max_registers``, ...) are taken and kept, and
    change no result here: the machine computes as if without ``fastmath``.

    Raises:
        CudaTypeError: An unknown keyword, or a kernel whose signature returns something.
        CudaNotImplementedError: Something that needs real hardware or a linker.
    """
    _refuse(link, shared_memory_carveout, kws)
    _require_bounds(launch_bounds)
    debug = settings.debug if debug is None else bool(debug)
    opt = settings.optimize if opt is None else opt
    _tell_clashes(debug, opt, lineinfo)
    options = dict(
        kws,
        device=device,
        inline=inline,
        forceinline=forceinline,
        debug=debug,
        opt=opt,
        lineinfo=lineinfo,
        cache=cache,
        launch_bounds=launch_bounds,
        lto=lto,
        shared_memory_carveout=shared_memory_carveout,
    )
    options.setdefault("fastmath", False)
    options["extensions"] = list(kws.get("extensions") or ())
    if func_or_sig is None:
        return lambda py_func: Kernel(_function(py_func), dict(options))
    if signatures.is_signature(func_or_sig) or isinstance(func_or_sig, list):
        return _with_signatures(func_or_sig, options)
    return Kernel(_function(func_or_sig), options)


def _with_signatures(given: Any, options: dict[str, Any]) -> Callable[[Any], Kernel]:
    several = isinstance(given, list)

    def decorate(py_func: Any) -> Kernel:
        kernel = Kernel(_function(py_func), dict(options))
        for signature in given if several else [given]:
            kernel.compile(signature)
        kernel.specialized = not several
        if not options["device"]:
            kernel.check_signatures()
        return kernel

    return decorate


def _function(thing: Any) -> Any:
    if isinstance(thing, Kernel):
        return thing.py_func
    if not callable(thing):
        raise CudaTypeError(
            f"@cuda.jit takes a function, not a {type(thing).__name__}",
            remedy="@cuda.jit, @cuda.jit(device=True) or @cuda.jit('void(float32[:])')",
        )
    return getattr(thing, "py_func", thing)


def _refuse(link: Any, carveout: Any, kws: dict[str, Any]) -> None:
    if link:
        raise CudaNotImplementedError(
            "link: the SIMT machine runs Python source and links nothing",
            remedy="write the function in Python",
        )
    if kws.get("boundscheck"):
        raise CudaNotImplementedError(
            "bounds checking is not supported for CUDA", remedy="the machine always checks"
        )
    for name in ("argtypes", "restype", "bind"):
        if kws.get(name) is not None:
            raise CudaTypeError(
                f"Deprecated keyword argument `{name}`. Signatures should be passed as the first "
                "positional argument."
            )
    for name in kws:
        if name not in _FREE:
            raise CudaTypeError(f"jit() got an unexpected keyword argument {name!r}")
    if carveout is not None:
        _require_carveout(carveout)


def _require_bounds(bounds: Any) -> None:
    if isinstance(bounds, tuple) and len(bounds) > 3:
        raise CudaValueError(
            f"Got {len(bounds)} launch bounds: {bounds}. A scalar or tuple of between 1 and 3 "
            "items is expected"
        )


def _require_carveout(carveout: Any) -> None:
    if isinstance(carveout, str):
        if carveout.lower() not in _CARVEOUTS:
            raise CudaValueError(
                f"Invalid carveout value: {carveout}. Must be -1 to 100 or one of "
                f"{list(_CARVEOUTS)}"
            )
    elif isinstance(carveout, int):
        if not -1 <= carveout <= 100:
            raise CudaValueError("Carveout must be between -1 and 100")
    else:
        raise CudaTypeError(
            f"shared_memory_carveout must be str or int, got {type(carveout).__name__}"
        )


def _tell_clashes(debug: bool, opt: bool, lineinfo: bool) -> None:
    if debug and opt:
        warnings.warn(
            "debug=True with opt=True is not supported by CUDA. This may result in a crash - set "
            "debug=False or opt=False.",
            CudaConfigurationWarning,
            stacklevel=3,
        )
    if debug and lineinfo:
        warnings.warn(
            "debug and lineinfo are mutually exclusive: debug gives full debug info, lineinfo "
            "lines only with code generation unaffected.",
            CudaConfigurationWarning,
            stacklevel=3,
        )
