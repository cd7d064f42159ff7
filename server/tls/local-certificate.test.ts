import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unknownMachine, type Machine } from '../config/machine.ts'
import { dayMs, listWideNames, makeCertificate, readNames, readValidity } from './certificates.ts'
import { ensureLocalCertificate, type LocalCertificate } from './local-certificate.ts'

const now = Date.now()
const machine: Machine = { hostName: 'nas', addresses: ['192.168.1.20', 'fd00::5'], isContainer: false }
let folder: string
let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'yonder-tls-'))
  folder = join(dataDir, 'tls')
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const make = (changes: Partial<Parameters<typeof ensureLocalCertificate>[0]> = {}) =>
  ensureLocalCertificate({ folder, publicHost: 'nas.local', machine, now, ...changes })

/** Makes a certificate with the key of the authority, as a thief of it could. */
function forge(names: readonly string[]) {
  const [key = '', certificate = ''] = readFileSync(join(folder, 'ca.pem'), 'utf8').split(
    /(?=-----BEGIN CERT)/,
  )
  return makeCertificate({ key, certificate }, names, now)
}

/** Connects to a server with this certificate as a browser would that trusts only the authority. */
async function connectAs(
  { certificate, key }: Pick<LocalCertificate, 'certificate' | 'key'>,
  ca: string,
  name: string,
): Promise<string> {
  const server = createServer({ cert: certificate, key }, (socket) => socket.end())
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const options = { port, host: '127.0.0.1', ca, servername: /^[\d.]+$|:/.test(name) ? '' : name }
  try {
    return await new Promise<string>((resolve) => {
      const socket = connect({
        ...options,
        checkServerIdentity: (_host, peer) => {
          const known = new X509Certificate(peer.raw)
          const isKnown = options.servername === '' ? known.checkIP(name) : known.checkHost(name)
          return isKnown === undefined ? new Error('wrong name') : undefined
        },
      })
      socket.once('secureConnect', () => resolve(String(socket.authorized)))
      socket.once('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === undefined || error.code === 'UNSPECIFIED' ? error.message : error.code),
      )
    })
  } finally {
    server.close()
  }
}

describe('the certificate that Yonder makes', () => {
  it('is trusted by clients that trust its authority, for every name of this machine and no other', async () => {
    const made = make()
    for (const name of ['nas.local', 'localhost', '127.0.0.1', '192.168.1.20', 'fd00::5', '::1'])
      expect([name, await connectAs(made, made.authority, name)]).toEqual([name, 'true'])
    expect(await connectAs(made, made.authority, 'other')).toBe('wrong name')
    const stranger = make({ folder: join(dataDir, 'other') })
    expect(await connectAs(made, stranger.authority, 'nas.local')).toMatch(/SIGNATURE|UNABLE_TO|SELF_SIGNED/)
  })

  it('ends within 397 days and has begun, also for a device whose clock is slow by hours', () => {
    const { notBefore, notAfter } = readValidity(make().certificate)
    expect((notAfter - notBefore) / dayMs).toBeLessThanOrEqual(397)
    expect(notAfter).toBeGreaterThan(now + 60 * dayMs)
    expect(notBefore).toBeLessThan(now - 12 * 3_600_000)
    expect(readValidity(make().authority).notAfter).toBeGreaterThan(now + 9 * 365 * dayMs)
  })

  it.each(['google.com', 'nas.example.com', 'nas', 'x.nas', 'lan', '8.8.8.8', '2606:4700::1'])(
    'cannot be made for %s with the key of the authority',
    async (name) => {
      const { authority } = make()
      expect(await connectAs(forge([name]), authority, name)).toBe('permitted subtree violation')
    },
  )

  it('and its authority are accepted by the strict check of OpenSSL', () => {
    const made = make()
    const path = join(folder, 'leaf.crt')
    writeFileSync(path, made.certificate)
    const verify = (...more: string[]) => {
      const parameters = [
        'verify',
        '-x509_strict',
        '-purpose',
        'sslserver',
        '-CAfile',
        made.authorityPath,
        ...more,
        path,
      ]
      return spawnSync('openssl', parameters, { encoding: 'utf8' })
    }
    expect(verify('-verify_hostname', 'nas.local').stdout).toContain('OK')
    expect(verify('-verify_ip', '192.168.1.20').stdout).toContain('OK')
    expect(verify('-verify_hostname', 'example.com').status).not.toBe(0)
    const readCertificate = (file: string) =>
      execFileSync('openssl', ['x509', '-noout', '-text', '-in', file], { encoding: 'utf8' })
    const text = readCertificate(made.authorityPath)
    expect(text).toMatch(/Name Constraints: critical/)
    expect(text).toMatch(/TLS Web Server Authentication/)
    // The authority cannot sign another one, and the certificate cannot sign anything.
    expect(text).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0/)
    expect(readCertificate(path)).toMatch(/Basic Constraints: critical\s+CA:FALSE/)
  })

  it('is stored for the owner of the process only', () => {
    make()
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(folder).toSorted()).toEqual(['ca.crt', 'ca.pem', 'server.pem'])
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, 'ca.crt'), 'utf8')).not.toContain('PRIVATE')
  })
})

