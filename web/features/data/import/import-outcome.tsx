import type { ImportResult, Transfer } from '@yonder/contract/transfer'
import { CircleAlert, CircleCheck, Download, TriangleAlert } from 'lucide-react'
import { Link } from 'react-router'
import { saveFile } from '../../../lib/files/save-file.ts'
import { formatCount } from '../../../lib/format-usage.ts'
import { Button } from '../../../ui/button/button.tsx'
import { Card } from '../progress-card.tsx'
import { FilePicker } from './file-picker.tsx'
import { countChats, Note } from './import-words.tsx'
import { SkippedChats, writeSkipped } from './skipped-chats.tsx'

export interface OutcomeProps {
  readonly result: ImportResult
  readonly onChoose: (files: readonly File[]) => void
}

/** What an import has brought, and what not. */
export function DoneCard({ result, onChoose }: OutcomeProps) {
  const { known_chats, skipped, skipped_chats } = result
  const problems = describeProblems(result)
  return (
    <Card>
      <Note icon={<CircleCheck size={16} aria-hidden className="text-success" />}>
        <Arrived result={result} />
      </Note>
      {known_chats > 0 && (
        <p className="text-sm text-muted">
          {countChats(known_chats)} had nothing new and {known_chats === 1 ? 'is' : 'are'} as before.
        </p>
      )}
      {problems !== undefined && (
        <Note icon={<TriangleAlert size={16} aria-hidden className="text-warning" />}>{problems}</Note>
      )}
      <SkippedChats label="Chats that were not imported" chats={skipped} count={skipped_chats} />
      <div className="flex flex-1 flex-wrap items-end gap-2">
        <FailureList result={result} />
        <FilePicker onChoose={onChoose}>Choose other files</FilePicker>
      </div>
    </Card>
  )
}

/** How many chats are in, with the way to them. */
export function Arrived({ result }: { readonly result: ImportResult }) {
  const { new_chats, changed_chats, project_id } = result
  const count = new_chats + changed_chats
  if (count === 0)
    return <span className="font-medium">There was nothing new: all chats are here already.</span>
  return (
    <>
      <span className="font-medium tabular-nums">
        {countChats(count)} {count === 1 ? 'is' : 'are'} in
        {changed_chats > 0 && `, ${formatCount(changed_chats)} of them with new messages or files`}.
      </span>{' '}
      <Link
        to={project_id === undefined ? '/' : `/project/${encodeURIComponent(project_id)}`}
        className="touch-target text-accent underline"
      >
        Show them
      </Link>
    </>
  )
}

/** A sentence about what is not there; undefined if all is. */
export function describeProblems({ skipped_chats, missing_files }: ImportResult): string | undefined {
  const chats = skipped_chats > 0 && `${formatCount(skipped_chats)} ${was(skipped_chats)} not imported`
  const files =
    missing_files > 0 &&
    `${formatCount(missing_files)} ${missing_files === 1 ? 'file stands as its name' : 'files stand as their names'}, because the export lacks ${missing_files === 1 ? 'it' : 'them'} or there was no space`
  const parts = [chats, files].filter((part) => part !== false)
  return parts.length === 0 ? undefined : `${parts.join('. ')}.`
}

const was = (count: number) => (count === 1 ? 'chat was' : 'chats were')

/** Saves the chats that were not imported as a text. */
function FailureList({ result: { skipped, skipped_chats } }: { readonly result: ImportResult }) {
  if (skipped.length === 0) return null
  const save = () =>
    saveFile(
      new Blob([writeSkipped(skipped, skipped_chats)], { type: 'text/plain;charset=utf-8' }),
      'not-imported.txt',
    )
  return (
    <Button onClick={save}>
      <Download size={16} aria-hidden />
      List of failures
    </Button>
  )
}

export interface FailedCardProps extends Omit<OutcomeProps, 'result'> {
  readonly transfer: Transfer
}

/** Why an import has failed. */
export function FailedCard({ transfer: { error, result, preview }, onChoose }: FailedCardProps) {
  const arrived = result === undefined ? 0 : result.new_chats + result.changed_chats
  return (
    <Card>
      <Note icon={<CircleAlert size={16} aria-hidden className="text-danger" />}>
        <span className="font-medium">
          {arrived > 0 ? 'The import has stopped.' : 'Nothing could be imported.'}
        </span>
        <span className="block text-muted">{error}</span>
      </Note>
      {result !== undefined && arrived > 0 && (
        <p className="text-sm">
          <Arrived result={result} />
        </p>
      )}
      <SkippedChats
        label="Chats that were not imported"
        chats={result?.skipped ?? preview?.unreadable ?? []}
        count={result?.skipped_chats ?? preview?.unreadable_chats ?? 0}
      />
      <div className="flex flex-1 flex-wrap items-end gap-2">
        {result && <FailureList result={result} />}
        <FilePicker onChoose={onChoose}>Choose another file</FilePicker>
      </div>
    </Card>
  )
}
