import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { rootFolder } from './run-command.mjs'

/** Parameters of `unshare`, which some systems refuse. The program is the first process, as in a container. */
const asFirst = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child']
const canBeFirst = spawnSync('unshare', [...asFirst, 'true']).status === 0

it.skipIf(!canBeFirst)(
  'ends on SIGTERM while it starts, also as the first process of a container',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'yonder-bin-'))
    mkdirSync(join(folder, 'server/dist'), { recursive: true })
    cpSync(join(rootFolder, 'bin'), join(folder, 'bin'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(
      join(folder, 'server/dist/yonder.js'),
      'setInterval(() => undefined, 1_000); process.stdout.write("starting")',
    )
    const unshare = spawn('unshare', [...asFirst, process.execPath, join(folder, 'bin/yonder.mjs')])
    await once(unshare.stdout, 'data')
    const first = Number(readFileSync(`/proc/${unshare.pid}/task/${unshare.pid}/children`, 'utf8'))
    process.kill(first, 'SIGTERM')
    const [code] = await once(unshare, 'exit')
    expect(code).toBe(143)
    rmSync(folder, { recursive: true })
  },
)