describe('a later start', () => {
  it('keeps the certificate and its authority', () => {
    const first = make()
    expect(make({ now: now + 50 * dayMs })).toEqual(first)
  })

  it('renews the certificate 30 days before it ends, and keeps the authority', async () => {
    const first = make()
    const later = make({ now: now + 65 * dayMs })
    expect(later.authority).toBe(first.authority)
    expect(readValidity(later.certificate).notAfter).toBeGreaterThan(readValidity(first.certificate).notAfter)
    expect(make({ now: now + 65 * dayMs })).toEqual(later)
    // Also after the server was off for years.
    const muchLater = make({ now: now + 1_500 * dayMs })
    expect(muchLater.authority).toBe(first.authority)
    expect(readValidity(muchLater.certificate).notAfter).toBeGreaterThan(now + 1_560 * dayMs)
  })

  it('renews the certificate when the machine has another address, and keeps the authority', () => {
    const first = make()
    const moved = make({ machine: { ...machine, addresses: ['192.168.7.7'] } })
    expect(moved.authority).toBe(first.authority)
    expect(readNames(moved.certificate)).toContain('192.168.7.7')
    expect(readNames(moved.certificate)).not.toContain('192.168.1.20')
  })

  it('makes another authority only for a public name that the first one cannot certify, or when it ends', async () => {
    const first = make()
    const local = make({ publicHost: 'chat.local' })
    expect(local.authority).toBe(first.authority)
    const renamed = make({ publicHost: 'chat.example.com' })
    expect(renamed.authority).not.toBe(first.authority)
    expect(await connectAs(renamed, renamed.authority, 'chat.example.com')).toBe('true')
    expect(readFileSync(renamed.authorityPath, 'utf8')).toBe(renamed.authority)
    const decade = make({ publicHost: 'chat.example.com', now: now + 3_600 * dayMs })
    expect(decade.authority).not.toBe(renamed.authority)
  })

  it('replaces an authority of an earlier version that could certify whole domains, and says which', async () => {
    make()
    const permitted = ['localhost', 'local', 'lan', 'dev.local', 'DEV'].map((name) => `permitted;DNS:${name}`)
    const [key, certificate] = [join(dataDir, 'wide.key'), join(dataDir, 'wide.crt')]
    const request = ['-subj', '/CN=Yonder local CA dev', '-keyout', key, '-out', certificate, '-days', '3650']
    const constraints = ['-addext', `nameConstraints=critical,${permitted.join(',')}`]
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    execFileSync('openssl', ['req', '-x509', ...curve, ...request, ...constraints], { stdio: 'ignore' })
    const wide = readFileSync(certificate, 'utf8')
    writeFileSync(join(folder, 'ca.pem'), readFileSync(key, 'utf8') + wide)
    const later = make({ now: now + dayMs })
    expect(later.replaced).toBe(wide)
    expect(listWideNames(later.replaced ?? '')).toEqual(['DEV'])
    expect(readFileSync(join(folder, 'ca.crt'), 'utf8')).toBe(later.authority)
    expect(await connectAs(forge(['google.dev']), later.authority, 'google.dev')).toBe(
      'permitted subtree violation',
    )
    expect(make({ now: now + dayMs })).toEqual({ ...later, replaced: undefined })
  })

  it('replaces a certificate whose file was cut, and one of another authority', () => {
    const first = make()
    const path = join(folder, 'server.pem')
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, 300))
    const second = make()
    expect([second.authority, second.certificate === first.certificate]).toEqual([first.authority, false])
    const other = make({ folder: join(dataDir, 'other') })
    writeFileSync(path, other.key + other.certificate)
    expect(make().certificate).not.toBe(other.certificate)
  })
})

