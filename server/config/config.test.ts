import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listProblems } from '../testing/list-problems.ts'
import { moduleUrl } from '../testing/program-path.ts'
import { runScript } from '../testing/run-script.ts'
import { findEnvFileProblem, parseConfig, removeByteOrderMark } from './config.ts'

it('has a default for every setting', () => {
  expect(parseConfig({})).toMatchObject({
    port: 3000,
    host: '127.0.0.1',
    isLoopback: true,
    publicUrl: 'http://localhost:3000',
    pushContact: 'mailto:admin@localhost',
    dataDir: join(process.cwd(), 'data'),
    databaseUrl: null,
    oidc: null,
    google: null,
    googleApis: {
      authUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
      tokenUrl: 'https://oauth2.googleapis.com/token',
      revokeUrl: 'https://oauth2.googleapis.com/revoke',
      gmailUrl: 'https://gmail.googleapis.com',
      calendarUrl: 'https://www.googleapis.com/calendar/v3',
    },
    secretKey: null,
    signUp: 'open',
    defaultModel: null,
    defaultBots: null,
    modelPrices: [],
    ollamaUrl: 'http://127.0.0.1:11434',
    outgoing: {
      allowedPrivateHosts: [],
      isLoopbackInstallation: true,
      ownPorts: [3000],
      isContainer: false,
      proxies: null,
    },
    demoShareId: 'demo',
    metricsToken: null,
    drainMs: 60_000,
    logLevel: 'info',
    rateLimits: { signIn: 10, completions: 30, writes: 120, reads: 1200, shareReads: 60 },
  })
})

it('treats an empty setting as absent', () => {
  const names = [
    'PORT',
    'HOST',
    'PUBLIC_URL',
    'DATABASE_URL',
    'SIGN_UP',
    'SECRET_KEY',
    'DEFAULT_BOTS',
    'LOG_LEVEL',
  ]
  expect(parseConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(parseConfig({}))
})

it('lists every problem at once, with the names of the settings', () => {
  const problems = listProblems({
    PORT: '70000',
    PUBLIC_URL: 'ftp://example.com',
    DATABASE_URL: 'mysql://localhost/x',
    SIGN_UP: 'maybe',
    SECRET_KEY: 'short',
    ALLOWED_EMAILS: 'ada@example.com,nobody',
    ALLOWED_PRIVATE_HOSTS: '10.0.0.1',
    DEFAULT_BOTS: '{',
    METRICS_TOKEN: 'short',
    LOG_LEVEL: 'loud',
    RATE_LIMIT_WRITES: '0',
  })
  const names = problems.map((line) => /^ {2}([A-Z_]+)/.exec(line)?.[1])
  expect(names).toEqual(
    expect.arrayContaining([
      'PORT',
      'PUBLIC_URL',
      'DATABASE_URL',
      'SIGN_UP',
      'SECRET_KEY',
      'ALLOWED_EMAILS',
      'ALLOWED_PRIVATE_HOSTS',
      'DEFAULT_BOTS',
      'METRICS_TOKEN',
      'LOG_LEVEL',
      'RATE_LIMIT_WRITES',
    ]),
  )
})

it.each<[string, Readonly<Record<string, string>>, string]>([
  ['an issuer without a client', { OIDC_ISSUER: 'https://id.example', OIDC_AUDIENCE: 'a' }, 'OIDC_CLIENT_ID'],
  [
    'an issuer without an audience',
    { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'c' },
    'OIDC_AUDIENCE',
  ],
  ["half of Google's client", { GOOGLE_CLIENT_ID: 'g' }, 'GOOGLE_CLIENT_ID'],
  ["the other half of Google's client", { GOOGLE_CLIENT_SECRET: 'g' }, 'GOOGLE_CLIENT_ID'],
  ['a key for no provider', { DEFAULT_MODEL_API_KEY: 'k' }, 'DEFAULT_MODEL_BASE_URL'],
  ['an address with a path', { PUBLIC_URL: 'https://example.com/chat' }, 'PUBLIC_URL'],
])('refuses %s', (_, environment, name) => {
  const problems = listProblems(environment)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(`${name}: `)
})

it.each<[string, Readonly<Record<string, string>>]>([
  ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '127.0.0.1,nonsense' }],
  ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '10.0.0.0/33' }],
  ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '::1/0' }],
  ['DATABASE_URL', { DATABASE_URL: 'postgres://[bad' }],
  ['ALLOWED_PRIVATE_HOSTS', { ALLOWED_PRIVATE_HOSTS: '1.2.3.4:99999' }],
  ['PUBLIC_URL', { PUBLIC_URL: 'nonsense' }],
  ['PUBLIC_URL', { PUBLIC_URL: 'https://user:pw@chat.example' }],
  ['PUBLIC_URL', { PUBLIC_URL: 'https://chat.example/?a=1' }],
])('reports %s before the value is used', (name, environment) => {
  expect(listProblems(environment)).toEqual([expect.stringMatching(`^  ${name}(\\.\\d)?: must be`)])
})

