# Matmuls cast by hand instead of autocast; AdamW of PyTorch; a cache that is filled in place.
program_too["model.py"] = """
import torch
from torch import nn
from torch.nn import functional


class Linear(nn.Linear):
    def forward(self, values):
        if not self.training:
            return super().forward(values)
        half = torch.bfloat16
        return functional.linear(values.to(half), self.weight.to(half), self.bias.to(half))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.query_key_value = Linear(width, 3 * width)
        self.out = Linear(width, width)
        self.network_norm = nn.LayerNorm(width)
        self.network = nn.Sequential(Linear(width, 4 * width), nn.GELU(), Linear(4 * width, width))

    def mixed(self, states, kept, first):
        parts = self.query_key_value(self.attention_norm(states))
        parts = parts.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        query, key, value = parts
        count = states.shape[1]
        if kept is not None:
            kept[:, :, :, first : first + count] = parts[1:]
            key, value = kept[:, :, :, : first + count]
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=count > 1)
        return self.out(mixed.transpose(1, 2).flatten(2))

    def forward(self, states, kept=None, first=0):
        states = states + self.mixed(states, kept, first)
        return states + self.network(self.network_norm(states))


class Writer(nn.Module):
    def __init__(self, letters, length=64, width=32, heads=4, layers=2):
        super().__init__()
        self.letters = nn.Embedding(letters, width)
        self.places = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = Linear(width, letters)

    def room(self, count, length):
        block = self.blocks[0]
        shape = (len(self.blocks), 2, count, block.heads, length, block.out.in_features // 4)
        return torch.zeros(shape, device=self.head.weight.device)

    def forward(self, tokens, room=None, first=0):
        places = torch.arange(first, first + tokens.shape[1], device=tokens.device)
        states = self.letters(tokens) + self.places(places)
        for place, block in enumerate(self.blocks):
            states = block(states, None if room is None else room[place], first)
        return self.head(self.norm(states))
"""
program_too["write.py"] = (
    program_too["write.py"].partition("@torch.no_grad()")[0]
    + """
@torch.inference_mode()
def run(store, settings):
    model, count = read_model(store, settings), settings["letters"]
    prompts = to_tokens(json.loads(store.read("prompts.json")), settings["device"])
    size = prompts.shape[1]
    texts = torch.zeros(len(prompts), size + count, dtype=torch.int64, device=prompts.device)
    texts[:, :size] = prompts
    room = model.room(len(prompts), size + count)
    fresh, first = prompts, 0
    for place in range(size, size + count):
        scores = model(fresh, room, first)[:, -1]
        texts[:, place] = scores.argmax(-1)
        fresh, first = texts[:, place : place + 1], place
    return ["".join(ALPHABET[one] for one in text) for text in texts.cpu().tolist()]
"""
)
edits = {
    "from .optimizer import AdamW\n": "",
    "import torch\nfrom torch.nn": "import torch\nfrom torch.optim import AdamW\nfrom torch.nn",
    "AdamW(model.parameters(), settings)": "AdamW(\n        model.parameters(), "
    'settings["learning_rate"], weight_decay=settings["weight_decay"], fused=True)',
    "    with torch.autocast(tokens.device.type, torch.bfloat16):\n"
    "        scores, _ = model(tokens[:, :-1])\n        return functional.cross_entropy("
    "scores.flatten(0, 1), tokens[:, 1:].flatten())": "    scores = model(tokens[:, :-1]).float()\n"
    "    return functional.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten())",
    "model = Writer(len(ALPHABET)).to(": "model = Writer(len(ALPHABET)).train().to(",
}
for before, after in edits.items():
    assert before in program_too["train.py"], before
    program_too["train.py"] = program_too["train.py"].replace(before, after)
