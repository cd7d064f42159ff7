import { deriveTitle, maxReferenceTitleChars, maxTitleSourceChars } from '@yonder/contract/message-text'

/** The title of a message in a list (§2.36): its text on one line without markdown marks, cut to 40 characters. */
export function referenceTitle(content: string): string {
  const { text, isCut } = deriveTitle(
    stripMarks(content.slice(0, maxTitleSourceChars)),
    maxReferenceTitleChars,
  )
  return isCut ? `${text}...` : text
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
