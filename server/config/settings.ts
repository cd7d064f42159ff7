import { z } from 'zod'
import { ApiKeyServices } from './api-key-service.ts'
import { DefaultBots } from './default-bots.ts'
import { modelPrices } from './model-prices.ts'
import {
  contactUrl,
  emailList,
  fraction,
  hostList,
  httpUrl,
  issuedSecret,
  json,
  networkList,
  origin,
  ownHeaderSecret,
  ownSecret,
  perMinute,
  postgresUrl,
  proxyUrl,
  toolList,
  trueOrFalse,
} from './setting-values.ts'

/** How a setting is described in docs/operations/settings.md and .env.example. */
interface SettingInfo {
  /** What applies when the setting is unset, in markdown; "none" by default. Only for settings without a default value. */
  readonly otherwise?: string
  /** A value for .env.example; by default the default value. */
  readonly example?: string
  /** In markdown. */
  readonly description: string
}

interface DescribedSetting extends SettingInfo {
  readonly defaultValue?: string
}

const described = new Map<z.ZodType, DescribedSetting>()

/** An optional setting. An empty value counts as unset. */
function optional<Schema extends z.ZodType>(
  schema: Schema,
  info: SettingInfo & { readonly example: string },
) {
  const setting = z.preprocess((value) => (value === '' ? undefined : value), schema.optional())
  described.set(setting, info)
  return setting
}

/** A setting with a default value, which is written as in the environment. */
function withDefault<Schema extends z.ZodType>(schema: Schema, defaultValue: string, info: SettingInfo) {
  const setting = z.preprocess(
    (value) => (value === '' || value === undefined ? defaultValue : value),
    schema,
  )
  described.set(setting, { ...info, defaultValue })
  return setting
}

const megabytes = (max: number) => z.coerce.number('must be a number of megabytes').min(1).max(max)

const drainRule = 'must be a whole number from 0 to 3600'

const server = {
  PORT: withDefault(z.coerce.number('must be a port').int().min(0).max(65_535), '3000', {
    description: 'The port to listen on.',
  }),
  HOST: withDefault(z.string(), '127.0.0.1', {
    description:
      'The network address to listen on. `0.0.0.0` accepts connections from other machines, as in a container.',
  }),
  PUBLIC_URL: optional(origin, {
    otherwise:
      '`http://localhost:` and the port; with TLS `https://`, and the name of this machine, such as `nas.local`, unless `HOST` is a loopback address or this is a container',
    example: 'http://localhost:3000',
    description:
      'The address that users open. Requests to any other host name are refused, but pages opened at localhost, 127.0.0.1 or [::1], and with `TLS=local` under other names of this machine, are redirected to this address.',
  }),
  TLS: withDefault(z.enum(['off', 'local'], 'must be off or local'), 'off', {
    description:
      '`local` serves `https` with a certificate for this machine that Yonder makes and renews in `DATA_DIR/tls`, like `yonder start --tls`. [How devices trust it](tls.md#a-certificate-of-its-own)',
  }),
  TLS_CERT: optional(z.string(), {
    example: '/etc/ssl/chat.example.com/fullchain.pem',
    description:
      'The file of your own certificate with its chain, as PEM, to serve `https` without a proxy. When the file changes, the new certificate is used within an hour.',
  }),
  TLS_KEY: optional(z.string(), {
    otherwise: 'none; needed with `TLS_CERT`',
    example: '/etc/ssl/chat.example.com/privkey.pem',
    description: 'The file of the key of that certificate, as PEM without a passphrase.',
  }),
  HSTS_INCLUDE_SUBDOMAINS: withDefault(trueOrFalse, 'false', {
    description:
      'With `https`, whether browsers must use `https` for all subdomains of `PUBLIC_URL` too. Services there that have only `http` become unreachable.',
  }),
  TRUSTED_PROXIES: optional(networkList, {
    example: '127.0.0.1',
    description: 'Addresses or networks of proxies whose `X-Forwarded-For` is trusted.',
  }),
  LOG_LEVEL: withDefault(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info', {
    description:
      'The least severe messages that are logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace`, or `silent` for none. At `info` there is one JSON line per request.',
  }),
  DRAIN_SECONDS: withDefault(
    z.coerce.number(drainRule).int(drainRule).min(0, drainRule).max(3_600, drainRule),
    '60',
    {
      description:
        'How long the process lets running replies end when it is stopped with SIGTERM or SIGINT. Until then it takes no new replies. A second signal ends it at once. What stops the process, such as systemd, must wait longer.',
    },
  ),
  METRICS_TOKEN: optional(ownHeaderSecret(16), {
    otherwise: 'this machine only',
    example: 'at-least-16-characters',
    description:
      'Lets other machines read `/metrics` with this bearer token. Create it with `openssl rand -hex 32`.',
  }),
}

