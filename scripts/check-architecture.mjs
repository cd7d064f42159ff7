import { rootFolder } from '../bin/run-command.mjs'
import { checkDocLinks, checkDocPaths, checkPackedLinks } from './architecture/doc-paths.mjs'
import { checkLayers } from './architecture/layers.mjs'
import { checkPackages } from './architecture/packages.mjs'
import { readSources } from './architecture/read-sources.mjs'
import { checkRestrictedCode } from './architecture/restricted-code.mjs'
import { checkRouteTests } from './architecture/route-tests.mjs'

const rules = [checkLayers, checkPackages, checkRestrictedCode, checkRouteTests]

const sources = readSources(rootFolder)
const problems = [
  ...rules.flatMap((rule) => rule(sources)),
  ...checkDocPaths(rootFolder),
  ...checkDocLinks(rootFolder),
  ...checkPackedLinks(rootFolder, sources),
]
for (const problem of problems) console.log(problem)
console.log(`${sources.length} files; ${problems.length} problems.`)
process.exitCode = problems.length === 0 ? 0 : 1
