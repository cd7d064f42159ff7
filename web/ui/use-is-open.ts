import { useCallback, useEffect, useRef } from 'react'

/** Tells, when an answer comes, whether the component that waited for it is still on the page. */
export function useIsOpen(): () => boolean {
  const open = useRef(false)
  useEffect(() => {
    open.current = true
    return () => {
      open.current = false
    }
  }, [])
  return useCallback(() => open.current, [])
}
