import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sqliteFileName } from './db/open-database.ts'
import { freePort } from './testing/free-port.ts'
import { programParameters } from './testing/program-path.ts'
import { startMain, type MainProcess } from './testing/start-main.ts'

let product: MainProcess

beforeEach(async () => {
  product = await startMain({ LOG_LEVEL: 'silent' })
})

afterEach(() => product.remove())

const hashFolder = (): readonly string[] =>
  readdirSync(product.dataDir).map((name) => {
    // The running server itself may write to its database meanwhile.
    const content = name.startsWith(sqliteFileName) ? '' : readFileSync(join(product.dataDir, name))
    return `${name} ${createHash('sha256').update(content).digest('hex')}`
  })

it('refuses a second start on the data folder of a running server, writes nothing, and allows one after a kill', async () => {
  const before = hashFolder()
  const second = spawn(process.execPath, programParameters('main.ts'), {
    cwd: product.dataDir,
    env: { PORT: String(await freePort()), DATA_DIR: product.dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, [code]] = await Promise.all([
    text(second.stdout),
    text(second.stderr),
    once(second, 'close'),
  ])
  expect([code, output, errors]).toEqual([
    1,
    '',
    `The data folder ${product.dataDir} is in use by another server or command (process ${product.pid}). Stop it first, or set another DATA_DIR.\n`,
  ])
  expect(hashFolder()).toEqual(before)

  // A lock that outlives its process would need an operator.
  await product.end('SIGKILL')
  await product.restart()
  expect(product.alive).toBe(true)
}, 60_000)
