import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { parseConfig } from '../../config/config.ts'
import { openGuards } from '../../http/outgoing/guarded-fetch.ts'
import { findHostOllama, parseGateway } from './find-ollama.ts'

const running: Server[] = []
afterEach(() => running.splice(0).forEach((server) => server.close()))

const nowhere = 'http://127.0.0.1:9'
const listsModels: RequestListener = (_request, response) =>
  void response.end('{"object":"list","data":[{"id":"llama3:8b"}]}')

async function startOllama(respond: RequestListener = listsModels) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    respond(request, response)
  }).listen(0, '127.0.0.1')
  running.push(server)
  await once(server, 'listening')
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

async function look(
  candidates: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  isContainer = true,
): Promise<string | undefined> {
  const machine = { hostName: null, addresses: [], isContainer }
  const config = parseConfig({ HOST: '0.0.0.0', ...settings }, machine)
  const guards = openGuards(config.outgoing)
  const [line] = await findHostOllama({ config, guards, candidates })
  await guards.close()
  return line
}

it('names the settings that offer an Ollama on the host of the container, one after the other', async () => {
  const { origin, seen } = await startOllama()
  const host = new URL(origin).host
  expect(await look([nowhere, origin])).toBe(
    `Ollama responds on the host of this container. To offer its models in Add Bot, set OLLAMA_URL=${origin} and ALLOWED_PRIVATE_HOSTS=${host}`,
  )
  expect(seen).toEqual(['GET /v1/models'])
  expect(await look([origin], { ALLOWED_PRIVATE_HOSTS: `10.0.0.1:80,${host}` })).toMatch(
    new RegExp(` ALLOWED_PRIVATE_HOSTS=10\\.0\\.0\\.1:80,${host}$`),
  )
})

it.each<[string, Readonly<Record<string, string>>, boolean]>([
  ['outside of a container', {}, false],
  ['on a loopback installation, which offers it anyway', { HOST: '127.0.0.1' }, true],
  ['when the operator has set an address', { OLLAMA_URL: 'http://10.0.0.9:11434' }, true],
  ['when the operator wants none', { OLLAMA_URL: 'none' }, true],
])('sends no request %s', async (_, settings, isContainer) => {
  const { origin, seen } = await startOllama()
  expect(await look([origin], settings, isContainer)).toBeUndefined()
  expect(seen).toEqual([])
})

it.each<[string, RequestListener]>([
  ['another program', (_request, response) => void response.end('<html>Hi</html>')],
  ['a program that refuses', (_request, response) => void response.writeHead(403).end()],
  ['a program that redirects', (_request, response) => void response.writeHead(302, { location: '/' }).end()],
])('prints nothing for %s', async (_, respond) => {
  expect(await look([nowhere, (await startOllama(respond)).origin])).toBeUndefined()
})

it('finds the gateway of the default route', () => {
  const header = 'Iface\tDestination\tGateway \tFlags\n'
  expect(parseGateway(`${header}eth0\t000011AC\t00000000\t0001\neth0\t00000000\t010011AC\t0003\n`)).toBe(
    '172.17.0.1',
  )
  for (const routes of [
    '',
    header,
    `${header}eth0\t00000000\t00000000\t0001\n`,
    `${header}eth0\t00000000\tx\t0003\n`,
  ])
    expect(parseGateway(routes)).toBeUndefined()
})
