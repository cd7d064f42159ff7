import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashSources } from './hash-sources.mjs'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yonder-hash-'))
  mkdirSync(join(folder, 'server/dist'), { recursive: true })
  writeFileSync(join(folder, 'server/main.ts'), 'one')
})
afterEach(() => rmSync(folder, { recursive: true }))

const hash = () => hashSources(folder, ['server', 'missing.json'])

it('changes when a source is changed, renamed or added', () => {
  const before = hash()
  writeFileSync(join(folder, 'server/main.ts'), 'two')
  const changed = hash()
  writeFileSync(join(folder, 'server/app.ts'), '')
  expect(new Set([before, changed, hash()]).size).toBe(3)
})

it('ignores file times, tests, build output and hidden files', () => {
  const before = hash()
  utimesSync(join(folder, 'server/main.ts'), 1, 1)
  writeFileSync(join(folder, 'server/main.test.ts'), '')
  writeFileSync(join(folder, 'server/main.test.mjs'), '')
  writeFileSync(join(folder, 'server/dist/main.js'), '')
  writeFileSync(join(folder, 'server/.swp'), '')
  expect(hash()).toBe(before)
})
