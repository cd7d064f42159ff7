import { useEffect, useRef, useState } from 'react'
import { logError } from '../../lib/log-error.ts'

/** Milliseconds for which a copy is confirmed (§9.3). */
const feedbackTime = 2000

/** Copies a text and says for two seconds that it was done; a failure is only logged (§8.13). */
export function useCopied(): readonly [copied: boolean, copy: (text: string) => Promise<void>] {
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
    timer.current = setTimeout(() => setCopied(false), feedbackTime)
  }
  return [copied, copy]
}