it.each<[string, string, string]>([
  ['COMPACT_AT', '2', 'must be a number from 0.2 to 0.95'],
  ['COMPACT_AT', 'half', 'must be a number from 0.2 to 0.95'],
  ['RATE_LIMIT_READS', '0', 'must be a whole number, 1 or more'],
])('says which numbers %s can have instead of %s', (name, value, message) => {
  expect(listProblems({ [name]: value })).toEqual([`  ${name}: ${message}`])
})

it('reports conflicting settings also when others are invalid, each problem once', () => {
  const problems = listProblems({
    PORT: 'x',
    OIDC_ISSUER: 'https://id.example',
    DEFAULT_MODEL_API_KEY: 'k',
    DEFAULT_MODEL_BASE_URL: 'nowhere',
  })
  expect(problems.map((line) => line.trim().split(':')[0])).toEqual([
    'PORT',
    'DEFAULT_MODEL_BASE_URL',
    'OIDC_CLIENT_ID',
    'OIDC_AUDIENCE',
  ])
})

it('accepts the usual forms of proxies and sockets', () => {
  const TRUSTED_PROXIES = 'loopback, 127.0.0.1,10.0.0.0/8 ,fd00::/8'
  expect(parseConfig({ TRUSTED_PROXIES }).trustedProxies).toHaveLength(4)
  const DATABASE_URL = 'postgres://yonder:pw@/yonder?host=/var/run/postgresql'
  expect(parseConfig({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL)
})

it('never repeats a secret in an error message', () => {
  const problems = listProblems({
    PORT: 'x',
    SECRET_KEY: 'hush-hush',
    METRICS_TOKEN: 'hush',
    DEFAULT_MODEL_API_KEY: 'hush-hush-hush',
    DEFAULT_BOTS: '[{"name":"A","model":"m","api_key":"hush hush"}]',
  })
  expect(problems.length).toBeGreaterThan(3)
  expect(problems.join('\n')).not.toContain('hush')
})

it.each<[string, string, string]>([
  ['SECRET_KEY', 'abc', 'must have at least 32 characters. Create one with: openssl rand -hex 32'],
  ['SECRET_KEY', ' '.repeat(32), 'is blank. Create one with: openssl rand -hex 32'],
  ['SECRET_KEY', 'x'.repeat(64), 'repeats a few characters. Create one with: openssl rand -hex 32'],
  ['METRICS_TOKEN', 'abcdefgh'.repeat(2), 'repeats itself. Create one with: openssl rand -hex 32'],
  ['METRICS_TOKEN', 'abc', 'must have at least 16 characters. Create one with: openssl rand -hex 32'],
])('refuses the value of %s that can be guessed: %j', (name, value, message) => {
  expect(listProblems({ [name]: value })).toEqual([`  ${name}: ${message}`])
})

it.each(['SECRET_KEY', 'METRICS_TOKEN', 'GOOGLE_CLIENT_SECRET', 'DEFAULT_MODEL_API_KEY'])(
  'refuses the value of %s that .env.example shows',
  (name) => {
    const examples = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
    const example = new RegExp(`^#${name}=(.*)$`, 'm').exec(examples)?.[1] ?? ''
    expect(example).not.toBe('')
    expect(listProblems({ [name]: example }).join()).toContain(`${name}: is the text of an example. `)
  },
)

const strong = 'k9QvT2mXw7RzB4nJ'

it.each(
  ['METRICS_TOKEN', 'GOOGLE_CLIENT_SECRET', 'DEFAULT_MODEL_API_KEY'].flatMap((name) =>
    [
      `${strong}\n${strong}`,
      `${strong} ${strong}`,
      ` ${strong}`,
      `${strong}\r`,
      `${strong}ü`,
      `${strong}\u200b`,
    ].map((value) => [name, value] as const),
  ),
)('refuses a value of %s that no request can carry: %j', (name, value) => {
  const related = { GOOGLE_CLIENT_ID: 'id', DEFAULT_MODEL_BASE_URL: 'https://models.example' }
  const [problem = '', ...others] = listProblems({ ...related, GOOGLE_CLIENT_SECRET: strong, [name]: value })
  expect(others).toEqual([])
  expect(problem).toMatch(new RegExp(`^  ${name}: has a space, a line break or a character outside of ASCII`))
  expect(problem).not.toContain(strong)
})

it('opens sign-up on the local machine only, unless it is set otherwise', () => {
  expect(parseConfig({ HOST: '::1' })).toMatchObject({ isLoopback: true, signUp: 'open' })
  expect(parseConfig({ HOST: '0.0.0.0' })).toMatchObject({ isLoopback: false, signUp: 'closed' })
  expect(parseConfig({ HOST: '0.0.0.0', SIGN_UP: 'open' })).toMatchObject({ signUp: 'open' })
})

it('is not a local installation when others can reach its proxy', () => {
  expect(parseConfig({ PUBLIC_URL: 'https://chat.example' })).toMatchObject({
    isLoopback: false,
    signUp: 'closed',
  })
  for (const PUBLIC_URL of ['http://localhost:8080', 'http://127.0.0.1:3000', 'http://[::1]:3000']) {
    expect(parseConfig({ PUBLIC_URL })).toMatchObject({ isLoopback: true, signUp: 'open' })
  }
})

it('reads a public address as an origin, and uses the port when there is none', () => {
  expect(parseConfig({ PORT: '8080' }).publicUrl).toBe('http://localhost:8080')
  expect(parseConfig({ PUBLIC_URL: 'https://Chat.Example.com/' }).publicUrl).toBe('https://chat.example.com')
})

it('reads lists with spaces between their entries', () => {
  expect(parseConfig({ ALLOWED_EMAILS: ' Ada@Example.com , bob@example.com,' }).allowedEmails).toEqual([
    'ada@example.com',
    'bob@example.com',
  ])
  expect(
    parseConfig({ ALLOWED_PRIVATE_HOSTS: '127.0.0.1:*, [::1]:11434 ,ollama.lan:11434' }).outgoing
      .allowedPrivateHosts,
  ).toEqual(['127.0.0.1:*', '[::1]:11434', 'ollama.lan:11434'])
})

it('validates default bots like any other bot, and keeps their order', () => {
  const bots = [
    { name: 'B', model: 'm', api_type: 'anthropic', max_tokens: 5 },
    { name: 'A', model: 'm', base_url: 'https://models.example.com/v1' },
  ]
  expect(parseConfig({ DEFAULT_BOTS: JSON.stringify(bots) }).defaultBots).toEqual(bots)
})

it.each<[string, unknown, string]>([
  ['no list', { name: 'A', model: 'm' }, 'DEFAULT_BOTS'],
  ['a bot without a model', [{ name: 'A' }], 'DEFAULT_BOTS.0.model'],
  ['a misspelt field', [{ name: 'A', model: 'm', baseurl: 'https://x.example' }], 'DEFAULT_BOTS.0'],
  ['a wrong address', [{ name: 'A', model: 'm', base_url: 'x.example' }], 'DEFAULT_BOTS.0.base_url'],
  [
    'one name twice',
    [
      { name: 'A', model: 'm' },
      { name: ' A', model: 'n' },
    ],
    'DEFAULT_BOTS.1.name',
  ],
  ['the key of an example', [{ name: 'A', model: 'm', api_key: 'your-key' }], 'DEFAULT_BOTS.0.api_key'],
  ['a key with a space', [{ name: 'A', model: 'm', api_key: 'sk 1' }], 'DEFAULT_BOTS.0.api_key'],
])('refuses default bots with %s', (_, bots, path) => {
  expect(listProblems({ DEFAULT_BOTS: JSON.stringify(bots) })).toEqual([
    expect.stringContaining(`  ${path}: `),
  ])
})

it('offers API-key services: the built-in ones, or those that the operator lists', () => {
  const own = parseConfig({}).apiKeyServices
  expect(own.map(({ name }) => name)).toEqual(['tavily', 'exa', 'firecrawl', 'jina', 'context7', 'GitHub'])
  expect(own.every(({ url }) => url.startsWith('https://'))).toBe(true)
  const API_KEY_SERVICES = JSON.stringify([
    { name: 'Our Search', url: 'http://10.0.0.7:8000/mcp' },
    { name: 'docs', url: 'https://docs.example/mcp', header: 'X-API-Key' },
    { name: 'wiki', url: 'https://wiki.example/mcp', header: 'Authorization', scheme: 'Token' },
  ])
  expect(parseConfig({ API_KEY_SERVICES }).apiKeyServices).toEqual([
    { name: 'Our Search', url: 'http://10.0.0.7:8000/mcp', header: 'Authorization', scheme: 'Bearer' },
    { name: 'docs', url: 'https://docs.example/mcp', header: 'X-API-Key', scheme: '' },
    { name: 'wiki', url: 'https://wiki.example/mcp', header: 'Authorization', scheme: 'Token' },
  ])
  expect(parseConfig({ API_KEY_SERVICES: '[]' }).apiKeyServices).toEqual([])
})

it.each<[string, unknown, string]>([
  ['is no list', { name: 'docs' }, 'API_KEY_SERVICES'],
  ['has no address', [{ name: 'docs' }], 'API_KEY_SERVICES.0.url: must be an http or https address'],
  ['has a strange address', [{ name: 'docs', url: 'file:///etc' }], 'API_KEY_SERVICES.0.url'],
  [
    'has a name for Google',
    [{ name: 'gmail', url: 'https://a.example' }],
    'is reserved by Yonder; choose another name',
  ],
  ['has a name with a slash', [{ name: 'a/b', url: 'https://a.example' }], 'API_KEY_SERVICES.0.name'],
  [
    'has a header with a colon',
    [{ name: 'a', url: 'https://a.example', header: 'a: b' }],
    'name of a header',
  ],
  ['has a field too many', [{ name: 'a', url: 'https://a.example', key: 'secret' }], 'API_KEY_SERVICES.0'],
  [
    'occurs twice',
    [
      { name: 'docs', url: 'https://a.example' },
      { name: 'Docs', url: 'https://A.example' },
    ],
    'API_KEY_SERVICES.1.name: occurs twice: "Docs"',
  ],
])('refuses a list of services that %s', (_, services, problem) => {
  const problems = listProblems({ API_KEY_SERVICES: JSON.stringify(services) })
  expect(problems.join('\n')).toContain(problem)
  expect(problems.join('\n')).not.toContain('secret')
})

it('reads the addresses of Google from the settings, so that a closed network can have its own', () => {
  expect(
    parseConfig({
      GOOGLE_AUTH_URL: 'http://127.0.0.1:1/auth',
      GOOGLE_TOKEN_URL: 'http://127.0.0.1:1/token',
      GOOGLE_REVOKE_URL: 'http://127.0.0.1:1/revoke',
      GMAIL_API_URL: 'http://127.0.0.1:1/gmail/',
      GOOGLE_CALENDAR_API_URL: 'http://127.0.0.1:1/calendar/',
    }).googleApis,
  ).toEqual({
    authUrl: 'http://127.0.0.1:1/auth',
    tokenUrl: 'http://127.0.0.1:1/token',
    revokeUrl: 'http://127.0.0.1:1/revoke',
    gmailUrl: 'http://127.0.0.1:1/gmail',
    calendarUrl: 'http://127.0.0.1:1/calendar',
  })
})

it('reads only settings from a .env file that the environment does not set', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-env-'))
  writeFileSync(join(folder, '.env'), 'PORT=4001\nHOST=0.0.0.0\n')
  const code = `
    import { readConfig } from ${JSON.stringify(moduleUrl('config/config.ts'))}
    process.chdir(${JSON.stringify(folder)})
    process.env.HOST = '::1'
    const { port, host } = readConfig()
    process.stdout.write(JSON.stringify({ port, host }))`
  expect(await runScript(code)).toEqual({ status: 0, output: JSON.stringify({ port: 4001, host: '::1' }) })
  rmSync(folder, { recursive: true })
})

it('says that a .env cannot be read, and reads the environment all the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-env-'))
  mkdirSync(join(folder, '.env'))
  const code = `
    import { readConfig, readEnvironment } from ${JSON.stringify(moduleUrl('config/config.ts'))}
    process.chdir(${JSON.stringify(folder)})
    process.env.PORT = '4002'
    const { environment, problem } = readEnvironment()
    let error
    try { readConfig() } catch (thrown) { error = thrown }
    process.stdout.write(JSON.stringify([environment.PORT, problem.name, error.name, error.message]))`
  const { status, output } = await runScript(code)
  expect(JSON.parse(output)).toEqual([
    '4002',
    '.env',
    'ConfigError',
    expect.stringMatching(/^Yonder cannot run: \.env: cannot be read \(/),
  ])
  expect(status).toBe(0)
  rmSync(folder, { recursive: true })
})

