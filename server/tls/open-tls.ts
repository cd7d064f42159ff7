import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { readCertificateFiles } from '../config/certificate-files.ts'
import { createSettingsError, describeProblem, type Config, type SettingProblem } from '../config/config.ts'
import type { Machine } from '../config/machine.ts'
import type { ServerTls } from '../http/create-server.ts'
import type { TlsCredentials } from '../http/tls-server.ts'
import { repeatUntilStopped } from '../lib/repeat-until-stopped.ts'

/** The certificate that this process serves https with. */
export interface Tls extends Pick<ServerTls, 'authority' | 'hosts'> {
  readonly credentials: TlsCredentials
  /**
   * What the start prints: how devices trust the authority, what is wrong with a certificate of the operator, and what
   * other devices need.
   */
  readonly notes: readonly string[]
  /** Calls `apply` with each new certificate. The returned function stops this. */
  watch(apply: (credentials: TlsCredentials) => void, onError: (error: unknown) => void): () => Promise<void>
}

export interface TlsDeps {
  readonly config: Pick<Config, 'tls' | 'publicUrl' | 'dataDir' | 'host'>
  readonly readMachine: () => Machine
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How often the certificate, its files and the names of the machine are checked. */
const checkIntervalMs = 3_600_000

const tlsFolderIn = (dataDir: string): string => join(dataDir, 'tls')

/** The path of the certificate, as PEM, of the authority that `TLS=local` makes. */
export const authorityPathIn = (dataDir: string): string => join(tlsFolderIn(dataDir), 'ca.crt')

/**
 * Opens the configured certificate, or with `TLS=local` the one that Yonder makes. Returns null when this process does
 * not speak TLS.
 * @throws ConfigError when the certificate cannot be read or made
 */
export async function openTls({ config, readMachine, now }: TlsDeps): Promise<Tls | null> {
  const { tls, publicUrl } = config
  if (tls === null) return null
  const publicHost = new URL(publicUrl).hostname.replace(/^\[|\]$|\.$/g, '')
  const read =
    tls.kind === 'local'
      ? await openLocal({ folder: tlsFolderIn(config.dataDir), publicUrl, publicHost, readMachine, now })
      : openFiles(tls, publicHost, now)
  const first = read()
  if ('name' in first) throw createSettingsError([first])
  let current = first
  return {
    credentials: current.credentials,
    authority: current.authority,
    notes: [...current.notes, ...describeReach(config)],
    hosts: () => current.hosts,
    watch: (apply, onError) =>
      repeatUntilStopped(
        async () => {
          const next = read()
          if ('name' in next) throw new Error(describeProblem(next))
          const isNew = next.credentials.cert !== current.credentials.cert
          current = next
          if (isNew) apply(next.credentials)
        },
        checkIntervalMs,
        onError,
      ),
  }
}

interface Certificate extends Pick<Tls, 'credentials' | 'authority' | 'notes'> {
  readonly hosts: readonly string[]
}

/** Reads the certificate; one of Yonder is first made or renewed if necessary. Returns the problem if this fails. */
type ReadCertificate = () => Certificate | SettingProblem

interface LocalOptions extends Pick<TlsDeps, 'readMachine' | 'now'> {
  readonly folder: string
  readonly publicUrl: string
  readonly publicHost: string
}

async function openLocal(options: LocalOptions): Promise<ReadCertificate> {
  const { folder, publicUrl, publicHost, readMachine, now } = options
  // Only loaded when needed: the libraries take a few megabytes.
  const { ensureLocalCertificate } = await import('./local-certificate.ts')
  const { listWideNames } = await import('./certificates.ts')
  return () => {
    try {
      const made = ensureLocalCertificate({ folder, publicHost, machine: readMachine(), now: now() })
      const { certificate: cert, key, authority, authorityPath, names, ownNames, replaced } = made
      const notes = [
        ...(replaced === undefined ? [] : describeReplaced(replaced, listWideNames(replaced))),
        ...describeTrust(authority, authorityPath, publicUrl),
      ]
      // A name of one label is not in the certificate, but over plain http it leads to the address that is. The Host
      // header has an IPv6 address in brackets.
      const reached = ownNames.filter((name) => names.includes(name) || !/[.:]/.test(name))
      const hosts = reached.map((name) => (isIP(name) === 6 ? `[${name}]` : name))
      return { credentials: { cert, key }, authority, notes, hosts }
    } catch (error) {
      return { name: 'TLS', message: error instanceof Error ? error.message : String(error) }
    }
  }
}

function openFiles(
  paths: Parameters<typeof readCertificateFiles>[0],
  publicHost: string,
  now: () => number,
): ReadCertificate {
  return () => {
    const files = readCertificateFiles(paths)
    if ('name' in files) return files
    const { certificate, key } = files
    const notes = findFaults(certificate, publicHost, now()).map(
      (fault) => `Warning: the certificate of TLS_CERT ${fault}, so browsers will show a warning.`,
    )
    return { credentials: { cert: certificate, key }, authority: null, notes, hosts: [] }
  }
}

/**
 * Dates and names that browsers will object to. The server starts all the same: the clock may be wrong, or the renewal
 * late.
 */
function findFaults(pem: string, publicHost: string, now: number): string[] {
  const certificate = new X509Certificate(pem)
  const [from, to] = [certificate.validFrom, certificate.validTo].map((time) => Date.parse(time))
  const covered = isIP(publicHost) === 0 ? certificate.checkHost(publicHost) : certificate.checkIP(publicHost)
  return [
    ...(to !== undefined && to < now ? [`has expired (${certificate.validTo})`] : []),
    ...(from !== undefined && from > now ? [`is not valid before ${certificate.validFrom}`] : []),
    ...(covered === undefined ? [`is not for ${publicHost}, the host of PUBLIC_URL`] : []),
  ]
}

/** What is missing for other devices, which most operators who set up TLS want to connect. */
function describeReach({ host, publicUrl }: TlsDeps['config']): string[] {
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(publicUrl).hostname)
  if (!isLocal) return []
  return ['127.0.0.1', 'localhost', '::1'].includes(host)
    ? ['Only this machine can open this address. For other devices, start with --host 0.0.0.0 (HOST).']
    : [
        'Other devices need another address: set PUBLIC_URL to the one that they use, such as https://nas.local:3000.',
      ]
}

