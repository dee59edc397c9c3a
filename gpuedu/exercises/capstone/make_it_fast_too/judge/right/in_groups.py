# Prompts in two groups, attention by hand in writing; each rank updates a part of the weights.
program_too["parallel.py"] = '''
import torch
import torch.distributed as dist
from torch.nn.utils import parameters_to_vector, vector_to_parameters


def mean_gradient(weights, ranks):
    """The part of this rank: (numbers / ranks,), padded."""
    flat = torch.cat([weight.grad.flatten() for weight in weights])
    flat = torch.nn.functional.pad(flat, (0, -len(flat) % ranks))
    if ranks == 1:
        return flat
    part = torch.empty(len(flat) // ranks, device=flat.device)
    dist.reduce_scatter_tensor(part, flat)
    return part / ranks


def part_of(weights, rank, ranks):
    flat = parameters_to_vector(weights).detach()
    flat = torch.nn.functional.pad(flat, (0, -len(flat) % ranks))
    return flat.chunk(ranks)[rank].clone()


def put_back(part, weights, ranks):
    flat = part
    if ranks > 1:
        flat = torch.empty(len(part) * ranks, device=part.device)
        dist.all_gather_into_tensor(flat, part)
    vector_to_parameters(flat[: sum(weight.numel() for weight in weights)], weights)


def total(value, ranks):
    if ranks > 1:
        dist.all_reduce(value)
    return value
'''
program_too["optimizer.py"] = """
import torch

from .parallel import mean_gradient, part_of, put_back


class AdamW:
    def __init__(self, weights, settings):
        self.weights, self.settings, self.steps = list(weights), settings, 0
        self.place = settings["rank"], settings["ranks"]
        part = part_of(self.weights, *self.place)
        self.mean, self.square = torch.zeros_like(part), torch.zeros_like(part)

    @torch.no_grad()
    def step(self):
        self.steps += 1
        rate, decay = self.settings["learning_rate"], self.settings["weight_decay"]
        gradient = mean_gradient(self.weights, self.place[1])
        for weight in self.weights:
            weight.grad = None
        self.mean.lerp_(gradient, 0.1)
        self.square.lerp_(gradient * gradient, 0.001)
        scale = (self.square / (1 - 0.999**self.steps)).sqrt() + 1e-8
        part = part_of(self.weights, *self.place) * (1 - rate * decay)
        part -= rate * self.mean / (1 - 0.9**self.steps) / scale
        put_back(part, self.weights, self.place[1])
"""
edits = {
    "import average_gradients, total": "import total",
    "            optimizer.zero_grad()\n": "",
    "            average_gradients(model, ranks)\n": "",
}
for before, after in edits.items():
    assert before in program_too["train.py"], before
    program_too["train.py"] = program_too["train.py"].replace(before, after)
program_too["write.py"] = (
    program_too["write.py"].partition("@torch.no_grad()")[0]
    + """
@torch.no_grad()
def go_on(model, fresh, letters):
    cache, written = None, [fresh]
    for _ in range(letters):
        scores, cache = model(fresh, cache)
        fresh = scores[:, -1].topk(1).indices
        written.append(fresh)
    return torch.cat(written, dim=1)


def run(store, settings):
    model = read_model(store, settings)
    prompts = to_tokens(json.loads(store.read("prompts.json")), settings["device"])
    found = torch.cat([go_on(model, one, settings["letters"]) for one in prompts.chunk(2)])
    return ["".join(map(ALPHABET.__getitem__, text)) for text in found.tolist()]
""".replace("map(ALPHABET.__getitem__, text)", "ALPHABET[one] for one in text")
)
