import type { Message } from '@yonder/contract/message'

/** Groups the replies of a turn: a reply after one that was cut by its limit continues it, and they are shown as one. */
export function groupContinued(replies: readonly Message[]): readonly (readonly [Message, ...Message[]])[] {
  const groups: [Message, ...Message[]][] = []
  for (const reply of replies) {
    const group = groups.at(-1)
    if (group?.at(-1)?.finish === 'length') group.push(reply)
    else groups.push([reply])
  }
  return groups
}

/**
 * Joins a text that was cut and the text that continues it. Models begin a message without the space or the line break
 * with which it would have gone on, and some open a code block again that is still open.
 */
export function joinCutText(before: string, after: string): string {
  if (before === '' || after === '') return before + after
  if (isInCode(before)) {
    const again = /^\s*(?:```|~~~)[^\s`~].*\n?/.exec(after)?.[0]
    return again === undefined ? before + after : `${before.trimEnd()}\n${after.slice(again.length)}`
  }
  if (/\s$/.test(before) || /^\s/.test(after)) return before + after
  if (/^(?:\||#{1,6} |[-*+] |\d{1,9}[.)] |>|`{3}|~{3})/.test(after)) return `${before}\n${after}`
  return before + (isWordBreak(before, after) ? ' ' : '') + after
}

/** Whether a text ends within a fenced code block, which may be in a list. */
function isInCode(text: string): boolean {
  let open: string | undefined
  for (const [, mark = '', rest = ''] of text.matchAll(/^[ \t>]*(`{3,}|~{3,})(.*)$/gm)) {
    if (open === undefined) open = mark.startsWith('`') && rest.includes('`') ? undefined : mark
    else if (mark.startsWith(open) && rest.trim() === '') open = undefined
  }
  return open !== undefined
}

/** Whether a space belongs between two texts. Chinese, Japanese and Thai are written without. */
function isWordBreak(before: string, after: string): boolean {
  const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
  const [last, first] = [before.slice(-2), after.slice(0, 2)]
  const isOpen = /[([{/“‘«-]$/.test(last)
  return !unspaced.test(last) && !unspaced.test(first) && !isOpen && /^[\p{L}\p{N}([{“‘«*_`]/u.test(first)
}
