import type { Chat } from '@yonder/contract/chat'
import { X } from 'lucide-react'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { readMessageTarget, type MessageTarget } from '../../../data/message-link.ts'
import { readReason } from '../../../lib/api/api-error.ts'
import { Button } from '../../../ui/button/button.tsx'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { useFocusAfterRemoval } from '../../../ui/focus.ts'
import { visiblePath, wholePath } from '../list/message-tree.ts'
import type { ChatSession } from '../session/chat-session.ts'

export interface TargetNoteProps {
  readonly session: ChatSession
  readonly busy: boolean
  /** Called with a message of the visible path, and the words that were searched. */
  readonly onShow: (target: MessageTarget) => void
  /** Called when the note is removed while one of its buttons has the focus. */
  readonly onRemoved: () => void
}

/** Why the message of the address is not shown. */
type Problem = 'gone' | 'other version' | { readonly reason: string }

interface Found {
  readonly target: MessageTarget
  readonly problem: Problem | undefined
}

/**
 * Opens the chat at the message in its address, with its version, and says here if that is not possible. The address
 * keeps the message until the user does something else, so that a reload shows it again.
 */
export function TargetNote({ session, busy, onShow, onRemoved }: TargetNoteProps) {
  const location = useLocation()
  const navigate = useNavigate()
  // A link to the same message again is another location.
  const target = useMemo(() => readMessageTarget(location.hash), [location])
  const [found, setFound] = useState<Found>()

  const forgetTarget = () => {
    const { pathname, search } = location
    if (target !== undefined) void navigate({ pathname, search }, { replace: true })
  }
  const show = useEffectEvent(onShow)
  const moveOn = useEffectEvent(forgetTarget)
  useEffect(() => {
    if (target === undefined) return
    const ended = new AbortController()
    const { signal } = ended
    const open = async () => {
      const problem = await seek(session, target, signal, (shown) => {
        show(shown)
        onNextAction(moveOn, signal)
      })
      if (signal.aborted) return
      setFound({ target, problem })
      if (problem === 'gone') moveOn()
    }
    void open()
    return () => ended.abort()
  }, [session, target])

  const problem = target === undefined || found?.target === target ? found?.problem : undefined
  if (problem === undefined) return null
  return (
    <Note
      text={describe(problem, busy)}
      action={problem === 'gone' || busy ? undefined : problem === 'other version' ? 'Show it' : 'Try again'}
      onAction={() => void navigate(location, { replace: true })}
      onDismiss={() => {
        setFound(undefined)
        forgetTarget()
      }}
      onRemoved={onRemoved}
    />
  )
}

function describe(problem: Problem, busy: boolean): string {
  if (problem === 'gone') return 'The message that was found is gone. This is the end of its chat.'
  if (problem !== 'other version') return `The message that was found could not be shown: ${problem.reason}`
  return `The message that was found is in another version of this chat${busy ? ', which can be shown when the reply has ended' : ''}.`
}

interface NoteProps {
  readonly text: string
  readonly action: string | undefined
  readonly onAction: () => void
  readonly onDismiss: () => void
  readonly onRemoved: () => void
}

function Note({ text, action, onAction, onDismiss, onRemoved }: NoteProps) {
  const note = useFocusAfterRemoval<HTMLDivElement>(onRemoved)
  return (
    <div ref={note} className="flex items-center justify-center gap-2 pb-2 text-sm text-muted">
      <output>{text}</output>
      {action !== undefined && (
        <Button size="small" onClick={onAction}>
          {action}
        </Button>
      )}
      <IconButton label="Dismiss" size="small" onClick={onDismiss}>
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  )
}

/**
 * Looks for a message of a chat, selects its version and calls `onFound` when it is drawn. Resolves when all is saved,
 * with the problem if there is one.
 */
async function seek(
  session: ChatSession,
  target: MessageTarget,
  signal: AbortSignal,
  onFound: (target: MessageTarget) => void,
): Promise<Problem | undefined> {
  const read = () => session.view.get()
  // The page may not know of a message that was just written on another device.
  if (!hasMessage(read().chat, target)) await session.read()
  const { chat, phase, error } = read()
  if (!hasMessage(chat, target)) return error === undefined ? 'gone' : { reason: readReason(error) }
  const isOnPath = findOnPath(chat, target) !== undefined
  if (!isOnPath && phase !== 'idle') return 'other version'
  const saved = isOnPath ? undefined : session.showBranch(target.messageId)
  // The branch is drawn by then, and a dialog that was closed has returned the focus.
  await new Promise((resolve) => requestAnimationFrame(resolve))
  const messageId = findOnPath(read().chat, target)
  if (messageId !== undefined && !signal.aborted) onFound({ ...target, messageId })
  const reason = await saved
  return reason === undefined ? undefined : { reason }
}

function hasMessage(chat: Chat | undefined, { messageId }: MessageTarget): chat is Chat {
  return chat?.messages.some(({ id }) => id === messageId) === true
}

/** Returns the id of the message, or of the one before it that is drawn, if it is on the path that is shown. */
function findOnPath(chat: Chat | undefined, { messageId }: MessageTarget): string | undefined {
  if (chat === undefined) return undefined
  const path = wholePath(chat.messages, chat.selected_message_id)
  const end = path.findIndex(({ id }) => id === messageId)
  return end === -1 ? undefined : visiblePath(path.slice(0, end + 1), messageId).at(-1)?.id
}

/** Keys that move on; others, such as those that reload the page or copy its address, do not. */
const movingKey = /^(.|Enter|Tab|Escape|Backspace|Arrow.*|Page.*|Home|End|F3)$/

/** Calls `action` once when the user scrolls, presses a key or clicks. */
function onNextAction(action: () => void, signal: AbortSignal): void {
  const handle = (event: Event) => {
    if (event instanceof KeyboardEvent) {
      const isCommand = event.ctrlKey || event.metaKey
      if (!movingKey.test(event.key) || (isCommand && event.key.toLowerCase() !== 'g')) return
    }
    action()
  }
  for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
    window.addEventListener(type, handle, { signal, capture: true, passive: true })
}
