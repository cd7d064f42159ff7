import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { programParameters } from '../program-path.ts'

export interface HostileServer {
  /** The origin, without a final slash. */
  readonly origin: string
  /** The MCP address of a behaviour. */
  url(behaviour: string, query?: Record<string, string>): string
  /** Returns the requests that a behaviour has received, with the first 2,000 characters of their bodies. */
  seen(
    behaviour: string,
  ): Promise<{ method: string; rpc: string; authorization: string; session: string; body: string }[]>
  /** Switches a behaviour to its next phase. */
  nextPhase(behaviour: string): Promise<void>
  close(): Promise<void>
}

/** Starts `hostile-mcp-server.ts` in a process of its own. */
export async function startHostileServer(): Promise<HostileServer> {
  const child = spawn(process.execPath, programParameters('testing/hostile-mcp/hostile-mcp-server.ts'), {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const origin = `http://127.0.0.1:${line.toString().trim()}`
  return {
    origin,
    url: (behaviour, query = {}) =>
      `${origin}/${behaviour}/mcp?${new URLSearchParams(query).toString()}`.replace(/\?$/, ''),
    seen: async (behaviour) =>
      (await fetch(`${origin}/_seen/${behaviour}`)).json() as ReturnType<HostileServer['seen']>,
    nextPhase: async (behaviour) => {
      await fetch(`${origin}/_next/${behaviour}`)
    },
    async close() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
