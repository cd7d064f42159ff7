import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { logError } from '../../lib/log-error.ts'
import { IconButton } from './icon-button.tsx'

export interface CopyButtonProps {
  /** The accessible name and the tooltip, for example 'Copy message'. */
  readonly title: string
  readonly text: string
  /** Writes the text as HTML for programs with formatted text; undefined if only the text is copied. */
  readonly writeHtml?: ((text: string) => Promise<string> | undefined) | undefined
}

/** A button that copies a text and then has the title 'Copied!' for two seconds. */
export function CopyButton({ title, text, writeHtml }: CopyButtonProps) {
  const [copied, copy] = useCopied()
  const name = copied ? 'Copied!' : title
  return (
    <IconButton label={name} title={name} size="small" onClick={() => void copy(text, writeHtml)}>
      {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
    </IconButton>
  )
}

/** How long the button shows that the text was copied. */
const feedbackMs = 2000

/**
 * Returns whether a text was copied in the last two seconds, and the function that copies one. A failure is only logged.
 */
function useCopied() {
  const [copied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async (...content: Parameters<typeof writeToClipboard>) => {
    try {
      await writeToClipboard(...content)
    } catch (error) {
      logError('Copying failed', error)
      return
    }
    clearTimeout(timer.current)
    setCopied(true)
    timer.current = setTimeout(() => setCopied(false), feedbackMs)
  }
  return [copied, copy] as const
}

async function writeToClipboard(text: string, writeHtml: CopyButtonProps['writeHtml']): Promise<void> {
  const html = typeof ClipboardItem === 'function' ? writeHtml?.(text) : undefined
  if (html === undefined) return navigator.clipboard.writeText(text)
  const blobOf = (content: string, type: string) => new Blob([content], { type })
  try {
    // The HTML is a promise, because some browsers write only what is passed to them directly after the click.
    const item = new ClipboardItem({
      'text/plain': blobOf(text, 'text/plain'),
      'text/html': html.then((content) => blobOf(content, 'text/html')),
    })
    await navigator.clipboard.write([item])
  } catch {
    await navigator.clipboard.writeText(text)
  }
}
