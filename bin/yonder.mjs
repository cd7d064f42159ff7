#!/usr/bin/env node
import './ensure-node.mjs'

// The command `yonder` of the package.
process.env['NODE_ENV'] = process.env['NODE_ENV'] || 'production'
// As the first process of a container, it would ignore this signal until the server has a listener of its own.
if (process.pid === 1) process.on('SIGTERM', () => process.listenerCount('SIGTERM') > 1 || process.exit(143))
void import(new URL('../server/dist/yonder.js', import.meta.url).href)
