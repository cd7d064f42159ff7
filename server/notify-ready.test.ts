import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { notifyReady } from './notify-ready.ts'

it('says with systemd-notify that the server is ready, or that it could not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-notify-'))
  const program = join(folder, 'systemd-notify')
  writeFileSync(program, `#!/bin/sh\necho "$@" > '${folder}/said'\n`, { mode: 0o755 })
  await notifyReady(program)
  expect(readFileSync(join(folder, 'said'), 'utf8')).toBe('--ready\n')
  rmSync(folder, { recursive: true })
  await expect(notifyReady(program)).rejects.toThrow('ENOENT')
})
