import { rootFolder } from '../bin/run-command.mjs'
import { checkDocLinks, checkDocPaths } from './architecture/doc-paths.mjs'
import { checkPackageImports } from './architecture/package-imports.mjs'
import { readSources } from './architecture/read-sources.mjs'
import { checkRestrictedCode } from './architecture/restricted-code.mjs'
import { checkRouteTests } from './architecture/route-tests.mjs'
import { checkServerDomains } from './architecture/server-domains.mjs'
import { checkWebFeatures } from './architecture/web-features.mjs'

const rules = [
  checkPackageImports,
  checkServerDomains,
  checkWebFeatures,
  checkRestrictedCode,
  checkRouteTests,
]

const sources = readSources(rootFolder)
const problems = [
  ...rules.flatMap((rule) => rule(sources)),
  ...checkDocPaths(rootFolder),
  ...checkDocLinks(rootFolder),
]
for (const problem of problems) console.log(problem)
console.log(`${sources.length} files; ${problems.length} problems.`)
process.exitCode = problems.length === 0 ? 0 : 1
