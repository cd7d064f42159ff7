import { expect, it } from 'vitest'
import { toAppError } from '../http/error-handler.ts'
import { ConnectionError } from './dialects/postgres-pool.ts'
import { adviseOperator, toOperatorError, toStorageError } from './storage-problem.ts'

const failed = (code: string, message = code) =>
  new ConnectionError(Object.assign(new Error(message), { code }))

it.each([
  failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
  failed('ERR_TLS_CERT_ALTNAME_INVALID'),
  failed('CERT_HAS_EXPIRED'),
])('says what to do about the certificate of PostgreSQL: %s', (error) => {
  expect(adviseOperator(error)).toContain('sslrootcert')
})

it('blames this machine when it cannot open a connection to PostgreSQL', () => {
  const error = failed('EMFILE')
  expect(adviseOperator(error)).toContain('LimitNOFILE')
  expect(toAppError(error, { id: '1' }, toStorageError).message).toContain('too many open connections')
})

it('says that PostgreSQL does not respond when it does not', () => {
  expect(adviseOperator(failed('ECONNREFUSED'))).toContain('Check that it runs')
})

it('does not ask for a certificate when PostgreSQL has no TLS', () => {
  const error = failed('', 'The server does not support SSL connections')
  expect(toOperatorError(error).message).toContain('does not offer encrypted connections')
  expect(adviseOperator(error)).toMatch(/Turn on ssl.*sslmode=disable/)
})
