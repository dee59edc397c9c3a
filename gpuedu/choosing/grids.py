"""How much CO2 a kilowatt-hour causes in a country, and what a building adds to its computers."""

from __future__ import annotations

GRIDS_G_PER_KWH = {
    "Norway": 30,
    "Sweden": 41,
    "France": 56,
    "USA": 369,
    "Germany": 381,
    "world": 480,
    "Poland": 662,
    "India": 713,
}
"""Grams of CO2 equivalents for each kWh generated in 2023, life cycle. Source: Ember and Energy
Institute, processed by Our World in Data, "Carbon intensity of electricity generation", as kept in
mlco2/codecarbon, commit b05965e; the world: Ember, Global Electricity Review 2024, second-hand (all
read 2026-11). Imports, the time of day and the season change it."""

AVERAGE_PUE = 1.56
"""Power usage effectiveness: the total power of a data center over that of its computers, the
average of
the Uptime Institute's Global Data Center Survey 2024 (second-hand; 1.58 in 2023 was read in its
Update 221, November 2023)."""
