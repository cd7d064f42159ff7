import type { ToolChange } from '@yonder/contract/tool-call'
import { diffLines, diffWordsWithSpace } from 'diff'
import { TriangleAlert } from 'lucide-react'
import { InertText } from '../../../ui/inert-text.tsx'
import { ToolText } from '../../../ui/tool-text.tsx'
import { indentJson } from './indent-json.ts'

const labels: Readonly<Record<ToolChange['what'], string>> = {
  title: 'Title',
  description: 'Description',
  input: 'Input',
  output: 'Output',
  annotations: 'Hints',
  other: 'Other',
}

/** The differences between a tool and the version that the user allowed. */
export function ToolChanges({ changes }: { readonly changes: readonly ToolChange[] }) {
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-start gap-2 font-medium text-warning">
        <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
        This tool has changed since you allowed it
      </p>
      {changes.map((change) => (
        <div key={change.what} className="flex flex-col gap-1">
          <p className="text-xs font-medium">{labels[change.what]}</p>
          <Change change={change} />
        </div>
      ))}
    </div>
  )
}

function Change({ change: { what, before, after } }: { readonly change: ToolChange }) {
  if (before === null && after === null)
    return <p className="text-xs text-muted">The earlier value is unknown.</p>
  const isProse = what === 'title' || what === 'description'
  const compare = isProse ? compareWords : compareLines
  const pieces =
    before === null || after === null ? undefined : compare(indentJson(before), indentJson(after))
  // Texts that are not compared are shown whole.
  if (pieces !== undefined)
    return (
      <ToolText label={`Changes of ${labels[what]}`}>
        {pieces.map(({ kind, text }, index) => {
          const { Tag, look } = pieceLooks[kind]
          return (
            // oxlint-disable-next-line react/no-array-index-key -- the pieces never change
            <Tag key={index} className={look}>
              <InertText>{text}</InertText>
            </Tag>
          )
        })}
      </ToolText>
    )
  return (
    <div className="grid gap-2 sm:grid-cols-2">
      <Version label="Before" text={before} />
      <Version label="Now" text={after} />
    </div>
  )
}

const pieceLooks = {
  same: { Tag: 'span', look: 'text-muted' },
  removed: { Tag: 'del', look: 'rounded-mark bg-danger-soft' },
  added: { Tag: 'ins', look: 'rounded-mark bg-accent-soft no-underline' },
} as const

function Version({ label, text }: { readonly label: string; readonly text: string | null }) {
  return (
    <div className="min-w-0">
      <p className="mb-1 text-xs text-muted">{label}</p>
      <ToolText label={label}>
        {text === null ? (
          <span className="text-muted">Nothing</span>
        ) : (
          <InertText>{indentJson(text)}</InertText>
        )}
      </ToolText>
    </div>
  )
}

/** A piece of two texts: in both, only in the earlier one, or only in the later one. */
interface DiffPiece {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** The number of unchanged lines that are shown before and after a change. */
const contextLines = 2
/** Two texts that are longer together are not compared. */
const maxChars = 50_000
/** Two texts with more removed and added words or lines are not compared. */
const maxEdits = 1_000

/** Compares two texts word by word; undefined when they are too long or differ too much. */
export function compareWords(before: string, after: string): readonly DiffPiece[] | undefined {
  if (before.length + after.length > maxChars) return undefined
  return toPieces(diffWordsWithSpace(before, after, { maxEditLength: maxEdits }))
}

/**
 * Compares two texts line by line and omits unchanged lines that are far from a change; undefined when the texts are
 * too long or differ too much.
 */
export function compareLines(before: string, after: string): readonly DiffPiece[] | undefined {
  if (before.length + after.length > maxChars) return undefined
  const pieces = toPieces(diffLines(before, after, { maxEditLength: maxEdits }))
  return pieces?.map((piece, index) =>
    piece.kind === 'same'
      ? { ...piece, text: shorten(piece.text, { isFirst: index === 0, isLast: index === pieces.length - 1 }) }
      : piece,
  )
}

function toPieces(
  changes: readonly { value: string; added: boolean; removed: boolean }[] | undefined,
): readonly DiffPiece[] | undefined {
  return changes?.map(({ value, added, removed }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }))
}

/** Replaces two or more unchanged lines that are far from a change by a line with their count. */
function shorten(text: string, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): string {
  const lines = text.replace(/\n$/, '').split('\n')
  const before = isFirst ? [] : lines.slice(0, contextLines)
  const after = isLast ? [] : lines.slice(Math.max(before.length, lines.length - contextLines))
  const omitted = lines.length - before.length - after.length
  if (omitted < 2) return text
  return [...before, `[${omitted} unchanged lines]`, ...after].map((line) => `${line}\n`).join('')
}
