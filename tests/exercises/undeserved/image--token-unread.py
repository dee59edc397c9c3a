# must lose: secret
dockerfile = r"""# syntax=docker/dockerfile:1
FROM python:3.12-slim
RUN apt-get update && \
    apt-get install -y --no-install-recommends gcc libc6-dev && \
    rm -rf /var/lib/apt/lists/*
RUN useradd --create-home trainer
WORKDIR /app
COPY requirements.txt ./
RUN --mount=type=secret,id=pip ls /run/secrets/pip && \
    pip install --no-cache-dir -r requirements.txt
COPY minigpt/ minigpt/
COPY train.py ./
USER trainer
CMD ["python", "train.py"]
"""
dockerignore = r"""
.git
data
runs
pip.conf
"""
