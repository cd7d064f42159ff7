import { fileURLToPath } from 'node:url'

/** A PostgreSQL server that only one test file uses, so that it may be restarted. */
export interface OwnPostgres {
  readonly url: string
  /** Ends all connections; `immediate` as in a crash. */
  restart(mode: 'fast' | 'immediate'): Promise<void>
  /** Stops the server, which `restart` starts again. */
  pause(): Promise<void>
  /** Freezes all processes of the server, or lets them go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>
  /** Stops the server and removes its data. */
  stop(): Promise<void>
}

/** Starts a PostgreSQL. Throws when this machine has none. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const path = fileURLToPath(new URL('../../../scripts/start-postgres.mjs', import.meta.url))
  const { startPostgres } = (await import(path)) as {
    startPostgres: () => Promise<OwnPostgres | undefined>
  }
  const started = await startPostgres()
  if (started === undefined) throw new Error('This machine has no PostgreSQL.')
  return started
}
