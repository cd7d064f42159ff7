import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ConfigError, parseConfig } from '../config/config.ts'
import { makeTestCertificate } from '../testing/make-certificate.ts'
import { dayMs } from './certificates.ts'
import { openTls } from './open-tls.ts'

let dataDir: string
let now: number
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'yonder-open-tls-'))
  now = Date.now()
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(dataDir, { recursive: true })
})

let addresses = ['192.168.1.20']
const open = (settings: Readonly<Record<string, string>>) =>
  openTls({
    config: parseConfig({ DATA_DIR: dataDir, ...settings }),
    readMachine: () => ({ hostName: 'nas', addresses, isContainer: false }),
    now: () => now,
  })
const files = (certificate: string, key: string) => {
  const settings = { TLS_CERT: join(dataDir, 'cert.pem'), TLS_KEY: join(dataDir, 'key.pem') }
  writeFileSync(settings.TLS_CERT, certificate)
  writeFileSync(settings.TLS_KEY, key)
  return settings
}

it('makes nothing without TLS', async () => {
  expect(await open({})).toBeNull()
})

it('prints where the certificate of the authority is, its fingerprint, and how each system trusts it', async () => {
  const tls = await open({ TLS: 'local', HOST: '0.0.0.0', PUBLIC_URL: 'https://nas.local:3000' })
  const authority = readFileSync(join(dataDir, 'tls/ca.crt'), 'utf8')
  expect(tls?.authority).toBe(authority)
  const text = tls?.notes.join('\n') ?? ''
  for (const part of [
    join(dataDir, 'tls/ca.crt'),
    'http://nas.local:3000/ca.crt',
    new X509Certificate(authority).fingerprint256,
  ])
    expect(text).toContain(part)
  for (const system of ['Debian', 'macOS', 'Windows', 'iOS', 'Android', 'Firefox'])
    expect(text).toMatch(new RegExp(`^ {2}${system} +\\S`, 'm'))
  expect(text).not.toMatch(/PRIVATE|Only this machine|Other devices/)
  expect(tls?.hosts()).toEqual(['nas.local', 'nas', 'localhost', '127.0.0.1', '[::1]', '192.168.1.20'])
})

it('prints a download that plain http reaches, also at the port 443', async () => {
  const tls = await open({ TLS: 'local', HOST: '0.0.0.0', PUBLIC_URL: 'https://nas.local' })
  expect(tls?.notes.join('\n')).toContain('http://nas.local:443/ca.crt')
})

it('says what is missing for other devices', async () => {
  expect((await open({ TLS: 'local' }))?.notes.at(-1)).toContain(
    'Only this machine can open this address. For other devices, start with --host 0.0.0.0',
  )
  const hidden = await open({ TLS: 'local', HOST: '0.0.0.0', PUBLIC_URL: 'https://localhost:3000' })
  expect(hidden?.notes.at(-1)).toContain('Other devices need another address: set PUBLIC_URL')
})

it('reports a wrong authority as a wrong setting, without a stack', async () => {
  await open({ TLS: 'local' })
  writeFileSync(join(dataDir, 'tls/ca.pem'), 'nonsense')
  const error: unknown = await open({ TLS: 'local' }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ConfigError)
  expect((error as Error).message).toMatch(
    /^Yonder cannot run with these settings:\n {2}TLS: .*ca\.pem does not contain/,
  )
})

it('warns of a certificate that browsers will refuse, and starts', async () => {
  const { cert, key } = makeTestCertificate('chat.example.com', now)
  const settings = files(cert, key)
  const notes = async (PUBLIC_URL: string) => (await open({ ...settings, PUBLIC_URL }))?.notes
  expect(await notes('https://chat.example.com')).toEqual([])
  expect(await notes('https://other.example.com')).toEqual([
    'Warning: the certificate of TLS_CERT is not for other.example.com, the host of PUBLIC_URL, so browsers will show a warning.',
  ])
  now += 400 * dayMs
  expect(await notes('https://chat.example.com')).toEqual([expect.stringContaining('TLS_CERT has expired (')])
  now -= 800 * dayMs
  expect(await notes('https://chat.example.com')).toEqual([
    expect.stringContaining('TLS_CERT is not valid before '),
  ])
})

it('uses a renewed certificate of the operator within an hour, and keeps the old one when the new one is wrong', async () => {
  const [first, second] = [makeTestCertificate('a.example'), makeTestCertificate('a.example')]
  const settings = files(first.cert, first.key)
  vi.useFakeTimers()
  const tls = await open({ ...settings, PUBLIC_URL: 'https://a.example' })
  const [apply, onError] = [vi.fn(), vi.fn()]
  const stop = tls?.watch(apply, onError)
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(apply).not.toHaveBeenCalled()
  // Between the two files, as a renewal writes them.
  writeFileSync(settings.TLS_CERT, second.cert)
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(apply).not.toHaveBeenCalled()
  expect(onError).toHaveBeenCalledExactlyOnceWith(
    new Error('TLS_KEY: names a key that does not belong to the certificate of TLS_CERT'),
  )
  writeFileSync(settings.TLS_KEY, second.key)
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(apply).toHaveBeenCalledExactlyOnceWith({ cert: second.cert, key: second.key })
  await stop?.()
})

it('renews its own certificate while it runs, before it ends and when the machine moves', async () => {
  vi.useFakeTimers()
  const tls = await open({ TLS: 'local', PUBLIC_URL: 'https://nas.local:3000' })
  const apply = vi.fn<(credentials: { readonly cert: string }) => void>()
  const onError = vi.fn()
  const stop = tls?.watch(apply, onError)
  await vi.advanceTimersByTimeAsync(24 * 3_600_000)
  expect(apply).not.toHaveBeenCalled()
  now += 61 * dayMs
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(apply).toHaveBeenCalledOnce()
  addresses = ['10.1.1.1']
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(apply).toHaveBeenCalledTimes(2)
  expect(new X509Certificate(apply.mock.lastCall?.[0].cert ?? '').checkIP('10.1.1.1')).toBe('10.1.1.1')
  expect(tls?.hosts()).toContain('10.1.1.1')
  expect(onError).not.toHaveBeenCalled()
  await stop?.()
})
