import type { Chat } from '@yonder/contract/chat'
import { useCallback, useMemo, useRef } from 'react'
import type { ReactNode } from 'react'
import { ChatContents } from '../contents/chat-contents.tsx'
import { ChatFrame } from '../chat-frame.tsx'
import { ChatStatus } from '../chat-status.tsx'
import { Composer } from '../composer/composer.tsx'
import { ComposerBar } from '../composer/composer-bar.tsx'
import type { ChatSession } from '../session/chat-session.ts'
import type { SessionView } from '../session/session-state.ts'
import { MessageActionsContext } from '../message/message-actions.ts'
import { MessageList } from './message-list.tsx'
import type { MessageListHandle } from './message-list.tsx'
import { ReplyAnnouncer } from '../message/reply-announcer.tsx'
import { storageKeys } from '../composer/chat-storage.ts'
import { ToolCallsContext } from '../message/tool-calls.ts'
import { UnsentNote } from '../message/unsent-note.tsx'
import { useBotChoice } from '../composer/use-bot-choice.ts'
import { useFollowEnd } from './use-follow-end.ts'
import { useMessageActions } from '../message/use-message-actions.ts'
import { useToolCalls } from '../message/use-tool-calls.ts'
import { visiblePath } from './visible-path.ts'

interface ConversationProps {
  readonly chat: Chat
  readonly view: SessionView
  readonly session: ChatSession
  /** What stands right of the messages on a wide window. */
  readonly aside?: ReactNode
}

/** The messages of a chat, and the input fixed under them (§2.25). */
export function Conversation({ chat, view, session, aside }: ConversationProps) {
  const choice = useBotChoice(storageKeys.chatBot(chat.id))
  const { unsent } = view
  const busy = view.phase !== 'idle'
  const content = useRef<HTMLDivElement>(null)
  const list = useRef<MessageListHandle>(null)
  const { following, goToEnd, leaveEnd } = useFollowEnd(content)
  const path = useMemo(() => visiblePath(chat.messages, chat.selected_message_id), [chat])

  const goOn = useCallback(() => {
    goToEnd()
    focusComposer(content.current)
  }, [goToEnd])
  const actions = useMessageActions({
    chat,
    session,
    busy,
    botName: choice.selected?.name,
    onAsk: goOn,
  })
  const calls = useToolCalls({ chat, session, busy, choice, onAsk: goOn })

  const send = (content: string, botName: string) => {
    goToEnd()
    session.send({ parentId: chat.selected_message_id, content, botName })
  }
  const goToRound = (messageId: string) => {
    leaveEnd()
    list.current?.goTo(messageId)
  }
  return (
    <ChatFrame contents={<ChatContents path={path} onSelect={goToRound} />} aside={aside}>
      <div ref={content} className="flex flex-1 flex-col">
        <div className="flex-1">
          <MessageActionsContext value={actions}>
            <ToolCallsContext value={calls}>
              <MessageList ref={list} path={path} writing={view.writing} session={session} opensAt="end" />
            </ToolCallsContext>
          </MessageActionsContext>
          {unsent !== undefined && (
            <div className="mx-auto w-full max-w-column px-4 pb-6 sm:px-6">
              <UnsentNote
                text={unsent.message.content}
                reason={unsent.reason}
                onSendAgain={() => {
                  goToEnd()
                  session.send({
                    ...unsent.message,
                    botName: choice.selected?.name ?? unsent.message.botName,
                  })
                }}
                onEdit={() => session.withdraw()}
              />
            </div>
          )}
        </div>
        <ComposerBar onGoToEnd={following ? undefined : goToEnd}>
          <ChatStatus view={view} waiting={calls.last?.call?.state === 'waiting'} />
          <Composer
            choice={choice}
            draftKey={storageKeys.draft(chat.id)}
            loading={busy}
            onSend={send}
            onStop={() => void session.stop()}
          />
        </ComposerBar>
        <ReplyAnnouncer reply={view.endedReply} />
      </div>
    </ChatFrame>
  )
}

/** The button that asked goes with its message, so the keyboard stands in the input; a finger wants no keyboard. */
function focusComposer(conversation: HTMLElement | null): void {
  if (matchMedia('(pointer: coarse)').matches) return
  const box = conversation?.querySelector<HTMLElement>('form[aria-label="New message"] textarea')
  box?.focus({ preventScroll: true })
}
