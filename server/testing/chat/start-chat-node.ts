import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { ConnectionOptions } from '../../db/open-database.ts'
import type { TestDatabase } from '../database/test-database.ts'
import { programParameters } from '../program-path.ts'
import type { TestClient } from '../test-app.ts'

export interface ChatNode {
  readonly base: string
  /** The steps since it listens, if it was told where to be killed. */
  readonly steps: readonly string[]
  /** Resolves when the process has ended. */
  readonly exited: Promise<void>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Ends the process without a shutdown. */
  kill(): Promise<void>
}

/**
 * Starts another server on the same data, in a process of its own, for one user. It kills itself at the step `killAt` of
 * `run-chat-node.ts`.
 */
export async function startChatNode(
  database: TestDatabase,
  client: Pick<TestClient, 'user' | 'headers'>,
  modelBaseUrl: string,
  limits: ConnectionOptions = {},
  killAt?: string,
): Promise<ChatNode> {
  const { dataDir, databaseUrl } = database.location
  const options = {
    environment: {
      LOG_LEVEL: 'silent',
      RATE_LIMIT_WRITES: '100000',
      RATE_LIMIT_READS: '100000',
      RATE_LIMIT_COMPLETIONS: '100000',
      DATA_DIR: dataDir,
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      DEFAULT_MODEL_BASE_URL: modelBaseUrl,
    },
    user: client.user,
    limits,
    killAt,
    token: client.headers['authorization']?.replace('Bearer ', ''),
  }
  const program = programParameters('testing/chat/run-chat-node.ts')
  const child = spawn(process.execPath, [...program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([once(lines, 'line') as Promise<[string]>, once(lines, 'close')])
  const [base] = first as [string?]
  if (base === undefined) throw new Error('The server did not start.')
  const steps: string[] = []
  lines.on('line', (step) => steps.push(step))
  return {
    base,
    steps,
    exited,
    signal: (name) => void child.kill(name),
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
