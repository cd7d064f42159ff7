import { useState, type ComponentProps } from 'react'
import { classNames } from '../../../ui/class-names.ts'
import { hasLongLine, prepareForLongLine } from '../../../ui/long-text.tsx'
import { drafts } from '../chat-storage.ts'

export interface ChatTextAreaProps extends Omit<ComponentProps<'textarea'>, 'value' | 'onChange'> {
  readonly value: string
  readonly onChange: (text: string) => void
}

/** A text box for what a user writes in a chat, also when it has a very long line. */
export function ChatTextArea({ value, onChange, className, ...rest }: ChatTextAreaProps) {
  return (
    <textarea
      dir="auto"
      spellCheck={false}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onPaste={({ currentTarget, clipboardData }) => prepareForLongLine(currentTarget, clipboardData)}
      onDrop={({ currentTarget, dataTransfer }) => prepareForLongLine(currentTarget, dataTransfer)}
      {...rest}
      className={classNames('resize-none', className, hasLongLine(value) && 'long-line')}
    />
  )
}

/** An edited text, stored under a key while it differs from `before`, so that it survives a reload. */
export function useEditedText(key: string, before: string) {
  const [restored] = useState(() => drafts.read(key))
  const [text, setText] = useState(restored || before)
  return {
    text,
    isRestored: restored !== '',
    change: (next: string) => {
      setText(next)
      drafts.write(key, next === before ? '' : next)
    },
  }
}
