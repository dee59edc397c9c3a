#!/usr/bin/env bash
# Make the environment: `make` calls this with PYTHON, VENV and TORCH_CPU_INDEX set.
# Usage: setup.sh [dev|lite|book|light]    with `dev`, the tools for the tests and for contributors come too;
#                                          with `lite`, those that build the site for browsers; with `book`,
#                                          those that build the site to read. With `light`, nothing but
#                                          JupyterLab and what the lessons on kernels need.
set -euo pipefail
extra=${1:-}

find_python() {
    local candidate
    for candidate in "$PYTHON" python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
        if [ "$candidate" = "$PYTHON" ] && [ "$PYTHON" != python3 ]; then
            echo "$PYTHON is no Python 3.11 or newer with venv: looking for another." >&2
        fi
    done
    echo "gpuedu needs Python 3.11 or newer, with venv. Try: PYTHON=/path/to/python3.12 make lab" >&2
    exit 1
}

has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }

python=$(find_python)
pip=("$VENV/bin/python" -m pip --disable-pip-version-check --quiet)
if ! "$VENV/bin/python" -c 'import pip' 2>/dev/null; then
    echo "Making $VENV with $("$python" --version) ..."
    "$python" -m venv "$VENV"
fi

if [ "$extra" = light ]; then
    echo "Installing JupyterLab, and what the lessons on kernels need ..."
    # Bytecode, a quarter of the size, is written when it is used.
    "${pip[@]}" install --no-compile -c constraints.txt -e ".[light]"
    echo "Ready."
    exit
fi

if ! "$VENV/bin/python" -c 'import importlib.metadata as m; m.version("torch")' 2>/dev/null; then
    echo "Installing PyTorch ..."
    index=()
    if [ "$(uname -s)" = Linux ] && ! has_gpu; then
        # One look at the CPU builds; if they cannot be reached, pip goes on with its own index.
        index=(--extra-index-url "$TORCH_CPU_INDEX" --retries 0 --timeout 20)
    fi
    "${pip[@]}" install --no-deps -c constraints.txt "${index[@]}" torch 2> >(grep -v '^WARNING' >&2)
fi

# Which build of PyTorch is there decides which CUDA compilers can stand beside it.
compilers() {
    "$VENV/bin/python" -c '
import importlib.metadata as metadata
needs = metadata.requires("torch") or []
print("compilers13" if any(need.startswith("cuda-bindings") for need in needs) else "compilers")'
}

extras=$(compilers)
if has_gpu; then
    # The driver's CUDA version decides which builds of CuPy and of numba-cuda can run.
    cuda=$(nvidia-smi | sed -nE 's/.*CUDA Version: ([0-9]+).*/\1/p' | head -n 1)
    extras=$([ "${cuda:-12}" -ge 13 ] && echo cuda13 || echo cuda12)
fi
wanted=".[lab,cluster,$extras${extra:+,$extra}]"
echo "Installing the course's packages ..."
"${pip[@]}" install -c constraints.txt -e "$wanted"
echo "Ready."
