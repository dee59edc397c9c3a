"""The trusted side: cases, secret seed, oracles and verdicts. Learners' code never runs here."""
