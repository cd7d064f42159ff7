import { resolve } from 'node:path'
import type { BotInput } from '@yonder/contract/bot'
import { trimSlashes } from '../lib/text.ts'
import { defaultApiKeyServices, type ApiKeyService } from './api-key-service.ts'
import { readCertificateFiles, type CertificatePaths } from './certificate-files.ts'
import { findDataFolder } from './data-folder.ts'
import { readMachine, unknownMachine, type Machine } from './machine.ts'
import type { ModelPrice } from './model-prices.ts'
import { withHost } from './setting-values.ts'
import { Settings } from './settings.ts'

export interface Config {
  readonly port: number
  readonly host: string
  /** Whether only this machine can reach the server: both `host` and `publicUrl` are loopback addresses. */
  readonly isLoopback: boolean
  /** The origin that users open, without a path. */
  readonly publicUrl: string
  /** The certificate with which this process speaks https itself: one that it makes, or files. Null without TLS. */
  readonly tls: { readonly kind: 'local' } | ({ readonly kind: 'files' } & CertificatePaths) | null
  /** Whether the process runs in a container, whose `localhost` is not the machine that the operator sees. */
  readonly isContainer: boolean
  /** Whether browsers must use https for all subdomains too. */
  readonly hstsSubdomains: boolean
  readonly dataDir: string
  readonly databaseUrl: string | null
  /** The OpenID provider that the operator has set; null means the built-in one. */
  readonly oidc: {
    readonly issuer: string
    readonly clientId: string
    readonly audience: string
  } | null
  /** Parameters that 'Sign in with Google' adds to the authorization request. */
  readonly googleParams: Readonly<Record<string, string>>
  readonly signUp: 'open' | 'closed'
  readonly allowedEmails: readonly string[]
  /** The OAuth client at Google, for sign-in, Gmail and Calendar. */
  readonly google: {
    readonly issuer: string
    readonly clientId: string
    readonly clientSecret: string
  } | null
  /** Addresses of Google's consent page, token endpoints and APIs. Those of the APIs have no slash at the end. */
  readonly googleApis: {
    readonly authUrl: string
    readonly tokenUrl: string
    readonly revokeUrl: string
    readonly gmailUrl: string
    readonly calendarUrl: string
  }
  /** Services that users connect with a key of their own. */
  readonly apiKeyServices: readonly ApiKeyService[]
  /** Null means the key in `dataDir`. */
  readonly secretKey: string | null
  /** The provider of bots without an address of their own; null means that these have only the demo model. */
  readonly defaultModel: { readonly baseUrl: string; readonly apiKey: string | null } | null
  /** Null means the demo bot, or no bot when `defaultModel` is set. */
  readonly defaultBots: readonly BotInput[] | null
  /** Prices that the operator has set. They take precedence over the shipped ones. */
  readonly modelPrices: readonly ModelPrice[]
  /** The share of a context window above which the older messages of a chat are summarised. */
  readonly compactAt: number
  /** The Ollama whose models are offered; null offers none. */
  readonly ollamaUrl: string | null
  /** Whether `OLLAMA_URL` is set, if only to `none`. */
  readonly ollamaIsSet: boolean
  /** Limits on the addresses that users and other servers may supply (`http/outgoing/address-policy.ts`). */
  readonly outgoing: {
    readonly allowedPrivateHosts: readonly string[]
    readonly isLoopbackInstallation: boolean
    /** Ports of this process and its database. */
    readonly ownPorts: readonly number[]
    readonly isContainer: boolean
  }
  /** The catalogue behind Browse Connectors; null means that only the shipped list is shown. */
  readonly connectorRegistryUrl: string | null
  /** The address of the operator's OAuth client document, for authorization servers of connectors; null without one. */
  readonly connectorClientMetadataUrl: string | null
  /** The id of the share behind 'See Demo'; null means that there is no such link. */
  readonly demoShareId: string | null
  readonly sourceUrl: string
  readonly metricsToken: string | null
  /** Addresses or networks whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[]
  readonly logLevel: string
  /** Requests per minute. */
  readonly rateLimits: {
    readonly signIn: number
    readonly oidc: number
    readonly completions: number
    readonly writes: number
    readonly reads: number
    readonly shareReads: number
  }
}

