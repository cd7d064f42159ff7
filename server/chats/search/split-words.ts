/** More words than that are not looked for. */
const mostWords = 12

/** Text in the form in which words are compared: letters of every script without their case. */
export function foldCase(text: string): string {
  // The two small sigmas are one letter.
  return text.toLowerCase().replaceAll('ς', 'σ')
}

/** The words of a search, each once, folded; the longest first, since they are found the quickest. */
export function splitWords(search: string): string[] {
  const words = new Set(
    foldCase(search)
      .split(/\s+/u)
      .filter((word) => word !== ''),
  )
  return [...words].sort((a, b) => b.length - a.length).slice(0, mostWords)
}