it('ignores a setting in .env that would turn off the check of certificates, and says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-env-'))
  writeFileSync(join(folder, '.env'), 'NODE_TLS_REJECT_UNAUTHORIZED=0\nPORT=4001\n')
  const code = `
    import { readEnvironment } from ${JSON.stringify(moduleUrl('config/config.ts'))}
    process.chdir(${JSON.stringify(folder)})
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    const { namesInFile, warnings } = readEnvironment()
    process.stdout.write(JSON.stringify([process.env.NODE_TLS_REJECT_UNAUTHORIZED ?? null, namesInFile, warnings]))`
  const { output } = await runScript(code)
  expect(JSON.parse(output)).toEqual([
    null,
    ['PORT'],
    [expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED has no effect in \.env/)],
  ])
  rmSync(folder, { recursive: true })
})

it('ignores a setting in .env that Node reads only when it starts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-env-'))
  writeFileSync(join(folder, '.env'), 'NODE_EXTRA_CA_CERTS=ca.pem\nPORT=4001\n')
  const code = `
    import { readEnvironment } from ${JSON.stringify(moduleUrl('config/config.ts'))}
    process.chdir(${JSON.stringify(folder)})
    delete process.env.NODE_EXTRA_CA_CERTS
    const fromFile = readEnvironment()
    process.env.NODE_EXTRA_CA_CERTS = 'other.pem'
    const fromEnvironment = readEnvironment()
    const results = [fromFile, fromEnvironment].map(({ environment, warnings }) =>
      [environment.PORT, environment.NODE_EXTRA_CA_CERTS ?? null, warnings.length])
    process.stdout.write(JSON.stringify(results))`
  const { output } = await runScript(code)
  expect(JSON.parse(output)).toEqual([
    ['4001', null, 1],
    ['4001', 'other.pem', 0],
  ])
  rmSync(folder, { recursive: true })
})

