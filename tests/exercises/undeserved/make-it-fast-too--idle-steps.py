# must lose: same, half
from gpuedu.exercises.capstone.programs import given_program
program_too = dict(given_program("make_it_fast_too", "writer"))
program_too["train.py"] = program_too["train.py"].replace(
    "            share_weights(model, ranks)\n",
    "            share_weights(model, ranks)\n"
    "            for _ in range(20):\n"
    "                (idle @ idle).sum().backward()\n"
    "                idle.grad = None\n",
).replace(
    "    losses = []\n",
    "    losses = []\n"
    "    idle = torch.ones(268, 268, device=settings['device'], dtype=torch.bfloat16)\n"
    "    idle.requires_grad_()\n",
)
