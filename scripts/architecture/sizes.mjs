const hardLimit = 400
const softLimit = 250
const softShare = 0.05

/**
 * No file has more than 400 lines, and at most one in twenty more than 250. Tests have no limit.
 *
 * @param {string} exemptions a line for each exempted file: its path, then the reason
 * @returns {import('./read-sources.mjs').Rule}
 */
export function checkSizes(exemptions) {
  const { reasons, problems } = parseExemptions(exemptions)
  return (sources) => {
    const files = sources.filter(({ isTest }) => !isTest)
    const counted = files.filter(({ path }) => !reasons.has(path))
    const long = counted.filter(({ lines }) => lines > softLimit)
    return [
      ...problems,
      ...counted
        .filter(({ lines }) => lines > hardLimit)
        .map(({ path, lines }) => `${path}: ${lines} lines, the limit is ${hardLimit}`),
      ...(long.length > files.length * softShare
        ? [`${long.length} of ${files.length} files are over ${softLimit} lines: ${describe(long)}`]
        : []),
      ...[...reasons]
        .filter(([path]) => !files.some((file) => file.path === path && file.lines > softLimit))
        .map(([path]) => `${path}: needs no exemption from the size limits any more`),
    ]
  }
}

const maxCommentChars = 120
/** Comments with a type or a directive of the linter may be longer. */
const unbreakable = /@type\b|oxlint-disable/

/**
 * No comment line has more than 120 characters. The formatter wraps code, but no comments.
 *
 * @type {import('./read-sources.mjs').Rule}
 */
export function checkCommentLines(sources) {
  return sources.flatMap(({ path, text, code }) => {
    const codeLines = code.split('\n')
    return text.split('\n').flatMap((line, index) => {
      // The braces of a comment in JSX are code.
      const isComment = /^[\s{}]*$/.test(codeLines[index] ?? '')
      if (!isComment || line.length <= maxCommentChars || unbreakable.test(line)) return []
      return [
        `${path}:${index + 1}: the comment line has ${line.length} characters, the limit is ${maxCommentChars}`,
      ]
    })
  })
}

/**
 * @param {readonly import('./read-sources.mjs').Source[]} sources
 * @returns {string} the figures that the limits are about
 */
export function describeSizes(sources) {
  const lines = sources
    .filter(({ isTest }) => !isTest)
    .map((source) => source.lines)
    .toSorted((a, b) => a - b)
  const at = (/** @type {number} */ share) => lines[Math.floor((lines.length - 1) * share)] ?? 0
  return `${lines.length} files, median ${at(0.5)}, 95 % up to ${at(0.95)}, longest ${at(1)} lines`
}

/** @param {string} text */
function parseExemptions(text) {
  const entries = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => /^(\S+)\s*(.*)$/.exec(line.trim()))
  return {
    reasons: new Map(entries.map((entry) => [entry?.[1] ?? '', entry?.[2] ?? ''])),
    problems: entries
      .filter((entry) => (entry?.[2] ?? '').length < 10)
      .map((entry) => `${entry?.[1]}: its exemption from the size limits gives no reason`),
  }
}

/** @param {readonly import('./read-sources.mjs').Source[]} files */
function describe(files) {
  return files.map(({ path, lines }) => `${path} (${lines})`).join(', ')
}
