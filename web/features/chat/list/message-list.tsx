import type { Message } from '@yonder/contract/message'
import { use, useImperativeHandle, useMemo, useState } from 'react'
import type { Ref } from 'react'
import { flushSync } from 'react-dom'
import type { ChatSession } from '../session/chat-session.ts'
import { DrawnRoundsContext } from './drawn-rounds.ts'
import { MessageChunk } from './message-chunk.tsx'
import { groupMessages } from './message-tree.ts'
import type { MessageGroup } from './message-tree.ts'

/** The number of message groups that are rendered or left out together. */
const chunkLength = 10
/**
 * A chat of up to this many messages is always rendered whole, so that the browser's find-in-page finds everything
 * (§14.15).
 */
const maxWholeMessages = 60

export interface MessageListHandle {
  /** Scrolls a message of the user to the top of the window and focuses it (§14.12). */
  readonly goTo: (messageId: string) => void
}

export interface MessageListProps {
  readonly path: readonly Message[]
  /** The ids of the messages that are being written. */
  readonly writing?: ReadonlySet<string>
  /** The session that has the text of these messages. */
  readonly session?: ChatSession
  /** Which end of a long chat is rendered first. */
  readonly opensAt?: 'start' | 'end'
  readonly ref?: Ref<MessageListHandle>
}

/**
 * The messages of the visible path, oldest first (§2.26). In a long chat only those near the window are rendered
 * (§14.15).
 */
export function MessageList({ path, writing, session, opensAt = 'start', ref }: MessageListProps) {
  const rounds = use(DrawnRoundsContext)
  const chunks = useMemo(() => cutPath(path), [path])
  const [target, setTarget] = useState<number>()
  useImperativeHandle(ref, () => ({
    goTo: (id) => {
      const chunk = chunks.find(({ groups }) => groups.some((group) => group[0].id === id))
      flushSync(() => setTarget(chunk?.index))
      rounds?.find(id)?.scrollIntoView()
      rounds?.find(id)?.focus({ preventScroll: true })
      // The chunks around the message are rendered only now, and may be higher or lower than estimated.
      requestAnimationFrame(() => requestAnimationFrame(() => rounds?.find(id)?.scrollIntoView()))
    },
  }))
  return (
    <section
      aria-label="Messages"
      className="mx-auto flex w-full max-w-column flex-col gap-6 px-4 pt-8 pb-6 sm:px-6"
    >
      {chunks.map(({ groups, index }) => (
        <MessageChunk
          key={index}
          groups={groups}
          writing={groups.flat().some(({ id }) => writing?.has(id) === true) ? writing : undefined}
          session={session}
          first={opensAt === 'start' ? index < 2 : index >= chunks.length - 2}
          always={path.length <= maxWholeMessages || index === target}
        />
      ))}
    </section>
  )
}

interface Chunk {
  readonly index: number
  readonly groups: readonly MessageGroup[]
}

function cutPath(path: readonly Message[]): readonly Chunk[] {
  const groups = groupMessages(path)
  const count = Math.ceil(groups.length / chunkLength)
  return Array.from({ length: count }, (_, index) => ({
    index,
    groups: groups.slice(index * chunkLength, (index + 1) * chunkLength),
  }))
}
