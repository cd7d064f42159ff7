import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeTestCertificate } from '../testing/make-certificate.ts'
import { parseConfig } from './config.ts'
import type { Machine } from './machine.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'yonder-files-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const { cert, key, ca } = makeTestCertificate('chat.example.com')
const passphrase = { cipher: 'aes-256-cbc', passphrase: 'x', type: 'pkcs8', format: 'pem' } as const
const lockedKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(passphrase).toString()

function problemsOf(settings: Readonly<Record<string, string>>): readonly string[] {
  try {
    parseConfig(settings)
    return []
  } catch (error) {
    return (error as Error).message.split('\n').slice(1)
  }
}

function write(certificate: string, privateKey: string): { TLS_CERT: string; TLS_KEY: string } {
  const paths = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') }
  writeFileSync(paths.TLS_CERT, certificate)
  writeFileSync(paths.TLS_KEY, privateKey)
  return paths
}

it('accepts a certificate with its chain and its key', () => {
  const paths = write(cert + ca, key)
  expect(parseConfig(paths)).toMatchObject({
    tls: { kind: 'files', certificatePath: paths.TLS_CERT, keyPath: paths.TLS_KEY },
    publicUrl: 'https://localhost:3000',
    isLoopback: true,
  })
})

it.each<[string, string, string, string]>([
  [
    'a certificate that is none',
    'nonsense',
    key,
    'TLS_CERT: must name a file with a certificate in PEM form',
  ],
  [
    'a certificate that was cut',
    cert.slice(0, 200),
    key,
    'TLS_CERT: must name a file with a certificate in PEM form',
  ],
  ['a key that is none', cert, 'nonsense', 'TLS_KEY: must name a file with a private key in PEM form'],
  ['a certificate as the key', cert, cert, 'TLS_KEY: must name a file with a private key in PEM form'],
  [
    'a key with a passphrase',
    cert,
    lockedKey,
    'TLS_KEY: names a key with a passphrase. Remove the passphrase',
  ],
  [
    'the key of another certificate',
    cert,
    makeTestCertificate('chat.example.com').key,
    'TLS_KEY: names a key that does not belong to the certificate of TLS_CERT',
  ],
])('refuses %s, and never shows it', (_, certificate, privateKey, problem) => {
  const problems = problemsOf(write(certificate, privateKey))
  expect(problems).toEqual([expect.stringContaining(problem)])
  expect(problems.join()).not.toMatch(/-----|nonsense/)
})

it('refuses files that do not exist or cannot be read, together with other wrong settings', () => {
  const paths = write(cert, key)
  expect(problemsOf({ ...paths, TLS_CERT: join(folder, 'missing'), PORT: 'x' })).toEqual([
    expect.stringContaining('PORT'),
    '  TLS_CERT: names a file that cannot be read (ENOENT)',
  ])
  // A folder, because the tests may run as a user who can read every file.
  expect(problemsOf({ ...paths, TLS_KEY: folder })).toEqual([
    '  TLS_KEY: names a file that cannot be read (EISDIR)',
  ])
})

it('refuses settings of TLS that do not fit together', () => {
  const paths = write(cert, key)
  expect(problemsOf({ TLS_CERT: paths.TLS_CERT })).toEqual(['  TLS_CERT: must be set together with TLS_KEY'])
  expect(problemsOf({ TLS: 'local', ...paths })).toEqual([
    expect.stringContaining('  TLS: is local, so Yonder makes'),
  ])
  expect(problemsOf({ TLS: 'yes' })).toEqual(['  TLS: must be off or local'])
  for (const settings of [{ TLS: 'local' }, paths])
    expect(problemsOf({ ...settings, PUBLIC_URL: 'http://nas.local:3000' })).toEqual([
      '  PUBLIC_URL: must begin with https:// when Yonder serves TLS, for example https://nas.local:3000',
    ])
})

it.each(['dev', 'NAS', 'zip.', 'internal', 'local', 'lan', 'münchen'])(
  'refuses the public name %s of one label with TLS=local, for which an authority would be too wide',
  (name) => {
    expect(problemsOf({ TLS: 'local', PUBLIC_URL: `https://${name}:3000` })).toEqual([
      expect.stringMatching(/^ {2}PUBLIC_URL: cannot be \S+ with TLS=local, .* Use \S+\.local, /),
    ])
    expect(parseConfig({ PUBLIC_URL: `https://${name}:3000` }).tls).toBeNull()
  },
)

it.each<[Readonly<Record<string, string>>, Partial<Machine>, string, boolean]>([
  [{}, {}, 'https://localhost:3000', true],
  [{ HOST: '0.0.0.0' }, {}, 'https://nas.local:3000', false],
  [{ HOST: '0.0.0.0' }, { hostName: 'nas.dev' }, 'https://nas.local:3000', false],
  [{ HOST: '0.0.0.0' }, { hostName: 'nas.lan' }, 'https://nas.lan:3000', false],
  [{ HOST: '0.0.0.0' }, { hostName: 'nas.example.org' }, 'https://nas.example.org:3000', false],
  [{ HOST: '0.0.0.0', PORT: '443' }, {}, 'https://nas.local', false],
  [{ HOST: '0.0.0.0' }, { hostName: null }, 'https://localhost:3000', false],
  [{ HOST: '0.0.0.0' }, { isContainer: true }, 'https://localhost:3000', false],
  [{ PUBLIC_URL: 'https://chat.lan' }, {}, 'https://chat.lan', false],
  [{ HOST: '::', PUBLIC_URL: 'https://[fd00::5]:3000' }, {}, 'https://[fd00::5]:3000', false],
])(
  'with TLS and %j on %j has the public address %s, and is a local installation: %s',
  (settings, machine, publicUrl, isLoopback) => {
    const config = parseConfig(
      { TLS: 'local', ...settings },
      { hostName: 'nas', addresses: [], isContainer: false, ...machine },
    )
    expect(config).toMatchObject({
      publicUrl,
      isLoopback,
      signUp: isLoopback ? 'open' : 'closed',
      tls: { kind: 'local' },
    })
  },
)

it('has the public address of localhost without TLS, whatever the machine is called', () => {
  const machine = { hostName: 'nas', addresses: [], isContainer: false }
  expect(parseConfig({ HOST: '0.0.0.0' }, machine)).toMatchObject({
    publicUrl: 'http://localhost:3000',
    tls: null,
  })
})
