import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { BotInput } from '@yonder/contract/bot'
import { z } from 'zod'
import { ApiKeyServices, defaultApiKeyServices } from './api-key-service.ts'
import type { ApiKeyService } from './api-key-service.ts'

/** Bots that every person gets at first sign-in. */
const DefaultBots = z.array(z.strictObject(BotInput.shape)).superRefine((bots, context) => {
  for (const [index, { name, api_key }] of bots.entries()) {
    if (api_key && !/^[\x21-\x7e]+$/.test(api_key)) {
      context.addIssue({
        code: 'custom',
        path: [index, 'api_key'],
        message: 'must be letters, digits and signs',
      })
    }
    if (bots.findIndex((bot) => bot.name === name) === index) continue
    context.addIssue({ code: 'custom', path: [index, 'name'], message: `is given twice: "${name}"` })
  }
})

const json = <Schema extends z.ZodType>(schema: Schema, what: string) =>
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

const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })

const origin = httpUrl.refine(
  (text) => !URL.canParse(text) || new URL(text).href === `${new URL(text).origin}/`,
  'must be an origin such as https://chat.example.com, and no more',
)

/** Entries with commas between them, and blanks as people like. */
const list = (entry: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((piece) => piece.trim())
        .filter((piece) => piece !== ''),
    )
    .pipe(z.array(entry))

/** `a.example:443,127.0.0.1:*` */
const hostList = list(z.string().refine(isHostAndPort, 'must be host:port,host:port'))

function isHostAndPort(text: string): boolean {
  const port = /^(?:\[[0-9a-fA-F:]+\]|[^\s:/\][]+):(\d{1,5}|\*)$/.exec(text)?.[1]
  return port === '*' || Number(port) <= 65_535
}

const emailList = list(
  z.string().toLowerCase().pipe(z.email('must be e-mail addresses with commas between them')),
)

/** `127.0.0.1,10.0.0.0/8`, and the names that Fastify knows. */
const networkList = list(
  z.string().refine(isNetwork, 'must be addresses or networks such as 127.0.0.1,10.0.0.0/8'),
)

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [, address = '', bits = '1'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  return Number(bits) >= 1 && Number(bits) <= most
}

/** An address without a host names a socket in its query; `URL` cannot parse it without one. */
function withHost(databaseUrl: string): string {
  return databaseUrl.replace('@/', '@localhost/')
}

const postgresUrl = z
  .string()
  .refine(
    (text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(withHost(text)),
    'must be a postgres:// address',
  )

const perMinute = optional(z.coerce.number('must be a whole number').int().min(1))

/** The environment as people write it. Empty counts as absent. */
const Environment = z.object({
  PORT: optional(z.coerce.number('must be a port').int().min(0).max(65_535)),
  HOST: optional(z.string()),
  PUBLIC_URL: optional(origin),
  DATA_DIR: optional(z.string()),
  DATABASE_URL: optional(postgresUrl),
  OIDC_ISSUER: optional(httpUrl),
  OIDC_CLIENT_ID: optional(z.string()),
  OIDC_AUDIENCE: optional(z.string()),
  OIDC_ALLOW_CLIENT_ID_AUDIENCE: optional(z.enum(['true', 'false'], 'must be true or false')),
  OIDC_GOOGLE_PARAMS: optional(z.string()),
  SIGN_UP: optional(z.enum(['open', 'closed'], 'must be open or closed')),
  ALLOWED_EMAILS: optional(emailList),
  GOOGLE_CLIENT_ID: optional(z.string()),
  GOOGLE_CLIENT_SECRET: optional(z.string()),
  GOOGLE_ISSUER: optional(httpUrl),
  GOOGLE_AUTH_URL: optional(httpUrl),
  GOOGLE_TOKEN_URL: optional(httpUrl),
  GOOGLE_REVOKE_URL: optional(httpUrl),
  GMAIL_API_URL: optional(httpUrl),
  GOOGLE_CALENDAR_API_URL: optional(httpUrl),
  API_KEY_SERVICES: optional(json(ApiKeyServices, 'a JSON list of services')),
  SECRET_KEY: optional(z.string().min(32, 'must have at least 32 characters')),
  DEFAULT_MODEL_BASE_URL: optional(httpUrl),
  DEFAULT_MODEL_API_KEY: optional(z.string()),
  DEFAULT_BOTS: optional(json(DefaultBots, 'a JSON list of bots')),
  ALLOWED_PRIVATE_HOSTS: optional(hostList),
  CONNECTOR_REGISTRY_URL: optional(
    z.union([z.literal('none'), httpUrl], 'must be an http or https address, or none'),
  ),
  DEMO_SHARE_ID: optional(z.string().regex(/^[\w-]{1,64}$/, 'must be the id of a share, or none')),
  SOURCE_URL: optional(httpUrl),
  METRICS_TOKEN: optional(z.string().min(16, 'must have at least 16 characters')),
  CONNECTOR_CLIENT_METADATA_URL: optional(httpUrl),
  TRUSTED_PROXIES: optional(networkList),
  LOG_LEVEL: optional(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])),
  RATE_LIMIT_SIGN_IN: perMinute,
  RATE_LIMIT_COMPLETIONS: perMinute,
  RATE_LIMIT_WRITES: perMinute,
  RATE_LIMIT_SHARE_READS: perMinute,
})

