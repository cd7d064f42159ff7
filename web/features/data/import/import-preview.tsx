import type { ImportPreview, Transfer } from '@yonder/contract/transfer'
import { TriangleAlert } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { useBots } from '../../../data/bots.ts'
import { useFileSpace } from '../../../data/files.ts'
import { useCancelTransfer, useStartImport } from '../../../data/transfers.ts'
import { formatDay } from '../../../lib/format-time.ts'
import { formatCount, formatLimit } from '../../../lib/format-usage.ts'
import { Button } from '../../../ui/button/button.tsx'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { Card } from '../progress-card.tsx'
import { sourceNames } from '../source-names.ts'
import { FilePicker } from './file-picker.tsx'
import { countChats, nameOfFiles, Note } from './import-words.tsx'
import { SkippedChats } from './skipped-chats.tsx'

export interface PreviewCardProps {
  readonly transfer: Transfer
  readonly preview: ImportPreview
  readonly onChoose: (files: readonly File[]) => void
}

/** What an import would do, and the question whether it shall. */
export function PreviewCard({ transfer, preview, onChoose }: PreviewCardProps) {
  const cancel = useCancelTransfer('import')
  const { source, new_chats, changed_chats, unreadable, unreadable_chats } = preview
  const count = new_chats + changed_chats
  const cancelButton = (
    <Button look="plain" busy={cancel.pending} onClick={() => void cancel.run(transfer.id)}>
      Cancel
    </Button>
  )
  return (
    <Card>
      <p className="text-sm wrap-anywhere">
        <span className="font-medium">{nameOfFiles(transfer.files.map(({ name }) => name))}</span>{' '}
        <span className="text-muted">· {sourceNames[source]}</span>
      </p>
      <Numbers preview={preview} />
      <SkippedChats label="Chats that cannot be read" chats={unreadable} count={unreadable_chats} />
      <SpaceNote bytes={preview.file_bytes} />
      {count > 0 ? (
        <StartForm id={transfer.id} source={source} count={count}>
          {cancelButton}
        </StartForm>
      ) : (
        <>
          <p className="text-sm">There is nothing new in it: all chats that can be read are here already.</p>
          <div className="flex flex-wrap gap-2">
            <FilePicker onChoose={onChoose}>Choose other files</FilePicker>
            {cancelButton}
          </div>
        </>
      )}
    </Card>
  )
}

function Numbers({ preview }: { readonly preview: ImportPreview }) {
  const { new_chats, known_chats, changed_chats, unreadable_chats, files, file_bytes, missing_files } =
    preview
  const days = [preview.first_time, preview.last_time].flatMap((time) =>
    time === null ? [] : formatDay(new Date(time)),
  )
  return (
    <dl className="flex flex-col gap-1 text-sm tabular-nums">
      <Row name="New chats">{formatCount(new_chats)}</Row>
      {known_chats > 0 && (
        <Row
          name={
            changed_chats === 0
              ? 'Already here'
              : `Already here, ${formatCount(changed_chats)} with new messages or files`
          }
        >
          {formatCount(known_chats)}
        </Row>
      )}
      {unreadable_chats > 0 && (
        <Row name="Cannot be read" isWarning>
          {formatCount(unreadable_chats)}
        </Row>
      )}
      {files > 0 && (
        <Row name="Files and pictures">{`${formatCount(files)}, ${formatLimit(file_bytes)}`}</Row>
      )}
      {missing_files > 0 && <Row name="Files that the export lacks">{formatCount(missing_files)}</Row>}
      {days.length > 0 && <Row name="From">{[...new Set(days)].join(' to ')}</Row>}
    </dl>
  )
}

interface RowProps {
  readonly name: string
  readonly isWarning?: boolean
  readonly children: ReactNode
}

function Row({ name, isWarning = false, children }: RowProps) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-muted">{name}</dt>
      <dd className={isWarning ? 'text-right font-medium text-warning' : 'text-right'}>{children}</dd>
    </div>
  )
}

/** Says that the files are more than the user has space for. */
function SpaceNote({ bytes }: { readonly bytes: number }) {
  const space = useFileSpace(bytes > 0)
  if (space === undefined || space.used + bytes <= space.quota) return null
  return (
    <Note icon={<TriangleAlert size={16} aria-hidden className="text-warning" />}>
      Your files would take more than {formatLimit(space.quota)}. What has no space stands as its name.
    </Note>
  )
}

interface StartFormProps {
  readonly id: string
  readonly source: ImportPreview['source']
  /** The chats that would be imported. */
  readonly count: number
  /** The other button. */
  readonly children: ReactNode
}

function StartForm({ id, source, count, children }: StartFormProps) {
  const start = useStartImport(id)
  const { data: bots } = useBots()
  const [chosen, setBot] = useState<string>()
  // An export of Yonder has the projects of its chats.
  const canGroup = source !== 'yonder'
  const [project, setProject] = useState(canGroup)
  const bot = bots?.find(({ name }) => name === chosen) ?? bots?.[0]
  return (
    <>
      <Field
        label="Bot of these chats"
        hint="For going on in them. The old replies keep the name of their model."
      >
        <Select value={bot?.name ?? ''} onChange={({ target }) => setBot(target.value)}>
          {bots?.map(({ name, model }) => (
            <option key={name} value={name}>{`${name} (${model})`}</option>
          ))}
        </Select>
      </Field>
      {bots?.length === 0 && (
        <p className="text-sm">
          You have no bot yet.{' '}
          <Link to="/settings/bots" className="text-accent underline">
            Add one
          </Link>{' '}
          first. The import waits here for a day.
        </p>
      )}
      {canGroup && (
        <Checkbox
          label={`Put them into a project “${sourceNames[source]}”`}
          checked={project}
          onChange={({ target }) => setProject(target.checked)}
        />
      )}
      <div className="mt-1 flex flex-wrap gap-2">
        <Button
          look="primary"
          data-next-focus
          busy={start.pending}
          // Not disabled, because it gets the focus before the bots are here.
          aria-disabled={bot === undefined}
          onClick={() => bot && void start.run({ bot: bot.name, project })}
        >
          Import {countChats(count)}
        </Button>
        {children}
      </div>
    </>
  )
}
