import type { Message } from '@yonder/contract/message'
import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react'
import { createPortal, flushSync } from 'react-dom'
import { unloadedAttribute } from '../../../lib/draw-all.ts'
import { formatDay } from '../../../lib/format-time.ts'
import { Button } from '../../../ui/button/button.tsx'
import { useShortcut } from '../../../ui/shortcut/shortcut.ts'
import { Spinner } from '../../../ui/states/progress.tsx'
import './print-chat.css'

/** The time for which chunks are drawn before the page answers the user again. */
const sliceMs = 20

/**
 * Draws a chat for printing. `drawn` is the number of its first chunks that are to be drawn. When the browser prints,
 * all of them are drawn at once. Where that takes long, or pictures are not loaded, `print` draws them in slices, waits for
 * the pictures, and then calls the print dialog, and the keys of the browser do the same.
 */
export function usePrint(list: RefObject<HTMLElement | null>, chunkCount: number, isShort: boolean) {
  const [drawn, setDrawn] = useState(0)
  const preparing = useRef<AbortController>(undefined)
  const [isPreparing, setPreparing] = useState(false)
  const draw = useEffectEvent((isPrinting: boolean) => {
    // The browser prints what is drawn when its event has been handled.
    flushSync(() => setDrawn(isPrinting ? Infinity : 0))
    // Everything but the messages and what they are in is left out, whatever the screen consists of.
    for (let element = list.current?.parentElement; element; element = element.parentElement)
      element.toggleAttribute('data-around-print', isPrinting)
  })
  const cancel = useEffectEvent(() => preparing.current?.abort())
  useEffect(() => {
    const begin = () => draw(true)
    const end = () => draw(false)
    const media = matchMedia('print')
    const follow = () => draw(media.matches)
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    media.addEventListener('change', follow)
    return () => {
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
      media.removeEventListener('change', follow)
      cancel()
    }
  }, [])

  const isReady = () => isShort && findUnloaded(list.current) === null
  const print = async () => {
    if (isReady()) return window.print()
    preparing.current?.abort()
    const { signal } = (preparing.current = new AbortController())
    flushSync(() => setPreparing(true))
    let sliceEnd = performance.now() + sliceMs
    for (let count = 1; count <= chunkCount; count++) {
      flushSync(() => setDrawn(count))
      if (performance.now() < sliceEnd) continue
      await new Promise((resolve) => setTimeout(resolve))
      if (signal.aborted) break
      sliceEnd = performance.now() + sliceMs
    }
    await waitForPictures(list.current, signal)
    setPreparing(false)
    if (signal.aborted) setDrawn(0)
    // Returns when the dialog is closed, or at once; `afterprint` follows in both cases.
    else window.print()
  }
  useShortcut('mod+p', () => (isReady() ? false : void print()), 'browser')
  return {
    drawn,
    print: () => void print(),
    preparing: isPreparing ? { drawn, cancel: () => preparing.current?.abort() } : undefined,
  }
}

const findUnloaded = (list: HTMLElement | null) => list?.querySelector(`[${unloadedAttribute}]`) ?? null

/** Resolves when the pictures of a list are there, or could not be loaded, or the signal is aborted. */
async function waitForPictures(list: HTMLElement | null, signal: AbortSignal): Promise<void> {
  if (list === null) return
  await new Promise<void>((resolve) => {
    const observer = new MutationObserver(look)
    function look(): void {
      if (!signal.aborted && findUnloaded(list) !== null) return
      observer.disconnect()
      resolve()
    }
    observer.observe(list, { childList: true, subtree: true })
    signal.addEventListener('abort', look, { once: true })
    look()
  })
  if (signal.aborted) return
  // One that is damaged is shown as such.
  await Promise.all(
    Array.from(list.querySelectorAll('img'), (picture) => picture.decode().catch(() => undefined)),
  )
}

export interface PreparingNoticeProps {
  /** The number of messages that are drawn, and of all. */
  readonly done: number
  readonly all: number
  readonly onCancel: () => void
}

/** Says how far a long chat is prepared for printing. */
export function PreparingNotice({ done, all, onCancel }: PreparingNoticeProps) {
  useShortcut('escape', onCancel)
  return createPortal(
    <div className="pointer-events-none fixed inset-x-0 top-header-end z-20 flex justify-center px-4 pt-2">
      <div className="pointer-events-auto flex animate-appear items-center gap-3 rounded-card bg-surface py-1.5 pr-1.5 pl-4 text-sm shadow-float">
        <Spinner />
        <span className="tabular-nums">
          <output className="sr-only">Preparing the chat for printing</output>
          <span>
            Preparing to print: {done.toLocaleString('en')} of {all.toLocaleString('en')} messages
          </span>
        </span>
        <Button size="small" look="plain" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>,
    document.body,
  )
}

/** The title and the days of a chat, at the top of its first printed page. */
export function PrintHead({
  title,
  path,
}: {
  readonly title: string | undefined
  readonly path: readonly Message[]
}) {
  const days = path.filter((message) => message.unix_timestamp !== 0).map((message) => message.unix_timestamp)
  const [first, last] = [days[0], days.at(-1)].map((time) => time && formatDay(new Date(time)))
  return (
    <header className="chat-print-head hidden">
      <p>{title ?? 'Chat'}</p>
      {first !== undefined && <p>{first === last ? first : `${first} to ${last}`}</p>}
    </header>
  )
}
