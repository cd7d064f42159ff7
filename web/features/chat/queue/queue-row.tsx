import type { MessageContent } from '@yonder/contract/message'
import { filesOfContent, textOfContent } from '@yonder/contract/message-text'
import type { QueuedMessage, QueuePause } from '@yonder/contract/queue'
import {
  ArrowDown,
  ArrowUp,
  CornerDownRight,
  Ellipsis,
  GripVertical,
  Hand,
  Paperclip,
  Pause,
  Pencil,
  Send,
  Trash2,
} from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { useMediaQuery } from '../../../lib/use-media-query.ts'
import { Button } from '../../../ui/button/button.tsx'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { MenuItem } from '../../../ui/menu/menu.tsx'
import { PopupMenu, type MenuPlace } from '../../../ui/menu/popup-menu.tsx'
import { formatShortcut } from '../../../ui/shortcut/shortcut.ts'
import { Spinner } from '../../../ui/states/progress.tsx'
import { drafts, storageKeys } from '../chat-storage.ts'
import { QueueEditor } from './queue-editor.tsx'
import type { GripEvents } from './use-row-drag.ts'

const rowLook =
  'relative flex min-h-10 items-center gap-1.5 border-b border-line pr-1.5 pl-3 focus-visible:-outline-offset-2'

/** At most this many characters of a message are in its row, which is one line. */
const maxRowChars = 300

/** The beginning of a message on one line, with the number of its files. */
function RowText({ content }: { readonly content: MessageContent }) {
  const text = textOfContent(content).slice(0, maxRowChars).replaceAll(/\s+/g, ' ').trim()
  const files = filesOfContent(content)
  return (
    <>
      {files.length > 0 && (
        <span className="inline-flex shrink-0 items-center gap-1 text-xs text-muted">
          <Paperclip size={14} aria-hidden />
          {files.length === 1 ? '1 file' : `${files.length} files`}
        </span>
      )}
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {text === '' ? files.map(({ name }) => name).join(', ') : text}
      </span>
    </>
  )
}

const pauseTexts: Readonly<Record<QueuePause, string>> = {
  approval: 'Paused: a tool call waits for you. Continue denies it.',
  expired: 'Paused: nobody decided about a tool call in time.',
  failed: 'Paused: the last reply failed.',
  stopped: 'Paused: you stopped the reply.',
  interrupted: 'Paused: the server was restarted.',
  no_bot: 'Paused: the bot of the next message was deleted.',
  refused: 'Paused: the next message could not be sent.',
}

export interface PausedLineProps {
  readonly pause: QueuePause
  /** The server's own words. */
  readonly reason: string | undefined
  /** The bot that replies instead of a deleted one. */
  readonly botName: string | undefined
  readonly onContinue: () => Promise<void>
}

/** Says above the rows why no message is sent, and goes on. */
export function PausedLine({ pause, reason, botName, onContinue }: PausedLineProps) {
  const [isBusy, setBusy] = useState(false)
  const Icon = pause === 'approval' ? Hand : Pause
  const goOn = async () => {
    setBusy(true)
    await onContinue()
    setBusy(false)
  }
  const text = pause === 'refused' && reason !== undefined ? `Paused: ${reason}` : pauseTexts[pause]
  return (
    <div className="flex min-h-10 items-center gap-2 border-b border-line py-1 pr-1.5 pl-3.5">
      <Icon size={16} aria-hidden className="shrink-0 text-warning" />
      <output className="min-w-0 flex-1">{text}</output>
      {(pause !== 'no_bot' || botName !== undefined) && (
        <Button size="small" look="plain" busy={isBusy} onClick={() => void goOn()}>
          {pause === 'no_bot' ? `Continue with ${botName}` : 'Continue'}
        </Button>
      )}
    </div>
  )
}

interface SteeringRowProps {
  readonly message: QueuedMessage
  readonly isTabStop: boolean
  readonly onTakeBack: () => void
}

/** A message that goes into the running reply as soon as that is possible. */
export function SteeringRow({ message, isTabStop, onTakeBack }: SteeringRowProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the arrow keys move between the rows
    <li data-id={message.id} tabIndex={isTabStop ? 0 : -1} className={rowLook}>
      <Spinner />
      <span className="min-w-0 flex-1 py-1">
        <span className="block text-xs text-muted">Goes in at the next step</span>
        <span className="flex min-w-0 items-center gap-1.5">
          <RowText content={message.content} />
        </span>
      </span>
      <Button size="small" look="plain" tabIndex={isTabStop ? 0 : -1} onClick={onTakeBack}>
        Take back
      </Button>
    </li>
  )
}

interface UnqueuedRowProps {
  readonly content: MessageContent
  readonly isTabStop: boolean
  /** Why it is not queued yet; undefined while that is normal. */
  readonly problem: string | undefined
  readonly onTakeBack: () => void
}

/** A message that the server has not confirmed. */
export function UnqueuedRow({ content, isTabStop, problem, onTakeBack }: UnqueuedRowProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the arrow keys move between the rows
    <li tabIndex={isTabStop ? 0 : -1} aria-busy={problem === undefined} className={rowLook}>
      <span className="queue-grip" />
      <span className="flex min-w-0 flex-1 items-center gap-1.5 py-1 text-muted">
        <span className="min-w-0 flex-1">
          {problem !== undefined && (
            <span className="block text-xs text-warning">Not queued yet. {problem}</span>
          )}
          <span className="flex min-w-0 items-center gap-1.5">
            <RowText content={content} />
          </span>
        </span>
      </span>
      {problem !== undefined && (
        <Button size="small" look="plain" tabIndex={isTabStop ? 0 : -1} onClick={onTakeBack}>
          Take back
        </Button>
      )}
    </li>
  )
}

