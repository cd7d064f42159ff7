import { readFileSync, writeFileSync } from 'node:fs'
import { rootFolder } from '../bin/run-command.mjs'
import { checkPatterns } from './architecture/patterns.mjs'
import { readSources } from './architecture/read-sources.mjs'

// Checking all regular expressions takes a minute, so those that were found to be linear are listed.
const listFile = `${rootFolder}scripts/architecture/linear-patterns.json`

const isWriting = process.argv.includes('--write')
/** @type {string[]} */
const listed = JSON.parse(readFileSync(listFile, 'utf8'))
const { problems, linear, count } = checkPatterns(readSources(rootFolder), new Set(listed))
if (isWriting) writeFileSync(listFile, `${JSON.stringify([...linear].sort(), null, 2)}\n`)
for (const problem of problems) console.log(problem)
console.log(`${count} regular expressions; ${problems.length} problems.`)
process.exitCode = problems.length === 0 ? 0 : 1
