import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findNodeProblem } from './node-version.mjs'
import { rootFolder } from './run-command.mjs'
import { sqliteRelease } from './sqlite-release.mjs'

/** @param {string} path */
const readManifest = (path) => JSON.parse(readFileSync(join(rootFolder, path), 'utf8'))

it('the package, the server and the installation of SQLite name the same releases', () => {
  const root = readManifest('package.json')
  const server = readManifest('server/package.json').optionalDependencies
  expect(root.optionalDependencies['better-sqlite3']).toBe(server['better-sqlite3'])
  expect(server[sqliteRelease.name].replace(/^npm:better-sqlite3@/, '')).toBe(sqliteRelease.version)
})

it('the versions of Node are those that the package names', () => {
  expect(readManifest('package.json').engines.node).toBe('^20.19 || >=22')
  const problem = (/** @type {string} */ version, /** @type {string} */ needed) =>
    `Yonder needs Node ${needed} or newer; this is ${version}. Download it from https://nodejs.org`
  for (const version of ['12.22.12', '18.20.8', '20.9.0', '20.18.3'])
    expect(findNodeProblem(version)).toBe(problem(version, '20.19'))
  for (const version of ['21.0.0', '21.6.2', '21.7.3'])
    expect(findNodeProblem(version)).toBe(problem(version, '22'))
  for (const version of ['20.19.0', '22.0.0', '26.1.0']) expect(findNodeProblem(version)).toBeUndefined()
})
