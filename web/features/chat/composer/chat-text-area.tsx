import { CornerDownLeft } from 'lucide-react'
import { useState, type ComponentProps, type RefObject } from 'react'
import { IconButton } from '../../../ui/button/icon-button.tsx'
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

/**
 * Breaks the line in a text area whose Enter key sends. Only touch screens show it: their keyboards have no Shift+Enter.
 */
export function NewLineButton({ area }: { readonly area: RefObject<HTMLTextAreaElement | null> }) {
  return (
    <span className="hidden pointer-coarse:inline-flex">
      <IconButton
        label="New line"
        shape="round"
        // Keeps the focus in the text area, and so the on-screen keyboard open.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => area.current && insertLineBreak(area.current)}
      >
        <CornerDownLeft size={18} aria-hidden />
      </IconButton>
    </span>
  )
}

function insertLineBreak(area: HTMLTextAreaElement): void {
  area.focus()
  area.setRangeText('\n', area.selectionStart, area.selectionEnd, 'end')
  area.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertLineBreak' }))
  // The browser scrolls to the caret only after a key press.
  if (area.selectionEnd === area.value.length) area.scrollTop = area.scrollHeight
}
