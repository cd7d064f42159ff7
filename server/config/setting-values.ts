import { isIP } from 'node:net'
import { z } from 'zod'
import { findNearest } from '../lib/find-nearest.ts'
import { findWeakness, isPlaceholder, makeSecretHint } from '../lib/secret.ts'
import { isHeaderSecret } from '../lib/text.ts'

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })

/** How somebody is reached about notifications, as VAPID has it. */
export const contactUrl = z
  .url({ protocol: /^(mailto|https)$/, error: 'must be an address that begins with mailto: or https:' })
  .max(200)

export const origin = httpUrl.refine(
  (text) => !URL.canParse(text) || new URL(text).href === `${new URL(text).origin}/`,
  'must be an origin such as https://chat.example.com, without a path',
)

/** An address without a scheme is one of plain http, as for other programs. The message has no value: it may be secret. */
export const proxyUrl = z
  .string()
  .transform((text) => (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`))
  .refine(isHttpProxy, 'must be the address of an HTTP proxy such as http://proxy.example.com:3128')
  .transform((text) => new URL(text))

function isHttpProxy(text: string): boolean {
  try {
    const { protocol, username, password } = new URL(text)
    return ['http:', 'https:'].includes(protocol) && decodeURIComponent(username + password) !== '\0'
  } catch {
    return false
  }
}

/** A secret that the operator makes. It is refused when it can be guessed. */
export const ownSecret = (minChars: number) =>
  z.string().superRefine((text, context) => {
    const weakness = findWeakness(text, minChars)
    if (weakness === undefined) return
    context.addIssue({ code: 'custom', message: `${weakness}. ${makeSecretHint}` })
  })

const notForHeaders =
  'has a space, a line break or a character outside of ASCII, so no request can carry it. Copy it again without such characters'

/** A secret that the operator makes and that clients send in a header. */
export const ownHeaderSecret = (minChars: number) =>
  ownSecret(minChars).refine(
    (text) => findWeakness(text, minChars) !== undefined || isHeaderSecret(text),
    notForHeaders,
  )

/**
 * A secret that another service has issued. Its form is not known, so only blanks, texts of examples and what no
 * request can carry are refused.
 */
export const issuedSecret = z
  .string()
  .refine((text) => text.trim() !== '', 'is blank. Remove it, or set the value that the service shows')
  .refine((text) => !isPlaceholder(text), 'is the text of an example. Set the value that the service shows')
  .refine((text) => text.trim() === '' || isHeaderSecret(text), notForHeaders)

export const perMinute = z.coerce.number('must be a whole number, 1 or more').int().min(1)

/** A part of a whole, such as 0.8. */
export const fraction = (min: number, max: number) =>
  z.coerce.number(`must be a number from ${min} to ${max}`).min(min).max(max)

/** JSON text. `what` describes the value after "must be" in the error message. */
export const json = <Schema extends z.ZodType>(schema: Schema, what: string) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue({ code: 'custom', message: `must be ${what}` })
        return z.NEVER
      }
    })
    .pipe(schema)

/** An object with these fields only. Another one is named with the field that was probably meant. */
export const strictFields = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => describeUnknownField(key, Object.keys(shape))).join('; ')
        : undefined,
  })

function describeUnknownField(key: string, fields: readonly string[]): string {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')
  const nearest = fields.find((one) => plain(one) === plain(key)) ?? findNearest(key.toLowerCase(), fields)
  const advice = nearest === undefined ? `The fields are ${fields.join(', ')}` : `Did you mean "${nearest}"?`
  return `has an unknown field "${key}". ${advice}`
}

/** Entries separated by commas; spaces around them are ignored. */
const list = (entry: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(entry))

/** `a.example:443,127.0.0.1:*` */
export const hostList = list(z.string().refine(isHostAndPort, 'must be host:port,host:port'))

function isHostAndPort(text: string): boolean {
  const port = /^(?:\[[0-9a-fA-F:]+\]|[^\s:/\][]+):(\d{1,5}|\*)$/.exec(text)?.[1]
  return port === '*' || Number(port) <= 65_535
}

/** `a.example,b.example:8443/delete_*,google-gmail/send,*`: which tools of which connectors. */
export const toolList = list(
  z.string().refine(isToolPattern, 'must be host or host/tool, such as api.example.com/delete_*'),
)

function isToolPattern(text: string): boolean {
  const [, host = '', port, tool] =
    /^(\*|[^\s:/[\]*]+|\[[0-9a-fA-F:]+\])(?::(\d{1,5}))?(?:\/(.+))?$/.exec(text) ?? []
  if (host === '' || (host === '*' && port !== undefined)) return false
  const isHost = host === '*' || URL.canParse(`http://${host}${port === undefined ? '' : `:${port}`}`)
  // A star is only meant as the end.
  return isHost && !(tool ?? '').slice(0, -1).includes('*')
}

export const emailList = list(
  z.string().toLowerCase().pipe(z.email('must be e-mail addresses with commas between them')),
)

/** `127.0.0.1,10.0.0.0/8`, and the names that Fastify supports. */
export const networkList = list(
  z.string().refine(isNetwork, 'must be addresses or networks such as 127.0.0.1,10.0.0.0/8'),
)

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [, address = '', bits = '1'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const maxBits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  return Number(bits) >= 1 && Number(bits) <= maxBits
}

export const postgresUrl = z
  .string()
  .refine(
    (text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(withHost(text)),
    'must be a postgres:// address',
  )

/** Adds a host to an address without one, which `URL` could not parse. Such an address names a socket in its query. */
export function withHost(databaseUrl: string): string {
  return databaseUrl.replace('@/', '@localhost/')
}

export const trueOrFalse = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((value) => value === 'true')
