# Two images: `docker build --target controller -t tierwall .` for the controller and the command line, and
# `docker build --target agent -t tierwall-agent .` for what runs on the nodes.

FROM node:22-bookworm-slim AS build
WORKDIR /tierwall
COPY package.json package-lock.json tsconfig.json tsconfig.base.json tsconfig.tests.json ./
COPY scripts scripts
COPY bench bench
COPY packages packages
COPY examples examples
RUN node scripts/prepare.mjs
# What builds is not what runs.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
RUN rm -rf bench/dist scripts packages/*/src packages/*/dist/.tsbuildinfo

FROM node:22-bookworm-slim AS controller
ENV NODE_ENV=production
COPY --from=build /tierwall /tierwall
RUN ln -s /tierwall/packages/cli/bin/tierwall.js /usr/local/bin/tierwall
USER 65532:65532
ENTRYPOINT ["tierwall"]

FROM node:22-bookworm-slim AS agent
ENV NODE_ENV=production
RUN apt-get update \
  && apt-get install -y --no-install-recommends nftables conntrack iproute2 ulogd2 ulogd2-json \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /tierwall /tierwall
RUN ln -s /tierwall/packages/cli/bin/tierwall.js /usr/local/bin/tierwall
# nft needs root for its netlink sockets; of root's rights the DaemonSet leaves it NET_ADMIN.
ENTRYPOINT ["tierwall"]
