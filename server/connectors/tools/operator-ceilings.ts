import type { Config } from '../../config/config.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'

/** What the operator has decided about a tool. Users may only be stricter. */
export type OperatorRule = 'asks' | 'blocked'

export type OperatorCeilings = ReturnType<typeof createCeilings>

type ConnectorPlace = Pick<ConnectorRow, 'is_default' | 'url'>
type IsMatch = (connector: ConnectorPlace, toolName: string) => boolean

const hourMs = 60 * 60 * 1_000

/** Reads the settings that limit what users may allow. */
export function createCeilings({ alwaysAsk, blocked, maxGrantHours }: Config['ceilings']) {
  const asks = alwaysAsk.map(parsePattern)
  const blocks = blocked.map(parsePattern)
  return {
    /** Returns what the operator has decided about a tool. */
    ruleOf(connector: ConnectorPlace, toolName: string): OperatorRule | undefined {
      const applies = (matches: IsMatch) => matches(connector, toolName)
      if (blocks.some(applies)) return 'blocked'
      return asks.some(applies) ? 'asks' : undefined
    },
    maxGrantHours,
    /** How long an allowance lasts, in milliseconds; null for no limit. */
    maxGrantMs: maxGrantHours === null ? null : maxGrantHours * hourMs,
  }
}

/**
 * Parses `host`, `host:port` or `host/tool`. A host without a port means every port, and one without a tool means every
 * tool, because a user who could reach the same server in another way would be less limited.
 */
function parsePattern(pattern: string): IsMatch {
  const [, place = '', tool = '*'] = /^([^/]+)(?:\/(.+))?$/.exec(pattern) ?? []
  const isNamed: (toolName: string) => boolean = tool.endsWith('*')
    ? (toolName) => toolName.startsWith(tool.slice(0, -1))
    : (toolName) => toolName === tool
  if (place === '*') return (_connector, toolName) => isNamed(toolName)
  const wanted = new URL(`http://${place}`)
  const host = withoutDot(wanted.hostname)
  // A URL leaves out the default port of its scheme.
  const port = /:(\d+)$/.exec(place)?.[1]
  return (connector, toolName) => {
    if (!isNamed(toolName)) return false
    const found = placeOf(connector)
    return found?.host === host && (port === undefined || found.port === Number(port))
  }
}

/** Returns the host of a connector in small letters, and its port. Of a built-in one, the host is its name. */
function placeOf({
  is_default,
  url,
}: ConnectorPlace): { readonly host: string; readonly port: number } | undefined {
  const [, builtIn] = is_default === 1 ? (/^builtin:\/\/(.+)$/.exec(url) ?? []) : []
  if (builtIn !== undefined) return { host: builtIn, port: 0 }
  const address = URL.parse(url)
  if (address === null) return undefined
  const port = address.port === '' ? (address.protocol === 'http:' ? 80 : 443) : Number(address.port)
  return { host: withoutDot(address.hostname), port }
}

/** A dot at the end of a host changes nothing about where a request goes. */
const withoutDot = (host: string): string => host.replace(/\.$/, '')
