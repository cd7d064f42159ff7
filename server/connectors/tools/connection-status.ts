/** A line of the log of connections (§3.17); `server` is the connector's name. */
export interface ConnectionStatus {
  readonly status: 'connecting' | 'connected' | 'error' | 'info' | 'summary'
  readonly server: string
  readonly message: string
  /** Ends the round (§4.9). */
  readonly finished?: true
}