const outgoing = {
  HTTPS_PROXY: optional(proxyUrl, {
    example: 'http://proxy.example.com:3128',
    description:
      'The proxy for requests to `https` addresses, also `https_proxy`. [What it decides](models.md#through-a-proxy)',
  }),
  HTTP_PROXY: optional(proxyUrl, {
    example: 'http://proxy.example.com:3128',
    description: 'The proxy for requests to `http` addresses, also `http_proxy`.',
  }),
  NO_PROXY: optional(z.string(), {
    example: '.example.com,10.0.0.0/8',
    description:
      'Names with those below them, addresses and networks, each perhaps with `:port`, that are reached without a proxy, also `no_proxy`. This machine always is.',
  }),
}

const storage = {
  DATA_DIR: optional(z.string(), {
    otherwise:
      '`./data` in a clone and where it has data already; else the [data folder of the user](start.md#data-folder)',
    example: './data',
    description: 'The folder of the SQLite file and of the key that the first start creates.',
  }),
  DATABASE_URL: optional(postgresUrl, {
    otherwise: 'SQLite in `DATA_DIR`',
    example: 'postgres://yonder:password@127.0.0.1:5432/yonder',
    description: 'The address of a PostgreSQL database to use instead of SQLite.',
  }),
  SECRET_KEY: optional(ownSecret(32), {
    otherwise: 'created and stored in `DATA_DIR`',
    example: 'at-least-32-characters-the-same-on-every-node',
    description:
      'Encrypts stored keys and tokens. It must be the same on every node. Create it with `openssl rand -hex 32`. [How to change it](backup.md#change-the-key)',
  }),
}

const signIn = {
  SIGN_UP: optional(z.enum(['open', 'closed'], 'must be open or closed'), {
    otherwise: '`open` while `HOST` and `PUBLIC_URL` are loopback addresses, else `closed`',
    example: 'open',
    description:
      'Whether everyone may create a local account. While it is closed and there is no account, the start prints a link that creates the first one.',
  }),
  ALLOWED_EMAILS: optional(emailList, {
    example: 'ada@example.com,grace@example.com',
    description: 'E-mail addresses that may create an account although sign-up is closed.',
  }),
}

const hostedSignIn = {
  OIDC_ISSUER: optional(httpUrl, {
    otherwise: 'the built-in provider',
    example: 'https://example.eu.auth0.com/',
    description:
      'The issuer of an OpenID provider to sign in with instead of the built-in one. [Entra, Keycloak, Authentik, Zitadel, Auth0, Okta](sign-in.md)',
  }),
  OIDC_CLIENT_ID: optional(z.string(), {
    otherwise: 'none; needed with `OIDC_ISSUER`',
    example: 'your-client-id',
    description: 'The id of the public client that is registered with that provider.',
  }),
  OIDC_AUDIENCE: optional(z.string(), {
    otherwise: 'none; needed with `OIDC_ISSUER`',
    example: 'https://yonder.example.com/api',
    description: 'The audience of the access tokens. For most providers it must differ from the client id.',
  }),
  OIDC_ALLOW_CLIENT_ID_AUDIENCE: withDefault(trueOrFalse, 'false', {
    description: 'Accepts an audience that is the client id, for providers that offer no other.',
  }),
  OIDC_PROVIDER_NAME: optional(z.string().max(60), {
    otherwise: 'Google',
    example: 'Contoso',
    description:
      "The name on the button: 'Sign in with Contoso'. With it, 'Sign in with Google' is a second button, and only with `OIDC_GOOGLE_PARAMS`.",
  }),
  OIDC_PARAMS: optional(z.string(), {
    example: 'scope=api://your-api-id/access&prompt=select_account',
    description:
      'Parameters that every sign-in adds to the authorization request. A `scope` is added to `openid profile email offline_access`.',
  }),
  OIDC_GOOGLE_PARAMS: optional(z.string(), {
    otherwise: '`connection=google-oauth2`; none with `OIDC_PROVIDER_NAME`',
    example: 'connection=google-oauth2',
    description: "Parameters that 'Sign in with Google' adds to the authorization request.",
  }),
}

