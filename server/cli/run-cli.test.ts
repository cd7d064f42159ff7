import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runYonder } from '../testing/run-yonder.ts'

describe('the command yonder', () => {
  it.each([
    [['bogus'], "unknown command 'bogus'"],
    [['user'], '(Did you mean users?)'],
    [['users', 'lst'], '(Did you mean list?)'],
    [['version', '--bogus'], 'Usage: yonder version [options]'],
    [['users', 'reset', '--bogus', 'ada'], 'Usage: yonder users reset [options] <user>'],
    [['users', 'reset'], "missing required argument 'user'"],
    [['users', 'reset'], 'Usage: yonder users reset [options] <user>'],
    [['users', 'disable', 'ada', 'eve'], 'too many arguments'],
    [['--bogus'], 'Usage: yonder start'],
    [['--prot', '80'], '(Did you mean --port?)'],
    [['backup', '--whith-key', 'x'], '(Did you mean --with-key?)'],
  ])('says what is wrong with %j, and exits with code 2', async (parameters, message) => {
    const { code, stdout, stderr } = await runYonder(parameters)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
    expect(stdout).toBe('')
  })

  it('prints the help of `users` when no command of it is named, and exits with code 2', async () => {
    const { code, stdout, stderr } = await runYonder(['users'])
    expect(stderr).toContain('Usage: yonder users [options] [command]')
    expect(stderr).toContain('invite')
    expect(code).toBe(2)
    expect(stdout).toBe('')
  })

  it.each([
    [['--help'], 'users'],
    [['help', 'start'], 'yonder start --port 8080'],
    [['users', '--help'], 'yonder users invite ada@example.com'],
    [['users', 'export', '--help'], 'yonder users export ada@example.com ada.zip'],
    [['--version'], 'Yonder '],
    [['version'], 'Node '],
  ])('prints help with examples for %j, and exits with code 0', async (parameters, expected) => {
    const { code, stdout, stderr } = await runYonder(parameters)
    expect(stdout).toContain(expected)
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })

  it.each([
    [['bogus', '--json'], 2, "unknown command 'bogus'"],
    [['start', '--json'], 2, "unknown option '--json'"],
    [['users', '--json'], 2, "unknown option '--json'"],
    [['users', 'reset', '--json'], 2, "missing required argument 'user'"],
    [['users', 'delete', 'ada', '--json', '--data', '/nonexistent'], 1, 'There is no Yonder database'],
  ])('prints the error of %j as one JSON line on standard output', async (parameters, expected, message) => {
    const { code, stdout, stderr } = await runYonder(parameters)
    expect(stdout).toMatch(/^[^\n]+\n$/)
    expect(JSON.parse(stdout)).toEqual({ error: { message: expect.stringContaining(message) } })
    expect(stderr).toBe('')
    expect(code).toBe(expected)
  })

  it('does not take what follows -- for an option', async () => {
    const { code, stdout, stderr } = await runYonder(['version', '--', '--json'])
    expect(stdout).toBe('')
    expect(stderr).toContain('too many arguments')
    expect(code).toBe(2)
  })

  it('prints a result as one JSON line', async () => {
    const { code, stdout } = await runYonder(['version', '--json'])
    expect(JSON.parse(stdout)).toEqual({ version: expect.any(String), node: process.versions.node })
    expect(code).toBe(0)
  })
})

describe('a command for data that is not there', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'yonder cli ü-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('creates no folder', async () => {
    const missing = join(folder, 'nope')
    const { code, stderr } = await runYonder(['users', 'list', '--data', missing])
    expect(stderr).toBe(
      `There is no Yonder database at ${missing}/yonder.sqlite. Check DATA_DIR or --data, or start the server once, which creates it.\n`,
    )
    expect(code).toBe(1)
    expect(existsSync(missing)).toBe(false)
  })

  it.each([
    ['', 'There is no Yonder database'],
    ['this is not a database, although it has the name', 'cannot be opened: file is not a database'],
  ])('changes nothing when the file of the database is %j', async (content, message) => {
    if (content !== '') writeFileSync(join(folder, 'yonder.sqlite'), content)
    const before = readdirSync(folder)
    const { code, stderr } = await runYonder(['users', 'list', '--data', folder])
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(code).toBe(1)
    expect(readdirSync(folder)).toEqual(before)
  })

  it('names a misspelled setting, which may lead to another database', async () => {
    vi.stubEnv('DATABSE_URL', 'postgres://db/yonder')
    const { stderr } = await runYonder(['users', 'list', '--data', folder])
    vi.unstubAllEnvs()
    expect(stderr).toMatch(
      /^DATABSE_URL is not a setting .* Did you mean DATABASE_URL\?\nThere is no Yonder database/,
    )
  })

  it('names every wrong setting', async () => {
    const settings = { PORT: 'x', SIGN_UP: 'maybe', DATA_DIR: folder }
    const { code, stderr } = await runYonder(['users', 'list'], { settings })
    expect(stderr).toContain('PORT: must be a port')
    expect(stderr).toContain('SIGN_UP: must be open or closed')
    expect(code).toBe(1)
    expect(readdirSync(folder)).toEqual([])
  })
})
