import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { errorCode } from '../lib/describe-error.ts'
import { createNoProxy, type OutgoingProxies } from '../lib/outgoing-proxies.ts'
import { trimSlashes } from '../lib/text.ts'
import { defaultApiKeyServices } from './api-key-service.ts'
import { readCertificateFiles, type CertificatePaths } from './certificate-files.ts'
import { findDataFolder } from './data-folder.ts'
import { readMachine, unknownMachine, type Machine } from './machine.ts'
import { withHost } from './setting-values.ts'
import { Settings } from './settings.ts'
import { findUnknownSettings } from './unknown-settings.ts'

/** What the settings mean. */
export type Config = ReturnType<typeof toConfig>

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

/** Creates the error that lists wrong settings, and then those without effect. */
export function createSettingsError(
  problems: readonly SettingProblem[],
  warnings: readonly string[] = [],
): ConfigError {
  const lines = [...problems.map(describeProblem), ...warnings].map((text) => `  ${text}`)
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
  const { settings, wrong } = parseEach(withProxySettings(environment))
  const problems = [
    ...wrong,
    ...findConflicts(settings).filter(
      ({ name, related }) => !wrong.some((one) => one.name === name || one.name === related),
    ),
  ]
  return { config: toConfig(settings, machine), problems }
}

/** Most programs read these variables in small letters too, and prefer them. */
function withProxySettings(environment: Environment): Environment {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']
  const small = names.map((name) => [name, environment[name.toLowerCase()] ?? environment[name]])
  return { ...environment, ...Object.fromEntries(small) }
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
  return [...problems, ...findTlsConflicts(env), ...findUnreadableFiles(env)]
}

/** Files that the driver of PostgreSQL reads, by their parameter in the address. */
const postgresFiles = ['sslrootcert', 'sslcert', 'sslkey']

function findUnreadableFiles({ DATABASE_URL }: Settings): SettingProblem[] {
  const parameters = new URLSearchParams(DATABASE_URL?.split('?')[1])
  return postgresFiles.flatMap((name) => {
    const path = parameters.get(name)
    if (path === null) return []
    try {
      readFileSync(path)
      return []
    } catch (error) {
      const message = `has ${name}=${path}, a file that cannot be read (${errorCode(error)})`
      return [{ name: 'DATABASE_URL', message }]
    }
  })
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
  const label = TLS === 'local' && PUBLIC_URL !== undefined ? singleLabelOf(PUBLIC_URL) : null
  if (label !== null)
    problems.push({
      name: 'PUBLIC_URL',
      message: `cannot be ${label} with TLS=local, because an authority for this name could certify every name that ends with .${label}. Use ${label}.local, the address of this machine, or your own certificate (TLS_CERT)`,
    })
  if (TLS_CERT !== undefined && TLS_KEY !== undefined) {
    const read = readCertificateFiles({ certificatePath: TLS_CERT, keyPath: TLS_KEY })
    if ('name' in read) problems.push(read)
  }
  return problems
}

/** The host of an origin when it is a name of one label; null for `localhost`, an address and every other name. */
function singleLabelOf(origin: string): string | null {
  const name = new URL(origin).hostname.replace(/\.$/, '')
  return /[.:]/.test(name) || name === 'localhost' ? null : name
}

const loopbackHosts = new Set(['127.0.0.1', 'localhost', '::1', '[::1]'])
const postgresPort = 5432
const localOllama = 'http://127.0.0.1:11434'

/** The id of the built-in demo share. */
export const builtInDemoShareId = 'demo'

