import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../free-port.ts'

/** A pooler in transaction mode in front of a PostgreSQL database. */
export interface PgBouncer {
  readonly url: string
  stop(): Promise<void>
}

/** Whether this machine has the program, from the Debian package `pgbouncer`. */
export function hasPgBouncer(): boolean {
  return spawnSync('sh', ['-c', 'command -v pgbouncer']).status === 0
}

/** Starts PgBouncer with few connections of the server, so that its clients share them. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'yonder-pgbouncer-'))
  chmodSync(folder, 0o755)
  const ownPort = await freePort()
  const user = decodeURIComponent(username)
  const server = `host=${hostname} port=${port || '5432'} user=${user}${password && ` password=${decodeURIComponent(password)}`}`
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = ${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
`,
  )
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', ['-q', ...asUser, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  while (!(await accepts(ownPort))) {
    if (child.exitCode !== null) throw new Error('PgBouncer does not start.')
    await wait(20)
  }
  return {
    url: `postgres://${username}@127.0.0.1:${ownPort}${pathname}`,
    async stop() {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true })
    },
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
