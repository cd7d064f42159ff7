import type { ToolCallList, ToolCallRecord } from '@yonder/contract/connector'
import useSWRInfinite from 'swr/infinite'
import { connectorAddress } from '../connector-address.ts'

export interface CallRecordPages {
  /** The newest first; undefined until the first page is here. */
  readonly calls: readonly ToolCallRecord[] | undefined
  readonly error: Error | undefined
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
}

/** What the tools of a connector were called for, page by page. */
export function useCallRecord(name: string): CallRecordPages {
  const address = connectorAddress(name, 'calls')
  const { data, error, isValidating, size, setSize } = useSWRInfinite<ToolCallList, Error>(
    (index: number, previous: ToolCallList | null) => {
      if (index === 0) return address
      return previous?.next ? `${address}?${new URLSearchParams({ before: previous.next })}` : null
    },
    { revalidateFirstPage: false, revalidateOnMount: true },
  )
  const isLoadingMore = isValidating && data !== undefined && size > data.length
  return {
    calls: data?.flatMap(({ calls }) => calls),
    error: data === undefined ? error : undefined,
    hasMore: Boolean(data?.at(-1)?.next),
    isLoadingMore,
    loadMore: () => {
      if (!isLoadingMore) void setSize(size + 1)
    },
  }
}
