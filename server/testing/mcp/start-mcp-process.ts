import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { freePort } from '../free-port.ts'

export interface McpProcess {
  /** The address of its MCP endpoint. */
  readonly url: string
  /** Ends the process and starts it again on the same port. */
  restart(): Promise<void>
  close(): Promise<void>
}

const require = createRequire(import.meta.url)

/** The file behind a package's command. */
function binOf(name: string, command?: string): string {
  const manifest = findManifest(name)
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: string | Record<string, string> }
  const file = typeof bin === 'string' ? bin : (bin[command ?? Object.keys(bin)[0] ?? ''] ?? '')
  return join(dirname(manifest), file)
}

function findManifest(name: string): string {
  const paths = require.resolve.paths(name) ?? []
  for (const path of paths) {
    const manifest = join(path, name, 'package.json')
    try {
      readFileSync(manifest)
      return manifest
    } catch {
      // Not in this folder.
    }
  }
  throw new Error(`${name} is not installed.`)
}

/** Starts a program with a small environment of its own, because some tools return the environment. */
async function start(
  path: string,
  describe: (port: number) => { args: string[]; env?: Record<string, string>; health: string },
): Promise<McpProcess> {
  const port = await freePort()
  const { args, env = {}, health } = describe(port)
  const run = () => {
    const child = spawn(process.execPath, args, {
      env: { PATH: dirname(process.execPath), HOME: '/nonexistent', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let output = ''
    child.stderr.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-5_000)
    })
    return {
      child,
      output: () => output,
      ended: new Promise<void>((resolve) => child.once('exit', () => resolve())),
    }
  }
  let current = run()
  const ready = async (): Promise<void> => {
    for (let attempt = 0; attempt < 200; attempt++) {
      if (current.child.exitCode !== null) throw new Error(`The server ended: ${current.output()}`)
      try {
        const response = await fetch(`http://127.0.0.1:${port}${health}`, {
          signal: AbortSignal.timeout(1_000),
        })
        await response.body?.cancel()
        return
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    throw new Error(`The server did not start: ${current.output()}`)
  }
  const end = async (): Promise<void> => {
    current.child.kill('SIGKILL')
    await current.ended
  }
  await ready()
  return {
    url: `http://127.0.0.1:${port}${path}`,
    async restart() {
      await end()
      current = run()
      await ready()
    },
    close: end,
  }
}

/** Starts the stateful reference server with every kind of result, over streamable HTTP or the older HTTP+SSE. */
export function startEverything(transport: 'streamableHttp' | 'sse' = 'streamableHttp'): Promise<McpProcess> {
  return start(transport === 'sse' ? '/sse' : '/mcp', (port) => ({
    args: [binOf('@modelcontextprotocol/server-everything'), transport],
    env: { PORT: String(port) },
    health: '/nothing',
  }))
}

/** Starts a server that speaks only over its standard streams, behind a proxy that speaks HTTP. */
function startBehindProxy(command: readonly string[], env?: Record<string, string>): Promise<McpProcess> {
  return start('/mcp', (port) => ({
    args: [
      binOf('mcp-proxy', 'mcp-proxy'),
      '--port',
      String(port),
      '--host',
      '127.0.0.1',
      '--server',
      'stream',
      '--',
      process.execPath,
      ...command,
    ],
    ...(env === undefined ? {} : { env }),
    health: '/ping',
  }))
}

/** Starts a server that keeps a graph of entities in `file`. */
export function startMemory(file: string): Promise<McpProcess> {
  return startBehindProxy([binOf('@modelcontextprotocol/server-memory')], { MEMORY_FILE_PATH: file })
}

/** Starts a server that reads and writes files below `folder`. */
export function startFilesystem(folder: string): Promise<McpProcess> {
  return startBehindProxy([binOf('@modelcontextprotocol/server-filesystem'), folder])
}
