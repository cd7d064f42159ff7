import { dirname } from 'node:path'
import { numbersOf, unprovable } from './behaviour-numbers.mjs'

const sectionsHeading = '## Find code by section'
const foldersHeading = '## The folders'
const glossaryHeading = '## Glossary'

/**
 * `docs/architecture.md` leads to every behaviour and every folder. In the table of numbers each row names numbers of
 * one section, or a whole section, and the rows are in order; every provable number of `docs/behaviour.md` is in a row.
 * Every folder with source files of contract, server or web has a row in the table of folders. The glossary explains a
 * term once.
 *
 * @param {string} architecture the text of `docs/architecture.md`
 * @param {string} behaviour the text of `docs/behaviour.md`
 * @returns {import('./read-sources.mjs').Rule}
 */
export function checkArchitecturePage(architecture, behaviour) {
  const problems = checkNumbers(listRows(architecture, sectionsHeading), numbersOf(behaviour))
  const known = new Set(listRows(architecture, foldersHeading).map((cell) => cell.replaceAll('`', '')))
  const terms = listRows(architecture, glossaryHeading)
  return (sources) => {
    const used = sources
      .map(({ path }) => `${dirname(path)}/`)
      .filter((path) => /^(contract|server|web)\//.test(path))
    return [
      ...problems,
      ...[...new Set(used)]
        .filter((folder) => !known.has(folder))
        .map((folder) => `the table of folders has no row for ${folder}`),
      ...terms
        .filter((term, index) => terms.indexOf(term) !== index)
        .map((term) => `the glossary explains '${term}' twice`),
    ].map((problem) => `docs/architecture.md: ${problem}`)
  }
}

/**
 * @param {string[]} rows the first cell of each row
 * @param {string[]} numbers
 */
function checkNumbers(rows, numbers) {
  /** @type {Set<string>} */
  const covered = new Set()
  /** @type {string[]} */
  const problems = []
  let last = 0
  for (const row of rows) {
    const named = listNumbers(row)
    const section = /^\d+/.exec(row)?.[0] ?? ''
    if (named.some((number) => number.split('.')[0] !== section)) {
      problems.push(`the row '${row}' names numbers of two sections`)
    }
    const unknown = named.filter((number) => !numbers.includes(number))
    if (unknown.length > 0)
      problems.push(`the row '${row}' names §${unknown.join(', §')}, which does not exist`)
    const place = Number(section) * 1_000 + Number(named[0]?.split('.')[1] ?? 0)
    if (place < last) problems.push(`the row '${row}' is not in order`)
    last = place
    const ofRow = named.length > 0 ? named : numbers.filter((number) => number.startsWith(`${section}.`))
    if (ofRow.length === 0) problems.push(`the row '${row}' names no section that exists`)
    for (const number of ofRow) covered.add(number)
  }
  return [
    ...problems,
    ...numbers
      .filter((number) => !covered.has(number) && !unprovable.has(number))
      .map((number) => `no row names §${number}`),
  ]
}

/**
 * Returns the numbers that a row names; `5.1 to 5.3` names three. A row for a whole section names none.
 *
 * @param {string} row
 */
function listNumbers(row) {
  return [...row.matchAll(/(\d+)\.(\d+)(?: to \1\.(\d+))?/g)].flatMap(([, section, first, last = first]) =>
    Array.from(
      { length: Number(last) - Number(first) + 1 },
      (_, index) => `${section}.${Number(first) + index}`,
    ),
  )
}

/**
 * @param {string} page
 * @param {string} heading
 * @returns {string[]} the first cell of each row of the tables below a heading, without the heads of the tables
 */
function listRows(page, heading) {
  const [, section = ''] = page.split(`${heading}\n`)
  const [text = ''] = section.split('\n## ')
  return text.split('\n').flatMap((line, index, lines) => {
    const isHead = lines[index + 1]?.startsWith('|---') === true
    if (!line.startsWith('| ') || isHead) return []
    return [line.split('|')[1]?.trim() ?? '']
  })
}
