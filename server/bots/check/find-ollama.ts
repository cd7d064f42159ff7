import { readFileSync } from 'node:fs'
import type { LocalModels } from '@yonder/contract/bot'
import type { Config } from '../../config/config.ts'
import { trimSlashes } from '../../lib/text.ts'
import type { ModelDeps } from '../../models/adapter.ts'
import { openaiEndpoint, type ModelEndpoint } from '../../models/endpoint.ts'
import { listModels } from '../../models/list-models.ts'

export interface OllamaDeps extends Pick<ModelDeps, 'guards'> {
  readonly config: Pick<Config, 'ollamaUrl'>
}

/**
 * Looks for the Ollama next to a loopback installation, where only users of this machine can reach it, or the
 * one that the operator has set and allowed. Returns null when there is none, or when it has no models or
 * responds with an error, which is not reported because the user did not ask for Ollama.
 */
export async function findOllama(
  { config, guards }: OllamaDeps,
  signal: AbortSignal,
): Promise<LocalModels['local']> {
  if (config.ollamaUrl === null) return null
  // A bot with this address is called under the rules for users, so it is looked for under the same rules.
  const options = { addressSource: 'userSupplied', timeoutMs: 500, signal } as const
  const found = await listOllama(guards, config.ollamaUrl, options)
  return found?.models.length === 0 ? null : found
}

interface ListOptions {
  readonly addressSource: ModelEndpoint['addressSource']
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** The models of the Ollama at an origin; null when none responds there. */
async function listOllama(
  guards: ModelDeps['guards'],
  origin: string,
  { addressSource, timeoutMs, signal }: ListOptions,
): Promise<LocalModels['local']> {
  const base_url = `${trimSlashes(origin)}/v1`
  try {
    const endpoint = openaiEndpoint(base_url, addressSource)
    const { models } = await listModels(endpoint, { guards, timeoutMs }, signal)
    return { base_url, models }
  } catch {
    return null
  }
}

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
  const { signal } = new AbortController()
  const options = { addressSource: 'operatorSupplied', timeoutMs: 1_000, signal } as const
  const found = await Promise.all(candidates.map((origin) => listOllama(guards, origin, options)))
  const origin = candidates.find((_, at) => found[at] !== null)
  if (origin === undefined) return []
  const hosts = [...new Set([...outgoing.allowedPrivateHosts, new URL(origin).host])]
  return [
    `Ollama responds on the host of this container. To offer its models in Add Bot, set OLLAMA_URL=${origin} and ALLOWED_PRIVATE_HOSTS=${hosts.join(',')}`,
  ]
}

/** The default port of Ollama. */
const port = 11434

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
