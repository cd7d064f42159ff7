import { expect, it } from 'vitest'
import { readProcessId } from './provide-test-database.mjs'

it.each([
  ['yonder_test_4711_0a1b2c3d', 4711],
  ['yonder_test_4711_0a1b2c3d_4e5f6a7b', 4711],
  ['yonder_test_mine', undefined],
  ['yonder_test_4711', undefined],
  ['yonder_test_4711_copy', undefined],
  ['yonder_test__0a1b2c3d', undefined],
])('only databases of test runs have a process: %s', (name, pid) => {
  expect(readProcessId(name)).toBe(pid)
})