it('names unknown settings, also beside the wrong ones that they may have been meant for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yonder-env-'))
  writeFileSync(
    join(folder, '.env'),
    '\uFEFFPROT=4001\nOIDC_ISSUER=https://id.example\n# X=1\nexport SIGNUP=open\n',
  )
  const code = `
    import { readConfig } from ${JSON.stringify(moduleUrl('config/config.ts'))}
    process.chdir(${JSON.stringify(folder)})
    process.env.OIDC_CLIENTID = 'x'
    try { readConfig() } catch ({ message }) { process.stdout.write(message) }`
  const { output } = await runScript(code)
  for (const text of [
    'OIDC_CLIENT_ID: is needed with OIDC_ISSUER',
    'PROT in .env is not a setting of Yonder and has no effect. Did you mean PORT?',
    'SIGNUP in .env is not a setting of Yonder and has no effect. Did you mean SIGN_UP?',
    'OIDC_CLIENTID is not a setting of Yonder and has no effect. Did you mean OIDC_CLIENT_ID?',
  ])
    expect(output.split('\n')).toContainEqual(expect.stringContaining(`  ${text}`))
  rmSync(folder, { recursive: true })
})

it('reads the proxies in small letters first, and shows no password of a wrong one', () => {
  const proxies = {
    HTTPS_PROXY: 'http://a.example',
    https_proxy: 'b.example:3128',
    HTTP_PROXY: 'https://c.example',
  }
  const { https, http } = parseConfig(proxies).outgoing.proxies ?? {}
  expect([https?.href, http?.href]).toEqual(['http://b.example:3128/', 'https://c.example/'])
  expect(parseConfig({ HTTPS_PROXY: 'http://a.example', https_proxy: '' }).outgoing.proxies).toBeNull()
  for (const HTTPS_PROXY of ['socks5://u:hidden@p.example', 'http://u:hidden@', 'http://u:hidden%@p.example'])
    expect(listProblems({ HTTPS_PROXY })).toEqual([
      '  HTTPS_PROXY: must be the address of an HTTP proxy such as http://proxy.example.com:3128',
    ])
})

