import type { Chat } from '@yonder/contract/chat'
import type { QueuedMessage } from '@yonder/contract/queue'
import {
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type KeyboardEvent,
  type Ref,
} from 'react'
import { moveBefore, useQueue, type QueueCalls } from '../../../data/queue.ts'
import { describeFailure } from '../../../lib/api/api-error.ts'
import { useApi } from '../../../lib/api/api-provider.tsx'
import { browserStorage } from '../../../lib/browser-storage.ts'
import { useStore } from '../../../lib/store.ts'
import { toast } from '../../../lib/toasts.ts'
import { useFocusAfterMove, useFocusAfterRemoval } from '../../../ui/focus.ts'
import { isCancelKey } from '../../../ui/shortcut/shortcut.ts'
import type { ChatSession } from '../session/chat-session.ts'
import type { SessionView } from '../session/session-reducer.ts'
import { parseUnqueued, queueOutbox, type UnqueuedMessage } from './queue-outbox.ts'
import { PausedLine, QueueRow, SteeringRow, UnqueuedRow } from './queue-row.tsx'
import { queueSenderOf, type QueueSender } from './queue-sender.ts'
import './queue.css'
import { useRowDrag } from './use-row-drag.ts'

export { queueSenderOf }

export interface ChatQueueOptions {
  /** The chat as it is shown. */
  readonly chat: Chat
  readonly view: SessionView
  readonly session: ChatSession
  /** The name of the bot with which a message goes whose own bot is gone. */
  readonly botName: string | undefined
  /** Called when the user has sent a message out of its turn. */
  readonly onSend: () => void
  /** Moves the focus to the input. */
  readonly moveFocus: () => void
}

export interface ChatQueueHandle {
  /** Focuses the last row. Returns false if there is none. */
  readonly focusLast: () => boolean
}

const keyHint = 'Enter edits, Alt with an arrow key moves, Delete removes, and Escape returns to the message.'

/** The messages that wait for the reply before them, on top of the input. */
export function ChatQueue(props: ChatQueueOptions & { readonly ref?: Ref<ChatQueueHandle> }) {
  const { chat, session, view, botName, onSend, moveFocus, ref } = props
  const api = useApi()
  const sender = queueSenderOf(api, chat.id, session)
  const { queue, isKnown, change } = useQueue(chat.id)
  useEffect(() => sender.onQueue(change.show), [sender, change])
  useEffect(() => sender.start(), [sender])
  const unqueued = useUnqueued(chat.id)
  const sent = useMemo(() => new Set(chat.messages.map(({ id }) => id)), [chat.messages])
  // A message that has arrived in the chat is not waiting any more, also before the queue is read again.
  const waiting = queue.messages.filter(({ id }) => !sent.has(id))
  const known = new Set([...sent, ...waiting.map(({ id }) => id)])
  const pending = unqueued.filter(({ id }) => !known.has(id))
  const count = waiting.length + pending.length
  const isPaused = view.phase === 'idle' && waiting.length > 0 && queue.paused !== null
  return (
    <>
      <QueueAnnouncer count={count} isKnown={isKnown} />
      {count > 0 && (
        <div className="queue-box bg-page text-sm">
          {isPaused && queue.paused !== null && (
            <PausedLine
              pause={queue.paused}
              reason={queue.reason}
              botName={botName}
              onContinue={async () => {
                const [first] = waiting
                if (first === undefined || queue.paused === null) return
                moveFocus()
                const isDone =
                  queue.paused === 'no_bot' && botName !== undefined
                    ? change.changeBot(first.id, botName)
                    : change.goOn(first.id, queue.paused)
                if (await isDone) onSend()
              }}
            />
          )}
          <QueueList
            ref={ref}
            chatId={chat.id}
            waiting={waiting}
            pending={pending}
            sender={sender}
            change={change}
            isRunning={view.phase !== 'idle'}
            botName={botName}
            onSend={onSend}
            moveFocus={moveFocus}
          />
        </div>
      )}
    </>
  )
}

function useUnqueued(chatId: string): readonly UnqueuedMessage[] {
  const stored = useSyncExternalStore(browserStorage.subscribe, () => queueOutbox.readText(chatId))
  return useMemo(() => parseUnqueued(stored), [stored])
}

interface QueueListProps extends Pick<ChatQueueOptions, 'botName' | 'onSend' | 'moveFocus'> {
  readonly ref: Ref<ChatQueueHandle> | undefined
  readonly chatId: string
  readonly waiting: readonly QueuedMessage[]
  readonly pending: readonly UnqueuedMessage[]
  readonly sender: QueueSender
  readonly change: QueueCalls
  readonly isRunning: boolean
}

