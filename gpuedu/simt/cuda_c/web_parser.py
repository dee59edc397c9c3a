"""Load tree-sitter's WebAssembly build in a browser tab, so that CUDA C can be read there."""

from __future__ import annotations

import base64
from importlib import resources
from typing import Any

from gpuedu import needs
from gpuedu.simt.cuda_c import parser
from gpuedu.simt.cuda_c.web_nodes import Names, WebNode, WebTree

_IMPORT = "(address) => import(address)"


async def prepare(folder: str) -> bool:
    """Fetch and start the parser, once; outside a browser tab there is nothing to do.

    If that fails, nothing is raised: the reason is given as soon as CUDA C is used, and the next
    call tries again.

    Args:
        folder: The whole address of a folder with ``web-tree-sitter.js``, ``web-tree-sitter.wasm``
            and ``tree-sitter-cuda.wasm``.

    Returns:
        Whether CUDA C can be read.
    """
    if not needs.IN_TAB or parser.is_given():
        return True
    try:
        loaded = await _load(folder)
    except Exception as fault:  # whatever JavaScript or the network has to say
        said = str(fault).strip().partition("\n")[0].partition(" imported from ")[0]
        parser.note_failure(f"its parser could not be loaded from {folder} ({said})")
        return False
    names = Names(loaded.types.to_py(), loaded.fields.to_py())
    parser.use(lambda text: _root_of(text, loaded, names))
    return True


async def _load(folder: str) -> Any:
    from pyodide.code import run_js

    text = resources.files("gpuedu.simt.cuda_c").joinpath("web_parser.mjs").read_bytes()
    address = "data:text/javascript;base64," + base64.b64encode(text).decode()
    module = await run_js(_IMPORT)(address)
    return await module.load(folder)


def _root_of(text: str, loaded: Any, names: Names) -> WebNode:
    return WebTree(text, loaded.read(text).to_py().tolist(), names).root