export interface QueueRowProps {
  readonly chatId: string
  readonly message: QueuedMessage
  /** Whether the Tab key reaches the row and its buttons. */
  readonly isTabStop: boolean
  /** Whether a dragged row would be put above this one, or below it at the end. */
  readonly isDropTarget: boolean
  readonly isLastDropTarget: boolean
  readonly isRunning: boolean
  /** The id of the text that explains the keys. */
  readonly keyHintId: string
  /** Absent for the only row. */
  readonly grip: GripEvents | undefined
  /** Absent for the first and the last row. */
  readonly onMoveUp: (() => void) | undefined
  readonly onMoveDown: (() => void) | undefined
  readonly onSteer: () => void
  readonly onSendNow: () => Promise<void>
  /** Resolves with whether the message was changed. */
  readonly onEdit: (content: MessageContent) => Promise<boolean>
  readonly onRemove: () => void
}

/** A message that waits, with what can be done with it. */
export function QueueRow(props: QueueRowProps) {
  const { chatId, message, isTabStop, isRunning, keyHintId, grip, onSteer, onSendNow, onEdit } = props
  const { content } = message
  const draftKey = storageKeys.edit(chatId, message.id)
  const row = useRef<HTMLLIElement>(null)
  const [isEditing, setEditing] = useState(() => drafts.read(draftKey) !== '')
  const isWide = useMediaQuery('(min-width: 40rem)')
  const tabIndex = isTabStop ? 0 : -1
  const endEdit = () => {
    flushSync(() => setEditing(false))
    row.current?.focus({ preventScroll: true })
  }
  if (isEditing)
    return (
      <li ref={row} data-id={message.id} tabIndex={-1} className={rowLook}>
        <QueueEditor draftKey={draftKey} before={content} onSave={onEdit} onEnd={endEdit} />
      </li>
    )
  const steer = isRunning ? onSteer : undefined
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys for what the buttons do
    <li
      ref={row}
      data-id={message.id}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the arrow keys move between the rows
      tabIndex={tabIndex}
      aria-describedby={keyHintId}
      aria-keyshortcuts="Enter Delete Alt+ArrowUp Alt+ArrowDown"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.target !== event.currentTarget) return
        event.preventDefault()
        setEditing(true)
      }}
      className={rowLook}
    >
      {(props.isDropTarget || props.isLastDropTarget) && (
        <span aria-hidden data-at={props.isDropTarget ? 'start' : 'end'} className="queue-drop" />
      )}
      <span {...grip} aria-hidden data-movable={grip && ''} className="queue-grip">
        {grip && <GripVertical size={14} />}
      </span>
      <RowText content={content} />
      {isWide && (
        <>
          {steer && (
            <Button size="small" look="muted" tabIndex={tabIndex} onClick={steer}>
              Steer
            </Button>
          )}
          <Button size="small" look="muted" tabIndex={tabIndex} onClick={() => void onSendNow()}>
            Send now
          </Button>
        </>
      )}
      <IconButton label="Edit" size="small" tabIndex={tabIndex} onClick={() => setEditing(true)}>
        <Pencil size={14} aria-hidden />
      </IconButton>
      <RowMenu tabIndex={tabIndex}>
        {!isWide && steer && (
          <MenuItem icon={<CornerDownRight size={16} aria-hidden />} onSelect={steer}>
            Steer
          </MenuItem>
        )}
        {!isWide && (
          <MenuItem icon={<Send size={16} aria-hidden />} onSelect={() => void onSendNow()}>
            Send now
          </MenuItem>
        )}
        {props.onMoveUp && (
          <MenuItem
            icon={<ArrowUp size={16} aria-hidden />}
            hint={isWide ? keys('alt', '↑') : undefined}
            onSelect={props.onMoveUp}
          >
            Move up
          </MenuItem>
        )}
        {props.onMoveDown && (
          <MenuItem
            icon={<ArrowDown size={16} aria-hidden />}
            hint={isWide ? keys('alt', '↓') : undefined}
            onSelect={props.onMoveDown}
          >
            Move down
          </MenuItem>
        )}
        <MenuItem
          icon={<Trash2 size={16} aria-hidden />}
          hint={isWide ? 'Del' : undefined}
          onSelect={props.onRemove}
        >
          Remove
        </MenuItem>
      </RowMenu>
    </li>
  )
}

const keys = (modifier: string, key: string) => `${formatShortcut(modifier).join('')} ${key}`

/** The button of a row with the rest of what can be done. */
function RowMenu({ tabIndex, children }: { readonly tabIndex: number; readonly children: ReactNode }) {
  const button = useRef<HTMLButtonElement>(null)
  const [place, setPlace] = useState<MenuPlace>()
  return (
    <>
      <IconButton
        ref={button}
        label="More"
        size="small"
        tabIndex={tabIndex}
        aria-haspopup="menu"
        aria-expanded={place !== undefined}
        onClick={() => setPlace(place === undefined ? button.current?.getBoundingClientRect() : undefined)}
      >
        <Ellipsis size={16} aria-hidden />
      </IconButton>
      {place !== undefined && (
        <PopupMenu
          label="Queued message"
          at={place}
          onClose={(byUser) => {
            setPlace(undefined)
            if (byUser) button.current?.focus({ preventScroll: true })
          }}
        >
          {children}
        </PopupMenu>
      )}
    </>
  )
}
