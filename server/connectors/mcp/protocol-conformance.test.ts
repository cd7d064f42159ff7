import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startConformanceDriver, type ConformanceDriver } from '../../testing/mcp/conformance-driver.ts'

const folder = fileURLToPath(new URL('../../../conformance/', import.meta.url))
/** The suite needs a newer Node than the product, so it brings one. */
const node = `${folder}node_modules/.bin/node`
const suite = `${folder}node_modules/@modelcontextprotocol/conformance/dist/index.js`

/** `npm test` and `npm run conformance` install it. */
describe.skipIf(!existsSync(node))('the official conformance tests of clients', () => {
  let driver: ConformanceDriver

  beforeAll(async () => {
    driver = await startConformanceDriver()
  })

  afterAll(() => driver.close())

  function run(...parameters: string[]): Promise<{ code: number | null; output: string }> {
    return new Promise((resolve, reject) => {
      const child = spawn(
        node,
        [suite, 'client', '--command', `${process.execPath} ${folder}adapter.mjs`, ...parameters],
        {
          env: {
            PATH: '/usr/local/bin:/usr/bin:/bin',
            HOME: '/nonexistent',
            CONFORMANCE_CONTROL: driver.control,
          },
        },
      )
      let output = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString()
        })
      }
      child.once('error', reject)
      child.once('exit', (code) => resolve({ code, output }))
    })
  }

  it.each(['2026-07-28', '2025-11-25'])(
    'pass for the revision %s',
    { timeout: 180_000 },
    async (revision) => {
      const { code, output } = await run('--requirements', revision)
      expect(code, output.slice(-20_000)).toBe(0)
    },
  )
})
