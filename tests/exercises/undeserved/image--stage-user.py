# must lose: program
dockerfile = r"""FROM python:3.12-slim AS build
COPY requirements.txt .
RUN --mount=type=secret,id=pip,target=/etc/pip.conf pip install --user --no-cache-dir -r requirements.txt
FROM python:3.12-slim
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY --from=build /root/.local /root/.local
ENV PATH=/root/.local/bin:$PATH
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