/** Thrown when settings are wrong, with each of them in the message, or when `.env` cannot be read. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Parses the settings. Throws a `ConfigError` that lists every wrong one. Some defaults depend on the machine,
 * for example on its name.
 */
export function parseConfig(environment: Environment, machine?: Machine): Config {
  const { config, problems } = inspectConfig(environment, machine)
  if (problems.length === 0) return config
  throw createSettingsError(problems)
}

/** Creates the error that lists wrong settings. */
export function createSettingsError(problems: readonly SettingProblem[]): ConfigError {
  const lines = problems.map((problem) => `  ${describeProblem(problem)}`)
  return new ConfigError(`Yonder cannot run with these settings:\n${lines.join('\n')}`)
}

/** Returns the problems, and what the settings mean. A setting that cannot be parsed counts as unset. */
export function inspectConfig(
  environment: Environment,
  machine: Machine = unknownMachine,
): {
  readonly config: Config
  readonly problems: readonly SettingProblem[]
} {
  const { settings, wrong } = parseEach(environment)
  const problems = [
    ...wrong,
    ...findConflicts(settings).filter(
      ({ name, related }) => !wrong.some((one) => one.name === name || one.name === related),
    ),
  ]
  return { config: toConfig(settings, machine), problems }
}

/** For example `PORT: must be a port`. */
export function describeProblem({ path, name, message }: SettingProblem): string {
  return `${path ?? name}: ${message}`
}

export interface SettingProblem {
  /** The name of the setting. */
  readonly name: string
  /** The other setting of a conflict. The conflict is not reported when that setting itself is wrong. */
  readonly related?: string
  /** The path of the wrong part, which begins with the name of the setting. */
  readonly path?: string
  readonly message: string
}

/** Parses every setting. Wrong ones are reported and then ignored, so that conflicts between the others are found. */
function parseEach(environment: Environment): {
  readonly settings: Settings
  readonly wrong: readonly SettingProblem[]
} {
  const parsed = Settings.safeParse(environment)
  if (parsed.success) return { settings: parsed.data, wrong: [] }
  const wrong = parsed.error.issues.map(({ path, message }) => ({
    name: String(path[0]),
    path: path.join('.'),
    message,
  }))
  const others = Object.entries(environment).filter(([name]) => !wrong.some((one) => one.name === name))
  return { settings: Settings.parse(Object.fromEntries(others)), wrong }
}

/** Finds settings that do not fit together, and files of a certificate that cannot be used. */
function findConflicts(env: Settings): SettingProblem[] {
  const problems: SettingProblem[] = []
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
    !env.OIDC_ALLOW_CLIENT_ID_AUDIENCE
  ) {
    problems.push({
      name: 'OIDC_AUDIENCE',
      message:
        'is the client id, so that ID tokens could pass for access tokens; if the provider offers no other, set OIDC_ALLOW_CLIENT_ID_AUDIENCE=true',
    })
  }
  if ((env.GOOGLE_CLIENT_ID === undefined) !== (env.GOOGLE_CLIENT_SECRET === undefined)) {
    problems.push({
      name: 'GOOGLE_CLIENT_ID',
      related: 'GOOGLE_CLIENT_SECRET',
      message: 'must be set together with GOOGLE_CLIENT_SECRET',
    })
  }
  if (env.DEFAULT_MODEL_API_KEY !== undefined && env.DEFAULT_MODEL_BASE_URL === undefined) {
    problems.push({ name: 'DEFAULT_MODEL_BASE_URL', message: 'is needed with DEFAULT_MODEL_API_KEY' })
  }
  return [...problems, ...findTlsConflicts(env)]
}

