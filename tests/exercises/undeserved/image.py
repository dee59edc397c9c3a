# must lose: cached
dockerfile = r"""FROM python:3.12-slim
RUN apt-get update && \
    apt-get install -y --no-install-recommends gcc libc6-dev && \
    rm -rf /var/lib/apt/lists/*
COPY requirements.txt ./
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    pip install --no-cache-dir -r requirements.txt
USER 1000
CMD ["python", "train.py"]
"""
dockerignore = ""
