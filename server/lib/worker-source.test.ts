import { expect, it } from 'vitest'
import { workerSource } from './worker-thread.ts'

it('starts the TypeScript file beside a TypeScript module through the loader', () => {
  const [source, options] = workerSource('file:///app/find.ts', 'find-worker', { workerData: 1 })
  expect(source).toContain("import('file:///app/find-worker.ts')")
  expect(options).toEqual({ workerData: 1, eval: true })
})

it('starts the bundle beside a bundled module', () => {
  const [source, options] = workerSource('file:///dist/main.js', 'find-worker', { workerData: 1 })
  expect(source).toEqual(new URL('file:///dist/find-worker.js'))
  expect(options).toEqual({ workerData: 1 })
})