export interface Config {
  readonly port: number
  readonly host: string
  /** True when the product is for this machine alone: it listens here, and no other name leads to it through a proxy. */
  readonly loopback: boolean
  /** The origin people use, without a path. */
  readonly publicUrl: string
  readonly dataDir: string
  readonly databaseUrl: string | null
  /** A provider elsewhere; null means the embedded one. */
  readonly oidc: {
    readonly issuer: string
    readonly clientId: string
    readonly audience: string
  } | null
  readonly googleParams: Readonly<Record<string, string>>
  readonly signUp: 'open' | 'closed'
  readonly allowedEmails: readonly string[]
  readonly google: {
    readonly issuer: string
    readonly clientId: string
    readonly clientSecret: string
  } | null
  /** Where Google is asked for consent, tokens, mail and events; without a slash at the end. */
  readonly googleApis: {
    readonly authUrl: string
    readonly tokenUrl: string
    readonly revokeUrl: string
    readonly gmailUrl: string
    readonly calendarUrl: string
  }
  /** Services that a person connects with a key of their own. */
  readonly apiKeyServices: readonly ApiKeyService[]
  /** Null means the key that is kept in `dataDir`. */
  readonly secretKey: string | null
  readonly defaultModel: { readonly baseUrl: string; readonly apiKey: string | null } | null
  /** Null means: one for the built-in demo model, or none when a provider is configured, whose models only the operator knows. */
  readonly defaultBots: readonly BotInput[] | null
  /** Limits on the addresses that users and other servers may supply (`http/outgoing/address-policy.ts`). */
  readonly outgoing: {
    readonly allowedPrivateHosts: readonly string[]
    readonly loopbackInstallation: boolean
    /** Ports of this process and its database. */
    readonly ownPorts: readonly number[]
  }
  /** The catalogue behind Browse Connectors; null means that only the shipped list is shown. */
  readonly connectorRegistryUrl: string | null
  /** Where the document that describes us to authorization servers of connectors is published. */
  readonly connectorClientMetadataUrl: string | null
  /** The share behind 'See Demo'; null means that there is no such link. */
  readonly demoShareId: string | null
  readonly sourceUrl: string
  readonly metricsToken: string | null
  /** Addresses or networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  readonly logLevel: string
  /** Requests a minute. */
  readonly rateLimits: {
    readonly signIn: number
    readonly completions: number
    readonly writes: number
    readonly shareReads: number
  }
}

