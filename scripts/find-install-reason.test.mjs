import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findInstallReason } from './find-install-reason.mjs'

const manifest = { workspaces: ['server'], devDependencies: { vitest: '4.1.12' } }
const serverManifest = { dependencies: { pg: '8.23.1', fastify: '5.12.8' } }
const packages = {
  'node_modules/vitest': { version: '4.1.12', dev: true },
  'node_modules/pg': { version: '8.23.1' },
  'node_modules/fsevents': { version: '2.3.3', optional: true },
  'node_modules/@yonder/server': { link: true },
}
const lock = { '': manifest, server: serverManifest, ...packages }

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yonder-install-'))
  write('package.json', manifest)
  write('server/package.json', serverManifest)
  write('package-lock.json', { packages: lock })
  const { 'node_modules/fsevents': _otherSystem, ...installed } = packages
  write('node_modules/.package-lock.json', { packages: installed })
})
afterEach(() => rmSync(folder, { recursive: true }))

/**
 * @param {string} path
 * @param {unknown} content
 */
function write(path, content) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), JSON.stringify(content))
}

it('installs nothing when everything is there', () => {
  expect(findInstallReason(folder, { withTests: true })).toBeUndefined()
})

it('ignores the order of packages in a manifest', () => {
  write('server/package.json', { dependencies: { fastify: '5.12.8', pg: '8.23.1' } })
  expect(findInstallReason(folder, { withTests: true })).toBeUndefined()
})

it('installs into a fresh clone', () => {
  rmSync(join(folder, 'node_modules'), { recursive: true })
  expect(findInstallReason(folder, { withTests: true })).toBe('there are none yet')
})

it('needs no packages of tests unless they are asked for', () => {
  const { 'node_modules/vitest': _tests, ...installed } = packages
  write('node_modules/.package-lock.json', { packages: installed })
  expect(findInstallReason(folder, { withTests: false })).toBeUndefined()
  expect(findInstallReason(folder, { withTests: true })).toBe('vitest 4.1.12 is missing')
})

it('finishes an interrupted installation', () => {
  rmSync(join(folder, 'node_modules/.package-lock.json'))
  expect(findInstallReason(folder, { withTests: true })).toContain('did not finish')
})

it('installs the packages of a changed lock file', () => {
  write('package-lock.json', { packages: { ...lock, 'node_modules/pg': { version: '9.0.0' } } })
  expect(findInstallReason(folder, { withTests: true })).toBe('pg 9.0.0 is missing')
})

it('installs packages of a manifest that are missing in the lock file', () => {
  write('server/package.json', { dependencies: { ...serverManifest.dependencies, jose: '6.2.17' } })
  expect(findInstallReason(folder, { withTests: true })).toBe(`${join('server', 'package.json')} changed`)
})
