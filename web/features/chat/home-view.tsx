import type { NewChat } from '@yonder/contract/chat'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { Composer } from './composer/composer.tsx'
import { drafts, storageKeys } from './chat-storage.ts'
import { firstMessage } from './session/outbox.ts'
import { UnsentNote } from './composer/unsent-note.tsx'
import { useBotChoice } from './composer/use-bot-choice.ts'
import { logError } from '../../lib/log-error.ts'
import { readReason } from '../../lib/api-error.ts'
import { useApi } from '../../lib/api-provider.tsx'

/** The greeting and the first message of a new chat (§2.19, §2.20). */
export function HomeView({ userName }: { readonly userName: string | null | undefined }) {
  const choice = useBotChoice(storageKeys.homeBot)
  const { isStarting, failed, start, forget } = useStartChat()
  const bot = choice.selected
  return (
    <div className="mx-auto flex w-full max-w-column flex-1 flex-col justify-center gap-8 px-4 pt-8 pb-[14vh] sm:px-6">
      <div className="text-center">
        <h1 className="text-2xl font-semibold tracking-tight text-balance">
          Welcome, <bdi>{userName?.trim() || 'there'}</bdi>.
        </h1>
        <p className="mt-1 text-lg text-muted">How can I help you today?</p>
      </div>
      <div className="flex flex-col gap-4">
        <Composer
          choice={choice}
          draftKey={storageKeys.homeDraft}
          busy={isStarting}
          onSend={(content, botName) => void start(content, botName)}
        />
        {failed !== undefined && (
          <UnsentNote
            text={failed.content}
            reason={failed.reason}
            busy={isStarting}
            onSendAgain={() => {
              if (bot !== undefined) void start(failed.content, bot.name)
            }}
            onEdit={() => {
              drafts.write(storageKeys.homeDraft, failed.content)
              forget()
            }}
          />
        )}
      </div>
    </div>
  )
}

interface FailedStart {
  readonly content: string
  readonly reason: string
}

interface StartChat {
  readonly isStarting: boolean
  readonly failed: FailedStart | undefined
  readonly start: (content: string, botName: string) => Promise<void>
  /** Removes the failed message. */
  readonly forget: () => void
}

/**
 * Opens a new chat with its first message (§2.21): requests an id, stores the message for the page of
 * the chat, and navigates there
 * (§4.12, §8.12).
 */
function useStartChat(): StartChat {
  const api = useApi()
  const navigate = useNavigate()
  const [isStarting, setStarting] = useState(false)
  const [failed, setFailed] = useState<FailedStart>()
  return {
    isStarting,
    failed,
    forget: () => setFailed(undefined),
    async start(content, botName) {
      setStarting(true)
      try {
        const chat = await api.get<NewChat>('/api/chat/id')
        if (chat === undefined) return
        setFailed(undefined)
        // The user has sent another message instead, so the one that failed becomes the draft again.
        if (failed !== undefined && failed.content !== content)
          drafts.write(storageKeys.homeDraft, failed.content)
        firstMessage.store(chat.id, content, botName)
        await navigate(`/chat/${encodeURIComponent(chat.id)}`)
      } catch (error) {
        logError('Error creating chat with message', error)
        setFailed({ content, reason: readReason(error) })
      } finally {
        setStarting(false)
      }
    },
  }
}
