"""A part of PromQL, Prometheus's query language, evaluated over series in memory; and its alerts.

It reads expressions with the package promql-parser and evaluates them as Prometheus 3 does: ranges
and the look-back of 5 minutes are open at their start, rates are extrapolated, and stale series are
gone at once. What is left out is refused with its place; see ``check.py``.
"""