function findTlsConflicts({ TLS, TLS_CERT, TLS_KEY, PUBLIC_URL }: Settings): SettingProblem[] {
  const problems: SettingProblem[] = []
  if ((TLS_CERT === undefined) !== (TLS_KEY === undefined))
    problems.push({ name: 'TLS_CERT', related: 'TLS_KEY', message: 'must be set together with TLS_KEY' })
  if (TLS === 'local' && TLS_CERT !== undefined)
    problems.push({
      name: 'TLS',
      message: 'is local, so Yonder makes a certificate. Remove TLS_CERT and TLS_KEY, or set TLS=off',
    })
  if ((TLS === 'local' || TLS_CERT !== undefined) && PUBLIC_URL?.startsWith('http:') === true)
    problems.push({
      name: 'PUBLIC_URL',
      message: `must begin with https:// when Yonder serves TLS, for example ${PUBLIC_URL.replace('http:', 'https:')}`,
    })
  if (TLS_CERT !== undefined && TLS_KEY !== undefined) {
    const read = readCertificateFiles({ certificatePath: TLS_CERT, keyPath: TLS_KEY })
    if ('name' in read) problems.push(read)
  }
  return problems
}

const loopbackHosts = new Set(['127.0.0.1', 'localhost', '::1', '[::1]'])
const postgresPort = 5432
const localOllama = 'http://127.0.0.1:11434'

/** The id of the built-in demo share. */
export const builtInDemoShareId = 'demo'

function toConfig(env: Settings, machine: Machine): Config {
  const { PORT: port, HOST: host } = env
  const tls = toTls(env)
  const publicUrl = new URL(env.PUBLIC_URL ?? defaultUrl(env, tls !== null, machine))
  const isLoopback = loopbackHosts.has(host) && loopbackHosts.has(publicUrl.hostname)
  return {
    port,
    host,
    isLoopback,
    publicUrl: publicUrl.origin,
    tls,
    isContainer: machine.isContainer,
    hstsSubdomains: env.HSTS_INCLUDE_SUBDOMAINS,
    dataDir: resolve(env.DATA_DIR ?? findDataFolder()),
    databaseUrl: env.DATABASE_URL ?? null,
    ...toIdentityConfig(env, isLoopback),
    googleApis: {
      authUrl: env.GOOGLE_AUTH_URL,
      tokenUrl: env.GOOGLE_TOKEN_URL,
      revokeUrl: env.GOOGLE_REVOKE_URL,
      gmailUrl: trimSlashes(env.GMAIL_API_URL),
      calendarUrl: trimSlashes(env.GOOGLE_CALENDAR_API_URL),
    },
    apiKeyServices: env.API_KEY_SERVICES ?? defaultApiKeyServices,
    secretKey: env.SECRET_KEY ?? null,
    defaultModel:
      env.DEFAULT_MODEL_BASE_URL === undefined
        ? null
        : { baseUrl: env.DEFAULT_MODEL_BASE_URL, apiKey: env.DEFAULT_MODEL_API_KEY ?? null },
    defaultBots: env.DEFAULT_BOTS ?? null,
    modelPrices: env.MODEL_PRICES ?? [],
    compactAt: env.COMPACT_AT,
    ollamaUrl: nullIfNone(env.OLLAMA_URL ?? (isLoopback ? localOllama : 'none')),
    ollamaIsSet: env.OLLAMA_URL !== undefined,
    outgoing: {
      allowedPrivateHosts: env.ALLOWED_PRIVATE_HOSTS ?? [],
      isLoopbackInstallation: isLoopback,
      ownPorts: [port, ...databasePorts(env.DATABASE_URL)],
      isContainer: machine.isContainer,
    },
    connectorRegistryUrl: nullIfNone(env.CONNECTOR_REGISTRY_URL),
    connectorClientMetadataUrl: env.CONNECTOR_CLIENT_METADATA_URL ?? null,
    demoShareId: nullIfNone(env.DEMO_SHARE_ID),
    sourceUrl: env.SOURCE_URL,
    metricsToken: env.METRICS_TOKEN ?? null,
    trustedProxies: env.TRUSTED_PROXIES ?? [],
    logLevel: env.LOG_LEVEL,
    rateLimits: {
      signIn: env.RATE_LIMIT_SIGN_IN,
      oidc: env.RATE_LIMIT_OIDC,
      completions: env.RATE_LIMIT_COMPLETIONS,
      writes: env.RATE_LIMIT_WRITES,
      reads: env.RATE_LIMIT_READS,
      shareReads: env.RATE_LIMIT_SHARE_READS,
    },
  }
}

