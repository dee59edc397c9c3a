"""Ten partial solutions, each with one mend more, are ordered as the rubric intends."""

from __future__ import annotations

from gpuedu.course.proof import Bench
from gpuedu.exercises.capstone.programs import given_program
from gpuedu.exercises.examine import examine
from tests.sampled import only_whole

SAVES = '            if settings["rank"] == 0:\n                save(store, model, optimizer, history, epoch, "last_step.pt")\n'
KEEPS = "            kept.append((scores, tokens))\n"
TOTALS = (
    "        right, letters = map(sum, zip(*(right_letters(*one) for one in kept), strict=True))\n"
)
READS = """            if not torch.isfinite(loss):
                raise RuntimeError(f"the loss is {loss.item()}")
            history["losses"].append(total(loss.detach() / ranks, ranks).item())
"""
LATER = """        read = total(torch.stack(losses), ranks).tolist()
        if not all(map(math.isfinite, read)):
            raise RuntimeError(f"the losses are {read}")
        history["losses"] += read
"""
CLIPS = "optimizer import AdamW, clip_gradients\n"
TORCHS = (
    "from torch.nn.utils import clip_grad_norm_\nfrom torch.optim import AdamW\n\nfrom .checkpoint"
)


def mends(fast):
    """Each mend: what it earns, and how it changes the program, on top of those before it."""
    yield {"flop"}, {name: fast[name] for name in ("losses.py", "model.py")}
    yield {"messages"}, {"parallel.py": fast["parallel.py"]}
    yield {"written"}, {"train.py": [(SAVES, "")]}
    yield (
        {"growth"},
        {
            "train.py": [
                ("        kept = []\n", "        counts = []\n"),
                (KEEPS, "            counts.append(torch.stack(right_letters(scores, tokens)))\n"),
                (TOTALS, "        right, letters = torch.stack(counts).sum(0)\n"),
            ]
        },
    )
    yield (
        {"waits"},
        {
            "train.py": [
                ("import torch\n", "import math\n\nimport torch\n"),
                ("        counts = []\n", "        counts, losses = [], []\n"),
                (READS, "            losses.append(loss.detach() / ranks)\n"),
                (
                    "        right, letters = torch.stack",
                    LATER + "        right, letters = torch.stack",
                ),
                ("clip_gradients(model.parameters()", "clip_grad_norm_(model.parameters()"),
                (f"from .{CLIPS}", "from .optimizer import AdamW\n"),
                (
                    "from .checkpoint",
                    "from torch.nn.utils import clip_grad_norm_\n\nfrom .checkpoint",
                ),
            ]
        },
    )
    yield (
        {"update"},
        {
            "train.py": [
                (
                    "AdamW(model.parameters(), settings)",
                    'AdamW(model.parameters(), settings["learning_rate"])',
                ),
                ("from .optimizer import AdamW\n", ""),
                (
                    "import clip_grad_norm_\n",
                    "import clip_grad_norm_\nfrom torch.optim import AdamW\n",
                ),
            ]
        },
    )
    yield (
        {"evaluation-graph"},
        {
            "evaluate.py": [
                ("def evaluate", "@torch.no_grad()\ndef evaluate"),
                ("from .losses", "import torch\n\nfrom .losses"),
            ]
        },
    )
    yield {"copied-bytes"}, {"data.py": [("astype(np.float64)", "astype(np.float32)")]}
    yield (
        {"copies", "preparation", "read-once", "few-requests"},
        {
            "data.py": fast["data.py"],
            "evaluate.py": [
                ("data.image(index)[None], data.tokens(index)[None]", "data.on_device(*one)"),
                (
                    "        images",
                    "        one = data.images[index, None], data.tokens[index, None]\n        images",
                ),
            ],
        },
    )
    yield {"evaluation-batch"}, {"evaluate.py": fast["evaluate.py"]}


def mended(program, changes):
    for name, change in changes.items():
        if isinstance(change, str):
            program[name] = change
            continue
        for before, after in change:
            assert program[name].count(before) == 1, (name, before)
            program[name] = program[name].replace(before, after)


@only_whole
def test_each_mend_earns_its_cause_and_nothing_else(root):
    bench = Bench(root, "make-it-fast")
    fast, _ = bench.answers(bench.solution_cells(), "solution")
    program, held, points = given_program("make_it_fast", "reader"), set(), []
    for wins, changes in mends(fast):
        mended(program, changes)
        report = examine(bench.exercise, [dict(program), ""], seed=3)
        now = {name for name, holds in report.held().items() if holds}
        assert now - held == wins | ({"same", "resumes", "stops", "same-on-ranks"} - held), (
            wins,
            report,
        )
        assert not held - now
        held, points = now, [*points, report.points]
    assert points == sorted(set(points))
    assert points[-1] == 29