/** The rows, one of which is reached with the Tab key. The others are reached with the arrow keys. */
function QueueList(props: QueueListProps) {
  const { ref, chatId, waiting, pending, sender, change, isRunning, botName, onSend, moveFocus } = props
  const list = useFocusAfterRemoval<HTMLOListElement>(moveFocus)
  const [current, setCurrent] = useState<string>()
  /** The row that keeps the focus although the browser takes it from a row that moves. */
  const moved = useRef<string>(undefined)
  const failure = useStore(sender.failure)
  // Without a running reply there is no step to wait for, and the message is the next turn.
  const steering = waiting.filter(({ steers }) => steers && isRunning)
  const movable = waiting.filter((message) => !steering.includes(message))
  const ids = [...steering, ...movable, ...pending].map(({ id }) => id)
  const tabStop = current !== undefined && ids.includes(current) ? current : ids.at(-1)

  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>(':scope > li') ?? [])]
  const focusRow = (index: number) => {
    const row = rows()[index]
    row?.focus({ preventScroll: true })
    row?.scrollIntoView({ block: 'nearest' })
    return row !== undefined
  }
  useImperativeHandle(ref, () => ({ focusLast: () => focusRow(ids.length - 1) }))
  useFocusAfterMove(list, moveFocus)
  // A new row is at the end, where the user has to see it.
  const length = ids.length
  const before = useRef(length)
  useLayoutEffect(() => {
    if (length > before.current) list.current?.lastElementChild?.scrollIntoView({ block: 'nearest' })
    before.current = length
  }, [list, length])
  // A message that is to be steered goes to the top.
  const steeringCount = steering.length
  useLayoutEffect(() => {
    if (steeringCount > 0) list.current?.scrollTo?.({ top: 0 })
  }, [list, steeringCount])
  useLayoutEffect(() => {
    if (moved.current === undefined || document.activeElement !== document.body) return
    focusRow(ids.indexOf(moved.current))
  })

  const move = (id: string, beforeId: string | null) => {
    moved.current = id
    void change.move(id, beforeId)
  }
  const moveBy = (id: string, step: 1 | -1) => {
    const index = movable.findIndex((message) => message.id === id)
    const target = movable[index + step]
    if (index === -1 || target === undefined) return
    move(id, step === -1 ? target.id : (movable[index + 2]?.id ?? null))
  }
  const remove = async (message: QueuedMessage) => {
    const index = ids.indexOf(message.id)
    if (ids.length === 1 || !focusRow(index === ids.length - 1 ? index - 1 : index + 1)) moveFocus()
    const next = movable[movable.indexOf(message) + 1]?.id
    const bot = message.bot ?? botName
    const isRemoved = await change.remove(message.id)
    if (!isRemoved || bot === undefined) return
    toast.undo('Message removed from the queue', () =>
      sender.add({ content: message.content, botName: bot, before: next }),
    )
  }
  const drag = useRowDrag(list, movable, (id, beforeId) => {
    const ordered = moveBefore(movable, id, beforeId)
    if (ordered.some((message, index) => message !== movable[index])) move(id, beforeId)
  })

  const handleKey = (event: KeyboardEvent<HTMLOListElement>) => {
    const { key, target } = event
    if (!(target instanceof Element) || target.closest('textarea, form') !== null) return
    const index = rows().findIndex((row) => row.contains(target))
    const id = ids[index]
    if (id === undefined) return
    const message = movable.find((other) => other.id === id)
    const step = key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : undefined
    if (isCancelKey(event)) moveFocus()
    else if (step !== undefined && event.altKey) moveBy(id, step)
    else if (step !== undefined && !hasModifier(event)) {
      if (!focusRow(index + step) && step === 1) moveFocus()
    } else if (key === 'Delete' && message !== undefined && !hasModifier(event)) void remove(message)
    else return
    event.preventDefault()
  }

  return (
    <>
      <p id={`${chatId}-queue-keys`} hidden>
        {keyHint}
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the rows inside receive the keys */}
      <ol
        ref={list}
        aria-label="Queued messages"
        onKeyDown={handleKey}
        onFocus={({ target }) => setCurrent(ids[rows().findIndex((row) => row.contains(target))])}
        className="queue-list"
      >
        {steering.map((message) => (
          <SteeringRow
            key={message.id}
            message={message}
            isTabStop={message.id === tabStop}
            onTakeBack={() => void change.steer(message.id, false)}
          />
        ))}
        {movable.map((message, index) => (
          <QueueRow
            key={message.id}
            chatId={chatId}
            message={message}
            isTabStop={message.id === tabStop}
            isDropTarget={drag.target === message.id}
            isLastDropTarget={drag.target === null && index === movable.length - 1}
            isRunning={isRunning}
            keyHintId={`${chatId}-queue-keys`}
            grip={movable.length > 1 ? drag.gripOf(message.id) : undefined}
            onMoveUp={index === 0 ? undefined : () => moveBy(message.id, -1)}
            onMoveDown={index === movable.length - 1 ? undefined : () => moveBy(message.id, 1)}
            onSteer={() => void change.steer(message.id, true)}
            onSendNow={async () => {
              moveFocus()
              if (await change.sendNow(message.id)) onSend()
            }}
            onEdit={(content) => change.edit(message.id, content)}
            onRemove={() => void remove(message)}
          />
        ))}
        {pending.map((message) => (
          <UnqueuedRow
            key={message.id}
            content={message.content}
            isTabStop={message.id === tabStop}
            problem={failure && describeFailure(failure)}
            onTakeBack={() => {
              moveFocus()
              sender.takeBack(message)
            }}
          />
        ))}
      </ol>
    </>
  )
}

function hasModifier({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return altKey || ctrlKey || metaKey || shiftKey
}

/**
 * Announces to a screen reader how many messages wait, whenever that has changed. `isKnown` is false until the queue was
 * read for the first time, which is no change.
 */
function QueueAnnouncer({ count, isKnown }: { readonly count: number; readonly isKnown: boolean }) {
  const [seen, setSeen] = useState({ count: 0, isKnown })
  const [text, setText] = useState('')
  if (seen.count !== count || seen.isKnown !== isKnown) {
    setSeen({ count, isKnown })
    if (seen.count !== count && seen.isKnown === isKnown) setText(describeCount(count, seen.count))
  }
  return <output className="sr-only">{text}</output>
}

function describeCount(count: number, before: number): string {
  if (count === 0) return 'No message waits'
  return count > before ? `Queued, ${count} waiting` : `${count} waiting`
}
