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
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY . .
# The npm package, and better-sqlite3 of the version in package-lock.json, reduced to its binaries for Linux.
RUN node scripts/build.mjs \
 && npm pack --ignore-scripts --pack-destination / \
 && tar -xzf /yonder-*.tgz -C / \
 && mkdir /package/node_modules \
 && cp -r node_modules/better-sqlite3 /package/node_modules/ \
 && cd /package/node_modules/better-sqlite3 \
 && rm -rf deps src prebuilds/darwin* prebuilds/win32*

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="Yonder" org.opencontainers.image.licenses="MIT"
# A new volume gets the owner of this folder. Group 0, because a cluster may run the container as any user of it.
RUN mkdir -m 770 /data && chown 1000:0 /data \
 && ln -s /opt/yonder/bin/yonder.mjs /usr/local/bin/yonder
COPY --from=build /package /opt/yonder
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
