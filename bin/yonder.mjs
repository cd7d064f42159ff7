#!/usr/bin/env node
import { findNodeProblem } from './node-version.mjs'

// The command `yonder` of the package. A Node that is too old must still be able to parse this file.
const problem = findNodeProblem(process.versions.node)
if (problem !== undefined) {
  console.error(problem)
  process.exit(1)
}
process.env['NODE_ENV'] = process.env['NODE_ENV'] || 'production'
void import(new URL('../server/dist/yonder.js', import.meta.url).href)
