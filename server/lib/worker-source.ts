import type { Worker } from 'node:worker_threads'

/**
 * The arguments that start the worker `name` of the folder of the calling module: its TypeScript file in development,
 * its bundle in the built product. A pool library cannot be used: the bundle would have to include
 * its worker file.
 */
export function workerSource(
  moduleUrl: string,
  name: string,
  options: Readonly<ConstructorParameters<typeof Worker>[1]>,
): ConstructorParameters<typeof Worker> {
  if (!moduleUrl.endsWith('.ts')) return [new URL(`./${name}.js`, moduleUrl), options]
  // A thread does not inherit the loader of its process.
  const source = new URL(`./${name}.ts`, moduleUrl).href
  const start = `import('tsx/esm/api').then((tsx) => { tsx.register(); return import('${source}') })`
  return [start, { ...options, eval: true }]
}