/** Thrown with every problem of the environment at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const loopbackHosts = new Set(['127.0.0.1', 'localhost', '::1', '[::1]'])
const defaultSourceUrl = 'https://github.com/yonder-chat/yonder'

/** Reads settings. Throws `ConfigError` that lists every wrong value. */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const { settings, wrong } = readEach(environment)
  const problems = [
    ...wrong,
    ...findMisfits(settings).filter(({ name }) => !wrong.some((one) => one.name === name)),
  ]
  if (problems.length === 0) return toConfig(settings)
  const lines = problems.map(({ place, name, message }) => `  ${place ?? name}: ${message}`)
  throw new ConfigError(`Yonder cannot start with these settings:\n${lines.join('\n')}`)
}

interface Problem {
  /** Of the setting. */
  readonly name: string
  /** Where in it. */
  readonly place?: string
  readonly message: string
}

type Settings = z.infer<typeof Environment>

/** The settings that are right by themselves, and what is wrong with the others. */
function readEach(environment: Readonly<Record<string, string | undefined>>): {
  readonly settings: Settings
  readonly wrong: readonly Problem[]
} {
  const parsed = Environment.safeParse(environment)
  if (parsed.success) return { settings: parsed.data, wrong: [] }
  const wrong = parsed.error.issues.map(({ path, message }) => ({
    name: String(path[0]),
    place: path.join('.'),
    message,
  }))
  const others = Object.entries(environment).filter(([name]) => !wrong.some((one) => one.name === name))
  return { settings: Environment.parse(Object.fromEntries(others)), wrong }
}

/** What does not go together. */
function findMisfits(env: Settings): Problem[] {
  const problems: Problem[] = []
  if (env.OIDC_ISSUER !== undefined && env.OIDC_CLIENT_ID === undefined) {
    problems.push({ name: 'OIDC_CLIENT_ID', message: 'is needed with OIDC_ISSUER' })
  }
  if (env.OIDC_ISSUER !== undefined && env.OIDC_AUDIENCE === undefined) {
    problems.push({
      name: 'OIDC_AUDIENCE',
      message: 'is needed with OIDC_ISSUER, and must differ from the client id for most providers',
    })
  }
  if (
    env.OIDC_AUDIENCE !== undefined &&
    env.OIDC_AUDIENCE === env.OIDC_CLIENT_ID &&
    env.OIDC_ALLOW_CLIENT_ID_AUDIENCE !== 'true'
  ) {
    problems.push({
      name: 'OIDC_AUDIENCE',
      message:
        'is the client id, so that ID tokens could pass for access tokens; if the provider offers no other, set OIDC_ALLOW_CLIENT_ID_AUDIENCE=true',
    })
  }
  if ((env.GOOGLE_CLIENT_ID === undefined) !== (env.GOOGLE_CLIENT_SECRET === undefined)) {
    problems.push({ name: 'GOOGLE_CLIENT_ID', message: 'and GOOGLE_CLIENT_SECRET go together' })
  }
  if (env.DEFAULT_MODEL_API_KEY !== undefined && env.DEFAULT_MODEL_BASE_URL === undefined) {
    problems.push({ name: 'DEFAULT_MODEL_BASE_URL', message: 'is needed with DEFAULT_MODEL_API_KEY' })
  }
  return problems
}