function toConfig(env: Settings, machine: Machine) {
  const { PORT: port, HOST: host } = env
  const tls = toTls(env)
  const publicUrl = new URL(env.PUBLIC_URL ?? defaultUrl(env, tls !== null, machine))
  const isLoopback = loopbackHosts.has(host) && loopbackHosts.has(publicUrl.hostname)
  const signUp: 'open' | 'closed' = env.SIGN_UP ?? (isLoopback ? 'open' : 'closed')
  const ownPorts: readonly number[] = [port, ...databasePorts(env.DATABASE_URL)]
  return {
    port,
    host,
    /** Whether only this machine can reach the server: both `host` and `publicUrl` are loopback addresses. */
    isLoopback,
    /** The origin that users open, without a path. */
    publicUrl: publicUrl.origin,
    /** Where push services reach the operator, as `mailto:` or `https:`. */
    pushContact:
      env.PUSH_CONTACT ??
      (publicUrl.protocol === 'https:' ? publicUrl.origin : `mailto:admin@${publicUrl.hostname}`),
    /** The certificate with which this process speaks https itself: one that it makes, or files. Null without TLS. */
    tls,
    /** Whether the process runs in a container, whose `localhost` is not the machine that the operator sees. */
    isContainer: machine.isContainer,
    /** Whether browsers must use https for all subdomains too. */
    hstsSubdomains: env.HSTS_INCLUDE_SUBDOMAINS,
    dataDir: resolve(env.DATA_DIR ?? findDataFolder()),
    databaseUrl: env.DATABASE_URL ?? null,
    /** The OpenID provider that the operator has set; null means the built-in one. */
    oidc:
      env.OIDC_ISSUER === undefined
        ? null
        : {
            issuer: env.OIDC_ISSUER,
            clientId: env.OIDC_CLIENT_ID ?? '',
            audience: env.OIDC_AUDIENCE ?? '',
            /** The name on the button; null means that users sign in with Google there. */
            name: env.OIDC_PROVIDER_NAME ?? null,
            /** Parameters that every sign-in adds to the authorization request. */
            params: Object.fromEntries(new URLSearchParams(env.OIDC_PARAMS)),
          },
    /** Parameters that 'Sign in with Google' adds to the authorization request. */
    googleParams: Object.fromEntries(new URLSearchParams(env.OIDC_GOOGLE_PARAMS ?? defaultGoogleParams(env))),
    signUp,
    allowedEmails: env.ALLOWED_EMAILS ?? [],
    /** The OAuth client at Google, for sign-in, Gmail and Calendar. */
    google:
      env.GOOGLE_CLIENT_ID === undefined
        ? null
        : {
            issuer: env.GOOGLE_ISSUER,
            clientId: env.GOOGLE_CLIENT_ID,
            clientSecret: env.GOOGLE_CLIENT_SECRET ?? '',
          },
    /** Addresses of Google's consent page, token endpoints and APIs. Those of the APIs have no slash at the end. */
    googleApis: {
      authUrl: env.GOOGLE_AUTH_URL,
      tokenUrl: env.GOOGLE_TOKEN_URL,
      revokeUrl: env.GOOGLE_REVOKE_URL,
      gmailUrl: trimSlashes(env.GMAIL_API_URL),
      calendarUrl: trimSlashes(env.GOOGLE_CALENDAR_API_URL),
    },
    /** Services that users connect with a key of their own. */
    apiKeyServices: env.API_KEY_SERVICES ?? defaultApiKeyServices,
    /** Null means the key in `dataDir`. */
    secretKey: env.SECRET_KEY ?? null,
    /** The provider of bots without an address of their own; null means that these have only the demo model. */
    defaultModel:
      env.DEFAULT_MODEL_BASE_URL === undefined
        ? null
        : { baseUrl: env.DEFAULT_MODEL_BASE_URL, apiKey: env.DEFAULT_MODEL_API_KEY ?? null },
    /** Null means the demo bot, or no bot when `defaultModel` is set. */
    defaultBots: env.DEFAULT_BOTS ?? null,
    /** Prices that the operator has set. They take precedence over the shipped ones. */
    modelPrices: env.MODEL_PRICES ?? [],
    /** The share of a context window above which the older messages of a chat are summarised. */
    compactAt: env.COMPACT_AT,
    drainMs: env.DRAIN_SECONDS * 1_000,
    /** The Ollama whose models are offered; null offers none. */
    ollamaUrl: nullIfNone(env.OLLAMA_URL ?? (isLoopback ? localOllama : 'none')),
    /** Whether `OLLAMA_URL` is set, if only to `none`. */
    ollamaIsSet: env.OLLAMA_URL !== undefined,
    /** Limits on the addresses that users and other servers may supply (`http/outgoing/address-policy.ts`). */
    outgoing: {
      allowedPrivateHosts: env.ALLOWED_PRIVATE_HOSTS ?? [],
      isLoopbackInstallation: isLoopback,
      /** Ports of this process and its database. */
      ownPorts,
      isContainer: machine.isContainer,
      /** Null means that every server is reached directly. */
      proxies: toProxies(env),
    },
    maxCallMs: env.MAX_CALL_SECONDS * 1_000,
    /** What users may not allow (`connectors/tools/operator-ceilings.ts`). */
    ceilings: {
      alwaysAsk: env.TOOLS_ALWAYS_ASK ?? [],
      blocked: env.TOOLS_BLOCKED ?? [],
      /** The longest that an allowance of a tool lasts, in hours; null for no limit. */
      maxGrantHours: env.MAX_GRANT_HOURS ?? null,
    },
    /** The catalogue behind Browse Connectors; null means that only the shipped list is shown. */
    connectorRegistryUrl: nullIfNone(env.CONNECTOR_REGISTRY_URL),
    /** The address of the operator's OAuth client document, for authorization servers of connectors; null without one. */
    connectorClientMetadataUrl: env.CONNECTOR_CLIENT_METADATA_URL ?? null,
    /** The id of the share behind 'See Demo'; null means that there is no such link. */
    demoShareId: nullIfNone(env.DEMO_SHARE_ID),
    /** In bytes. */
    files: {
      maxFile: Math.floor(env.MAX_FILE_MB * 1_000_000),
      /** Of all files of a user. */
      quota: Math.floor(env.MAX_USER_FILES_MB * 1_000_000),
    },
    /** Of the files of one import together, in bytes. */
    maxImport: Math.floor(env.IMPORT_MAX_MB * 1_000_000),
    /** Whether users may delete their data themselves. */
    selfService: env.SELF_SERVICE === 'on',
    sourceUrl: env.SOURCE_URL,
    metricsToken: env.METRICS_TOKEN ?? null,
    /** Addresses or networks whose `X-Forwarded-For` is trusted. */
    trustedProxies: env.TRUSTED_PROXIES ?? [],
    logLevel: env.LOG_LEVEL,
    /** Requests per minute. */
    rateLimits: {
      signIn: env.RATE_LIMIT_SIGN_IN,
      oidc: env.RATE_LIMIT_OIDC,
      completions: env.RATE_LIMIT_COMPLETIONS,
      writes: env.RATE_LIMIT_WRITES,
      reads: env.RATE_LIMIT_READS,
      shareReads: env.RATE_LIMIT_SHARE_READS,
    },
  } as const
}

