#!/usr/bin/env node
import './ensure-node.mjs'

// The command `yonder` of the package.
process.env['NODE_ENV'] = process.env['NODE_ENV'] || 'production'
void import(new URL('../server/dist/yonder.js', import.meta.url).href)
