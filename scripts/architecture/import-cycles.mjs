/**
 * Refuses import cycles, type imports included, so that a file can be understood after the files that it imports.
 *
 * @type {import('./read-sources.mjs').Rule}
 */
export function checkImportCycles(sources) {
  const targets = new Map(
    sources
      .filter(({ isTest }) => !isTest)
      .map(({ path, imports }) => [
        path,
        imports.flatMap(({ target }) => (target === undefined ? [] : [target])),
      ]),
  )
  return listCycles(targets).map((cycle) => `import cycle: ${[...cycle, cycle[0]].join(' -> ')}`)
}

/**
 * Returns a shortest cycle through each file that is in a cycle, unless an earlier cycle already contains the file.
 *
 * @param {ReadonlyMap<string, readonly string[]>} targets
 * @returns {string[][]}
 */
function listCycles(targets) {
  /** @type {Set<string>} */
  const reported = new Set()
  const cycles = []
  for (const start of targets.keys()) {
    if (reported.has(start)) continue
    const cycle = findPathBack(targets, start)
    if (cycle === undefined) continue
    for (const path of cycle) reported.add(path)
    cycles.push(cycle)
  }
  return cycles
}

/**
 * @param {ReadonlyMap<string, readonly string[]>} targets
 * @param {string} start
 * @returns {string[] | undefined} the files of a shortest path from `start` back to `start`
 */
function findPathBack(targets, start) {
  /** @type {Map<string, string>} */
  const cameFrom = new Map()
  const waiting = [start]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    for (const target of targets.get(path) ?? []) {
      if (target === start) return traceBack(cameFrom, path, start)
      if (cameFrom.has(target) || !targets.has(target)) continue
      cameFrom.set(target, path)
      waiting.push(target)
    }
  }
  return undefined
}

/**
 * @param {ReadonlyMap<string, string>} cameFrom
 * @param {string} last
 * @param {string} start
 */
function traceBack(cameFrom, last, start) {
  const cycle = [last]
  for (let path = last; path !== start;) {
    path = cameFrom.get(path) ?? start
    cycle.unshift(path)
  }
  return cycle
}
