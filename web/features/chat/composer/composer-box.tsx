import { useEffect, useImperativeHandle, useRef } from 'react'
import type { Ref } from 'react'
import { dialogStack } from '../../../ui/dialog/dialog-layer.ts'
import { isSendKey } from './is-send-key.ts'

export interface ComposerBoxProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onSubmit: () => void
  readonly ref?: Ref<HTMLTextAreaElement> | undefined
}

/** The text area of the message input: two rows when empty (§2.22), growing to ten rows before it scrolls (§9.13). */
export function ComposerBox({ text, onChange, onSubmit, ref }: ComposerBoxProps) {
  const box = useRef<HTMLTextAreaElement | null>(null)
  useImperativeHandle(ref, () => box.current as HTMLTextAreaElement)
  useEffect(() => {
    // On a touch device the on-screen keyboard would cover the chat.
    if (!matchMedia('(pointer: coarse)').matches) box.current?.focus({ preventScroll: true })
  }, [])
  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || !event.shiftKey || dialogStack.top() !== null) return
      event.preventDefault()
      box.current?.focus()
    }
    window.addEventListener('keydown', focus)
    return () => window.removeEventListener('keydown', focus)
  }, [])
  return (
    <textarea
      ref={box}
      rows={2}
      value={text}
      spellCheck={false}
      autoComplete="off"
      placeholder="Type your message..."
      aria-label="Message"
      aria-keyshortcuts="Shift+Escape"
      enterKeyHint="send"
      dir="auto"
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (!isSendKey(event)) return
        event.preventDefault()
        onSubmit()
      }}
      className="field-sizing-content max-h-[calc(10lh+0.75rem)] min-h-[max(60px,2lh+0.75rem)] w-full resize-none bg-transparent px-4 pt-2.5 pb-0.5 outline-none placeholder:text-muted"
    />
  )
}
