import { expect, it } from 'vitest'
import { toAppError } from '../http/error-handler.ts'
import { describeNetworkFailure } from '../http/outgoing/network-failure.ts'
import { findExhausted } from './exhausted.ts'

const failed = (code: string) => Object.assign(new Error(`connect ${code}`), { code })

it.each(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS'])(
  'blames this machine for %s, not the server that was asked or the request',
  (code) => {
    const causes = [
      failed(code),
      new TypeError('fetch failed', { cause: failed(code) }),
      new AggregateError([failed(code)]),
    ]
    for (const error of causes) {
      const user = findExhausted(error)?.user ?? ''
      expect(user).toContain('so nothing was done. Try again in a moment.')
      expect(describeNetworkFailure(error, 'The model', false)).toEqual({
        code: 'unavailable',
        message: user,
      })
      expect(toAppError(error, { id: '1' }, () => null)).toMatchObject({ code: 'unavailable', message: user })
    }
  },
)

it('finds nothing in other errors', () => {
  for (const error of [failed('ECONNRESET'), new Error('EMFILE'), null, 'EMFILE'])
    expect(findExhausted(error)).toBeUndefined()
})
