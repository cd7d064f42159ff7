import { createHash } from 'node:crypto'
import type { BrowseServer } from '@yonder/contract/connector'
import { z } from 'zod'
import { withoutNulls } from '../../lib/json-object.ts'
import { cleanText } from '../../lib/text.ts'
import { isOwnHeaderName } from '../connector-headers.ts'

/** Only the fields that we use, so that changes of the registry's other fields do no harm. */
const Header = z.object({
  name: z.string(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  value: z.string().optional(),
})
const Remote = z.object({ type: z.string(), url: z.string(), headers: z.array(Header).optional() })
const Entry = z.object({
  server: z.object({
    name: z.string().max(300),
    title: z.string().optional(),
    description: z.string().optional(),
    remotes: z.array(Remote).optional(),
  }),
  _meta: z
    .object({
      'io.modelcontextprotocol.registry/official': z
        .object({ status: z.string().optional(), isLatest: z.boolean().optional() })
        .optional(),
    })
    .optional(),
})
const Page = z.object({
  servers: z.array(z.unknown()).default([]),
  metadata: z.object({ nextCursor: z.string().nullish() }).optional(),
})

export interface RegistryPage {
  readonly servers: readonly BrowseServer[]
  readonly cursor: string | undefined
}

/**
 * Returns those servers of a page that a user can add by their address, or by address and token. Skips invalid entries.
 * @throws ZodError when `page` is not a registry page
 */
export function readRegistryPage(page: unknown): RegistryPage {
  const { servers, metadata } = Page.parse(withoutNulls(page))
  return {
    servers: servers.flatMap((entry) => readEntry(entry) ?? []),
    cursor: metadata?.nextCursor || undefined,
  }
}

function readEntry(item: unknown): BrowseServer | undefined {
  const parsed = Entry.safeParse(item)
  if (!parsed.success) return undefined
  const { server, _meta } = parsed.data
  const { status = 'active', isLatest = true } = _meta?.['io.modelcontextprotocol.registry/official'] ?? {}
  if (!isLatest || (status !== 'active' && status !== 'deprecated')) return undefined
  const remote = server.remotes?.find(isUsable)
  if (remote === undefined) return undefined
  const required = (remote.headers ?? []).filter(({ isRequired }) => isRequired === true)
  // The note comes first, because a long description is cut.
  const note = status === 'deprecated' ? 'Deprecated. ' : ''
  return presentServer({
    name: server.name,
    title: server.title,
    description: `${note}${server.description ?? ''}`,
    url: remote.url,
    needsToken: required.some(isAuthorization),
    headers: required.filter((header) => !isAuthorization(header)).map(readHeader),
  })
}

/**
 * Whether a user can add a server by this remote: it uses Streamable HTTP at an HTTPS address without placeholders, and
 * a connector can send the headers that it requires.
 */
function isUsable({ type, url, headers = [] }: z.infer<typeof Remote>): boolean {
  if (type !== 'streamable-http' || !url.startsWith('https://') || /[{}\s]/.test(url)) return false
  if (!URL.canParse(url) || url.length > 2_000) return false
  return headers.every(({ name, isRequired }) => isRequired !== true || isOwnHeaderName(name))
}

function isAuthorization({ name }: z.infer<typeof Header>): boolean {
  return name.toLowerCase() === 'authorization'
}

/** The value is part of it when it is no secret and has no placeholder, so that everyone sends the same. */
function readHeader({ name, isSecret, value = '' }: z.infer<typeof Header>) {
  const isFixed = isSecret !== true && /^[\x20-\x7e]{1,500}$/.test(value) && !/[{}]/.test(value)
  return { name, value: isFixed ? value : '' }
}

export interface CatalogueEntry {
  /** The name in the registry: the author's reversed domain, a slash, and the name of the server. */
  readonly name: string
  readonly title?: string | undefined
  readonly description: string
  readonly url: string
  /** Default: false. */
  readonly needsToken?: boolean
  readonly headers?: BrowseServer['headers']
}

/** Converts an entry to the form of the API, with cleaned and shortened texts. */
export function presentServer({
  name,
  title,
  description,
  url,
  needsToken = false,
  headers = [],
}: CatalogueEntry): BrowseServer {
  const [namespace = '', serverName = namespace] = name.split('/')
  const shortName = cleanText(serverName).slice(0, 200)
  return {
    name: shortName,
    title: cleanText(title?.trim() || serverName).slice(0, 200),
    author_name: cleanText(readAuthor(namespace)).slice(0, 200),
    description: cleanText(description.trim()).slice(0, 500),
    config_name: name,
    server_url: url,
    // The same whenever the server is the same.
    uuid: createHash('sha256')
      .update(`${name}\n${url}`)
      .digest('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5'),
    needs_token: needsToken,
    ...(headers.length === 0 ? {} : { headers }),
  }
}

/** Returns the GitHub user for `io.github.user`, else the domain. */
function readAuthor(namespace: string): string {
  const user = /^io\.github\.(.+)$/.exec(namespace)?.[1]
  return user ?? namespace.split('.').toReversed().join('.')
}
