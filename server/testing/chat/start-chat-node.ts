import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { ConnectionOptions } from '../../db/open-database.ts'
import type { TestDatabase } from '../database/test-database.ts'
import { programParameters } from '../program-path.ts'
import type { TestClient } from '../test-app.ts'

export interface ChatNode {
  readonly base: string
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Ends the process without a shutdown. */
  kill(): Promise<void>
}

/** Starts another server on the same data, in a process of its own, for one user. */
export async function startChatNode(
  database: TestDatabase,
  client: TestClient,
  modelBaseUrl: string,
  limits: ConnectionOptions = {},
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
    token: client.headers['authorization']?.replace('Bearer ', ''),
  }
  const program = programParameters('testing/chat/run-chat-node.ts')
  const child = spawn(process.execPath, [...program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  for await (const line of createInterface({ input: child.stdout })) {
    return {
      base: line,
      signal: (name) => void child.kill(name),
      async kill() {
        child.kill('SIGKILL')
        await exited
      },
    }
  }
  throw new Error('The server did not start.')
}
