import { isTableRule } from '@yonder/contract/message-text'
import { useMemo } from 'react'
import { FoldedContent } from '../../../ui/folded-content.tsx'
import { LongText } from '../../../ui/long-text.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'

/** A text of the user, as it was typed or as markdown (see `holdsMarkdown`), folded if it is long. */
export function TypedText({ text }: { readonly text: string }) {
  const isMarkdown = useMemo(() => holdsMarkdown(text), [text])
  return (
    <FoldedContent>
      {isMarkdown ? (
        <Markdown text={text} />
      ) : (
        <div dir="auto" data-typed-text className="leading-relaxed whitespace-pre-wrap">
          <LongText text={text} />
        </div>
      )}
    </FoldedContent>
  )
}

const fence = /^ {0,3}(`{3,}|~{3,})/
const listItem = /^ {0,3}(?:[-+*]|\d{1,9}[.)])[ \t]+\S/

/**
 * Whether a text that a user typed holds a code fence, at least two list items, a table, or in a line code, bold text
 * or a link. Every other text is shown as it was typed, because its stars and underscores may not be meant as markdown.
 */
export function holdsMarkdown(text: string): boolean {
  let items = 0
  let before = ''
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (opensFence(line) || (before.includes('|') && isTableRule(line))) return true
    if (listItem.test(line)) items += 1
    if (items === 2 || holdsMarks(line)) return true
    before = line
  }
  return false
}

/** A longer line is not searched for marks. */
const maxMarkedChars = 2000

/** Whether a line holds code, bold or struck text, or a link. Powers (`2**3`) and options (`**kwargs`) are no marks. */
function holdsMarks(line: string): boolean {
  return (
    line.length <= maxMarkedChars &&
    (/(?<![`\\])`[^`\s](?:[^`]*[^`\s])?`(?!`)/.test(line) ||
      /(?<![\w*~(])(\*\*|~~)(?![\s*~]).{0,200}?[^\s*~\\]\1(?![a-z\d*~])/i.test(line) ||
      /\[[^[\]]{1,200}\]\(https?:\/\//.test(line))
  )
}

function opensFence(line: string): boolean {
  const found = fence.exec(line)
  // A line with closing backticks, such as ```code```, is inline code.
  return found !== null && (found[1]?.startsWith('~') === true || !line.slice(found[0].length).includes('`'))
}
