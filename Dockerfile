# syntax=docker/dockerfile:1
# The image of every process of Roundtrip: docs/installation.md.
#   docker build -t roundtrip .
#   docker run -p 8000:8000 -v roundtrip:/data --read-only --tmpfs /tmp roundtrip
ARG PYTHON_VERSION=3.13

FROM python:${PYTHON_VERSION}-slim-bookworm AS build
WORKDIR /src
RUN python -m venv /opt/roundtrip
# What the product runs on changes less often than the product: a layer of its own.
COPY requirements.txt ./
RUN /opt/roundtrip/bin/python -m pip install --no-cache-dir --require-hashes -r requirements.txt
COPY . .
RUN /opt/roundtrip/bin/python -m pip install --no-cache-dir --no-deps . \
    && /opt/roundtrip/bin/python -m pip uninstall --yes pip

FROM python:${PYTHON_VERSION}-slim-bookworm
# bubblewrap confines the commands of workspaces, where the host lets containers make namespaces.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /data \
        --shell /usr/sbin/nologin roundtrip \
    && install --directory --owner=10001 --group=10001 --mode=0700 /data
COPY --from=build /opt/roundtrip /opt/roundtrip
ENV PATH=/opt/roundtrip/bin:$PATH \
    ROUNDTRIP_HOME=/data \
    HOST=0.0.0.0 \
    PORT=8000 \
    PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s \
    CMD ["python", "-m", "config.healthcheck"]
ENTRYPOINT ["roundtrip"]
CMD ["run"]