function toProxies({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY = '' }: Settings): OutgoingProxies | null {
  if (HTTPS_PROXY === undefined && HTTP_PROXY === undefined) return null
  return { https: HTTPS_PROXY ?? null, http: HTTP_PROXY ?? null, isDirect: createNoProxy(NO_PROXY) }
}

/** Those of Auth0 and of the built-in provider. Another provider that has a name is not meant to be Google. */
function defaultGoogleParams({ OIDC_ISSUER, OIDC_PROVIDER_NAME }: Settings): string {
  return OIDC_ISSUER === undefined || OIDC_PROVIDER_NAME === undefined ? 'connection=google-oauth2' : ''
}

type TlsConfig = { readonly kind: 'local' } | ({ readonly kind: 'files' } & CertificatePaths) | null

function toTls({ TLS, TLS_CERT, TLS_KEY }: Settings): TlsConfig {
  if (TLS === 'local') return { kind: 'local' }
  if (TLS_CERT === undefined || TLS_KEY === undefined) return null
  return { kind: 'files', certificatePath: resolve(TLS_CERT), keyPath: resolve(TLS_KEY) }
}

/**
 * The name of the machine is only useful with TLS, because browsers refuse to sign in at `http://nas:3000`. A name of one
 * label is that of the machine in the local network.
 */
function defaultUrl({ PORT, HOST, TLS }: Settings, tls: boolean, { hostName, isContainer }: Machine): string {
  if (!tls) return `http://localhost:${PORT}`
  if (loopbackHosts.has(HOST) || isContainer || hostName === null) return `https://localhost:${PORT}`
  // A name of two labels such as `nas.dev` may be a domain of somebody else.
  const isWhole =
    TLS !== 'local' || hostName.split('.').length > 2 || /\.(?:local|lan|internal|localhost)$/.test(hostName)
  return `https://${isWhole ? hostName : `${hostName.split('.')[0]}.local`}:${PORT}`
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
  return readSettings(given).config
}

