from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from gpuedu.simt.typing_rules import SCALARS, TypingError, binary, can_assign, unify
from gpuedu.simt.typing_rules.promotion import conversion


def test_every_conversion_costs_what_numba_says(inference):
    for source, target in product(SCALARS, repeat=2):
        cost = conversion(source, target)
        ours = None if cost is None else cost.name.lower()
        assert ours == inference.cost(source, target), (source, target)


def test_any_two_and_any_three_types_meet_where_numba_says(inference):
    pairs = product(SCALARS, repeat=2)
    triples = combinations_with_replacement(SCALARS, 3)
    for dtypes in (*pairs, *triples):
        assert unify(*dtypes) == inference.unify(*dtypes), dtypes


def test_unify_takes_one_type_and_refuses_what_is_no_number():
    assert unify(np.dtype("int8")) == np.dtype("int8")
    with pytest.raises(TypingError, match="datetime64"):
        unify(np.dtype("int8"), np.dtype("datetime64[s]"))


def test_what_may_be_stored_is_what_numba_compiles(inference):
    accepted = [pair for pair in product(SCALARS, repeat=2) if can_assign(*pair)]
    refused = [pair for pair in product(SCALARS, repeat=2) if not can_assign(*pair)]
    assert len(refused) == 25  # two complex types into twelve real ones, and float16 into bool
    parameters = ",".join(f"v{n},a{n}" for n in range(len(accepted)))
    body = "".join(f"    a{n}[0] = v{n}\n" for n in range(len(accepted)))
    arguments = [
        part for value, target in accepted for part in (value, inference.numba(target)[::1])
    ]
    assert inference.is_compiled(f"def k({parameters}):\n{body}", tuple(arguments))
    for value, target in refused:
        array = inference.numba(target)[::1]
        assert not inference.is_compiled("def k(v, a):\n    a[0] = v\n", (value, array)), value


def test_a_compiled_kernel_joins_two_paths_in_the_unified_type(inference):
    pairs = list(combinations_with_replacement(range(len(SCALARS)), 2))
    parameters = ",".join(f"p{n}" for n in range(len(SCALARS)))
    body = "".join(f"    r{i}_{j} = p{i} if way else p{j}\n" for i, j in pairs)
    types = inference.compiled(f"def k({parameters},way):\n{body}", (*SCALARS, np.dtype("int32")))
    for i, j in pairs:
        assert inference.dtype(types[f"r{i}_{j}"]) == unify(SCALARS[i], SCALARS[j]), (i, j)


def test_a_variable_of_a_loop_has_the_type_that_meets_what_the_loop_assigns(inference):
    pairs = list(product(range(len(SCALARS)), repeat=2))
    parameters = ",".join(f"p{n}" for n in range(len(SCALARS)))
    body = "".join(f"    s{i}_{j} = p{i}\n" for i, j in pairs)
    body += "    for step in range(way):\n"
    body += "".join(f"        s{i}_{j} += p{j}\n" for i, j in pairs)
    body += "".join(f"    r{i}_{j} = s{i}_{j}\n" for i, j in pairs)
    types = inference.compiled(f"def k({parameters},way):\n{body}", (*SCALARS, np.dtype("int32")))
    for i, j in pairs:
        joined = accumulated(SCALARS[i], SCALARS[j])
        assert inference.dtype(types[f"r{i}_{j}"]) == joined, (i, j)


def accumulated(start: np.dtype, step: np.dtype) -> np.dtype:
    """The type of ``s`` in ``s = start``, then ``s += step`` in a loop."""
    joined = start
    while (wider := unify(joined, binary("+", joined, step).result)) != joined:
        joined = wider
    return joined


def test_a_uint64_counter_becomes_a_float():
    assert accumulated(np.dtype("uint64"), np.dtype("int64")) == np.dtype("float64")
    assert accumulated(np.dtype("uint64"), np.dtype("uint8")) == np.dtype("uint64")
