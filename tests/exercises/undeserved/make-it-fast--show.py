# must lose: evaluation-batch, same, resumes, stops, same-on-ranks
from gpuedu.exercises.capstone.programs import given_program

program = dict(given_program("make_it_fast", "reader"))
program["evaluate.py"] = (
    program["evaluate.py"]
    .replace('"""\n\nfrom .losses', '"""\n\nimport torch\n\nfrom .losses')
    .replace(
        "    model.eval()\n",
        "    model.eval()\n"
        "    shown = torch.stack([data.image(index) for index in range(len(data))])\n"
        "    for _ in range(20):\n"
        "        model.encoder.stem(shown.float().repeat(64, 1, 1, 1))\n",
    )
)
report = ""
