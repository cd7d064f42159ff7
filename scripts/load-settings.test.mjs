import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { loadSettings } from './load-settings.mjs'

const folder = mkdtempSync(join(tmpdir(), 'yonder-settings-'))
const names = ['YONDER_TEST_FIRST', 'YONDER_TEST_SECOND']
afterEach(() => {
  for (const name of names) delete process.env[name]
  rmSync(folder, { recursive: true, force: true })
})

it('reads the first setting of a file that begins with a byte order mark', () => {
  const path = join(folder, '.env')
  writeFileSync(path, '\uFEFFYONDER_TEST_FIRST=one\nYONDER_TEST_SECOND=two\n')
  loadSettings(path)
  expect(names.map((name) => process.env[name])).toEqual(['one', 'two'])
  expect(Object.keys(process.env).filter((name) => name.startsWith('\uFEFF'))).toEqual([])
  expect(() => loadSettings(join(folder, 'missing'))).not.toThrow()
})
