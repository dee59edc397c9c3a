from __future__ import annotations

import pytest

from gpuedu.arrays.flags import Flags


def test_flags_by_attribute_and_by_name():
    flags = Flags(c_contiguous=False, f_contiguous=True, owndata=True)
    assert flags.fnc and flags.forc and flags["OWNDATA"] and not flags["C_CONTIGUOUS"]
    assert repr(flags).split() == [
        "C_CONTIGUOUS",
        ":",
        "False",
        "F_CONTIGUOUS",
        ":",
        "True",
        "OWNDATA",
        ":",
        "True",
    ]
    with pytest.raises(KeyError, match="WRITEABLE"):
        _ = flags["WRITEABLE"]
