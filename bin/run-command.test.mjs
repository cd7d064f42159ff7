import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { runCommand } from './run-command.mjs'

const node = process.execPath

it('returns the exit code and the output of a program', async () => {
  const { code, output } = await runCommand(node, ['-e', 'console.log("hi"); process.exitCode = 3'], {
    quiet: true,
  })
  expect({ code, output }).toStrictEqual({ code: 3, output: 'hi\n' })
  expect((await runCommand('no-such-program', [], { quiet: true })).code).toBe(127)
})

it.skipIf(process.platform === 'win32')(
  'kills a program at its deadline together with its child processes',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'yonder-command-'))
    const beat = join(folder, 'beat')
    const grandchild = `setInterval(() => require('fs').appendFileSync(${JSON.stringify(beat)}, '.'), 20)`
    const script = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}]); setInterval(() => {}, 1000)`
    const { code } = await runCommand(node, ['-e', script], { quiet: true, deadlineMs: 1500 })
    expect(code).toBe(128)
    const beats = readFileSync(beat, 'utf8').length
    expect(beats).toBeGreaterThan(0)
    await wait(300)
    expect(readFileSync(beat, 'utf8')).toHaveLength(beats)
    rmSync(folder, { recursive: true })
  },
)
