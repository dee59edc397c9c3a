"""Pictures of the lesson model-parallel."""

from gpuedu.exercises.model_parallel import pipeline_pictures

PICTURES = {**pipeline_pictures.PICTURES}
