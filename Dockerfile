# A worker: the TypeScript sources as they are, run by Node. Servers are reached by environment variables alone.
FROM node:20.20.2-bookworm-slim

WORKDIR /holdpoint
ENV NODE_ENV=production

# Dependencies first, so that a change of the sources does not install them again. No package needs its install script to run a worker.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force
COPY . .

USER node
ENTRYPOINT ["node", "bin/holdpoint.mjs"]
CMD ["worker", "--queues", "model,commit"]
