"""What is changed for a launch, and put back after it."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def own_folder() -> Iterator[Path]:
    """A folder for the duration of a launch; its name says for which process."""
    folder = Path(tempfile.mkdtemp(prefix=f"gpuedu-launch-{os.getpid()}-"))
    try:
        yield folder
    finally:
        gc.collect()  # a failure's traceback holds the store, and with it a port
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def own_files(folder: Path) -> Iterator[None]:
    """PyTorch's temporary files go into the launch's folder: it leaves some if a rank failed."""
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before


@contextlib.contextmanager
def quiet_launcher() -> Iterator[None]:
    """The launcher's log says what the errors here say."""
    import_module("torch.distributed.launcher.api")  # its loggers are there from now on
    loggers = [
        logging.getLogger(name) for name in ("torch.distributed", "torch.multiprocessing", "torch")
    ]
    loggers += [
        logging.getLogger(name)
        for name in list(logging.root.manager.loggerDict)
        if name.startswith(("torch.distributed", "torch.multiprocessing"))
    ]
    before = [(logger, logger.disabled) for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, was in before:
            logger.disabled = was


@contextlib.contextmanager
def own_settings() -> Iterator[None]:
    """Put back the variables, and in the main thread the signal handlers, that it sets."""
    handlers = _handlers() if threading.current_thread() is threading.main_thread() else {}
    variables = set(os.environ)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for name in set(os.environ) - variables:
            del os.environ[name]


def _handlers() -> dict[signal.Signals, Any]:
    names = [name for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]
    return {signal.Signals[name]: signal.getsignal(signal.Signals[name]) for name in names}
