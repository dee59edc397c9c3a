# must lose: program
dockerfile = r"""FROM python:3.12-slim
WORKDIR /app
COPY requirements.txt .
RUN --mount=type=secret,id=pip,target=/etc/pip.conf apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev \
    && pip install --no-cache-dir -r requirements.txt \
    && apt-get purge -y --auto-remove gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
RUN useradd -m me
COPY train.py .
COPY minigpt ./minigpt
USER me
CMD ["python", "train.py"]
"""
dockerignore = r""".git
data
runs
pip.conf
"""
