# As an ordered dict, from pairs.
from collections import OrderedDict

exports = OrderedDict(
    [
        ("where on scores", "works"),
        ("number of scores", "works"),
        ("if on length", "error"),
        ("loop over length", "error"),
        ("loop over blocks", "works"),
        ("one text", "error"),
    ]
)