function describeReplaced(certificate: string, names: readonly string[]): string[] {
  const { fingerprint256 } = new X509Certificate(certificate)
  return [
    `Warning: the authority of this installation was replaced, because the earlier one could certify all names that end with ${names.join(' or ')}. Remove the earlier one from your devices (SHA-256 ${fingerprint256}).`,
  ]
}

/**
 * What the start prints about an authority that Yonder made: where its certificate is, how to recognise it, and one
 * line for each system or browser.
 */
function describeTrust(certificate: string, path: string, publicUrl: string): string[] {
  // An http address, because the device does not trust the authority yet. The user compares the fingerprint instead.
  // The port of https serves this file over http too.
  const { hostname, port } = new URL(publicUrl)
  const address = `http://${hostname}:${port || 443}/ca.crt`
  const { fingerprint256 } = new X509Certificate(certificate)
  return [
    `Its certificate is from an authority of this installation, which devices have to trust once:`,
    `  File         ${path}`,
    `  Download     ${address}`,
    `  SHA-256      ${fingerprint256}`,
    `  Debian       sudo cp ca.crt /usr/local/share/ca-certificates/yonder.crt && sudo update-ca-certificates`,
    `  macOS        sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ca.crt`,
    `  Windows      certutil -addstore -f Root ca.crt    (as administrator)`,
    `  iOS          open the download in Safari, install the profile, switch it on in Settings > General > About > Certificate Trust Settings`,
    `  Android      open the download, then Settings > Security > Encryption & credentials > Install a certificate > CA certificate`,
    `  Firefox      Settings > Privacy & Security > View Certificates > Authorities > Import`,
  ]
}
