import { runCommand, runTool } from '../bin/run-command.mjs'

/** The slow steps come first, because two run at the same time. */
const steps = [
  { name: 'lint and types', run: () => runTool('oxlint/bin/oxlint', [], { quiet: true }) },
  { name: 'unused code', run: () => runTool('knip/bin/knip.js', ['--no-progress'], { quiet: true }) },
  { name: 'format', run: () => runTool('oxfmt/bin/oxfmt', ['--check'], { quiet: true }) },
  {
    name: 'architecture',
    run: () => runCommand(process.execPath, ['scripts/check-architecture.mjs'], { quiet: true }),
  },
  {
    name: 'regular expressions',
    run: () => runCommand(process.execPath, ['scripts/check-patterns.mjs'], { quiet: true }),
  },
  {
    name: 'generated documents',
    run: () =>
      runCommand(process.execPath, ['--import', 'tsx', 'scripts/write-docs.mjs', '--check'], {
        quiet: true,
      }),
  },
]

/**
 * Runs the checks whose name contains a text, by default all. Prints their results, and returns the names of those that
 * failed, or a sentence when no name contains the text.
 *
 * @param {string} [text]
 * @returns {Promise<string[]>}
 */
export async function runChecks(text = '') {
  const waiting = steps.filter(({ name }) => name.includes(text))
  if (waiting.length === 0) return [`no check is named '${text}'`]
  /** @type {string[]} */
  const failed = []
  const work = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const started = Date.now()
      const { code, output } = await step.run()
      const seconds = ((Date.now() - started) / 1000).toFixed(1)
      console.log(`${code === 0 ? '✓' : '✗'} ${step.name} (${seconds} s)`)
      if (code === 0) continue
      failed.push(step.name)
      console.log(output.trimEnd())
    }
  }
  await Promise.all([work(), work()])
  return failed
}
