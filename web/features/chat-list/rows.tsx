import { Check, CircleAlert, Ellipsis, Hand, Plus } from 'lucide-react'
import { memo, type MouseEvent, type ReactNode, type Ref } from 'react'
import { Link } from 'react-router'
import type { ListRow } from '../../data/chat-list.ts'
import { IconButton } from '../../ui/button/icon-button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { MarkedText } from '../../ui/marked-text.tsx'
import { Skeleton, Spinner } from '../../ui/states/progress.tsx'
import type { Row } from './list-rows.ts'
import type { RowEvents, RowMode } from './row-editing.tsx'
import { TitleInput } from './title-input.tsx'

/** The classes of a row that is a link or a button. */
export const rowLook =
  'flex h-full items-center gap-2 rounded-control pr-1.5 pl-2.5 text-sm -outline-offset-2 transition-colors hover:bg-hover in-data-drop:bg-accent-soft!'

export interface ChatRowProps {
  readonly ref?: Ref<HTMLElement> | undefined
  readonly chat: ListRow
  /** Words that are marked in the title. */
  readonly marks: string
  /** Whether this page shows the chat. */
  readonly isCurrent: boolean
  /** Whether the chat stands under its project. */
  readonly isInProject: boolean
  readonly isTabStop: boolean
  readonly mode: RowMode
  readonly events: RowEvents
  /** Called when the chat is opened in this page. */
  readonly onOpen: (() => void) | undefined
}

/** A chat in the list. */
export const ChatRow = memo(function ChatRow({
  ref,
  chat,
  marks,
  isCurrent,
  isInProject,
  isTabStop,
  mode,
  events,
  onOpen,
}: ChatRowProps) {
  if (mode === 'renaming')
    return <TitleInput title={chat.title} onEnd={(next, byKey) => events.endRename(chat, next, byKey)} />
  const title = (
    <span dir="auto" className="min-w-0 flex-1 truncate">
      <MarkedText text={chat.title} search={marks} />
    </span>
  )
  const look = classNames(
    rowLook,
    isInProject && 'pl-8.5 pointer-coarse:pl-11',
    isCurrent && 'bg-pressed font-medium',
    chat.unread && 'font-semibold',
  )
  const common = { title: chat.title, tabIndex: isTabStop ? 0 : -1 }
  if (mode !== 'plain')
    return (
      <button
        ref={ref as Ref<HTMLButtonElement>}
        type="button"
        aria-pressed={mode === 'selected'}
        draggable
        aria-label={describeChat(chat)}
        {...common}
        onClick={(event) => events.click(event, chat)}
        className={classNames(look, 'w-full text-start', mode === 'selected' && 'bg-accent-soft')}
      >
        <Checkmark isChecked={mode === 'selected'} />
        {title}
        <ChatState chat={chat} />
      </button>
    )
  return (
    <div className="group/row relative h-full">
      <Link
        ref={ref as Ref<HTMLAnchorElement>}
        to={`/chat/${encodeURIComponent(chat.id)}`}
        aria-label={describeChat(chat)}
        aria-current={isCurrent ? 'page' : undefined}
        // The row may be too narrow for the whole title.
        {...common}
        onClick={(event) => {
          events.click(event, chat)
          if (!event.defaultPrevented && opensHere(event)) onOpen?.()
        }}
        onContextMenu={(event) => events.askForMenu(event, chat)}
        className={classNames(look, 'pointer-coarse:pr-11')}
      >
        {title}
        <ChatState chat={chat} />
      </Link>
      <button
        type="button"
        // A key opens the menu too, so that the list is one tab stop.
        tabIndex={-1}
        aria-label={`Actions for ${chat.title}`}
        aria-haspopup="menu"
        onClick={(event) => events.openMenu(chat, event.currentTarget.getBoundingClientRect())}
        className="absolute inset-y-0 right-1.5 my-auto inline-flex size-6 items-center justify-center rounded-inner text-muted opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 hover:bg-pressed hover:text-ink focus-visible:opacity-100 pointer-coarse:right-0 pointer-coarse:size-11 pointer-coarse:opacity-100"
      >
        <Ellipsis size={16} aria-hidden />
      </button>
    </div>
  )
})

