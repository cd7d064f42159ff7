import { CornerDownLeft } from 'lucide-react'
import type { RefObject } from 'react'
import { IconButton } from '../../../ui/button/icon-button.tsx'

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
