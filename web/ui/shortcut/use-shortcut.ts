import { useEffect, useEffectEvent } from 'react'
import { matchShortcut } from './match-shortcut.ts'

/** Calls `onPress` when the shortcut is pressed anywhere on the page, but not while a dialog is open over it. */
export function useShortcut(shortcut: string, onPress: () => void): void {
  const press = useEffectEvent(onPress)
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || !matchShortcut(event, shortcut)) return
      const isCovered = document.querySelector('dialog[open]') !== null
      // Nor must the browser act then, such as by going to its address bar; Escape is the dialog's own.
      if (!isCovered || shortcut !== 'escape') event.preventDefault()
      if (!isCovered) press()
    }
    window.addEventListener('keydown', handleKey)
    return () => window.removeEventListener('keydown', handleKey)
  }, [shortcut])
}
