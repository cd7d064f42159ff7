import type { ApiType } from '@yonder/contract/bot'

/** Where a model is asked, and as whom. */
export interface ModelEndpoint {
  readonly apiType: ApiType
  /** The address without the call's own path, e.g. `https://api.example.com/v1`. */
  readonly baseUrl: string
  readonly apiKey: string | null
  /** Replaces the path that the wire format would append to the address. */
  readonly customApiPath: string | null
  /** Who named the address: the operator's own is not restricted, a person's is guarded. */
  readonly trusted: 'operator' | 'typed'
}