/** Like `readConfig`, and returns a sentence for each setting that has no effect. */
export function readSettings(given: Environment = {}): {
  readonly config: Config
  readonly warnings: readonly string[]
  /** The names of the settings in `.env`. */
  readonly namesInFile: readonly string[]
} {
  const { environment, problem, warnings, namesInFile } = readEnvironment(given)
  if (problem !== null) throw new ConfigError(`Yonder cannot run: ${describeProblem(problem)}`)
  const { config, problems } = inspectConfig(environment, readMachine())
  // A setting may be missing because its name is misspelled.
  if (problems.length > 0) throw createSettingsError(problems, warnings)
  return { config, warnings, namesInFile }
}

/** Node reads this setting only when it starts, before `.env` is read. */
const settingOfNode = 'NODE_EXTRA_CA_CERTS'

export interface ReadEnvironment {
  readonly environment: Environment
  /** Why `.env` could not be read. */
  readonly problem: SettingProblem | null
  /** A sentence for each setting that has no effect, because of its name or because it is in `.env`. */
  readonly warnings: readonly string[]
  /** The names of the settings in `.env`. */
  readonly namesInFile: readonly string[]
}

/**
 * Reads the environment of the process and, for what is not set there, `.env` in the working folder. `given`, the
 * options of a command, has precedence over both.
 */
export function readEnvironment(given: Environment = {}): ReadEnvironment {
  const wasSet = process.env[settingOfNode] !== undefined
  const { problem, names, ignored } = loadEnvFile()
  removeByteOrderMark(process.env)
  const options = Object.entries(given).filter(([, value]) => value !== undefined)
  const environment: Environment = { ...process.env, ...Object.fromEntries(options) }
  const warnings = [
    ...findUnknownSettings(process.env, names),
    ...ignored.map(
      (name) =>
        `${name} has no effect in .env, because it would change Node itself. Set it in the environment of the server.`,
    ),
  ]
  if (wasSet || environment[settingOfNode] === undefined)
    return { environment, problem, warnings, namesInFile: names }
  const unread = `${settingOfNode} has no effect in .env, because Node reads it only when it starts. Set it in the environment of the server.`
  return {
    environment: { ...environment, [settingOfNode]: undefined },
    problem,
    warnings: [...warnings, unread],
    namesInFile: names,
  }
}

/** They would turn off the check of certificates, or run other code. */
const unsafeInFile: ReadonlySet<string> = new Set(['NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_OPTIONS'])

/**
 * Returns why `.env` is not read, as the end of a sentence: another user could choose where keys and chats are sent.
 * `sudo` counts as the user who called it. In a container, the users of the host have other numbers.
 */
export function findEnvFileProblem(
  { uid, gid, mode }: { readonly uid: number; readonly gid: number; readonly mode: number },
  { user, groups, isContainer } = readProcessUser(),
): string | undefined {
  if (user === undefined) return undefined
  const isForeign = !isContainer && uid !== 0 && uid !== user && process.env['SUDO_UID'] !== String(uid)
  if (isForeign)
    return `is not read, because it belongs to another user (${uid}). Check what is in it. If it is yours, run: chown ${user} .env`
  const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !groups.includes(gid))
  return isOpen
    ? 'is not read, because other users of this machine can change it. Check what is in it, then run: chmod 600 .env'
    : undefined
}

function readProcessUser() {
  return {
    user: process.getuid?.(),
    groups: process.getgroups?.() ?? [],
    isContainer: readMachine().isContainer,
  }
}

/** Loads `.env` into the environment of the process, and returns the names in it. */
function loadEnvFile(): {
  readonly problem: SettingProblem | null
  readonly names: readonly string[]
  /** Names that were left out (`unsafeInFile`). */
  readonly ignored: readonly string[]
} {
  try {
    const message = findEnvFileProblem(statSync('.env'))
    if (message !== undefined) return { problem: { name: '.env', message }, names: [], ignored: [] }
    const names = Object.keys(parseEnv(readFileSync('.env', 'utf8').replace(/^\uFEFF/, '')))
    const ignored = names.filter((name) => unsafeInFile.has(name) && process.env[name] === undefined)
    process.loadEnvFile('.env')
    for (const name of ignored) delete process.env[name]
    return { problem: null, names: names.filter((name) => !ignored.includes(name)), ignored }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { problem: null, names: [], ignored: [] }
    const message = `cannot be read (${error instanceof Error ? error.message : String(error)})`
    return { problem: { name: '.env', message }, names: [], ignored: [] }
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
