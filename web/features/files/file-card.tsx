import { missingFilePrefix } from '@yonder/contract/lib/file-limits'
import type { FileRef } from '@yonder/contract/message'
import { Download, Play } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useDownload, useStoredFile } from '../../data/files.ts'
import { isNotFound, readReason } from '../../lib/api/api-error.ts'
import { formatBytes } from '../../lib/format-usage.ts'
import { useKeepMounted } from '../../lib/keep-mounted.ts'
import { IconButton } from '../../ui/button/icon-button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { InertText } from '../../ui/inert-text.tsx'
import { Spinner } from '../../ui/states/progress.tsx'
import { FileIcon } from './file-icon.tsx'

export interface FileCardProps {
  readonly file: FileRef
  /** The connector that returned the file. */
  readonly from?: string
}

/** A file that can be downloaded, if it is here. */
export function FileCard({ file, from }: FileCardProps) {
  const isHere = isFileHere(file)
  return (
    <Card file={file} detail={describe(file, from)} isGone={!isHere}>
      {isHere && <DownloadButton file={file} />}
    </Card>
  )
}

/** Whether a file is here. One without an id does not go along with a shared chat, and an import may lack others. */
export const isFileHere = ({ id }: Pick<FileRef, 'id'>): boolean =>
  id !== '' && !id.startsWith(missingFilePrefix)

/** A sound, which is loaded when it is to be played. */
export function AudioCard({ file, from }: FileCardProps) {
  const [isWanted, setWanted] = useState(false)
  const { file: loaded, error, isLoading, retry } = useStoredFile(file.id, isWanted)
  useKeepMounted(loaded !== undefined)
  const isGone = isNotFound(error) || !isFileHere(file)
  const detail =
    error === undefined
      ? describe(file, from)
      : isGone
        ? 'Deleted'
        : `It could not be loaded. ${readReason(error)}`
  return (
    <div className="flex max-w-full flex-col gap-2">
      <Card file={file} detail={detail} isGone={isGone}>
        {loaded === undefined && !isGone && (
          <IconButton
            label={`Play ${file.name}`}
            size="small"
            onClick={error === undefined ? () => setWanted(true) : retry}
          >
            {isLoading ? <Spinner /> : <Play size={16} aria-hidden />}
          </IconButton>
        )}
        {!isGone && <DownloadButton file={file} />}
      </Card>
      {loaded !== undefined && (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- a sound of a tool has none
        <audio ref={takeFocus} controls autoPlay src={loaded.url} aria-label={file.name} className="w-full" />
      )}
    </div>
  )
}

/** The pressed button, which the sound replaces, had the focus. */
function takeFocus(sound: HTMLAudioElement | null): void {
  if (document.activeElement === document.body) sound?.focus()
}

function describe({ id, size }: FileRef, from: string | undefined): string {
  if (id === '') return `${formatBytes(size)}, not shared`
  if (id.startsWith(missingFilePrefix)) return 'Not imported'
  return from === undefined ? formatBytes(size) : `${formatBytes(size)} from ${from}`
}

function DownloadButton({ file }: { readonly file: FileRef }) {
  const download = useDownload()
  return (
    <IconButton label={`Download ${file.name}`} size="small" onClick={() => void download(file)}>
      <Download size={16} aria-hidden />
    </IconButton>
  )
}

interface CardProps {
  readonly file: FileRef
  readonly detail: string
  readonly isGone?: boolean
  /** Its buttons. */
  readonly children: ReactNode
}

function Card({ file: { name, type }, detail, isGone = false, children }: CardProps) {
  return (
    <div className="flex min-h-14 w-60 max-w-full items-center gap-2.5 rounded-card border border-line bg-surface py-1.5 pr-1.5 pl-3 text-sm">
      <FileIcon type={type} name={name} />
      <span className="min-w-0 flex-1">
        <bdi className={classNames('block truncate', isGone && 'text-muted')} title={name}>
          <InertText>{name}</InertText>
        </bdi>
        <span className="block truncate text-xs text-muted tabular-nums">{detail}</span>
      </span>
      {children}
    </div>
  )
}
