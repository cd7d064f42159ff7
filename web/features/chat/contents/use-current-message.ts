import { useSyncExternalStore } from 'react'
import { distanceToEnd, endZonePx } from '../list/use-follow-end.ts'
import { messageElementId } from '../message/message-context.ts'

/** The current message is the last one that begins above this fraction of the window's height. */
const readingLine = 0.35

type UserMessages = readonly { readonly id: string }[]

/** Returns the index in `userMessages` of the message in view, updated while the page scrolls. */
export function useCurrentMessage(userMessages: UserMessages): number {
  return useSyncExternalStore(watchWindow, () => findCurrentMessage(userMessages))
}

function watchWindow(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true })
  window.addEventListener('resize', listener)
  return () => {
    window.removeEventListener('scroll', listener)
    window.removeEventListener('resize', listener)
  }
}

/**
 * Only rendered messages have a position in the window. When all of them begin below the reading line, the message
 * before the first of them is the current one.
 */
function findCurrentMessage(userMessages: UserMessages): number {
  // At the end of the page the last message may be too short to reach the line.
  if (distanceToEnd() <= endZonePx) return userMessages.length - 1
  const rendered = [...document.querySelectorAll(`article[id^="${messageElementId('')}"]`)]
  const line = window.innerHeight * readingLine
  const passed = rendered.findLast((element) => element.getBoundingClientRect().top <= line)
  const known = passed ?? rendered[0]
  const index = userMessages.findIndex(({ id }) => messageElementId(id) === known?.id)
  return Math.max(0, passed === undefined ? index - 1 : index)
}
