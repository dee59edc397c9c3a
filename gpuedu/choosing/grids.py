"""How much CO2 a kilowatt-hour makes in a country, and what a building adds to its computers."""

from __future__ import annotations

GRIDS_G_PER_KWH = {
    "Norway": 30,
    "France": 56,
    "Germany": 381,
    "world": 481,
    "Australia": 549,
    "India": 713,
}
"""Grams of CO2 equivalents for each kWh generated in 2023. Source: Ember, Yearly Electricity Data
(2024), through Our World in Data, "Carbon intensity of electricity generation"; Norway and the
world through Statista (both read 2026-11). Imports, the time of day and the season change it."""

AVERAGE_PUE = 1.56
"""Power usage effectiveness: all power of a data center over that of its computers, the average of
the Uptime Institute's Global Data Center Survey 2024 (not opened; quoted second-hand)."""