const google = {
  GOOGLE_CLIENT_ID: optional(z.string(), {
    example: 'your-client-id',
    description:
      "Your OAuth client at Google, for Gmail, Google Calendar, and 'Sign in with Google' at the built-in provider. [What to register](google.md)",
  }),
  GOOGLE_CLIENT_SECRET: optional(issuedSecret, {
    otherwise: 'none; needed with `GOOGLE_CLIENT_ID`',
    example: 'your-client-secret',
    description: 'The secret of that client.',
  }),
  GOOGLE_ISSUER: withDefault(httpUrl, 'https://accounts.google.com', {
    description:
      'The issuer to sign in with. Change this and the addresses below only if this server cannot reach Google directly, such as in a closed network.',
  }),
  GOOGLE_AUTH_URL: withDefault(httpUrl, 'https://accounts.google.com/o/oauth2/v2/auth', {
    description: "The address of Google's consent page.",
  }),
  GOOGLE_TOKEN_URL: withDefault(httpUrl, 'https://oauth2.googleapis.com/token', {
    description: "The address of Google's token endpoint.",
  }),
  GOOGLE_REVOKE_URL: withDefault(httpUrl, 'https://oauth2.googleapis.com/revoke', {
    description: "The address of Google's revocation endpoint.",
  }),
  GMAIL_API_URL: withDefault(httpUrl, 'https://gmail.googleapis.com', {
    description: 'The Gmail API.',
  }),
  GOOGLE_CALENDAR_API_URL: withDefault(httpUrl, 'https://www.googleapis.com/calendar/v3', {
    description: 'The Google Calendar API.',
  }),
}

const models = {
  DEFAULT_MODEL_BASE_URL: optional(httpUrl, {
    otherwise: 'the demo model',
    example: 'https://openrouter.ai/api/v1',
    description: 'The model provider of bots without an address of their own.',
  }),
  DEFAULT_MODEL_API_KEY: optional(issuedSecret, {
    example: 'your-key',
    description: 'The key for that provider. It is sent nowhere else.',
  }),
  DEFAULT_BOTS: optional(json(DefaultBots, 'a JSON list of bots'), {
    otherwise: 'the demo bot; none once a provider is set',
    example: '[{"name":"Claude","model":"anthropic/claude-sonnet-4.5"}]',
    description: 'Bots that every new user gets, as JSON. [The fields](models.md#bots-for-everyone)',
  }),
  MODEL_PRICES: optional(modelPrices, {
    otherwise: 'the shipped prices, for models at the addresses of known providers',
    example: '[{"model":"llama-3.3-70b","currency":"USD","input":0.5,"output":0.75}]',
    description:
      'Prices of models for a million tokens, as JSON or as the path of a JSON file. They take precedence over the shipped ones. [The fields](models.md#prices)',
  }),
  COMPACT_AT: withDefault(fraction(0.2, 0.95), '0.8', {
    description:
      "The share of a model's context window above which the older messages of a chat are summarised, from 0.2 to 0.95.",
  }),
  OLLAMA_URL: optional(z.union([z.literal('none'), httpUrl], 'must be an http or https address, or none'), {
    otherwise: '`http://127.0.0.1:11434` while `HOST` and `PUBLIC_URL` are loopback addresses, else `none`',
    example: 'http://127.0.0.1:11434',
    description:
      'The address of an Ollama whose models are offered in Add Bot. An address inside your network needs `ALLOWED_PRIVATE_HOSTS` as well, except on a loopback installation. `none` offers nothing. [In a container](containers.md#ollama-on-the-host)',
  }),
}

const notifications = {
  PUSH_CONTACT: optional(contactUrl, {
    otherwise: '`PUBLIC_URL` when it begins with `https`, else `mailto:admin@` and its host',
    example: 'mailto:admin@example.com',
    description:
      'Where push services reach you about notifications that you send, as `mailto:` or `https:`. Apple refuses one that does not look real, such as `mailto:admin@localhost`.',
  }),
}

const connectors = {
  ALLOWED_PRIVATE_HOSTS: optional(hostList, {
    example: '192.168.1.20:11434',
    description:
      'Addresses inside your network that bots, connectors, webhooks and notifications may reach, as `host:port,…`. `*` as the port allows every port.',
  }),
  API_KEY_SERVICES: optional(json(ApiKeyServices, 'a JSON list of services'), {
    otherwise: 'Tavily, Exa, Firecrawl, Jina, Context7 and GitHub',
    example: '[{"name":"our-search","url":"https://search.example.com/mcp","header":"X-API-Key"}]',
    description:
      'Hosted MCP servers that users connect with a key of their own, as JSON. `[]` offers none. [The fields](models.md#services-with-a-key)',
  }),
  MAX_CALL_SECONDS: withDefault(
    z.coerce.number('must be a number of seconds').int().min(60).max(86_400),
    '1800',
    {
      description:
        'How long one call of a tool may take, in seconds, and the longest time limit of a connector. Time that a call waits for its user does not count.',
    },
  ),
  TOOLS_ALWAYS_ASK: optional(toolList, {
    example: 'pay.example.com,google-gmail/send_*',
    description:
      'Tools whose every call a user must approve, as `host` or `host/tool,…`: the host of a connector, perhaps with a port, `*` for all, or `default`, `google-gmail` or `google-calendar`. A tool may end in `*`.',
  }),
  TOOLS_BLOCKED: optional(toolList, {
    example: 'files.example.com/delete_*',
    description: 'Tools that are not offered and never run, in the same form.',
  }),
  MAX_GRANT_HOURS: optional(
    z.coerce
      .number('must be a number of hours')
      .positive('must be more than 0')
      .max(87_600, 'must be at most 87600, which is ten years'),
    {
      otherwise: 'no limit',
      example: '24',
      description: 'After how many hours a tool that a user has allowed asks again.',
    },
  ),
  CONNECTOR_REGISTRY_URL: withDefault(
    z.union([z.literal('none'), httpUrl], 'must be an http or https address, or none'),
    'https://registry.modelcontextprotocol.io',
    {
      description: 'The MCP registry behind Browse Connectors. `none` shows only the list that is shipped.',
    },
  ),
  CONNECTOR_CLIENT_METADATA_URL: optional(httpUrl, {
    example: 'https://chat.example.com/oauth-client.json',
    description:
      'The URL of your OAuth client metadata document, for connectors whose authorization server reads one. [The document](models.md#connectors-with-oauth)',
  }),
}

