import type { Chat } from '@yonder/contract/chat'
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { Navigate } from 'react-router'
import { useChatList, useListRow } from '../../data/chat-list.ts'
import { isChatDeleted, isNotFound, readReason } from '../../lib/api/api-error.ts'
import { useStore } from '../../lib/store.ts'
import { preloadMarkdown } from '../../ui/markdown/markdown.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { preloadFiles } from '../files/message-files.tsx'
import { connectionLogsPreference } from '../preferences/connection-logs.ts'
import { LogPanel } from '../tools/log/log-panel.tsx'
import { useServerLog } from '../tools/log/server-log.ts'
import {
  ChatFrame,
  ChatSkeleton,
  ChatStatus,
  ComposerBar,
  ReplyAnnouncer,
  SummarizingAnnouncer,
  type ChatFrameProps,
} from './chat-frame.tsx'
import { storageKeys } from './chat-storage.ts'
import { useChatTitle } from './chat-title.ts'
import { useBotChoice } from './composer/bot-select.tsx'
import { Composer, focusInput } from './composer/composer.tsx'
import { measureContext } from './composer/context-gauge.tsx'
import { UnsentNote } from './composer/unsent-note.tsx'
import { ChatContents } from './contents/chat-contents.tsx'
import { DeletedChat } from './deleted-chat.tsx'
import { FindInChat, type FindInChatHandle } from './find/find-in-chat.tsx'
import { MessageList, type MessageListHandle } from './list/message-list.tsx'
import { indexDenials, indexResults, visiblePath, wholePath } from './list/message-tree.ts'
import { usePrintOnArrival } from './list/print-on-arrival.ts'
import { useEndKey } from './list/use-end-key.ts'
import { useFollowEnd } from './list/use-follow-end.ts'
import { MessageActionsContext, ToolCallsContext } from './message/message-context.ts'
import { useMessageActions } from './message/use-message-actions.ts'
import { useChatQueue } from './queue/use-chat-queue.tsx'
import type { ChatSession } from './session/chat-session.ts'
import type { SessionView } from './session/session-reducer.ts'
import { useChatSession } from './session/use-chat-session.ts'
import { findSummary, SummaryContext } from './summary/current-summary.ts'
import { TargetNote } from './target/message-target.tsx'

/**
 * A chat of the user; another one needs another `key`. A chat that does not exist redirects to the home page, unless it
 * can be restored, or was deleted for good while the page showed it.
 */
export function ChatView({ chatId }: { readonly chatId: string }) {
  const session = useChatSession(chatId)
  const view = useStore(session.view)
  const { chat, error } = view
  const chats = useChatList()
  const isListedDeleted = useListRow(chatId)?.deleted_time !== undefined
  const isListedGone = useSyncExternalStore(chats.subscribe, () => chats.isGone(chatId))
  const { log, receive, clear, close } = useServerLog()
  const logsAreOn = useStore(connectionLogsPreference)
  // Load the code that renders replies while the chat is loading.
  useEffect(() => void preloadMarkdown(), [])
  useEffect(preloadFiles, [])
  useEffect(() => session.open(), [session])
  useEffect(() => session.onEvent(receive), [session, receive])
  const isDeleted = isListedDeleted || isChatDeleted(error)
  const isMissing = isNotFound(error) && !isDeleted
  const isGone = isListedGone || (isMissing && chat !== undefined && chat.messages.length > 0)
  if (isDeleted || isGone) return <DeletedChat chatId={chatId} isGone={isGone} onRestored={session.reload} />
  if (isMissing) return <Navigate to="/" replace />
  const frame = {
    aside: logsAreOn && log.visible && <LogPanel log={log} onClear={clear} onClose={close} />,
    reservesAside: logsAreOn,
  }
  if (chat !== undefined) return <Conversation chat={chat} view={view} session={session} frame={frame} />
  return (
    <ChatFrame {...frame}>
      {error === undefined ? (
        <ChatSkeleton />
      ) : (
        <ErrorState title="This chat could not be loaded" onRetry={session.reload}>
          {readReason(error)}
        </ErrorState>
      )}
    </ChatFrame>
  )
}

interface ConversationProps {
  /** The loaded chat of `view`. */
  readonly chat: Chat
  readonly view: SessionView
  readonly session: ChatSession
  readonly frame: Pick<ChatFrameProps, 'aside' | 'reservesAside'>
}

