import type { Connector } from '@yonder/contract/connector'
import type { Message } from '@yonder/contract/message'

/**
 * Returns why a waiting call will not run any more, by the user's connectors as they are now; undefined when it can, or
 * while the connectors are not loaded (§13.37). The server decides the same when the call is approved.
 */
export function findObstacle(
  connectors: readonly Connector[] | undefined,
  { server = '', tool = '', call }: Message,
): string | undefined {
  if (connectors === undefined) return undefined
  const connector = connectors.find(({ name }) => name === server)
  if (connector === undefined) return `"${server}" is no longer one of your connectors.`
  if (isOther(call?.credential, connector.credential))
    return `"${server}" was added again, or has another address, credential or account since the model made this call.`
  if (connector.status === 'disconnected') return `"${server}" is disconnected.`
  const known = connector.tools.find(({ name }) => name === tool)
  if (known === undefined) return `"${server}" no longer has this tool.`
  if (known.problem !== null) return `This tool cannot be used: ${known.problem}.`
  if (isOther(call?.fingerprint, known.fingerprint))
    return 'This tool has changed since the model made this call.'
  return undefined
}

/** Whether both are known and differ. */
function isOther(seen: string | undefined, current: string | undefined): boolean {
  return seen !== undefined && current !== undefined && seen !== current
}
