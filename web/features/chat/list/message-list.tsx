import type { Message } from '@yonder/contract/message'
import { useImperativeHandle, useMemo, useRef, useState } from 'react'
import type { Ref } from 'react'
import { flushSync } from 'react-dom'
import { groupMessages } from './group-messages.ts'
import type { MessageGroup } from './group-messages.ts'
import type { ChatSession } from '../session/chat-session.ts'
import { MessageChunk } from './message-chunk.tsx'

/** Messages that are drawn and left out together, a turn of replies being one. */
const chunkLength = 10
/** Messages up to which a chat is always drawn whole, so that the browser finds everything in it. */
const wholeLimit = 60

export interface MessageListHandle {
  /** Brings a message to the top of the window, wherever it is, and gives it the focus. */
  readonly goTo: (messageId: string) => void
}

export interface MessageListProps {
  readonly path: readonly Message[]
  /** The ids of the messages that are being written, and where their text grows. */
  readonly writing?: ReadonlySet<string>
  readonly session?: ChatSession
  /** Which end of a long chat is drawn first. */
  readonly opensAt?: 'start' | 'end'
  readonly ref?: Ref<MessageListHandle>
}

/** The visible path, oldest first (§2.26). Of a long one only what is in or near the window is drawn. */
export function MessageList({ path, writing, session, opensAt = 'start', ref }: MessageListProps) {
  const section = useRef<HTMLElement>(null)
  const chunks = useMemo(() => cutPath(path), [path])
  const [sought, setSought] = useState<number>()
  useImperativeHandle(ref, () => ({
    goTo: (id) => {
      const chunk = chunks.find(({ groups }) => groups.some((group) => group[0].id === id))
      flushSync(() => setSought(chunk?.index))
      const goThere = () => section.current?.querySelector<HTMLElement>(`[data-round="${CSS.escape(id)}"]`)
      goThere()?.scrollIntoView()
      goThere()?.focus({ preventScroll: true })
      // What is drawn around it meanwhile is not as high as it was thought to be.
      requestAnimationFrame(() => requestAnimationFrame(() => goThere()?.scrollIntoView()))
    },
  }))
  return (
    <section
      ref={section}
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
          always={path.length <= wholeLimit || index === sought}
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