/** The messages of a chat, and the input fixed under them. */
function Conversation({ chat, view, session, frame }: ConversationProps) {
  const content = useRef<HTMLDivElement>(null)
  const list = useRef<MessageListHandle>(null)
  const find = useRef<FindInChatHandle>(null)
  const input = useRef<HTMLTextAreaElement>(null)
  const { following, goToEnd, leaveEnd } = useFollowEnd(content)
  useEndKey(goToEnd)
  usePrintOnArrival(() => list.current?.print())
  const derived = useChatTitle(chat.id)
  const title = useListRow(chat.id)?.title ?? derived
  const { messages, selected_message_id: leafId } = chat
  const path = useMemo(() => visiblePath(messages, leafId), [messages, leafId])
  const chatBot = path.findLast(({ bot }) => bot !== undefined)?.bot
  const choice = useBotChoice(storageKeys.chatBot(chat.id), chatBot, chat.bot)
  const calls = useMemo(
    () => ({
      resultOf: indexResults(messages),
      last: messages.find(({ id }) => id === leafId),
      denialOf: indexDenials(messages),
    }),
    [messages, leafId],
  )
  const contextUse = useMemo(
    () => measureContext(wholePath(messages, leafId), choice.selected),
    [messages, leafId, choice.selected],
  )
  // The clicked button may disappear, so the input gets the focus.
  const moveFocus = useCallback(() => focusInput(input.current), [])
  const onRequest = useCallback(() => {
    goToEnd()
    moveFocus()
  }, [goToEnd, moveFocus])
  const busy = view.phase !== 'idle'
  const actions = useMessageActions({ chat, session, busy, choice, onRequest })
  const botName = choice.selected?.name
  const queue = useChatQueue({ chat, view, session, botName, onSend: goToEnd, moveFocus })
  const summary = useMemo(() => {
    const found = findSummary(chat)
    return found && { ...found, chatId: chat.id, session, botName, onRemoved: moveFocus }
  }, [chat, session, botName, moveFocus])

  const goToMessage = (messageId: string) => {
    leaveEnd()
    list.current?.goTo(messageId)
  }
  return (
    <ChatFrame
      {...frame}
      contents={
        <ChatContents
          path={path}

          onSelect={goToMessage}
          onFind={() => find.current?.open()}
          onPrint={() => list.current?.print()}
        />
      }
    >
      <div ref={content} className="flex flex-1 scroll-mt-header-end flex-col">
        <div className="flex-1">
          <MessageActionsContext value={actions}>
            <ToolCallsContext value={calls}>
              <SummaryContext value={summary}>
                <MessageList
                  ref={list}
                  title={title}
                  path={path}
                  runMessageIds={view.runMessageIds}
                  session={session}
                  opensAt="end"
                />
              </SummaryContext>
            </ToolCallsContext>
          </MessageActionsContext>
          {view.unsent !== undefined && (
            <div className="mx-auto w-full max-w-column px-4 pb-6 sm:px-6">
              <UnsentNote
                content={view.unsent.message.content}
                failure={view.unsent.failure}
                isDenial={view.unsent.message.isDenial === true}
                onSendAgain={() => {
                  goToEnd()
                  session.sendAgain(choice.selected?.name)
                }}
                onEdit={() => session.editUnsent()}
                onRemoved={moveFocus}
              />
            </div>
          )}
        </div>
        <ComposerBar onGoToEnd={following ? undefined : goToEnd} onButtonRemoved={moveFocus}>
          <TargetNote
            session={session}
            busy={busy}
            onShow={({ messageId, words }) => {
              goToMessage(messageId)
              if (words !== '') find.current?.open({ words, messageId })
            }}
            onRemoved={moveFocus}
          />
          <ChatStatus
            view={view}
            pending={calls.last?.call?.state === 'waiting' ? calls.last : undefined}
            choice={choice}
          />
          {queue.list}
          <Composer
            ref={input}
            choice={choice}
            contextUse={contextUse}
            draftKey={storageKeys.draft(chat.id)}
            busy={busy}
            onSend={(content, botName) => {
              goToEnd()
              session.send({ parentId: leafId, content, botName })
            }}
            // A message during a stop would wait behind it, as if it were not meant to be sent.
            onQueue={view.phase === 'stopping' ? undefined : queue.queue}
            onQueueOffered={queue.onOffer}
            onLeaveUp={queue.focusLast}
            onStop={() => void session.stop()}
          />
        </ComposerBar>
      </div>
      <FindInChat
        ref={find}
        path={path}

        session={session}
        list={list}
        content={content}
        onJump={leaveEnd}
      />
      {/* Outside `content`, whose elements `reading-place.ts` needs in order from top to bottom. */}
      <ReplyAnnouncer reply={view.endedReply} />
      <SummarizingAnnouncer session={session} />
    </ChatFrame>
  )
}
