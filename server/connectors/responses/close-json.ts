/**
 * Completes JSON text that was cut off, so that it can be parsed: drops what is incomplete after the last whole value or
 * within a name, and closes what is open. A string that was cut off keeps its beginning.
 */
export function closeJson(text: string): string {
  /** What closes the objects and lists that are open. It changes only where `safeLength` does. */
  const open: string[] = []
  let isString = false
  /** Where the text can be cut. */
  let safeLength = 0
  /** Whether the string is, or was, the name of a property. */
  let isName = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (isString) {
      if (char === '\\') at++
      else if (char === '"') {
        isString = false
        if (!isName) safeLength = at + 1
      }
      continue
    }
    if (char === '"') {
      isString = true
      isName = open.at(-1) === '}' && /[{,]\s*$/.test(text.slice(Math.max(0, at - 20), at))
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']')
      safeLength = at + 1
    } else if (char === '}' || char === ']') {
      open.pop()
      safeLength = at + 1
    } else if (char === ',') safeLength = at
  }
  const end = open.toReversed().join('')
  if (!isString || isName) return text.slice(0, safeLength) + end
  return `${text.slice(0, text.length - cutEscapeLength(text))}"${end}`
}

/** Returns the length of the escape sequence that the text ends within, which would make the string invalid. */
function cutEscapeLength(text: string): number {
  for (let length = 1; length <= 5; length++) {
    const end = text.slice(-length)
    if (!/^\\(u[\da-f]{0,3})?$/i.test(end)) continue
    let before = 0
    while (text[text.length - length - 1 - before] === '\\') before++
    if (before % 2 === 0) return length
  }
  return 0
}
