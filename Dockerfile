# An image with Node 22.14 or newer and npm, of Debian or Alpine.
ARG BASE_IMAGE=node:22-bookworm-slim

FROM ${BASE_IMAGE} AS build
WORKDIR /build
# The packages are installed again only when one of these files changes.
COPY package.json package-lock.json ./
COPY contract/package.json contract/
COPY server/package.json server/
COPY web/package.json web/
# No package that is used here has to be compiled.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/build.mjs
# SQLite is the only package that is not in the bundle. Its C sources are not needed.
RUN mkdir -p /app/server /app/web /app/node_modules/better-sqlite3/prebuilds \
 && cp -r server/package.json server/dist /app/server/ \
 && cp -r web/dist /app/web/ \
 && cd node_modules/better-sqlite3 \
 && cp -r package.json LICENSE lib /app/node_modules/better-sqlite3/ \
 && cp prebuilds/linux* /app/node_modules/better-sqlite3/prebuilds/

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="Yonder" org.opencontainers.image.licenses="MIT"
# The folder of a new volume gets this owner.
RUN mkdir -m 700 /data && chown 1000:1000 /data \
 && printf '#!/bin/sh\nexec node /opt/yonder/server/dist/yonder.js "$@"\n' > /usr/local/bin/yonder \
 && chmod 755 /usr/local/bin/yonder
COPY --from=build /app /opt/yonder
WORKDIR /opt/yonder
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
# A number, so that Kubernetes can see that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["yonder"]
CMD ["start"]
