import type { Bot } from '@yonder/contract/bot'
import type { Connector } from '@yonder/contract/connector'
import type { Message } from '@yonder/contract/message'

/**
 * Returns why a waiting call will no longer run, according to the user's current connectors and bots. Returns undefined
 * when it can run, and while the connectors are not loaded.
 */
export function findObstacle(
  connectors: readonly Connector[] | undefined,
  bots: readonly Bot[] | undefined,
  { server = '', tool = '', bot: botName, call }: Message,
): string | undefined {
  if (connectors === undefined) return undefined
  const connector = connectors.find(({ name }) => name === server)
  if (connector === undefined) return `"${server}" is no longer one of your connectors.`
  // If this bot no longer exists, the selected bot continues the turn, and the connectors of that bot are unknown here.
  const bot = bots?.find(({ name }) => name === botName)
  if (bot?.connectors?.includes(server) === false) return `The bot "${bot.name}" may not use "${server}".`
  if (hasChanged(call?.credential, connector.credential))
    return `"${server}" was added again, or its address, credential or account has changed since the model made this call.`
  if (isBlocked(connector, tool)) return 'You have blocked this tool.'
  if (connector.status === 'disconnected') return `"${server}" is disconnected.`
  const known = connector.tools.find(({ name }) => name === tool)
  if (known === undefined) return `"${server}" no longer has this tool.`
  if (known.problem !== null) return `This tool cannot be used: ${known.problem}.`
  if (hasChanged(call?.fingerprint, known.fingerprint))
    return 'This tool has changed since the model made this call.'
  return undefined
}

/** Whether the user has blocked a tool. A blocked tool cannot be always allowed. */
export function isBlocked({ block_tools = [] }: Pick<Connector, 'block_tools'>, tool: string): boolean {
  return block_tools.includes(tool)
}

/** Whether both are known and differ. */
function hasChanged(seen: string | undefined, current: string | undefined): boolean {
  return seen !== undefined && current !== undefined && seen !== current
}
