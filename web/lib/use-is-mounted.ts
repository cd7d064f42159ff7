import { useCallback, useEffect, useRef } from 'react'

/** Returns a function that returns whether the component is on the page, for code that continues after an `await`. */
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
