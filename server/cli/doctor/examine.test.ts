import { once } from 'node:events'
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../db/dialects/sqlite.ts'
import { hashTables } from '../../testing/database/hash-tables.ts'
import { engines, isConcurrent } from '../../testing/database/test-database.ts'
import { TestInstallation } from '../../testing/doctor/installation.ts'
import { testSecret } from '../../testing/identity/identity-server.ts'
import { runYonder } from '../../testing/run-yonder.ts'
import { examine } from './examine.ts'

const containing = (text: string) => expect.arrayContaining([expect.stringContaining(text)]) as unknown

/** Addresses at which nothing responds. */
const unreachable = 'http://127.0.0.1:9'
const unreachablePostgres = 'postgres://yonder@127.0.0.1:9/yonder'

describe.each(engines.filter(isConcurrent))('yonder doctor with %s', (engine) => {
  const installation = new TestInstallation(engine)
  const diagnose = (settings?: Readonly<Record<string, string>>) => installation.diagnose(settings)
  const execute = (statement: string) =>
    installation.database.db.connection().execute((connection) => sql.raw(statement).execute(connection))

  it('finds nothing in a healthy installation, changes nothing and exits with 0', async () => {
    const before = await hashTables(installation.database)
    const { code, findings, complaints } = await diagnose()
    expect(complaints).toEqual([])
    expect(new Set(findings.map(({ check }) => check)).size).toBe(10)
    expect(code).toBe(0)
    expect(await hashTables(installation.database)).toEqual(before)
  })

  it('prints a line for each check and a sum', async () => {
    const { code, stdout } = await runYonder(['doctor'], {
      settings: { ...installation.settings, PORT: 'x', SIGN_UP: 'maybe' },
    })
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^problem +settings +PORT: must be a port\. /)
    expect(lines[1]).toMatch(/^problem +settings +SIGN_UP: must be open or closed\. /)
    expect(lines.find((line) => line.includes(' clock '))).toMatch(/^ok +clock +The clock shows /)
    expect(lines.at(-1)).toBe('2 problems, 2 warnings.')
    expect(code).toBe(1)
  })

  it('names wrong settings, and checks the rest all the same', async () => {
    const { code, complaints, findings } = await diagnose({
      TRUSTED_PROXIES: 'proxy',
      GOOGLE_CLIENT_ID: 'id',
      SECRET_KEY: 'short',
    })
    expect(complaints).toEqual(containing('problem, settings: TRUSTED_PROXIES'))
    expect(complaints).toEqual(containing('GOOGLE_CLIENT_ID: must be set together with GOOGLE_CLIENT_SECRET'))
    expect(complaints).toEqual(containing('problem, settings: SECRET_KEY: must have at least 32'))
    expect(complaints).toEqual(containing('warning, key: Not checked, because SECRET_KEY is wrong'))
    expect(findings).toEqual(
      expect.arrayContaining([expect.objectContaining({ check: 'database', status: 'ok' })]),
    )
    expect(code).toBe(1)
  })

  it('names a file .env that cannot be read', async () => {
    const problems = [{ name: '.env', message: 'cannot be read (EACCES)' }]
    const findings = await examine(installation.settings, { problems })
    expect(findings.filter(({ check }) => check === 'settings')).toEqual([
      { check: 'settings', status: 'problem', message: '.env: cannot be read (EACCES).' },
    ])
  })

  it('names a setting that has no effect', async () => {
    const findings = await examine(installation.settings, { settingWarnings: ['FOO has no effect.'] })
    expect(findings.filter(({ check }) => check === 'settings')).toEqual([
      { check: 'settings', status: 'warning', message: 'FOO has no effect.' },
    ])
  })

  it.each([
    ['PUBLIC_URL', { PUBLIC_URL: 'nonsense', HOST: '0.0.0.0' }, ['addresses', 'proxy']],
    // With SQLite the data folder is needed whatever TLS says.
    [
      'TLS',
      { TLS: 'nonsense', HOST: '0.0.0.0' },
      [...(engine === 'sqlite' ? [] : ['data folder']), 'addresses', 'proxy'],
    ],
    ['TLS_CERT', { TLS_CERT: 'without-key.pem', HOST: '0.0.0.0' }, ['addresses', 'proxy']],
    ['PORT', { PORT: 'nonsense', HOST: '203.0.113.1' }, ['addresses', 'proxy']],
    ['DEFAULT_MODEL_BASE_URL', { DEFAULT_MODEL_BASE_URL: 'nonsense' }, ['model']],
    [
      'OIDC_ISSUER',
      { OIDC_ISSUER: 'nonsense', OIDC_CLIENT_ID: 'client', OIDC_AUDIENCE: 'https://chat.example/api' },
      ['sign-in'],
    ],
    ['OIDC_CLIENT_ID', { OIDC_ISSUER: unreachable, OIDC_AUDIENCE: 'https://chat.example/api' }, ['sign-in']],
    ['GOOGLE_CLIENT_ID', { GOOGLE_ISSUER: unreachable, GOOGLE_CLIENT_ID: 'id' }, ['sign-in']],
  ])('checks nothing that needs a %s that is wrong', async (name, settings, checks) => {
    const { complaints, findings } = await diagnose(settings)
    expect(complaints).toEqual([
      expect.stringContaining(`problem, settings: ${name}`),
      ...checks.map((check) => `warning, ${check}: Not checked, because ${name} is wrong.`),
    ])
    const others = findings.filter(({ check, status }) => checks.includes(check) && status === 'ok')
    expect(others.map(({ message }) => message)).toEqual(
      checks.includes('addresses') && name !== 'PORT' ? [expect.stringContaining('is free')] : [],
    )
  })

  it('names a data folder that is not there', async () => {
    const { complaints } = await diagnose({ DATA_DIR: installation.path('nope'), SECRET_KEY: '' })
    expect(complaints).toEqual(containing('/nope does not exist. The first start creates it'))
  })

  it.runIf(engine === 'postgres')('needs no data folder when nothing is stored there', async () => {
    const { code, complaints } = await diagnose({ DATA_DIR: installation.path('nope') })
    expect(complaints).toEqual([])
    expect(code).toBe(0)
  })

  it.each(['DATABASE_URL', 'SECRET_KEY'])(
    'does not check a data folder that is needed only because %s is wrong',
    async (name) => {
      const elsewhere = { DATABASE_URL: unreachablePostgres, SECRET_KEY: testSecret }
      const { complaints } = await diagnose({
        ...elsewhere,
        DATA_DIR: installation.path('nope'),
        [name]: 'wrong',
      })
      expect(complaints.filter((complaint) => /^\w+, data folder/.test(complaint))).toEqual([
        `warning, data folder: Not checked, because ${name} is wrong.`,
      ])
    },
  )

  it('checks the data folder when a setting that is not wrong needs it', async () => {
    const { complaints } = await diagnose({
      DATABASE_URL: 'wrong',
      DATA_DIR: installation.path('nope'),
      SECRET_KEY: '',
    })
    expect(complaints).toEqual(containing('/nope does not exist. The first start creates it'))
  })

  it('names a data folder that is a file', async () => {
    writeFileSync(installation.path('file'), '')
    const { code, complaints } = await diagnose({ DATA_DIR: installation.path('file'), SECRET_KEY: '' })
    expect(complaints).toEqual(containing('problem, data folder: '))
    expect(complaints).toEqual(containing('/file is not a folder'))
    expect(code).toBe(1)
  })

  it('names a data folder that others can read', async () => {
    chmodSync(installation.path(''), 0o755)
    writeFileSync(installation.path('secret.key'), testSecret, { mode: 0o600 })
    const { code, complaints } = await diagnose({ SECRET_KEY: '' })
    expect(complaints).toEqual([expect.stringMatching(/^warning, data folder: .*Run: chmod 700/)])
    expect(code).toBe(0)
  })

  it.each([
    ['a newer', 'insert into migrations (number, applied_at) values (9999, 0)', 'from a newer version'],
    ['a former', 'update migrations set number = number - 21', 'from a version before 0.1.0'],
  ])('names a database of %s version', async (_name, statement, message) => {
    await execute(statement)
    const { code, complaints } = await diagnose()
    expect(complaints).toEqual(containing('problem, database: The database is '))
    expect(complaints).toEqual(containing(message))
    expect(complaints).toEqual(containing('warning, key: Whether the key belongs to the database'))
    expect(code).toBe(1)
  })

  it.runIf(engine === 'postgres')('uses no database whose check failed', async () => {
    await execute('alter table migrations rename column number to numbers')
    const { code, complaints } = await diagnose()
    expect(complaints).toEqual(containing('problem, database: The check failed unexpectedly: '))
    expect(complaints).toEqual(containing('warning, key: Whether the key belongs to the database'))
    expect(code).toBe(1)
  })

  it('names a key that belongs to another database', async () => {
    const { code, complaints } = await diagnose({ SECRET_KEY: 'another secret of thirty-two characters' })
    expect(complaints).toEqual([expect.stringMatching(/^problem, key: .*does not belong to this database/)])
    expect(code).toBe(1)
  })

  it('names a key that is missing', async () => {
    const { code, complaints } = await diagnose({ SECRET_KEY: '' })
    expect(complaints).toEqual([expect.stringMatching(/^problem, key: The key is missing/)])
    expect(code).toBe(1)
  })

  it.each([
    ['short', 'must have at least 32 characters'],
    ['abcabcabcabcabcabcabcabcabcabcabcabc', 'repeats'],
  ])('names the key %s in the data folder, which can be guessed', async (key, message) => {
    writeFileSync(installation.path('secret.key'), key, { mode: 0o600 })
    const { code, complaints } = await diagnose({ SECRET_KEY: '' })
    expect(complaints).toContainEqual(expect.stringContaining(message))
    expect(code).toBe(1)
  })

  it('names a key that others can read', async () => {
    writeFileSync(installation.path('secret.key'), testSecret)
    chmodSync(installation.path('secret.key'), 0o644)
    const { code, complaints } = await diagnose({ SECRET_KEY: '' })
    expect(complaints).toEqual([expect.stringMatching(/^warning, key: .*secret\.key\. Run: chmod 600/)])
    expect(code).toBe(0)
  })

  it('names a clock that is behind what was stored', async () => {
    await execute(`update migrations set applied_at = ${Date.now() + 3_600_000}`)
    const { code, complaints } = await diagnose()
    expect(complaints).toEqual([expect.stringMatching(/^problem, clock: .* but data was stored at /)])
    expect(code).toBe(1)
  })

  it('names a clock that cannot be right', async () => {
    const findings = await examine(installation.settings, { now: () => 0 })
    expect(findings).toContainEqual({
      check: 'clock',
      status: 'problem',
      message: expect.stringContaining('1970-01-01T00:00:00.000Z, which is in the past'),
    })
  })

  it('names an address with http, where nobody can sign in', async () => {
    const { code, complaints } = await diagnose({ PUBLIC_URL: 'http://nas:3000' })
    expect(complaints).toEqual([
      expect.stringMatching(/^problem, addresses: Nobody can sign in at http:\/\/nas:3000/),
    ])
    expect(code).toBe(1)
  })

  it('names an address that leads other machines to themselves', async () => {
    const { complaints } = await diagnose({ HOST: '0.0.0.0' })
    expect(complaints).toEqual([expect.stringMatching(/^warning, addresses: HOST is 0\.0\.0\.0/)])
  })

  it('names a HOST that is not an address of this machine', async () => {
    const { code, complaints } = await diagnose({ HOST: '203.0.113.1', PUBLIC_URL: 'https://chat.example' })
    expect(complaints).toEqual([
      expect.stringContaining('203.0.113.1, which is not an address of this machine'),
    ])
    expect(code).toBe(1)
  })

  async function serve(respond: (path: string) => { status: number; body: string }) {
    const server = createServer(({ url = '' }, response) => {
      const { status, body } = respond(url)
      response.writeHead(status).end(body)
    })
    server.listen(Number(installation.settings['PORT']), '127.0.0.1')
    await once(server, 'listening')
    const diagnosis = await diagnose()
    server.closeAllConnections()
    server.close()
    return diagnosis
  }

  it('names another program on the port', async () => {
    const { code, complaints } = await serve(() => ({ status: 200, body: 'hello' }))
    expect(complaints).toEqual([expect.stringMatching(/^problem, addresses: Another program uses port/)])
    expect(code).toBe(1)
  })

  it('names a server that is not ready', async () => {
    const { code, complaints } = await serve((path) =>
      path === '/healthz'
        ? { status: 200, body: '{"status":"ok"}' }
        : { status: 507, body: '{"error":{"code":"storage_full","message":"The disk is full."}}' },
    )
    expect(complaints).toEqual(containing('is not ready: The disk is full.'))
    expect(code).toBe(1)
  })

  it.runIf(engine === 'sqlite')('names a damaged database', async () => {
    await execute('pragma wal_checkpoint(truncate)')
    const file = openSync(installation.path('yonder.sqlite'), 'r+')
    writeSync(file, Buffer.alloc(8_192, 0xa5), 0, 8_192, 4_096 * 20)
    closeSync(file)
    const { code, complaints } = await diagnose()
    expect(complaints).toEqual(containing('problem, database: The file of the database is damaged'))
    expect(code).toBe(1)
  })

  it.runIf(engine === 'sqlite')(
    'names a file that is no database, and one that others can read',
    async () => {
      const folder = installation.path('other')
      mkdirSync(folder, { mode: 0o700 })
      writeFileSync(`${folder}/yonder.sqlite`, 'hello '.repeat(1_000), { mode: 0o644 })
      chmodSync(`${folder}/yonder.sqlite`, 0o644)
      const { code, complaints } = await diagnose({ DATA_DIR: folder })
      expect(complaints).toEqual(
        containing('file is not a database. Stop the server, keep a copy of the data, and restore a backup.'),
      )
      expect(complaints).toEqual(containing('yonder.sqlite. Run: chmod 600'))
      expect(code).toBe(1)
      rmSync(folder, { recursive: true })
    },
  )

  it.runIf(engine === 'sqlite')('advises to restore a backup only when the file is damaged', async () => {
    for (const [name, message] of [
      ['folder', 'unable to open database file. Check its disk, and that this user can read and write it.'],
      ['empty', 'or start the server once, which creates it.'],
    ] as const) {
      const folder = installation.path(name)
      const path = `${folder}/yonder.sqlite`
      mkdirSync(name === 'folder' ? path : folder, { recursive: true, mode: 0o700 })
      if (name === 'empty') writeFileSync(path, '', { mode: 0o600 })
      const { code, complaints } = await diagnose({ DATA_DIR: folder, SECRET_KEY: '' })
      const found = complaints.find((complaint) => complaint.startsWith('problem, database: '))
      expect(found?.endsWith(message), found).toBe(true)
      expect(complaints).toEqual(containing('If there is data already, restore its key first.'))
      expect(code).toBe(1)
    }
  })

  it.runIf(engine === 'sqlite')('says that another process has locked the file', async () => {
    const folder = installation.path('locked')
    mkdirSync(folder, { mode: 0o700 })
    const path = `${folder}/yonder.sqlite`
    const other = openSqlite(path)
    await other.db.connection().execute(async (connection) => {
      await sql`pragma locking_mode = exclusive`.execute(connection)
      await sql`create table locked (id text)`.execute(connection)
    })
    chmodSync(path, 0o600)
    const { code, complaints } = await diagnose({ DATA_DIR: folder })
    await other.close()
    expect(complaints).toEqual(
      containing('database is locked. Stop the process that has locked it, or wait until it ends.'),
    )
    expect(code).toBe(1)
  })

  it.runIf(engine === 'postgres')('names a PostgreSQL that does not respond', async () => {
    const { code, complaints } = await diagnose({ DATABASE_URL: unreachablePostgres })
    expect(complaints).toEqual(
      containing(
        'problem, database: PostgreSQL at 127.0.0.1:9/yonder (DATABASE_URL): The database does not respond',
      ),
    )
    expect(complaints).toEqual(containing('ECONNREFUSED'))
    expect(code).toBe(1)
  })

  it.runIf(engine === 'postgres')('names a database of PostgreSQL that does not exist', async () => {
    const url = new URL(installation.settings['DATABASE_URL'] ?? '')
    url.pathname = '/yonder_doctor_nope'
    const { code, complaints } = await diagnose({ DATABASE_URL: url.href })
    expect(complaints).toEqual(containing('database "yonder_doctor_nope" does not exist'))
    expect(code).toBe(1)
  })

  it.runIf(engine === 'postgres')('names a clock that differs from that of PostgreSQL', async () => {
    const findings = await examine(installation.settings, { now: () => Date.now() + 3_600_000 })
    expect(findings).toContainEqual({
      check: 'clock',
      status: 'problem',
      message: expect.stringMatching(/differ by (3600|3599|3601) s/),
    })
  })
})
