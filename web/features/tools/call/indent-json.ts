/** Levels that are indented; beyond them a line would be longer than anybody reads. */
const deepest = 20
/** Characters beyond which a text is shown as it came. */
const longest = 200_000
/** How many times longer a text may become, unless it stays short. */
const mostGrowth = 10
const short = 10_000

/**
 * The text of a JSON value with a line for each of its parts. Every token stays as it was written, repeated names and
 * long numbers too, so that a person sees what is sent. A text that is no JSON stays as it is.
 */
export function indentJson(text: string): string {
  if (text.length > longest || !isJson(text)) return text
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  let depth = 0
  const newLine = () => `\n${'  '.repeat(Math.min(depth, deepest))}`
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
  return indented.length > Math.max(short, mostGrowth * text.length) ? text : indented
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
