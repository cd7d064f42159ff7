import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { AppError } from './app-error.ts'
import { describeError } from './describe-error.ts'

/** Lines of the log that an error leaves. */
function log(error: unknown): string {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = Fastify({ logger: { stream, serializers: { err: (thrown) => describeError(thrown) } } })
  app.log.error({ err: error }, 'failed')
  return lines.join('')
}

it('says what went wrong, where, and what caused it', () => {
  const cause = Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' })
  const line = log(new AppError('upstream_unreachable', 'Nobody answers.', { cause }))
  expect(JSON.parse(line)).toMatchObject({
    err: {
      type: 'AppError',
      message: 'Nobody answers.',
      code: 'upstream_unreachable',
      stack: expect.stringContaining('describe-error.test.ts') as string,
      cause: { type: 'TypeError', message: 'fetch failed', code: 'ECONNREFUSED' },
    },
  })
})

it('repeats neither what libraries keep in errors nor whatever another server likes to say', () => {
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

it('comes to an end with errors that cause themselves, and with what is no error', () => {
  const error = new Error('again')
  error.cause = error
  expect(JSON.stringify(describeError(error)).match(/"again"/g)).toHaveLength(5)
  expect(describeError('a text')).toEqual({ type: 'string', message: 'a text', stack: '' })
})