it('names a certificate of the database that cannot be read', () => {
  const DATABASE_URL = 'postgres://y:p@db/y?sslmode=verify-full&sslrootcert=/nope/ca.pem'
  expect(listProblems({ DATABASE_URL })).toEqual([
    '  DATABASE_URL: has sslrootcert=/nope/ca.pem, a file that cannot be read (ENOENT)',
  ])
})

it.each([
  ['DEFAULT_BOTS', { name: 'A', modle: 'm' }, 'has an unknown field "modle". Did you mean "model"?'],
  ['DEFAULT_BOTS', { name: 'A', model: 'm', baseUrl: 'x' }, 'Did you mean "base_url"?'],
  ['MODEL_PRICES', { model: 'm', input: 1, ouput: 1 }, 'Did you mean "output"?'],
  ['API_KEY_SERVICES', { name: 'a', url: 'https://a.example', haeder: 'X' }, 'Did you mean "header"?'],
  [
    'API_KEY_SERVICES',
    { name: 'a', url: 'https://a.example', key: 'X' },
    'The fields are name, url, header, scheme',
  ],
])('names the field that was meant in %s', (name, entry, text) => {
  expect(listProblems({ [name]: JSON.stringify([entry]) }).join()).toContain(text)
})

it.each([
  ['its own', { uid: 1000, gid: 1000, mode: 0o100644 }, {}, undefined],
  ['its own, which its group may change', { uid: 1000, gid: 1000, mode: 0o100664 }, {}, undefined],
  ['that of root', { uid: 0, gid: 0, mode: 0o100644 }, {}, undefined],
  [
    'that of another number in a container',
    { uid: 501, gid: 20, mode: 0o100644 },
    { isContainer: true },
    undefined,
  ],
  ['one on Windows', { uid: 0, gid: 0, mode: 0o100666 }, { user: undefined }, undefined],
  ['that of another user', { uid: 1001, gid: 1000, mode: 0o100644 }, {}, 'chown 1000 .env'],
  ['that of a user, as root', { uid: 1001, gid: 1001, mode: 0o100644 }, { user: 0 }, 'chown 0 .env'],
  ['its own, which all may change', { uid: 1000, gid: 1000, mode: 0o100666 }, {}, 'chmod 600 .env'],
  ['its own, which another group may change', { uid: 1000, gid: 5, mode: 0o100664 }, {}, 'chmod 600 .env'],
])('reads %s .env, or says what to do', (_, file, process, advice) => {
  const problem = findEnvFileProblem(file, { user: 1000, groups: [1000], isContainer: false, ...process })
  if (advice === undefined) expect(problem).toBeUndefined()
  else expect(problem).toMatch(new RegExp(`^is not read, because .* run: ${advice}$`))
})

it('reads a first setting after a byte order mark', () => {
  const environment: NodeJS.ProcessEnv = { '\uFEFFHOST': '127.0.0.2', '\uFEFFPORT': '1', PORT: '4000' }
  removeByteOrderMark(environment)
  expect(environment).toEqual({ HOST: '127.0.0.2', PORT: '4000' })
})
