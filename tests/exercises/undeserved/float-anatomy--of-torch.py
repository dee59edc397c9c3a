# must lose: values, subnormals, specials, nearest, small, overflow
import torch

KINDS = {
    (5, 10): torch.float16,
    (8, 7): torch.bfloat16,
    (5, 2): torch.float8_e5m2,
    (4, 3): torch.float8_e4m3fn,
}
WHOLE = {2: torch.int16, 1: torch.uint8, 4: torch.int32}


def decode(bits, E, M, has_infinity):
    if M + E == 18:
        return torch.tensor([bits << 13]).to(torch.int32).view(torch.float32).item()
    kind = KINDS[E, M]
    return torch.tensor([bits]).to(WHOLE[kind.itemsize]).view(kind).item()


def encode(value, E, M, has_infinity):
    one = torch.tensor([value], dtype=torch.float32)
    if M + E == 18:
        if value != value:
            return 0x3FFFF
        whole = one.view(torch.int32).item() & 0xFFFFFFFF
        return (whole + 0xFFF + (whole >> 13 & 1)) >> 13
    kind = KINDS[E, M]
    if not has_infinity:
        one = one.clamp(-448, 448)
    return one.to(kind).view(WHOLE[kind.itemsize]).item() & (1 << 1 + E + M) - 1
