import { expect, it } from 'vitest'
import { findUnknownSettings } from './unknown-settings.ts'

const inEnvironment = (name: string) => findUnknownSettings({ [name]: 'x' }, [])
const inFile = (name: string) => findUnknownSettings({ [name]: 'x' }, [name])

it.each(
  Object.entries({
    PUBLC_URL: 'PUBLIC_URL',
    PUBLICURL: 'PUBLIC_URL',
    public_url: 'PUBLIC_URL',
    'PUBLIC-URL': 'PUBLIC_URL',
    YONDER_PORT: 'PORT',
    PROT: 'PORT',
    HSOT: 'HOST',
    DATABSE_URL: 'DATABASE_URL',
    DATABASE_URI: 'DATABASE_URL',
    DATA_DIRECTORY: 'DATA_DIR',
    SECRET_KEY_FILE: 'SECRET_KEY',
    DATABASE_URL_FILE: 'DATABASE_URL',
    ALLOWED_EMAIL: 'ALLOWED_EMAILS',
    EMAILS_ALLOWED: 'ALLOWED_EMAILS',
    TRUST_PROXY: 'TRUSTED_PROXIES',
    TRUSTED_PROXY: 'TRUSTED_PROXIES',
    OIDC_CLIENTID: 'OIDC_CLIENT_ID',
    OIDC_AUDIANCE: 'OIDC_AUDIENCE',
    GOOGLE_CLIENT_SECERT: 'GOOGLE_CLIENT_SECRET',
    DEFAULT_MODEL_URL: 'DEFAULT_MODEL_BASE_URL',
    DEFAULT_BOT: 'DEFAULT_BOTS',
    RATE_LIMIT_READ: 'RATE_LIMIT_READS',
    SIGNUP: 'SIGN_UP',
    LOGLEVEL: 'LOG_LEVEL',
    ALLOWED_PRIVATE_HOST: 'ALLOWED_PRIVATE_HOSTS',
    MAX_CALL_SECS: 'MAX_CALL_SECONDS',
  }),
)('asks whether %s is meant to be %s', (name, meant) => {
  const end = `is not a setting of Yonder and has no effect. Did you mean ${meant}?`
  expect(inEnvironment(name)).toEqual([`${name} ${end}`])
  expect(inFile(name)).toEqual([`${name} in .env ${end}`])
})

it.each(['OIDC_SCOPES', 'RATE_LIMIT_FILES', 'YONDER_THEME', 'TLS_MIN_VERSION'])(
  'names %s, which only Yonder could have, without a guess',
  (name) => {
    expect(inEnvironment(name)).toEqual([expect.stringContaining(`${name} is not a setting`)])
  },
)

it('names every unknown name in .env', () => {
  for (const name of ['FOO', 'OPENAI_API_KEY', 'PORTS', 'x'])
    expect(inFile(name)).toEqual([expect.stringContaining(`${name} in .env is not a setting`)])
  expect(inFile('PORTS')[0]).toContain('Did you mean PORT?')
  expect(inFile('FOO')[0]).toContain('docs/operations/settings.md lists all settings.')
})

const foreign = `
  PATH HOME HOSTNAME HOSTTYPE PWD OLDPWD SHELL SHLVL USER USERNAME LOGNAME LANG LC_ALL LANGUAGE TERM TERM_PROGRAM MAIL
  EDITOR VISUAL PAGER DISPLAY XAUTHORITY XDG_DATA_DIRS XDG_DATA_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS TMPDIR TEMP
  SSH_AUTH_SOCK SSH_CONNECTION GPG_AGENT_INFO JAVA_HOME NVM_DIR NVM_BIN NODE_ENV NODE_OPTIONS NODE_VERSION YARN_VERSION
  npm_config_user_agent npm_lifecycle_event INIT_CWD COLORTERM FORCE_COLOR CI DEBUG TZ SSL_CERT_FILE port host
  INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID NOTIFY_SOCKET WATCHDOG_USEC STATE_DIRECTORY RUNTIME_DIRECTORY
  CACHE_DIRECTORY LOGS_DIRECTORY CONFIGURATION_DIRECTORY LISTEN_FDS LISTEN_PID MEMORY_PRESSURE_WATCH
  KUBERNETES_SERVICE_HOST KUBERNETES_PORT KUBERNETES_PORT_443_TCP_ADDR YONDER_SERVICE_HOST YONDER_SERVICE_PORT_HTTP
  YONDER_PORT_80_TCP YONDER_PORT_80_TCP_PROTO DB_SERVICE_HOST POSTGRES_USER POSTGRES_DB PGUSER PGSSLMODE
  GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CLOUD_PROJECT GOOGLE_API_KEY OPENAI_API_KEY ANTHROPIC_API_KEY OLLAMA_HOST
  OLLAMA_MODELS AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AZURE_TENANT_ID GITHUB_TOKEN GITHUB_SERVER_URL
  SOURCE_DATE_EPOCH HTTP_PROXY https_proxy no_proxy ALL_PROXY FTP_PROXY ftp_proxy NODE_EXTRA_CA_CERTS DOCKER_HOST COMPOSE_PROJECT_NAME
  HISTSIZE PS1 IFS LESSOPEN MANPATH WSL_DISTRO_NAME PSModulePath SystemRoot ProgramFiles APPDATA LOCALAPPDATA
  SIGN_KEY SERVICE_URL TEMP_DIR JAVA_DIR HOME_URL BASE_URL APP_PORT`
  .trim()
  .split(/\s+/)

it('says nothing of variables of other programs', () => {
  const environment = {
    ...Object.fromEntries(foreign.map((name) => [name, 'x'])),
    YONDER_PORT: 'tcp://10.0.0.1:80',
  }
  expect(findUnknownSettings(environment, [])).toEqual([])
})

it('says nothing of what belongs to other readers of .env', () => {
  expect(
    findUnknownSettings({}, ['DOMAIN', 'POSTGRES_PASSWORD', 'PROXY_NETWORK', 'NODE_ENV', 'TZ', 'PORT']),
  ).toEqual([])
})