describe('what is refused', () => {
  const files = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])

  it.each([
    ['is cut', (text: string) => text.slice(0, 200)],
    ['is empty', () => ''],
    ['has only its certificate', (text: string) => text.replace(/^[^]*(?=-----BEGIN CERT)/, '')],
  ])('an authority whose file %s, without changing anything', (_, spoil) => {
    make()
    const path = join(folder, 'ca.pem')
    writeFileSync(path, spoil(readFileSync(path, 'utf8')))
    const before = files()
    expect(() => make()).toThrow(`${path} does not contain a certificate authority with its key. Restore it`)
    expect(files()).toEqual(before)
  })

  it('an authority with the key of another', () => {
    const other = join(make({ folder: join(dataDir, 'other') }).authorityPath, '../ca.pem')
    make()
    const path = join(folder, 'ca.pem')
    const [key] = readFileSync(other, 'utf8').split(/(?=-----BEGIN CERT)/)
    const [, certificate] = readFileSync(path, 'utf8').split(/(?=-----BEGIN CERT)/)
    writeFileSync(path, `${key}${certificate}`)
    expect(() => make()).toThrow('does not contain a certificate authority with its key')
  })

  it('a clock that was never set, and one from before the authority was made', () => {
    expect(() => make({ now: 1_000 })).toThrow(
      'the clock of this machine shows 1970-01-01. Set it, then start again',
    )
    expect(() => readdirSync(folder)).toThrow('ENOENT')
    make({ now: now + 100 * dayMs })
    const before = files()
    expect(() => make()).toThrow(
      /^the clock of this machine shows \d{4}-\d\d-\d\d, but .* is valid only after/,
    )
    expect(files()).toEqual(before)
  })
})

describe('a machine', () => {
  it.each<[string, Partial<Machine>, string, readonly string[]]>([
    ['without a network', { addresses: [] }, 'nas.local', ['127.0.0.1', '::1', 'localhost', 'nas.local']],
    [
      'with IPv6 only',
      { addresses: ['fd00::5'] },
      'fd00::5',
      ['127.0.0.1', '::1', 'fd00::5', 'localhost', 'nas.local'],
    ],
    ['without a usable name', { ...unknownMachine }, 'localhost', ['127.0.0.1', '::1', 'localhost']],
    [
      'with a public address, which is left out',
      { addresses: ['8.8.8.8'] },
      'nas.local',
      ['127.0.0.1', '::1', 'localhost', 'nas.local'],
    ],
    [
      'with a public address as PUBLIC_URL',
      { hostName: null, addresses: [] },
      '8.8.8.8',
      ['127.0.0.1', '8.8.8.8', '::1', 'localhost'],
    ],
    [
      'in a container, with a random name',
      { isContainer: true, addresses: [] },
      'chat.lan',
      ['127.0.0.1', '::1', 'chat.lan', 'localhost'],
    ],
    [
      'with an underscore in its name',
      { hostName: 'my_nas', addresses: [] },
      'my_nas.local',
      ['127.0.0.1', '::1', 'localhost', 'my_nas.local'],
    ],
    [
      'with a name in a domain',
      { hostName: 'nas.example.org', addresses: [] },
      'nas.example.org',
      ['127.0.0.1', '::1', 'localhost', 'nas.example.org', 'nas.local'],
    ],
  ])('%s has a certificate', async (_, changes, publicHost, names) => {
    const made = make({ publicHost, machine: { ...machine, ...changes } })
    expect(readNames(made.certificate)).toEqual(names.toSorted())
    expect(await connectAs(made, made.authority, publicHost)).toBe('true')
  })

  it.each(['dev', 'app', 'chat', 'zip', 'app.dev', 'github.io', 'co.uk', 'app.dev.example.org'])(
    'named %s has an authority that cannot certify this name or one below it',
    async (hostName) => {
      const made = make({ publicHost: 'localhost', machine: { ...machine, hostName } })
      const [first = ''] = hostName.split('.')
      expect(readNames(made.certificate)).toEqual(
        ['127.0.0.1', '192.168.1.20', '::1', 'fd00::5', `${first}.local`, 'localhost'].toSorted(),
      )
      for (const name of [hostName, first, `x.${hostName}`, `x.${first}`])
        expect([name, await connectAs(forge([name]), made.authority, name)]).toEqual([
          name,
          'permitted subtree violation',
        ])
    },
  )

  it.each(['dev', 'DEV', 'dev.', '', 'lan'])('gets no authority for the public name %j', (publicHost) => {
    expect(() => make({ publicHost })).toThrow('could certify a whole domain')
    expect(readdirSync(folder)).toEqual([])
  })

  it('with hundreds of addresses has a certificate with 100 of its names', () => {
    const addresses = Array.from({ length: 300 }, (_, at) => `10.0.${at >> 8}.${at & 255}`)
    const names = readNames(make({ machine: { ...machine, addresses } }).certificate)
    expect([names.length, names.includes('nas.local')]).toEqual([100, true])
  })
})