function toConfig(env: Settings): Config {
  const port = env.PORT ?? 3000
  const host = env.HOST ?? '127.0.0.1'
  const publicUrl = new URL(env.PUBLIC_URL ?? `http://localhost:${port}`)
  const loopback = loopbackHosts.has(host) && loopbackHosts.has(publicUrl.hostname)
  return {
    port,
    host,
    loopback,
    publicUrl: publicUrl.origin,
    dataDir: resolve(env.DATA_DIR ?? 'data'),
    databaseUrl: env.DATABASE_URL ?? null,
    oidc:
      env.OIDC_ISSUER === undefined
        ? null
        : { issuer: env.OIDC_ISSUER, clientId: env.OIDC_CLIENT_ID ?? '', audience: env.OIDC_AUDIENCE ?? '' },
    googleParams: Object.fromEntries(
      new URLSearchParams(env.OIDC_GOOGLE_PARAMS ?? 'connection=google-oauth2'),
    ),
    signUp: env.SIGN_UP ?? (loopback ? 'open' : 'closed'),
    allowedEmails: env.ALLOWED_EMAILS ?? [],
    google:
      env.GOOGLE_CLIENT_ID === undefined
        ? null
        : {
            issuer: env.GOOGLE_ISSUER ?? 'https://accounts.google.com',
            clientId: env.GOOGLE_CLIENT_ID,
            clientSecret: env.GOOGLE_CLIENT_SECRET ?? '',
          },
    googleApis: toGoogleApis(env),
    apiKeyServices: env.API_KEY_SERVICES ?? defaultApiKeyServices,
    secretKey: env.SECRET_KEY ?? null,
    defaultModel:
      env.DEFAULT_MODEL_BASE_URL === undefined
        ? null
        : { baseUrl: env.DEFAULT_MODEL_BASE_URL, apiKey: env.DEFAULT_MODEL_API_KEY ?? null },
    defaultBots: env.DEFAULT_BOTS ?? null,
    outgoing: {
      allowedPrivateHosts: env.ALLOWED_PRIVATE_HOSTS ?? [],
      loopbackInstallation: loopback,
      ownPorts: [port, ...databasePorts(env.DATABASE_URL)],
    },
    connectorRegistryUrl: toRegistryUrl(env.CONNECTOR_REGISTRY_URL),
    connectorClientMetadataUrl: env.CONNECTOR_CLIENT_METADATA_URL ?? null,
    demoShareId: toDemoShareId(env.DEMO_SHARE_ID),
    sourceUrl: env.SOURCE_URL ?? defaultSourceUrl,
    metricsToken: env.METRICS_TOKEN ?? null,
    trustedProxies: env.TRUSTED_PROXIES ?? [],
    logLevel: env.LOG_LEVEL ?? 'info',
    rateLimits: {
      signIn: env.RATE_LIMIT_SIGN_IN ?? 10,
      completions: env.RATE_LIMIT_COMPLETIONS ?? 30,
      writes: env.RATE_LIMIT_WRITES ?? 120,
      shareReads: env.RATE_LIMIT_SHARE_READS ?? 60,
    },
  }
}

const postgresPort = 5432

function databasePorts(databaseUrl: string | undefined): readonly number[] {
  return databaseUrl === undefined ? [] : [Number(new URL(withHost(databaseUrl)).port || postgresPort)]
}

function toGoogleApis(env: Settings): Config['googleApis'] {
  return {
    authUrl: env.GOOGLE_AUTH_URL ?? 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: env.GOOGLE_TOKEN_URL ?? 'https://oauth2.googleapis.com/token',
    revokeUrl: env.GOOGLE_REVOKE_URL ?? 'https://oauth2.googleapis.com/revoke',
    gmailUrl: withoutSlash(env.GMAIL_API_URL ?? 'https://gmail.googleapis.com'),
    calendarUrl: withoutSlash(env.GOOGLE_CALENDAR_API_URL ?? 'https://www.googleapis.com/calendar/v3'),
  }
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '')
}

const officialRegistry = 'https://registry.modelcontextprotocol.io'

/** The link of the chat that comes with the product. */
export const builtInDemoShareId = 'demo'

function toDemoShareId(setting: string | undefined): string | null {
  return setting === 'none' ? null : (setting ?? builtInDemoShareId)
}

/** `none` is for closed networks. */
function toRegistryUrl(setting: string | undefined): string | null {
  return setting === 'none' ? null : (setting ?? officialRegistry)
}

/** The one place where the process's environment is read; `.env` in the working folder fills what is not set. */
export function readConfig(): Config {
  try {
    process.loadEnvFile('.env')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  return parseConfig(process.env)
}
