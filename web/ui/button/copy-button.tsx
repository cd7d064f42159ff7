import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { logError } from '../../lib/log-error.ts'
import { IconButton } from './icon-button.tsx'

export interface CopyButtonProps {
  /** The accessible name and the tooltip, for example 'Copy message'. */
  readonly title: string
  readonly text: string
}

/** A button that copies a text and then has the title 'Copied!' for two seconds. */
export function CopyButton({ title, text }: CopyButtonProps) {
  const [copied, copy] = useCopied()
  const name = copied ? 'Copied!' : title
  return (
    <IconButton label={name} title={name} size="small" onClick={() => void copy(text)}>
      {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
    </IconButton>
  )
}

/** How long the button shows that the text was copied. */
const feedbackMs = 2000

/**
 * Returns whether a text was copied in the last two seconds, and the function that copies one. A failure is only logged.
 */
function useCopied(): readonly [copied: boolean, copy: (text: string) => Promise<void>] {
  const [copied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text)
    } catch (error) {
      logError('Copying failed', error)
      return
    }
    clearTimeout(timer.current)
    setCopied(true)
    timer.current = setTimeout(() => setCopied(false), feedbackMs)
  }
  return [copied, copy]
}
