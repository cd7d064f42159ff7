import type { NewChat } from '@yonder/contract/chat'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { logError } from '../../lib/log-error.ts'
import { readReason } from '../../lib/api-error.ts'
import { useApi } from '../../lib/api-provider.tsx'
import { storageKeys } from './composer/chat-storage.ts'
import { drafts } from './composer/drafts.ts'
import { handover } from './session/outbox.ts'

export interface FailedStart {
  readonly content: string
  readonly reason: string
}

export interface StartChat {
  readonly loading: boolean
  readonly failed: FailedStart | undefined
  readonly start: (content: string, botName: string) => Promise<void>
  readonly forget: () => void
}

/**
 * Opens a new chat with its first message (§2.21): requests an id, hands the message over, navigates to the chat
 * (§8.12).
 */
export function useStartChat(): StartChat {
  const api = useApi()
  const navigate = useNavigate()
  const [loading, setLoading] = useState(false)
  const [failed, setFailed] = useState<FailedStart>()
  return {
    loading,
    failed,
    forget: () => setFailed(undefined),
    async start(content, botName) {
      setLoading(true)
      try {
        const chat = await api.get<NewChat>('/api/chat/id')
        if (chat === undefined) return
        setFailed(undefined)
        // The user sent another message instead; the one that failed becomes the draft again.
        if (failed !== undefined && failed.content !== content)
          drafts.write(storageKeys.homeDraft, failed.content)
        handover.leave(chat.id, content, botName)
        await navigate(`/chat/${encodeURIComponent(chat.id)}`)
      } catch (error) {
        logError('Error creating chat with message', error)
        setFailed({ content, reason: readReason(error) })
      } finally {
        setLoading(false)
      }
    },
  }
}
