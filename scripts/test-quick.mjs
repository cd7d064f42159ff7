import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rootFolder, runTool } from '../bin/run-command.mjs'
import { setUp } from './setup.mjs'

// Runs the unit tests in the folders of changed files, on SQLite only. Changed files differ from the given revision, by
// default from the last commit. `npm run test:quick -- main` includes everything that a branch has changed.

await setUp()
const tests = listTests(listChanged(process.argv[2] ?? 'HEAD'))
if (tests.length === 0) {
  console.log('No file with unit tests beside it has changed.')
} else {
  const { code } = await runTool('vitest/vitest.mjs', ['run', ...tests], { env: { TEST_ENGINES: 'sqlite' } })
  process.exitCode = code
}

/**
 * @param {string} revision
 * @returns {string[]} files of the work tree that differ from it, untracked files included
 */
function listChanged(revision) {
  const list = (/** @type {string[]} */ ...parameters) =>
    execFileSync('git', parameters, { cwd: rootFolder, encoding: 'utf8' })
      .split('\n')
      .filter((path) => /\.(ts|tsx|mjs)$/.test(path))
  return [
    ...list('diff', '--name-only', '--diff-filter=d', revision),
    ...list('ls-files', '--others', '--exclude-standard'),
  ]
}

/** @param {readonly string[]} changed */
function listTests(changed) {
  const folders = [...new Set(changed.map((path) => dirname(path)))]
  return folders.flatMap((folder) =>
    readdirSync(join(rootFolder, folder))
      .filter((name) => /\.test\.(ts|tsx|mjs)$/.test(name))
      .map((name) => `${folder}/${name}`),
  )
}
