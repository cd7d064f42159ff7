import { cutText } from '@yonder/contract/message-text'
import { useState } from 'react'
import { InertText } from './inert-text.tsx'

/** A longer text is cut to this length until the user opens it. */
const maxFoldedChars = 280

/** A text from a tool. A long one is cut until the user presses 'Show all'. */
export function FoldedText({ children }: { readonly children: string }) {
  const [isOpen, setOpen] = useState(false)
  const { text, isCut } = cutText(children, maxFoldedChars)
  return (
    <>
      <span dir="auto" className="whitespace-pre-line wrap-anywhere">
        <InertText>{isOpen || !isCut ? children : `${text}\u2026`}</InertText>
      </span>
      {isCut && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="ml-1.5 font-medium text-accent underline-offset-2 hover:underline"
        >
          {isOpen ? 'Show less' : 'Show all'}
        </button>
      )}
    </>
  )
}
