import type { ConnectorInput } from '@yonder/contract/connector'
import { maskText, openJson, sealCredential, toOrigin, type Credential } from '../db/secrets/credential.ts'
import { connectorHeadersContext } from '../db/secrets/seal-contexts.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { ConnectorRow } from '../db/tables/connector-tables.ts'
import { AppError } from '../lib/app-error.ts'

interface OwnHeader {
  readonly name: string
  readonly value: string
}

type Stored = Pick<ConnectorRow, 'id' | 'user_id' | 'headers'>

/**
 * Headers of the connection, of the body and of the protocol, which the HTTP and MCP clients set. A cookie is allowed: it
 * is a credential like any other, and we keep none of the server's.
 */
const reserved =
  /^(accept|accept-encoding|connection|content-.*|expect|host|keep-alive|last-event-id|mcp-.*|proxy-.*|sec-.*|te|trailer|transfer-encoding|upgrade)$/

/** Whether a user's connector may send a header of this name. */
export function isOwnHeaderName(name: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/.test(name) && !reserved.test(name.toLowerCase())
}

export interface HeadersChange {
  readonly input: ConnectorInput['headers']
  readonly address: string | null
  /** Stored values belong to one address, so they are removed when it changes. */
  readonly addressChanged: boolean
}

/**
 * Returns the sealed headers to store.
 * @throws AppError `invalid_request` for a header that cannot be sent
 */
export function changeHeaders(sealer: Sealer, stored: Stored, change: HeadersChange): string | null {
  const { input, address, addressChanged } = change
  if (input === undefined) return addressChanged ? null : stored.headers
  const known = readHeaders(sealer, stored)?.headers ?? []
  const headers = (input ?? []).flatMap(({ name, value }) => {
    const former = known.find((header) => isSameName(header.name, name))
    if (former === undefined || value !== maskText(former.value)) return { name, value }
    return addressChanged ? [] : { name, value: former.value }
  })
  headers.forEach(requireSendable)
  if (headers.length === 0) return null
  if (!addressChanged && JSON.stringify(headers) === JSON.stringify(known)) return stored.headers
  const secret = JSON.stringify(headers)
  return sealCredential(sealer, connectorHeadersContext(stored), { secret, address })
}

function requireSendable({ name, value }: OwnHeader, at: number, all: readonly OwnHeader[]): void {
  const refuse = (problem: string) => new AppError('invalid_request', `headers.${at}: ${problem}`)
  if (!isOwnHeaderName(name)) throw refuse(`a connector cannot send its own header "${name}"`)
  if (all.findIndex((other) => isSameName(other.name, name)) !== at) throw refuse(`"${name}" is there twice`)
  if (!/^[\x21-\x7e]+( +[\x21-\x7e]+)*$/.test(value))
    throw refuse(`"${name}" needs a value of ASCII letters, digits and symbols`)
}

function isSameName(first: string, second: string): boolean {
  return first.toLowerCase() === second.toLowerCase()
}

export function hasAuthorization(sealer: Sealer, stored: Stored): boolean {
  const headers = readHeaders(sealer, stored)?.headers ?? []
  return headers.some(({ name }) => isSameName(name, 'authorization'))
}

/**
 * Returns the headers to send, which go only to the address that they were entered for.
 * @throws AppError `upstream_refused_key` when they may not be sent or cannot be decrypted
 */
export function openHeaders(sealer: Sealer, connector: ConnectorRow): readonly OwnHeader[] {
  if (connector.headers === null) return []
  const read = readHeaders(sealer, connector)
  if (read !== undefined && read.address === toOrigin(connector.url)) return read.headers
  throw new AppError(
    'upstream_refused_key',
    read === undefined
      ? `The stored headers of "${connector.name}" cannot be decrypted, because SECRET_KEY has changed. Enter them again.`
      : `The headers of "${connector.name}" were not sent, because they were entered for another address (${read.address}). Enter them again.`,
  )
}

/** Returns the headers with masked values. Of headers that cannot be decrypted, none is known. */
export function maskHeaders(sealer: Sealer, stored: Stored): OwnHeader[] {
  const headers = readHeaders(sealer, stored)?.headers ?? []
  return headers.map(({ name, value }) => ({ name, value: maskText(value) }))
}

function readHeaders(
  sealer: Sealer,
  stored: Stored,
): { readonly headers: readonly OwnHeader[]; readonly address: string | null } | undefined {
  const opened = openJson(sealer, connectorHeadersContext(stored), stored.headers) as Credential | undefined
  return opened && { headers: JSON.parse(opened.secret) as OwnHeader[], address: opened.address }
}
