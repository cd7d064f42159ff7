/**
 * Every file of routes has a test of the same name in the same folder.
 *
 * @type {import('./read-sources.mjs').Rule}
 */
export function checkRouteTests(sources) {
  const paths = new Set(sources.map(({ path }) => path))
  return sources
    .filter(({ path }) => path.startsWith('server/') && path.endsWith('-routes.ts'))
    .filter(({ path }) => !paths.has(path.replace(/\.ts$/, '.test.ts')))
    .map(({ path }) => `${path}: has no test beside it`)
}
