import { afterEach, expect, it } from 'vitest'
import { checkConsole, expectConsole, watchConsole } from './expect-console.ts'

// What a test provokes here must not fail it afterwards.
afterEach(() => watchConsole())

it('fails a test on an error or a warning that it did not announce', () => {
  console.error('It broke', new Error('in the middle'))
  expect(() => checkConsole()).toThrow(/error: It broke Error: in the middle/)
  watchConsole()
  console.warn('Careful')
  expect(() => checkConsole()).toThrow('warn: Careful')
})

it('accepts an announced line, at its level only', () => {
  expectConsole('error', /broke/)
  console.error('It broke')
  expect(() => checkConsole()).not.toThrow()
  watchConsole()
  expectConsole('warn', /broke/)
  console.error('It broke')
  expect(() => checkConsole()).toThrow('error: It broke')
})

it('fails when an announced line is missing', () => {
  expectConsole('error', /broke/)
  expect(() => checkConsole()).toThrow('missing: broke')
})
