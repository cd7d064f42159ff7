import { readFileSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { trimSlashes } from '../../lib/text.ts'
import type { ModelDeps } from '../../models/adapter.ts'
import { openaiEndpoint } from '../../models/endpoint.ts'
import { listModels } from '../../models/list-models.ts'

export interface HostOllamaDeps extends Pick<ModelDeps, 'guards'> {
  readonly config: Pick<Config, 'isContainer' | 'isLoopback' | 'ollamaIsSet' | 'outgoing'>
  /** Origins at which an Ollama on the host of a container may respond. */
  readonly candidates?: readonly string[]
}

/**
 * Looks for an Ollama on the host of this container, once, at a few addresses, and returns a line for the operator with
 * the settings that offer it. Returns no line outside a container, when only this machine can reach the
 * server, when the operator has set `OLLAMA_URL`, and when nothing responds. Users do not see it.
 * Do not wait for it when the server starts: looking up names that do not exist takes time.
 */
export async function findHostOllama({
  config,
  guards,
  candidates = listCandidates(),
}: HostOllamaDeps): Promise<readonly string[]> {
  const { isContainer, isLoopback, ollamaIsSet, outgoing } = config
  if (!isContainer || isLoopback || ollamaIsSet) return []
  const found = await Promise.all(candidates.map((origin) => responds(guards, origin)))
  const origin = candidates.find((_, at) => found[at])
  if (origin === undefined) return []
  const hosts = [...new Set([...outgoing.allowedPrivateHosts, new URL(origin).host])]
  return [
    `Ollama responds on the host of this container. To offer its models in Add Bot, set OLLAMA_URL=${origin} and ALLOWED_PRIVATE_HOSTS=${hosts.join(',')}`,
  ]
}

/** The default port of Ollama. */
const port = 11434
const timeoutMs = 1_000

async function responds(guards: ModelDeps['guards'], origin: string): Promise<boolean> {
  const endpoint = openaiEndpoint(`${trimSlashes(origin)}/v1`, 'operatorSupplied')
  try {
    await listModels(endpoint, { guards, timeoutMs }, new AbortController().signal)
    return true
  } catch {
    return false
  }
}

/** The names that Docker and Podman give to the host, and the address of the host in a bridged network. */
function listCandidates(): string[] {
  const gateway = readGateway()
  const hosts = [
    'host.docker.internal',
    'host.containers.internal',
    ...(gateway === undefined ? [] : [gateway]),
  ]
  return hosts.map((host) => `http://${host}:${port}`)
}

function readGateway(): string | undefined {
  try {
    return parseGateway(readFileSync('/proc/net/route', 'utf8'))
  } catch {
    return undefined
  }
}

/** The gateway of the default route. The kernel writes it in the byte order of the machine: the last byte first. */
export function parseGateway(routes: string): string | undefined {
  const [, , gateway = ''] =
    routes
      .split('\n')
      .map((line) => line.split('\t'))
      .find(([, destination, address]) => destination === '00000000' && address !== '00000000') ?? []
  return /^[0-9A-F]{8}$/.test(gateway) ? [...Buffer.from(gateway, 'hex')].toReversed().join('.') : undefined
}
