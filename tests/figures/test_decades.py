import pytest

from gpuedu.figures.decades import write_decade


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.01, "0.01"),
        (1.0, "1"),
        (1e3, "1,000"),
        (1e4, "10k"),
        (1e5, "100k"),
        (1e6, "1M"),
        (1e8, "100M"),
        (1e9, "1G"),
        (1e14, "100T"),
        (1e15, "$10^{15}$"),
        (1e-9, "$10^{-9}$"),
    ],
)
def test_powers_of_ten(value, written):
    assert write_decade(value) == written
