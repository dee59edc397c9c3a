import pytest

from gpuedu.figures import style
from gpuedu.figures.decades import DecadeFormatter, write_decade


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


@pytest.mark.parametrize(
    ("limits", "written"),
    [
        ((1e-3, 10.0), ["0.001", "0.1", "10"]),
        ((1e-9, 10.0), ["$10^{-9}$", "$10^{-1}$", "$10^{1}$"]),
    ],
)
def test_ticks_of_an_axis_are_written_in_one_way(limits, written):
    axis = style.new_axes().xaxis
    axis.axes.set_xlim(*limits)
    axis.set_major_formatter(DecadeFormatter())
    assert axis.get_major_formatter().format_ticks([limits[0], 0.1, limits[1]]) == written
