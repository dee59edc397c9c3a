# must lose: same, resumes, stops, same-on-ranks, copies, copied-bytes, preparation, update, flop, growth
from gpuedu.exercises.capstone.programs import given_program

program = dict(given_program("make_it_fast", "reader"))
program["train.py"] = program["train.py"].replace(
    "            kept.append((scores, tokens))\n",
    "            kept.append((scores, tokens))\n"
    "            for _ in range(30):\n"
    "                (idle @ idle).sum().backward()\n"
    "                idle.grad = None\n"
    "                with torch.no_grad():\n"
    "                    next(model.parameters()).mul_(1)\n",
).replace(
    "    ranks = settings[\"ranks\"]\n",
    "    ranks = settings[\"ranks\"]\n"
    "    idle = torch.ones(215, 215, device=settings[\"device\"], requires_grad=True)\n",
)
report = ""