function toTls({ TLS, TLS_CERT, TLS_KEY }: Settings): Config['tls'] {
  if (TLS === 'local') return { kind: 'local' }
  if (TLS_CERT === undefined || TLS_KEY === undefined) return null
  return { kind: 'files', certificatePath: resolve(TLS_CERT), keyPath: resolve(TLS_KEY) }
}

/**
 * The name of the machine is only useful with TLS, because browsers refuse to sign in at `http://nas:3000`.
 */
function defaultUrl({ PORT, HOST }: Settings, tls: boolean, { hostName, isContainer }: Machine): string {
  if (!tls) return `http://localhost:${PORT}`
  const isReachable = !loopbackHosts.has(HOST) && !isContainer
  return `https://${(isReachable ? hostName : null) ?? 'localhost'}:${PORT}`
}

function toIdentityConfig(
  env: Settings,
  isLoopback: boolean,
): Pick<Config, 'oidc' | 'googleParams' | 'signUp' | 'allowedEmails' | 'google'> {
  return {
    oidc:
      env.OIDC_ISSUER === undefined
        ? null
        : { issuer: env.OIDC_ISSUER, clientId: env.OIDC_CLIENT_ID ?? '', audience: env.OIDC_AUDIENCE ?? '' },
    googleParams: Object.fromEntries(new URLSearchParams(env.OIDC_GOOGLE_PARAMS)),
    signUp: env.SIGN_UP ?? (isLoopback ? 'open' : 'closed'),
    allowedEmails: env.ALLOWED_EMAILS ?? [],
    google:
      env.GOOGLE_CLIENT_ID === undefined
        ? null
        : {
            issuer: env.GOOGLE_ISSUER,
            clientId: env.GOOGLE_CLIENT_ID,
            clientSecret: env.GOOGLE_CLIENT_SECRET ?? '',
          },
  }
}

function databasePorts(databaseUrl: string | undefined): readonly number[] {
  return databaseUrl === undefined ? [] : [Number(new URL(withHost(databaseUrl)).port || postgresPort)]
}

function nullIfNone(setting: string): string | null {
  return setting === 'none' ? null : setting
}

/**
 * Reads the settings with `readEnvironment` and parses them.
 * @throws ConfigError when settings are wrong, or `.env` cannot be read
 */
export function readConfig(given: Environment = {}): Config {
  const { environment, problem } = readEnvironment(given)
  if (problem !== null) throw new ConfigError(`Yonder cannot run: ${describeProblem(problem)}`)
  return parseConfig(environment, readMachine())
}

/** Node reads this setting only when it starts, before `.env` is read. */
const settingOfNode = 'NODE_EXTRA_CA_CERTS'

export interface ReadEnvironment {
  readonly environment: Environment
  /** Why `.env` could not be read. */
  readonly problem: SettingProblem | null
  /** The settings in `.env` that have no effect there, and are not in `environment`. */
  readonly ignored: readonly string[]
}

/**
 * Reads the environment of the process and, for what is not set there, `.env` in the working folder. `given`, the
 * options of a command, has precedence over both.
 */
export function readEnvironment(given: Environment = {}): ReadEnvironment {
  const wasSet = process.env[settingOfNode] !== undefined
  const problem = loadEnvFile()
  removeByteOrderMark(process.env)
  const options = Object.entries(given).filter(([, value]) => value !== undefined)
  const environment: Environment = { ...process.env, ...Object.fromEntries(options) }
  if (wasSet || environment[settingOfNode] === undefined) return { environment, problem, ignored: [] }
  return { environment: { ...environment, [settingOfNode]: undefined }, problem, ignored: [settingOfNode] }
}

function loadEnvFile(): SettingProblem | null {
  try {
    process.loadEnvFile('.env')
    return null
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    return {
      name: '.env',
      message: `cannot be read (${error instanceof Error ? error.message : String(error)})`,
    }
  }
}

/** Some editors begin a file with a byte order mark, which Node makes a part of the first setting's name. */
export function removeByteOrderMark(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('\uFEFF')) continue
    delete env[name]
    env[name.slice(1)] ??= value
  }
}
