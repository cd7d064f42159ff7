import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../server/testing/free-port.ts'
import { openHostileIdentityProvider } from '../../server/testing/identity/hostile-identity-provider.ts'
import { startProcess } from './start-process.ts'

export type Product = Awaited<ReturnType<typeof startProduct>>

/** Longer than any benchmark. */
const tokenLifetimeSeconds = 3600

const builtMain = fileURLToPath(new URL('../../server/dist/main.js', import.meta.url))

/**
 * Starts the built product with its own data folder, a user who is signed in at an external provider, and one bot for
 * each model, with the model's name.
 */
export async function startProduct(
  upstream: string,
  models: readonly string[],
  /** The built program. */
  main: string = builtMain,
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'yonder-bench-'))
  const provider = await openHostileIdentityProvider()
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
    RATE_LIMIT_READS: '10000000',
  }
  const running = await startProcess(main, [], environment)
  const signIn = async (claims: Readonly<Record<string, unknown>> = {}) => {
    const exp = Math.floor(Date.now() / 1000) + tokenLifetimeSeconds
    return { authorization: `Bearer ${await provider.mint({ exp, ...claims })}` }
  }
  const headers = await signIn()
  return {
    ...running,
    base,
    headers,
    /** Returns the headers of another user. */
    joinOther: () => signIn({ sub: 'other', email: 'other@example.com' }),
    /** Reserves this many chats and returns their ids. */
    newChats: async (count: number) => {
      const ids: string[] = []
      for (let index = 0; index < count; index++) {
        const response = await fetch(`${base}/api/chat/id`, { headers })
        if (!response.ok) throw new Error(await response.text())
        ids.push(((await response.json()) as { id: string }).id)
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
