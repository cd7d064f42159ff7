import { Eraser, X } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { InertText } from '../../../ui/inert-text.tsx'
import { listServers, type LogEntry, type ServerLog, type ServerStatus } from './server-log.ts'

/** The log scrolls to new entries while it is at most this many pixels from its end. */
const followZonePx = 100

const lineLook = 'text-xs leading-[1.45] wrap-anywhere'

export interface LogPanelProps {
  readonly log: ServerLog
  readonly onClear: () => void
  readonly onClose: () => void
}

/** The status of the connections to tool servers, and their log. */
export function LogPanel({ log, onClear, onClose }: LogPanelProps) {
  const servers = listServers(log)
  return (
    <aside
      aria-label="Connection logs"
      className="sticky top-header-end flex h-below-header flex-col border-l border-line"
    >
      <header className="flex items-center justify-between gap-2 py-2 pr-2 pl-4">
        <h2 className="text-sm font-medium">Connection logs</h2>
        <div className="flex">
          <IconButton label="Clear logs" size="small" onClick={onClear}>
            <Eraser size={16} aria-hidden />
          </IconButton>
          <IconButton label="Close logs" size="small" onClick={onClose}>
            <X size={16} aria-hidden />
          </IconButton>
        </div>
      </header>
      {servers.length > 0 && (
        <ul
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard can scroll a long list
          tabIndex={0}
          aria-label="Servers"
          className="flex max-h-2/5 flex-col gap-2 border-b border-line px-4 pb-3 -outline-offset-2 overflow-y-auto"
        >
          {servers.map(([name, status]) => (
            <ServerRow key={name} name={name} server={status} />
          ))}
        </ul>
      )}
      <Entries entries={log.entries} />
    </aside>
  )
}

const statusColors: Readonly<Record<string, string>> = {
  connected: 'text-success',
  error: 'text-danger',
  disconnected: 'text-danger',
}
const findStatusColor = (status: string) =>
  Object.hasOwn(statusColors, status) ? statusColors[status] : 'text-muted'

function ServerRow({ name, server }: { readonly name: string; readonly server: ServerStatus }) {
  return (
    <li className={lineLook}>
      <p className="flex items-baseline justify-between gap-2">
        <bdi className="min-w-0 truncate font-medium">
          <InertText>{name}</InertText>
        </bdi>
        <span className={findStatusColor(server.status)}>{server.status}</span>
      </p>
      <p className="flex items-baseline justify-between gap-2 text-muted">
        <span className="min-w-0 truncate">
          <InertText>{server.message}</InertText>
        </span>
        <time className="shrink-0 tabular-nums">{server.lastUpdated}</time>
      </p>
    </li>
  )
}

function Entries({ entries }: { readonly entries: readonly LogEntry[] }) {
  const box = useRef<HTMLDivElement>(null)
  const isFollowing = useRef(true)
  useLayoutEffect(() => {
    const element = box.current
    if (element !== null && isFollowing.current) element.scrollTop = element.scrollHeight
  })
  return (
    <div
      ref={box}
      role="log"
      aria-label="Log"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard can scroll the log
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto px-4 py-3 -outline-offset-2"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isFollowing.current = scrollHeight - scrollTop - clientHeight <= followZonePx
      }}
    >
      {entries.length === 0 && <p className={`${lineLook} text-muted`}>Nothing has been logged.</p>}
      <ol className="flex flex-col gap-2">
        {entries.map(({ id, server, status, message, timestamp }) => (
          <li key={id} className={lineLook}>
            <p className="flex items-baseline justify-between gap-2 text-muted">
              <span className="min-w-0 truncate">
                <span className={findStatusColor(status)}>{status}</span>{' '}
                <bdi>
                  <InertText>{server}</InertText>
                </bdi>
              </span>
              <time className="shrink-0 tabular-nums">{timestamp}</time>
            </p>
            <p dir="auto">
              <InertText>{message}</InertText>
            </p>
          </li>
        ))}
      </ol>
    </div>
  )
}
