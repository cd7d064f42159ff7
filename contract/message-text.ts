import type { FileRef, Message, MessageContent, SentContent } from './message.ts'

// This module does not import zod, which keeps zod out of the bundle of the browser.

/** The message that denies a tool call without further words. */
export const denialText = 'cancel'

/**
 * The message that asks for the rest of a reply that was cut by its limit. It is a message of the user, because several
 * providers refuse a conversation that ends with the assistant.
 */
export const continueText =
  'Your reply was cut off by its length limit. Continue it exactly where it ended, as if there had been no break: do not repeat anything, do not introduce it, and do not open a code block again.'

/** Returns the text of a message's content, which is a string or a list of parts. */
export function textOfContent(content: SentContent): string {
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('')
}

/** Returns the files of a message's content. */
export function filesOfContent(content: MessageContent): readonly FileRef[] {
  return typeof content === 'string' ? [] : content.flatMap((part) => (part.type === 'file' ? part.file : []))
}

/** Returns content: the text as it is, or a list of parts when there are files. */
export function toContent(text: string, files: readonly FileRef[]): MessageContent {
  if (files.length === 0) return text
  const parts = files.map((file) => ({ type: 'file' as const, file }))
  return text === '' ? parts : [{ type: 'text', text }, ...parts]
}

/** Returns content with another text, and the same files. */
export function withText(content: MessageContent, text: string): MessageContent {
  return typeof content === 'string' ? text : toContent(text, filesOfContent(content))
}

/** Whether content has neither a file nor a text that is more than white space. */
export function isBlank(content: MessageContent): boolean {
  return textOfContent(content).trim() === '' && filesOfContent(content).length === 0
}

/** Whether two contents have the same text and the same files. */
export function isSameContent(one: MessageContent, other: MessageContent): boolean {
  const idsOf = (content: MessageContent) => filesOfContent(content).map(({ id }) => id)
  return textOfContent(one) === textOfContent(other) && idsOf(one).join() === idsOf(other).join()
}

/** Describes a file to a model that is not given what is in it. */
export function describeFile({ name, type, size, alt }: FileRef): string {
  const described = alt === undefined ? '' : `, described as: ${alt},`
  return `[The file "${name}" (${type}, ${size} bytes)${described} is attached, but it cannot be read here.]`
}

/** Writes content as one text for a reader who gets no files: each one is the paragraph that `describe` returns. */
export function writeContent(content: MessageContent, describe = describeFile): string {
  if (typeof content === 'string') return content
  const texts = [textOfContent(content), ...filesOfContent(content).map(describe)]
  return texts.filter((text) => text !== '').join('\n\n')
}

/** Counts content in the unit of `count`, by default in characters: its text, and a file as its description. */
export function countContent(content: MessageContent, count = (text: string) => text.length): number {
  return count(writeContent(content))
}

/** Returns what a message contains: of a failed reply, whose text is its error, the text before the failure. */
export function contentOfMessage({ status, content, partial }: Message): MessageContent {
  return status === 'failed' ? withText(content, partial ?? '') : content
}

/** Returns the text of a message, as `contentOfMessage`. */
export function textOfMessage(message: Message): string {
  return textOfContent(contentOfMessage(message))
}

/** Counts the characters of a message, with its reasoning and the arguments of its call. */
export function countChars(message: Message): number {
  const { reasoning = '', arguments: callArguments = '' } = message
  return countContent(contentOfMessage(message)) + reasoning.length + callArguments.length
}

/** Characters of a chat's title in the history. */
export const maxHistoryTitleChars = 30
/** Characters of the title of a message in a list or of a chat's page. */
export const maxReferenceTitleChars = 40
/** Characters of a chat's title in the list of shared links. */
export const maxShareTitleChars = 80
/** Characters from which a title is derived. Splitting a whole message into characters would take long. */
export const maxTitleSourceChars = 2000

export interface CutText {
  readonly text: string
  /** Whether the original text was longer. */
  readonly isCut: boolean
}

/** Returns the first `maxChars` characters of a text as users count them: an emoji or an accented letter is one. */
export function cutText(text: string, maxChars: number): CutText {
  // No character is shorter than a code unit, so most texts need no segmenting.
  if (text.length <= maxChars) return { text, isCut: false }
  const characters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
  if (characters.length <= maxChars) return { text, isCut: false }
  return { text: characters.slice(0, maxChars).join(''), isCut: true }
}

/**
 * Returns the title of a chat or a message: the beginning of the first `maxTitleSourceChars` of its text, on one line.
 */
export function deriveTitle(text: string, maxChars: number): CutText {
  return cutText(text.slice(0, maxTitleSourceChars).replace(/\s+/g, ' ').trim(), maxChars)
}

/** Returns the default title of a chat, from the text of its first message; another one for a message without text. */
export function historyTitleOf(text: string): string {
  const { text: title, isCut } = deriveTitle(text, maxHistoryTitleChars)
  return title === '' ? 'Message content' : title + (isCut ? '…' : '')
}

/** A longer line is not checked, because it could have thousands of cells. */
const maxRuleChars = 5000

/** Whether a line is the line under the head of a table, such as `|---|:-:|`. */
export function isTableRule(line: string): boolean {
  if (!line.includes('|') || line.length > maxRuleChars) return false
  const cells = line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|')
  return cells.every((cell) => /^:?-+:?$/.test(cell.trim()))
}

/** Leaves of tables the texts of their cells. */
function stripTables(markdown: string): string {
  if (!markdown.includes('|')) return markdown
  let isInTable = false
  const strip = (line: string, index: number, lines: readonly string[]): string => {
    const isRule = isTableRule(line) && lines[index - 1]?.includes('|') === true
    isInTable = line.includes('|') && (isInTable || isRule || isTableRule(lines[index + 1] ?? ''))
    if (isRule) return ''
    return isInTable ? line.replace(/(?<!\\)\|/g, ' ').replaceAll('\\|', '|') : line
  }
  return markdown.split('\n').map(strip).join('\n')
}

/**
 * Returns a text without its markdown marks, for places that show the beginning of a message on one line.
 */
export function stripMarkdown(markdown: string): string {
  return stripTables(markdown)
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(/^ {0,3}(?:`{3,}|~{3,}).*$/gm, '')
    .replace(/^\s{0,3}(?:>\s?)+/gm, '')
    .replace(/^[ \t]*(?:#{1,6}|[-+*]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/gm, '')
    .replace(/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)\s]*(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/(\*\*|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\w./\\])__(?=\S)(.+?)(?<=\S)__(?![\w/\\([]|\.\w)/g, '$1')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])/g, '$1')
    .replace(/(?<!\w)_(?=\S)([^_\n]+?)(?<=\S)_(?!\w)/g, '$1')
    .replace(/`+/g, '')
}
