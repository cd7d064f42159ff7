import { once } from 'node:events'
import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

let app: FastifyInstance
/** What the route did, in order. */
const steps: string[] = []
/** Lets the request with this name continue. */
const gates = new Map<string, () => void>()

beforeEach(async () => {
  steps.length = 0
  app = Fastify()
  app.get<{ Params: { user: string; name: string } }>(
    '/:user/:name',
    oneAtATime(({ url }) => url.split('/')[1] ?? ''),
    async ({ params: { name } }) => {
      steps.push(`begin ${name}`)
      await new Promise<void>((resolve) => gates.set(name, resolve))
      steps.push(`end ${name}`)
      if (name === 'failing') throw new Error('no')
      return name
    },
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(() => app.close())

const address = (path: string) => `${app.listeningOrigin}${path}`
const begun = (name: string) => expect.poll(() => steps, { interval: 2 }).toContain(`begin ${name}`)
const open = (name: string) => gates.get(name)?.()

it('executes one request of a user at a time, and those of others meanwhile', async () => {
  const first = fetch(address('/ada/first'))
  await begun('first')
  const second = fetch(address('/ada/second'))
  const other = fetch(address('/grace/other'))
  await begun('other')
  open('other')
  expect(await (await other).text()).toBe('other')
  expect(steps).not.toContain('begin second')
  open('first')
  await first
  await begun('second')
  open('second')
  expect(await (await second).text()).toBe('second')
  expect(steps).toEqual([
    'begin first',
    'begin other',
    'end other',
    'end first',
    'begin second',
    'end second',
  ])
})

it('executes the next request after one that fails', async () => {
  const failing = fetch(address('/ada/failing'))
  await begun('failing')
  const next = fetch(address('/ada/next'))
  open('failing')
  expect((await failing).status).toBe(500)
  await begun('next')
  open('next')
  expect((await next).status).toBe(200)
})

it('does not execute a waiting request whose client has left, nor wait for one', async () => {
  const first = fetch(address('/ada/first'))
  await begun('first')
  const left = request(address('/ada/left'))
  left.on('error', () => undefined)
  left.end()
  const [, response] = (await once(app.server, 'request')) as [IncomingMessage, ServerResponse]
  left.destroy()
  await once(response, 'close')
  const next = fetch(address('/ada/next'))
  open('first')
  await first
  await begun('next')
  open('next')
  expect((await next).status).toBe(200)
  expect(steps).not.toContain('begin left')
})

it('waits until the route has ended when the client of the running request leaves', async () => {
  const first = request(address('/ada/first'))
  first.on('error', () => undefined)
  const arrived = once(app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  first.end()
  const [, response] = await arrived
  await begun('first')
  first.destroy()
  await once(response, 'close')
  const next = fetch(address('/ada/next'))
  const other = fetch(address('/grace/other'))
  await begun('other')
  expect(steps).not.toContain('begin next')
  open('other')
  open('first')
  await begun('next')
  open('next')
  await Promise.all([other, next])
  expect(steps.indexOf('end first')).toBeLessThan(steps.indexOf('begin next'))
})
