import { maxTitleLength } from '@yonder/contract/lib/chat-limits'
import { useLayoutEffect, useRef } from 'react'

export interface TitleInputProps {
  readonly title: string
  /** Called once, with the new title; undefined when the title stays. `byKey` is false when the focus has left. */
  readonly onEnd: (title: string | undefined, byKey: boolean) => void
}

/** Edits a title in its place. Enter and leaving keep the text, Escape returns to the former one. */
export function TitleInput({ title, onEnd }: TitleInputProps) {
  const input = useRef<HTMLInputElement>(null)
  const hasEnded = useRef(false)
  useLayoutEffect(() => {
    input.current?.focus({ preventScroll: true })
    input.current?.select()
  }, [])
  const end = (isKept: boolean, byKey: boolean) => {
    if (hasEnded.current) return
    hasEnded.current = true
    const next = input.current?.value.trim() ?? title
    onEnd(isKept && next !== title ? next : undefined, byKey)
  }
  return (
    <input
      ref={input}
      aria-label="Title"
      dir="auto"
      defaultValue={title}
      maxLength={maxTitleLength}
      placeholder="The beginning of the chat"
      spellCheck={false}
      autoComplete="off"
      onBlur={() => end(true, false)}
      onKeyDown={(event) => {
        // The keys of the list are not meant.
        event.stopPropagation()
        if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return
        // Escape must not close the drawer as well.
        event.preventDefault()
        end(event.key === 'Enter', true)
      }}
      className="h-full w-full rounded-control border border-accent bg-surface px-2.25 text-sm outline-none pointer-coarse:text-base"
    />
  )
}
