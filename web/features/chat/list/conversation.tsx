import type { Chat } from '@yonder/contract/chat'
import { useCallback, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { storageKeys } from '../composer/chat-storage.ts'
import { ComposerBar } from '../composer/composer-bar.tsx'
import { Composer } from '../composer/composer.tsx'
import { UnsentNote } from '../composer/unsent-note.tsx'
import { useBotChoice } from '../composer/use-bot-choice.ts'
import { ChatContents } from '../contents/chat-contents.tsx'
import { MessageActionsContext, ToolCallsContext } from '../message/message-context.ts'
import { useMessageActions } from '../message/use-message-actions.ts'
import type { ChatSession } from '../session/chat-session.ts'
import type { SessionView } from '../session/session-state.ts'
import { ChatFrame } from './chat-frame.tsx'
import { ChatStatus, ReplyAnnouncer } from './chat-status.tsx'
import { createDrawnRounds, DrawnRoundsContext } from './drawn-rounds.ts'
import { MessageList } from './message-list.tsx'
import type { MessageListHandle } from './message-list.tsx'
import { indexResults, visiblePath } from './message-tree.ts'
import { useFollowEnd } from './use-follow-end.ts'

interface ConversationProps {
  /** The loaded chat of `view`. */
  readonly chat: Chat
  readonly view: SessionView
  readonly session: ChatSession
  /** Shown right of the messages on a wide window. */
  readonly aside?: ReactNode
}

/** The messages of a chat, and the input fixed under them (§2.25). */
export function Conversation({ chat, view, session, aside }: ConversationProps) {
  const choice = useBotChoice(storageKeys.chatBot(chat.id))
  const content = useRef<HTMLDivElement>(null)
  const list = useRef<MessageListHandle>(null)
  const box = useRef<HTMLTextAreaElement>(null)
  const [rounds] = useState(createDrawnRounds)
  const { following, goToEnd, leaveEnd } = useFollowEnd(content)
  const { messages, selected_message_id: leafId } = chat
  const path = useMemo(() => visiblePath(messages, leafId), [messages, leafId])
  const calls = useMemo(
    () => ({ resultOf: indexResults(messages), last: messages.find(({ id }) => id === leafId) }),
    [messages, leafId],
  )
  const onRequest = useCallback(() => {
    goToEnd()
    // The pressed button disappears with its message, so the focus moves to the input. On a touch device that would open
    // the on-screen keyboard.
    if (!matchMedia('(pointer: coarse)').matches) box.current?.focus({ preventScroll: true })
  }, [goToEnd])
  const busy = view.phase !== 'idle'
  const actions = useMessageActions({ chat, session, busy, choice, onRequest })

  const goToRound = (messageId: string) => {
    leaveEnd()
    list.current?.goTo(messageId)
  }
  return (
    <DrawnRoundsContext value={rounds}>
      <ChatFrame contents={<ChatContents path={path} onSelect={goToRound} />} aside={aside}>
        <div ref={content} className="flex flex-1 flex-col">
          <div className="flex-1">
            <MessageActionsContext value={actions}>
              <ToolCallsContext value={calls}>
                <MessageList ref={list} path={path} writing={view.writing} session={session} opensAt="end" />
              </ToolCallsContext>
            </MessageActionsContext>
            {view.unsent !== undefined && (
              <div className="mx-auto w-full max-w-column px-4 pb-6 sm:px-6">
                <UnsentNote
                  text={view.unsent.message.content}
                  reason={view.unsent.reason}
                  onSendAgain={() => {
                    goToEnd()
                    session.sendAgain(choice.selected?.name)
                  }}
                  onEdit={() => session.withdraw()}
                />
              </div>
            )}
          </div>
          <ComposerBar onGoToEnd={following ? undefined : goToEnd}>
            <ChatStatus view={view} needsApproval={calls.last?.call?.state === 'waiting'} />
            <Composer
              ref={box}
              choice={choice}
              draftKey={storageKeys.draft(chat.id)}
              loading={busy}
              onSend={(text, botName) => {
                goToEnd()
                session.send({ parentId: leafId, content: text, botName })
              }}
              onStop={() => void session.stop()}
            />
          </ComposerBar>
          <ReplyAnnouncer reply={view.endedReply} />
        </div>
      </ChatFrame>
    </DrawnRoundsContext>
  )
}
