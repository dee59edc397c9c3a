# Packages in an environment of an earlier stage, which the image takes whole.
dockerfile = r"""# syntax=docker/dockerfile:1
FROM python:3.12-slim-bookworm AS packages
RUN python -m venv /opt/venv
ENV PATH="/opt/venv/bin:$PATH" PIP_NO_CACHE_DIR=1
RUN --mount=type=bind,source=requirements.txt,target=/tmp/requirements.txt \
    --mount=type=secret,id=pip \
    PIP_CONFIG_FILE=/run/secrets/pip pip install -r /tmp/requirements.txt

FROM python:3.12-slim-bookworm
# hadolint ignore=DL3008
RUN apt-get update -q \
    && apt-get install -qq --no-install-recommends build-essential \
    && rm -r /var/lib/apt/lists/*
COPY --from=packages /opt/venv /opt/venv
ENV PATH="/opt/venv/bin:$PATH"
WORKDIR /home/app
COPY --chown=1000:1000 . .
USER 1000:1000
ENTRYPOINT ["python", "-u", "train.py"]
"""

dockerignore = """
# All but what the image needs.
*
!train.py
!minigpt
!requirements.txt
"""
