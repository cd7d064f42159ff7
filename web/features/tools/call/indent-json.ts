/** Deeper levels are not indented further, because their lines would be too wide to read. */
const maxIndentLevels = 20
/** A longer text is not changed. */
const maxChars = 200_000
/** If indenting makes a text longer than both limits, the text is not changed. */
const maxGrowthFactor = 10
const minLimitedChars = 10_000

/**
 * Puts each part of a JSON text on a line of its own. No token is changed, not even repeated names and long numbers, so
 * that the user sees exactly what is sent. A text that is not JSON is returned unchanged.
 */
export function indentJson(text: string): string {
  if (text.length > maxChars || !isJson(text)) return text
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  let depth = 0
  const newLine = () => `\n${'  '.repeat(Math.min(depth, maxIndentLevels))}`
  const indented = tokens
    .map((token, index) => {
      if (token === ',') return `,${newLine()}`
      if (token === ':') return ': '
      if (isOpening(token)) {
        depth += 1
        return isClosing(tokens[index + 1]) ? token : `${token}${newLine()}`
      }
      if (!isClosing(token)) return token
      depth -= 1
      return isOpening(tokens[index - 1]) ? token : `${newLine()}${token}`
    })
    .join('')
  return indented.length > Math.max(minLimitedChars, maxGrowthFactor * text.length) ? text : indented
}

const isOpening = (token: string | undefined) => token === '{' || token === '['
const isClosing = (token: string | undefined) => token === '}' || token === ']'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