const pages = {
  DEMO_SHARE_ID: withDefault(
    z.string().regex(/^[\w-]{1,64}$/, 'must be the id of a share, or none'),
    'demo',
    {
      description: "The shared chat behind 'See Demo'. `demo` is a built-in chat; `none` hides the link.",
    },
  ),
  MAX_FILE_MB: withDefault(megabytes(1_000), '25', {
    description: 'The most that one attached file may have, in megabytes.',
  }),
  MAX_USER_FILES_MB: withDefault(megabytes(1_000_000), '1000', {
    description: 'The most that all files of a user may have together, in megabytes.',
  }),
  IMPORT_MAX_MB: withDefault(megabytes(100_000), '1024', {
    description: 'The most that the files of one import may have together, in megabytes.',
  }),
  SELF_SERVICE: withDefault(z.enum(['on', 'off'], 'must be on or off'), 'off', {
    description:
      'Whether users may delete and export their chats, and delete their account. While it is `off`, the legal pages say so, and chats can only be archived.',
  }),
  SOURCE_URL: withDefault(httpUrl, 'https://github.com/yonder-chat/yonder', {
    description: 'The address of the source code, which the app links to.',
  }),
}

const rateLimits = {
  RATE_LIMIT_SIGN_IN: withDefault(perMinute, '10', {
    description:
      'Failed attempts to sign in, to create an account or to change a password at the built-in sign-in, together, per IP address. Right passwords do not count; ten times as many accounts may be created.',
  }),
  RATE_LIMIT_OIDC: withDefault(perMinute, '600', {
    description:
      'Requests to the pages of the built-in sign-in, of which a sign-in needs three, and failed ones for tokens, per IP address. Users behind one address share it.',
  }),
  RATE_LIMIT_COMPLETIONS: withDefault(perMinute, '30', {
    description:
      'Messages per user. The same number limits the replies that a user has in progress at once, and the tests of bots.',
  }),
  RATE_LIMIT_WRITES: withDefault(perMinute, '120', { description: 'Other changes per user.' }),
  RATE_LIMIT_READS: withDefault(perMinute, '1200', { description: 'Reads per user.' }),
  RATE_LIMIT_SHARE_READS: withDefault(perMinute, '60', {
    description: 'Reads of shared chats per IP address.',
  }),
}

/** Every setting, under its name in the environment. */
export const Settings = z.object({
  ...server,
  ...outgoing,
  ...storage,
  ...signIn,
  ...hostedSignIn,
  ...google,
  ...models,
  ...notifications,
  ...connectors,
  ...pages,
  ...rateLimits,
})
export type Settings = z.infer<typeof Settings>

const sections: readonly (readonly [title: string, settings: Readonly<Record<string, z.ZodType>>])[] = [
  ['Server', server],
  ['Proxy for outgoing requests', outgoing],
  ['Storage', storage],
  ['Built-in sign-in', signIn],
  ['Sign-in with a provider of your own', hostedSignIn],
  ['Google', google],
  ['Models and bots', models],
  ['Notifications', notifications],
  ['Connectors', connectors],
  ['Pages', pages],
  ['Rate limits (requests per minute)', rateLimits],
]

/** All settings by section, for the documentation (`scripts/write-settings-docs.mjs`). */
export function describeSettings() {
  return sections.map(([title, settings]) => ({
    title,
    settings: Object.entries(settings).map(([name, schema]) => {
      const info = described.get(schema)
      if (info === undefined) throw new Error(`The setting ${name} has no description.`)
      const { defaultValue, otherwise = 'none', example = defaultValue ?? '', description } = info
      return { name, defaultValue, otherwise, example, description }
    }),
  }))
}
