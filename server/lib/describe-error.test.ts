import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { AppError } from './app-error.ts'
import { describeError } from './describe-error.ts'

/** The lines that an error writes into the log. */
function log(error: unknown): string {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = Fastify({ logger: { stream, serializers: { err: (thrown) => describeError(thrown) } } })
  app.log.error({ err: error }, 'failed')
  return lines.join('')
}

it('logs the message, the stack and the cause', () => {
  const cause = Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' })
  const line = log(new AppError('upstream_unreachable', 'The server does not respond.', { cause }))
  expect(JSON.parse(line)).toMatchObject({
    err: {
      type: 'AppError',
      message: 'The server does not respond.',
      code: 'upstream_unreachable',
      stack: expect.stringContaining('describe-error.test.ts') as string,
      cause: { type: 'TypeError', message: 'fetch failed', code: 'ECONNREFUSED' },
    },
  })
})

it('logs no other fields of an error, and cuts a long text of another server', () => {
  const cause = Object.assign(new Error(`Error POSTing to endpoint: ${'x'.repeat(4_000_000)}`), {
    config: { headers: { authorization: 'Bearer canary' } },
    data: { text: 'canary' },
  })
  for (const error of [cause, new AppError('upstream_invalid', 'No MCP.', { cause })]) {
    const line = log(error)
    expect(line.length).toBeLessThan(20_000)
    expect(line).not.toContain('canary')
  }
})

it('describes an error that is its own cause, and values that are not errors', () => {
  const error = new Error('again')
  error.cause = error
  expect(JSON.stringify(describeError(error)).match(/"again"/g)).toHaveLength(5)
  expect(describeError('a text')).toEqual({ type: 'string', message: 'a text', stack: '' })
})
