import type { Message } from '@yonder/contract/message'
import { use, useImperativeHandle, useMemo, useState } from 'react'
import type { Ref } from 'react'
import { flushSync } from 'react-dom'
import type { ChatSession } from '../session/chat-session.ts'
import { DrawnRoundsContext } from './drawn-rounds.ts'
import { MessageChunk } from './message-chunk.tsx'
import { groupMessages } from './message-tree.ts'
import type { MessageGroup } from './message-tree.ts'

/** Message groups that are drawn and left out together. */
const chunkLength = 10
/** Up to this many messages a chat is always drawn whole, so that the browser's own search finds everything. */
const maxWholeMessages = 60

export interface MessageListHandle {
  /** Scrolls a message of the user to the top of the window and focuses it. */
  readonly goTo: (messageId: string) => void
}

export interface MessageListProps {
  readonly path: readonly Message[]
  /** The ids of the messages that are being written, and the session that has their text. */
  readonly writing?: ReadonlySet<string>
  readonly session?: ChatSession
  /** The end of a long chat that is drawn first. */
  readonly opensAt?: 'start' | 'end'
  readonly ref?: Ref<MessageListHandle>
}

/** The visible path, oldest first (§2.26). Of a long one only what is in or near the window is drawn. */
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
      // The chunks around it that are drawn now are not as high as was estimated.
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
