import { readFileSync } from 'node:fs'
import { checkArchitecturePage } from './architecture/architecture-page.mjs'
import { checkBehaviourNumbers } from './architecture/behaviour-numbers.mjs'
import { checkImportCycles } from './architecture/import-cycles.mjs'
import { checkDocLinks, checkDocPaths } from './architecture/doc-paths.mjs'
import { checkFolders } from './architecture/folders.mjs'
import { checkNames } from './architecture/names.mjs'
import { checkPackageImports } from './architecture/package-imports.mjs'
import { readSources } from './architecture/read-sources.mjs'
import { checkRestrictedCode } from './architecture/restricted-code.mjs'
import { checkRouteTests } from './architecture/route-tests.mjs'
import { checkServerDomains } from './architecture/server-domains.mjs'
import { checkCommentLines, checkSizes, describeSizes } from './architecture/sizes.mjs'
import { checkWebFeatures } from './architecture/web-features.mjs'
import { rootFolder } from '../bin/run-command.mjs'

const exemptions = readFileSync(new URL('architecture/size-exemptions.txt', import.meta.url), 'utf8')
const behaviour = readFileSync(`${rootFolder}docs/behaviour.md`, 'utf8')
const architecture = readFileSync(`${rootFolder}docs/architecture.md`, 'utf8')
const rules = [
  checkPackageImports,
  checkServerDomains,
  checkWebFeatures,
  checkImportCycles,
  checkFolders,
  checkNames,
  checkRestrictedCode,
  checkRouteTests,
  checkSizes(exemptions),
  checkCommentLines,
  checkBehaviourNumbers(behaviour),
  checkArchitecturePage(architecture, behaviour),
]

const sources = readSources(rootFolder)
const problems = [
  ...rules.flatMap((rule) => rule(sources)),
  ...checkDocPaths(rootFolder),
  ...checkDocLinks(rootFolder),
]
for (const problem of problems) console.log(problem)
console.log(`${describeSizes(sources)}; ${problems.length} problems.`)
process.exitCode = problems.length === 0 ? 0 : 1
