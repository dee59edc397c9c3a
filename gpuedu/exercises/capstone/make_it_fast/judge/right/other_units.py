# Plain numbers, other units, files with their folder, and words of one's own between the rows.
for before, after in {
    "28.3 KiB": "28,953 bytes",
    "866 MFLOP": "0.866 GFLOP",
    "| 98 |": "| 98 |",
    "| evaluate.py |": "| `fast/evaluate.py` |",
    "| losses.py, model.py |": "| ./losses.py, fast/model.py |",
    "| cost |": "What I did:\n\n| cost |",
    "Leaderboard: no": "The loop over letters cost most.\n\nLeaderboard: Ada",
}.items():
    report = report.replace(before, after)
