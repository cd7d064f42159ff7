/** A part of a reply of Open WebUI: its text, or a block of a type that only its page shows as something else. */
export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'reasoning' | 'tool_calls' | 'code_interpreter'
      readonly attributes: Readonly<Record<string, string>>
      /** Without the summary. */
      readonly text: string
    }

const opener = /<details\s+type="(?:reasoning|tool_calls|code_interpreter)"/g
const closer = '</details>'

/**
 * Splits a reply of Open WebUI at its `<details type="…">` blocks. They begin on a new line, or follow another block: in
 * the middle of a line they are a text about HTML.
 */
export function splitDetails(content: string): readonly ReplyBlock[] {
  const blocks: ReplyBlock[] = []
  let from = 0
  for (const { index } of content.matchAll(opener)) {
    if (index < from || !isAtStart(content, from, index)) continue
    const tagEnd = findTagEnd(content, index)
    if (tagEnd === -1) break
    addText(blocks, content.slice(from, index))
    const closed = content.indexOf(closer, tagEnd)
    const end = closed === -1 ? content.length : closed
    const attributes = readAttributes(content.slice(index, tagEnd))
    blocks.push({
      type: attributes['type'] as 'reasoning' | 'tool_calls' | 'code_interpreter',
      attributes,
      text: withoutSummary(content.slice(tagEnd, end)),
    })
    from = closed === -1 ? content.length : closed + closer.length
  }
  addText(blocks, content.slice(from))
  return blocks
}

function isAtStart(content: string, from: number, index: number): boolean {
  return index === from || content[index - 1] === '\n'
}

function addText(blocks: ReplyBlock[], text: string): void {
  if (text.trim() !== '') blocks.push({ type: 'text', text: text.trim() })
}

/** Returns the place after the tag that begins here, or -1. Values in quotation marks can contain the sign. */
function findTagEnd(content: string, from: number): number {
  let mark: string | null = null
  for (let at = from; at < content.length; at++) {
    const character = content[at]
    if (mark !== null) mark = character === mark ? null : mark
    else if (character === '"' || character === "'") mark = character
    else if (character === '>') return at + 1
  }
  return -1
}

function readAttributes(tag: string): Record<string, string> {
  const found = tag.matchAll(/\s([a-z_]+)=(?:"([^"]*)"|'([^']*)')/g)
  return Object.fromEntries(
    Array.from(found, ([, name = '', double, single]) => [name, unescapeHtml(double ?? single ?? '')]),
  )
}

function withoutSummary(body: string): string {
  const text = body.trimStart()
  const end = text.startsWith('<summary>') ? text.indexOf('</summary>') : -1
  return unescapeHtml(end === -1 ? text : text.slice(end + '</summary>'.length)).trim()
}

const characters: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&#x27;': "'",
  '&amp;': '&',
}

function unescapeHtml(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|apos|#39|#x27|amp);/g, (escaped) => characters[escaped] ?? escaped)
}
