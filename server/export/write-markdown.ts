import { isPicture } from '@yonder/contract/lib/file-limits'
import type { FileRef, Message } from '@yonder/contract/message'
import { filesOfContent, textOfContent } from '@yonder/contract/message-text'
import { toVisibleLine } from '../lib/text.ts'
import { closeBlocks } from './close-blocks.ts'

export interface MarkdownOptions {
  readonly title: string
  /** The ids of the messages that are shown. */
  readonly path: ReadonlySet<string>
  /** Returns where a file is, relative to the text. Undefined when it does not go along. */
  readonly findPath: (fileId: string) => string | undefined
}

/** Yields messages as a Markdown text that is read and printed from top to bottom. */
export async function* writeMarkdown(
  pages: AsyncIterable<readonly Message[]>,
  { title, path, findPath }: MarkdownOptions,
): AsyncGenerator<string> {
  yield `# ${toVisibleLine(title)}\n`
  for await (const page of pages)
    for (const message of page)
      if (path.has(message.id))
        yield sectionsOf(message, findPath)
          .map((section) => `\n${section.trimEnd()}\n`)
          .join('')
}

function sectionsOf(message: Message, findPath: MarkdownOptions['findPath']): readonly string[] {
  const { role, server, tool, content, partial, reasoning, notice } = message
  const files = filesOfContent(content).map((file) => writeFile(file, findPath(file.id)))
  const isResult = role === 'user' && tool !== undefined
  if (isResult) return [`**Result of ${nameOf(server, tool)}:**`, fence(textOfContent(content)), ...files]
  return [
    `## ${authorOf(message)} · ${message.timestamp.slice(0, 16).replace('T', ' ')} UTC`,
    ...(reasoning === undefined ? [] : [fold('Reasoning', reasoning)]),
    ...(partial === undefined ? [] : [closeBlocks(partial)]),
    closeBlocks(textOfContent(content)),
    ...files,
    ...(tool === undefined
      ? []
      : [`**Call of ${nameOf(server, tool)}:**`, fence(message.arguments ?? '{}', 'json')]),
    ...(notice === undefined ? [] : [`*${toVisibleLine(notice)}*`]),
  ].filter((section) => section.trim() !== '')
}

function authorOf({ role, bot, model }: Message): string {
  if (role === 'user') return 'You'
  const name = toVisibleLine(bot ?? model ?? 'Assistant')
  return model === undefined || model === bot ? name : `${name} (${toVisibleLine(model)})`
}

const nameOf = (server: string | undefined, tool: string): string =>
  toVisibleLine(server === undefined ? tool : `${server}, ${tool}`)

/** Folded where HTML is shown, and complete where it is not. */
function fold(summary: string, text: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${closeBlocks(text.trim())}\n\n</details>`
}

/** A block of code whose fence is longer than each row of backticks in the text. */
function fence(text: string, language = ''): string {
  const longest = (text.match(/`+/g) ?? []).reduce((length, row) => Math.max(length, row.length), 2)
  const marks = '`'.repeat(longest + 1)
  return `${marks}${language}\n${text}\n${marks}`
}

function writeFile({ name, type, alt }: FileRef, path: string | undefined): string {
  const label = toVisibleLine(alt ?? name).replaceAll(/[\\[\]]/g, String.raw`\$&`)
  if (path === undefined) return `*File: ${label}*`
  const address = path
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replaceAll('(', '%28')
    .replaceAll(')', '%29')
  return `${isPicture(type) ? '!' : ''}[${label}](${address})`
}
