import { useCallback, useEffect, useRef } from 'react'

/** Returns whether the component is still on the page, for code that continues after an `await`. */
export function useIsMounted(): () => boolean {
  const open = useRef(false)
  useEffect(() => {
    open.current = true
    return () => {
      open.current = false
    }
  }, [])
  return useCallback(() => open.current, [])
}
