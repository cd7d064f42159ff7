import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../server/testing/free-port.ts'
import { openHostileProvider } from '../../server/testing/models/hostile-provider.ts'
import { startProcess } from './start-process.ts'
import type { Running } from './start-process.ts'

export interface Product extends Running {
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  /** Reserves chats. */
  newChats(count: number): Promise<string[]>
}

/** Seconds: longer than any benchmark. */
const tokenLife = 3600

const main = fileURLToPath(new URL('../../server/dist/main.js', import.meta.url))

/**
 * The built product as anyone starts it, with a data folder of its own, a person who is signed in at a provider elsewhere,
 * and bots named like the models given.
 */
export async function startProduct(
  upstream: string,
  models: readonly string[],
  /** For Node, e.g. to profile. */
  flags: readonly string[] = [],
): Promise<Product> {
  const dataDir = mkdtempSync(join(tmpdir(), 'yonder-bench-'))
  const provider = await openHostileProvider()
  const port = await freePort()
  const base = `http://localhost:${port}`
  const environment = {
    PORT: String(port),
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_AUDIENCE: provider.audience,
    DEFAULT_MODEL_BASE_URL: `${upstream}/v1`,
    DEFAULT_BOTS: JSON.stringify(models.map((model) => ({ name: model, model }))),
    RATE_LIMIT_COMPLETIONS: '10000000',
    RATE_LIMIT_WRITES: '10000000',
  }
  const running = await startProcess(main, [], environment, flags)
  const headers = {
    authorization: `Bearer ${await provider.mint({ exp: Math.floor(Date.now() / 1000) + tokenLife })}`,
  }
  return {
    ...running,
    base,
    headers,
    newChats: async (count) => {
      const ids: string[] = []
      for (let index = 0; index < count; index++) {
        const answer = await fetch(`${base}/api/chat/id`, { headers })
        if (!answer.ok) throw new Error(await answer.text())
        ids.push(((await answer.json()) as { id: string }).id)
      }
      return ids
    },
    end: async () => {
      await running.end()
      await provider.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
