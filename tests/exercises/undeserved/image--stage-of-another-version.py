# must lose: program
dockerfile = r"""FROM python:3.12-slim AS build
RUN python -m venv /venv
COPY requirements.txt .
RUN --mount=type=secret,id=pip,target=/etc/pip.conf /venv/bin/pip install --no-cache-dir -r requirements.txt
FROM python:3.11-slim
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH
RUN useradd -m me
WORKDIR /app
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
