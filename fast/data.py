"""Images and captions: from the store, through the augmentation, onto the device."""

import io
import json

import numpy as np
import torch

START, END, PAD = "^", "$", " "
ALPHABET = START + END + PAD + "efghinorstuvwxz,"


class Data:
    """The samples of one split: an image of 8x24 pixels from 0 to 15, and its caption."""

    def __init__(self, store, split, settings):
        self.store, self.split, self.settings = store, split, settings
        self.captions = json.loads(store.read(f"{split}/captions.json"))
        self.length = 2 + max(len(caption) for caption in self.captions)

    def __len__(self):
        """How many samples there are."""
        return len(self.captions)

    def pixels(self, index):
        """One image, from its file: (8, 24) uint8."""
        return np.load(io.BytesIO(self.store.read(f"{self.split}/{index:04d}.npy")))

    def image(self, index):
        """One image on the device, (1, 8, 24), normalized to a mean of 0."""
        values = (self.pixels(index).astype(np.float64) / 15 - 0.3) / 0.37
        return torch.from_numpy(values[None]).to(self.settings["device"])

    def tokens(self, index):
        """One caption on the device: (length,) int64, from START to END and padded."""
        text = (START + self.captions[index] + END).ljust(self.length, PAD)
        numbers = [ALPHABET.index(letter) for letter in text]
        return torch.tensor(numbers).to(self.settings["device"])

    def batches(self, epoch):
        """All samples of an epoch in shuffled order, in batches of augmented images and tokens.

        Where several ranks train together, each takes its share of every batch.
        """
        draws = np.random.default_rng([self.settings["seed"], epoch])
        order = draws.permutation(len(self))
        downs, rights = draws.integers(-1, 2, (2, len(self)))
        contrasts = draws.uniform(0.8, 1.2, len(self))
        size, rank, ranks = (self.settings[name] for name in ("batch", "rank", "ranks"))
        for first in range(0, len(self), size):
            chosen = order[first : first + size][rank::ranks]
            images = []
            for index in chosen:
                image = torch.roll(
                    self.image(index), (int(downs[index]), int(rights[index])), dims=(1, 2)
                )
                images.append(image * float(contrasts[index]))
            yield torch.stack(images), torch.stack([self.tokens(index) for index in chosen])
