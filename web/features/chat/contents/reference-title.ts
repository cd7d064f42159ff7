const titleLength = 40
/** Characters that are looked at: a whole message would take long to cut into characters. */
const readLength = 2000

/** What stands for a message in a list (§2.36): its text on one line, without the marks of markdown, cut to 40 characters. */
export function referenceTitle(content: string): string {
  const text = stripMarks(content.slice(0, readLength)).replace(/\s+/g, ' ').trim()
  // Cheap for the usual title; characters are counted as a person counts them.
  if (text.length <= titleLength) return text
  const characters = [...new Intl.Segmenter().segment(text)]
  if (characters.length <= titleLength) return text
  const kept = characters.slice(0, titleLength).map(({ segment }) => segment)
  return `${kept.join('')}...`
}

function stripMarks(markdown: string): string {
  return markdown
    .replace(/^ {0,3}(?:`{3,}|~{3,}).*$/gm, '')
    .replace(/^\s{0,3}(?:>\s?)+/gm, '')
    .replace(/^\s*(?:#{1,6}|[-+*]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/gm, '')
    .replace(/^\s*(?:[-*_]\s*){3,}$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)\s]*(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])/g, '$1')
    .replace(/(?<!\w)_(?=\S)([^_\n]+?)(?<=\S)_(?!\w)/g, '$1')
    .replace(/`+/g, '')
}
