import type { Transfer } from '@yonder/contract/transfer'
import { CircleAlert, Download, FileArchive } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useCancelTransfer, useDownloadExport, useStartExport } from '../../../data/transfers.ts'
import { formatMoment } from '../../../lib/format-time.ts'
import { formatCount, formatLimit } from '../../../lib/format-usage.ts'
import { Button } from '../../../ui/button/button.tsx'
import { useFocusAfterMove } from '../../../ui/focus.ts'
import { SettingsGroup, SettingsRow } from '../../../ui/form/settings-list.tsx'
import { Spinner } from '../../../ui/states/progress.tsx'

/** Exports everything of the user as a ZIP, which the server makes. */
export function ExportSection({ transfer }: { readonly transfer: Transfer | null }) {
  const start = useStartExport()
  const prepare = () => void start.run()
  const isRunning = transfer?.state === 'running'
  const group = useRef<HTMLDivElement>(null)
  // The pressed button goes when the state changes.
  useFocusAfterMove(group, () => group.current?.querySelector<HTMLElement>('[data-next-focus]')?.focus())
  return (
    // The dialog that deletes the account leads here.
    <div ref={group} id="export" tabIndex={-1}>
      <SettingsGroup title="Export">
        <SettingsRow
          name="Everything"
          meaning="All chats with their versions, files, projects, bots and settings as a ZIP. No keys."
        >
          {!isRunning && (
            <Button
              busy={start.pending}
              data-next-focus={transfer === null || transfer.state === 'cancelled' ? true : undefined}
              onClick={prepare}
            >
              Prepare
            </Button>
          )}
        </SettingsRow>
        {transfer && <LastExport transfer={transfer} onPrepare={prepare} />}
      </SettingsGroup>
      <output className="sr-only">
        {isRunning && 'The export is being prepared.'}
        {transfer?.state === 'done' && 'The export is ready.'}
        {transfer?.state === 'failed' && 'The export has failed.'}
      </output>
    </div>
  )
}

interface LastExportProps {
  readonly transfer: Transfer
  readonly onPrepare: () => void
}

function LastExport({ transfer, onPrepare }: LastExportProps) {
  const cancel = useCancelTransfer('export')
  const { id, state, files, done, total, error } = transfer
  const [file] = files
  if (state === 'running')
    return (
      <Row
        icon={<Spinner />}
        name="Preparing"
        detail={`${total === null ? 'Starts when the server is free' : `${formatCount(done)} of ${formatCount(total)} chats`}. You can leave this page.`}
      >
        <Button data-next-focus busy={cancel.pending} onClick={() => void cancel.run(id)}>
          Cancel
        </Button>
      </Row>
    )
  if (state === 'failed')
    return (
      <Row
        icon={<CircleAlert size={18} aria-hidden className="text-danger" />}
        name="The export failed"
        detail={error}
      >
        <Button data-next-focus onClick={onPrepare}>
          Try again
        </Button>
      </Row>
    )
  return state === 'done' && file !== undefined ? <ReadyExport transfer={transfer} file={file} /> : null
}

interface ReadyExportProps {
  readonly transfer: Transfer
  readonly file: Transfer['files'][number]
}

function ReadyExport({ transfer: { id, expires_time }, file: { name, size } }: ReadyExportProps) {
  const download = useDownloadExport()
  const icon = <FileArchive size={18} aria-hidden />
  if (useIsPast(expires_time))
    return <Row icon={icon} name={name} detail="No longer here. Exports are kept for a day." />
  return (
    <Row
      icon={icon}
      name={name}
      detail={`${formatLimit(size)}, ready until ${formatMoment(new Date(expires_time))}`}
    >
      <Button data-next-focus busy={download.pending} onClick={() => void download.run(id)}>
        <Download size={16} aria-hidden />
        Download
      </Button>
    </Row>
  )
}

/** Whether a time is past. The page may be open for longer. */
function useIsPast(time: string): boolean {
  const [past, setPast] = useState<string>()
  useEffect(() => {
    const timer = setTimeout(() => setPast(time), Date.parse(time) - Date.now())
    return () => clearTimeout(timer)
  }, [time])
  return past === time
}

interface RowProps {
  readonly icon: ReactNode
  readonly name: string
  readonly detail: string | undefined
  readonly children?: ReactNode
}

/** The last export: its state, and what can be done with it. */
function Row({ icon, name, detail, children }: RowProps) {
  return (
    <div className="flex min-h-14 flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
      <div className="flex min-w-0 flex-1 basis-40 items-center gap-3.5">
        <span className="flex size-9 shrink-0 items-center justify-center rounded-control bg-sunken text-muted">
          {icon}
        </span>
        <div className="min-w-0 text-sm">
          <p className="font-medium wrap-anywhere">{name}</p>
          <p className="text-muted tabular-nums">{detail}</p>
        </div>
      </div>
      {children}
    </div>
  )
}
