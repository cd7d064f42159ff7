import type { Message } from '@yonder/contract/message'
import type { OutgoingMessage } from './outbox.ts'

/** `sending` until the server confirms the message; `reconnecting` while the stream is broken. */
export type LivePhase = 'idle' | 'sending' | 'streaming' | 'reconnecting' | 'stopping'

export interface UnsentMessage {
  readonly message: OutgoingMessage
  readonly reason: string
}

/** What changes seldom about a chat that is being written to; the growing text is asked for by message. */
export interface LiveShape {
  readonly phase: LivePhase
  /** The run's messages as they were when one came or went. */
  readonly messages: readonly Message[]
  readonly unsent?: UnsentMessage | undefined
  /** A sentence about something that did not go as asked. */
  readonly notice?: string | undefined
  /** The last reply that ended before the reader's eyes. */
  readonly ended?: Message | undefined
}

export const idleShape: LiveShape = { phase: 'idle', messages: [] }
