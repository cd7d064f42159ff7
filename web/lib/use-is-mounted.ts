import { useCallback, useEffect, useRef } from 'react'

/** Returns whether the component is still on the page, for code that continues after an `await`. */
export function useIsMounted(): () => boolean {
  const mounted = useRef(false)
  useEffect(() => {
    mounted.current = true
    return () => {
      mounted.current = false
    }
  }, [])
  return useCallback(() => mounted.current, [])
}