function Checkmark({ isChecked }: { readonly isChecked: boolean }) {
  return (
    <span
      aria-hidden
      className={classNames(
        'inline-flex size-4 shrink-0 items-center justify-center rounded-mark border',
        isChecked ? 'border-accent bg-accent text-on-accent' : 'border-line-strong',
      )}
    >
      {isChecked && <Check size={12} strokeWidth={3} />}
    </span>
  )
}

/** Whether a click opens the link in this page. With a modifier key the browser opens another tab or window. */
export const opensHere = (event: MouseEvent): boolean =>
  !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey

/**
 * What a row shows of the state of its chat: that it waits, else that it is being written, else that it is unread, and
 * whether the unread reply has failed.
 */
export function ChatState({ chat: { waiting, running, unread, failed } }: Pick<ChatRowProps, 'chat'>) {
  if (!waiting && !running && !unread) return null
  return (
    <span
      aria-hidden
      className={classNames(
        'inline-flex size-6 shrink-0 items-center justify-center pointer-fine:group-focus-within/row:invisible pointer-fine:group-hover/row:invisible',
        waiting ? 'text-warning' : failed ? 'text-danger' : 'text-muted',
      )}
    >
      {waiting ? (
        <Hand size={16} />
      ) : running ? (
        <Spinner size={14} />
      ) : failed ? (
        <CircleAlert size={16} />
      ) : (
        <span className="size-2 rounded-full bg-accent" />
      )}
    </span>
  )
}

/** The name of a row with the state that it shows. */
export function describeChat({ title, waiting, running, unread, failed }: ListRow): string {
  if (waiting) return `${title}, waits for approval`
  if (running) return `${title}, reply in progress`
  if (!unread) return title
  return failed ? `${title}, reply failed` : `${title}, unread`
}

/** The head of a group of rows. */
export function GroupHead({
  label,
  action,
}: {
  readonly label: string
  /** A button at the end of the head. */
  readonly action?: ReactNode
}) {
  return (
    <div className="flex h-full items-end justify-between pr-1.5 pl-2.5">
      <h2 className="pb-1.5 text-xs text-muted">{label}</h2>
      {action}
    </div>
  )
}

/** Creates a project, in the head of the projects. */
export function AddProjectButton({ onPress }: { readonly onPress: (() => void) | undefined }) {
  return (
    <IconButton label="New project" size="small" onClick={onPress}>
      <Plus size={16} aria-hidden />
    </IconButton>
  )
}

export interface AllProjectsRowProps extends Pick<ChatRowProps, 'ref' | 'isTabStop'> {
  readonly count: number
  readonly isAll: boolean
  readonly onPress: (() => void) | undefined
}

/** Shows all of many projects, or fewer. */
export function AllProjectsRow({ ref, count, isAll, isTabStop, onPress }: AllProjectsRowProps) {
  return (
    <button
      ref={ref as Ref<HTMLButtonElement>}
      type="button"
      aria-expanded={isAll}
      tabIndex={isTabStop ? 0 : -1}
      onClick={onPress}
      className={classNames(rowLook, 'w-full pl-8.5 text-muted pointer-coarse:pl-11')}
    >
      {isAll ? 'Show fewer projects' : `Show all ${count.toLocaleString('en')} projects`}
    </button>
  )
}

/** Says that there are no chats. */
export function EmptyRow({ text, isInProject }: Pick<Row & { kind: 'empty' }, 'text' | 'isInProject'>) {
  return (
    <span
      className={classNames(
        'flex h-full items-center text-sm text-muted',
        isInProject ? 'px-8.5 pointer-coarse:px-11' : 'px-2.5',
      )}
    >
      {text}
    </span>
  )
}

/** The place of the next page: a placeholder while it is loaded, and what to do when that has failed. */
export function MoreRow({ isFailed, onRetry }: { readonly isFailed: boolean; readonly onRetry: () => void }) {
  if (!isFailed)
    return (
      <span className="flex h-full items-center px-2.5">
        <Skeleton size="h-3.5 w-3/5" />
      </span>
    )
  return (
    <span role="alert" className="flex h-full items-center gap-2 px-2.5 text-sm whitespace-nowrap text-muted">
      Chats could not be loaded.
      <button
        type="button"
        onClick={onRetry}
        className="touch-target rounded-inner font-medium text-accent hover:underline"
      >
        Try again
      </button>
    </span>
  )
}
