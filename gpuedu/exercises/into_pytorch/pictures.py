"""Pictures of the lesson into-pytorch."""

from gpuedu.exercises.into_pytorch.compile_it import fused_pictures

PICTURES = {
    "into-pytorch/fused-layer": fused_pictures.draw_fused,
    "into-pytorch/fused-code": fused_pictures.tell_code,
}
