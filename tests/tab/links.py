"""Links of the playground, made here from their description, not by the page's own code."""

from __future__ import annotations

import base64
import json
import zlib


def fragment(launch: dict[str, str]) -> str:
    """A version, a checksum of four letters, and the launch: JSON, deflated, in base64url."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(json.dumps(launch).encode()) + deflate.flush()
    packed = base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    return f"1{_checksum(packed)}{packed}"


def launch_of(link: str) -> dict[str, str]:
    """The launch in a link."""
    packed = link.partition("#")[2][5:]
    data = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    return json.loads(zlib.decompress(data, -15))


def _checksum(text: str) -> str:
    """FNV-1a of the text, folded to 24 bits."""
    total = 0x811C9DC5
    for letter in text.encode():
        total = ((total ^ letter) * 0x01000193) & 0xFFFFFFFF
    folded = (total >> 24) ^ (total & 0xFFFFFF)
    return base64.urlsafe_b64encode(folded.to_bytes(3, "big")).decode()
