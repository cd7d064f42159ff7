import { useCallback, useEffect, useRef } from 'react'

/** Returns a function that says whether the component is still mounted, for code that continues after an `await`. */
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
