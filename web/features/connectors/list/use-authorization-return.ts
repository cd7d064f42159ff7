import type { Connector } from '@yonder/contract/connector'
import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { logError } from '../../../lib/log-error.ts'
import { toast } from '../../../lib/toasts.ts'
import { readAuthorizationReturn } from './read-authorization-return.ts'

/** Tells once how consent went, when the browser has come back from it, and takes that out of the address. */
export function useAuthorizationReturn(connectors: readonly Connector[] | undefined): void {
  const [params, setParams] = useSearchParams()
  const told = useRef(false)
  useEffect(() => {
    if (connectors === undefined || told.current) return
    const news = readAuthorizationReturn(params, connectors)
    if (news === undefined) return
    told.current = true
    toast[news.kind](news.text)
    if (news.kind === 'error') logError(news.text)
    setParams({}, { replace: true })
  }, [connectors, params, setParams])
}
