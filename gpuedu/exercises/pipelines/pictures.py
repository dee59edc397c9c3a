"""Pictures of the lesson pipelines."""

from gpuedu.exercises.pipelines import pipeline_pictures, plan_pictures

PICTURES = {**pipeline_pictures.PICTURES, **plan_pictures.PICTURES}
