import { readFileSync, writeFileSync } from 'node:fs'
import { describeSettings } from '../server/config/settings.ts'
import { describeFormat, formatVersion } from '../server/export/export-format.ts'

/*
 * Writes docs/operations/settings.md and .env.example from the schema of the settings, and the JSON schema of exports
 * from theirs: `npm run docs`. With `--check` it only compares, and fails when one of them differs.
 */
const root = new URL('../', import.meta.url)
const files = {
  'docs/operations/settings.md': renderDocs(),
  '.env.example': renderExample(),
  [`docs/export-format-${formatVersion}.schema.json`]: `${JSON.stringify(describeFormat(), null, 2)}\n`,
}

const outdated = Object.entries(files).filter(([path, text]) => readText(path) !== text)
if (process.argv.includes('--check')) {
  for (const [path] of outdated) console.error(`${path} does not match the sources. Run npm run docs.`)
  process.exitCode = outdated.length === 0 ? 0 : 1
} else {
  for (const [path, text] of outdated) writeFileSync(new URL(path, root), text)
}

function renderDocs() {
  const sections = describeSettings().map(({ title, settings }) => {
    const rows = settings.map(({ name, defaultValue, otherwise, description }) => {
      const value = defaultValue === undefined ? otherwise : `\`${defaultValue}\``
      return `| \`${name}\` | ${value} | ${description} |`
    })
    return [`## ${title}`, '', '| setting | default | meaning |', '|---|---|---|', ...rows, ''].join('\n')
  })
  return `# Settings

<!-- Written by npm run docs from server/config/settings.ts. Change it there. -->

Settings are environment variables, or lines of a \`.env\` file in the folder that Yonder is started in. The environment wins
over the file, and an empty value counts as not set. A wrong value stops the start; the error lists every wrong setting. An unknown name is
logged with the setting that was probably meant.

${sections.join('\n')}`
}

function renderExample() {
  const sections = describeSettings().map(({ title, settings }) =>
    [`# ${title}`, ...settings.map(({ name, example }) => `#${name}=${example}`), ''].join('\n'),
  )
  return `# Copy to .env and uncomment what you change. Every line shows the default or an example.
# docs/operations/settings.md describes each setting.

${sections.join('\n')}`
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(new URL(path, root), 'utf8')
  } catch {
    return ''
  }
}
