import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashTables } from '../testing/database/hash-tables.ts'
import { engines, isConcurrent } from '../testing/database/test-database.ts'
import { readZip } from '../testing/files/read-zip.ts'
import { testSecret } from '../testing/identity/identity-server.ts'
import { OperatorScene } from '../testing/identity/operator-scene.ts'
import { SignInSession, testAccount } from '../testing/identity/sign-in-session.ts'
import { runYonder, type YonderOptions } from '../testing/run-yonder.ts'

const { email } = testAccount

describe.each(engines.filter(isConcurrent))('yonder users on %s', (engine) => {
  const scene = new OperatorScene(engine)
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'yonder-users-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const settings = () => {
    const { dataDir, databaseUrl } = scene.database.location
    return {
      PORT: String(scene.server.port),
      SECRET_KEY: testSecret,
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl ?? '',
    }
  }
  const run = (parameters: readonly string[], options: YonderOptions = {}) =>
    runYonder(['users', ...parameters], { ...options, settings: { ...settings(), ...options.settings } })
  async function print(...parameters: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(parameters)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  const printJson = async (...parameters: string[]): Promise<unknown> =>
    JSON.parse(await print(...parameters, '--json'))

  it('lists users as a table and as JSON', async () => {
    const [header, line] = (await print('list')).split('\n')
    expect(header).toMatch(/^E-MAIL +NAME +STATUS +SIGN-IN +CREATED +LAST USED +ID$/)
    expect(line).toMatch(/^ada@example\.com +Ada Lovelace +active +local +\d{4}-/)
    expect(await printJson('list')).toEqual([
      {
        id: expect.stringMatching(/^local\|/),
        email,
        name: 'Ada Lovelace',
        status: 'active',
        sign_in: 'local',
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        last_used_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ])
  })

  it('invites, resets, disables, enables and deletes', async () => {
    expect(await print('invite', 'Eve@example.com')).toMatch(
      /^The owner of eve@example\.com .* 7 days:\nhttp:\/\/localhost:\d+\/oidc\/invitation\?token=\S+\n/,
    )
    const { link } = (await printJson('invite', 'eve@example.com')) as { readonly link: string }
    const browser = new SignInSession(scene.server.baseUrl)
    const form = /name="form" value="([^"]+)"/.exec(await (await browser.fetch(link)).text())?.[1] ?? ''
    const fields = { name: 'Eve', password: 'battery staple', form }
    expect((await browser.post(link, fields)).status).toBe(200)

    expect(await printJson('reset', email)).toMatchObject({
      user: { email },
      link: expect.stringContaining('/oidc/reset-password?token='),
      expires_at: expect.any(String),
    })
    expect(await print('disable', email)).toContain('ada@example.com is disabled')
    expect(await scene.readStatus()).toBe(401)
    expect(await printJson('enable', email)).toMatchObject({ user: { email, status: 'active' } })
    expect(await print('delete', email, '--yes')).toContain('is signed out everywhere')
    expect(await printJson('list')).toMatchObject([
      { email: 'eve@example.com', status: 'active' },
      { email, status: 'being deleted' },
    ])
  })

  it('asks before it deletes, and changes nothing when the answer is not yes', async () => {
    const before = await hashTables(scene.database)
    for (const input of ['no\n', '\u0003', '']) {
      const { code, stderr } = await run(['delete', email], { input })
      expect(stderr).toContain('This deletes ada@example.com with all chats')
      expect(stderr).toContain('Nothing was changed.')
      expect(code).toBe(1)
    }
    const { code, stderr } = await run(['delete', email])
    expect(stderr).toContain('Repeat the command with --yes')
    expect(code).toBe(2)
    // A user who does not exist is not asked about.
    expect((await run(['delete', 'nobody'], { input: 'yes\n' })).stderr).toBe(
      'There is no user "nobody". The command "yonder users list" shows all users.\n',
    )
    expect(await hashTables(scene.database)).toEqual(before)
    expect((await run(['delete', email], { input: 'yes\n' })).code).toBe(0)
    expect(await scene.readStatus()).toBe(401)
  })

  it('says that the account at a hosted provider remains', async () => {
    const hosted = {
      OIDC_ISSUER: 'https://id.example',
      OIDC_CLIENT_ID: 'client',
      OIDC_AUDIENCE: 'https://chat.example/api',
    }
    const user = { id: 'user-of-provider', issuer: hosted.OIDC_ISSUER, subject: 'eve', created_at: 1 }
    const profile = { name: null, email: 'eve@example.com', picture: null }
    await scene.database.db
      .insertInto('users')
      .values({ ...user, ...profile })
      .execute()
    const { code, stdout } = await run(['delete', 'eve', '--yes'], { settings: hosted })
    expect(stdout).toContain('the shared links are deleted.')
    expect(stdout).toContain('Remove the user at the provider too.')
    expect(code).toBe(0)
  })

  it('deletes the user who was named in the question, although the e-mail has changed since', async () => {
    const { db } = scene.database
    const { id } = await db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
    const changeEmail = async () => {
      await db.updateTable('accounts').set({ email: 'moved@example.com' }).execute()
      await new SignInSession(scene.server.baseUrl).join()
      return 'yes\n'
    }
    expect((await run(['delete', email], { input: changeEmail })).code).toBe(0)
    expect(await printJson('list')).toMatchObject([
      { email, status: 'active' },
      { id, status: 'being deleted' },
    ])
  })

  it('prints no control characters of a name', async () => {
    const { db } = scene.database
    const forged = 'ada@example.com\u001B[2J\nEve\u202E'
    await db.updateTable('accounts').set({ name: 'Ada\u001B[2J\nEve', email: forged }).execute()
    expect(await print('list')).toContain('Ada [2J Eve')
    const { id } = await db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
    for (const command of [['reset'], ['disable'], ['enable'], ['delete', '--yes']]) {
      const output = await print(...command, `id:${id}`)
      expect(output).toContain('ada@example.com [2J Eve')
      for (const hidden of ['\u001B', '\u202E']) expect(output).not.toContain(hidden)
    }
  })

  it('changes nothing with a key that does not belong to the database', async () => {
    const before = await hashTables(scene.database)
    const other = { SECRET_KEY: 'another secret of thirty-two characters' }
    const { code, stderr } = await run(['invite', 'eve@example.com'], { settings: other })
    expect(stderr).toMatch(/^The key does not belong to this database\. .*\n$/)
    expect(code).toBe(1)
    const missing = await run(['invite', 'eve@example.com'], { settings: { SECRET_KEY: '' } })
    expect(missing.stderr).toContain('There is no key for this database')
    expect(missing.code).toBe(1)
    expect(existsSync(join(scene.database.location.dataDir, 'secret.key'))).toBe(false)
    expect(await hashTables(scene.database)).toEqual(before)
  })

  it('exports to a new file that only its owner can read', async () => {
    const file = join(folder, 'data of ü.zip')
    expect(await print('export', email, file)).toBe(
      `The data of ada@example.com is in ${file} (0 chats, ${statSync(file).size.toLocaleString('en')} bytes).\n`,
    )
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const content = readFileSync(file)
    const zip = await readZip(content)
    expect(zip.jsonOf('user.json')).toMatchObject({ email })
    expect(zip.chats).toEqual([])
    const again = await run(['export', email, file])
    expect(again.stderr).toContain('it exists already')
    expect(again.code).toBe(1)
    expect(readFileSync(file)).toEqual(content)
  })

  it('leaves no file when the export fails', async () => {
    writeFileSync(join(folder, 'file'), '')
    for (const [path, reason] of [
      ['nope/ada.zip', 'there is no such file or folder'],
      ['file/ada.zip', 'a part of the path is not a folder'],
      ['.', 'it exists already'],
    ] as const) {
      const { code, stderr } = await run(['export', email, join(folder, path)])
      expect(stderr).toContain(reason)
      expect(code).toBe(1)
    }
    expect((await run(['export', 'nobody', join(folder, 'nobody.zip')])).code).toBe(1)
    expect(readdirSync(folder)).toEqual(['file'])
  })
})
