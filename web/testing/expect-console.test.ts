import { afterEach, expect, it } from 'vitest'
import { checkConsole, expectConsole, watchConsole } from './expect-console.ts'

// The lines that these tests log must not fail them afterwards.
afterEach(() => watchConsole())

it('fails a test on an error or a warning that it did not expect', () => {
  console.error('It broke', new Error('in the middle'))
  expect(() => checkConsole()).toThrow(/error: It broke Error: in the middle/)
  watchConsole()
  console.warn('Careful')
  expect(() => checkConsole()).toThrow('warn: Careful')
})

it('accepts an expected line, at its level only', () => {
  expectConsole('error', /broke/)
  console.error('It broke')
  expect(() => checkConsole()).not.toThrow()
  watchConsole()
  expectConsole('warn', /broke/)
  console.error('It broke')
  expect(() => checkConsole()).toThrow('error: It broke')
})

it('fails when an expected line is missing', () => {
  expectConsole('error', /broke/)
  expect(() => checkConsole()).toThrow('missing: broke')
})
