import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

/** The files of `TLS_CERT` and `TLS_KEY`. */
export interface CertificatePaths {
  readonly certificatePath: string
  readonly keyPath: string
}

export interface CertificateFiles {
  /** The certificate of the server, and those of its authorities, as PEM. */
  readonly certificate: string
  readonly key: string
}

/** Why a certificate cannot be used, and which setting names the file. */
export interface CertificateProblem {
  readonly name: 'TLS_CERT' | 'TLS_KEY'
  readonly message: string
}

/** Reads a certificate and its key, or returns what is wrong with the first wrong file. */
export function readCertificateFiles({
  certificatePath,
  keyPath,
}: CertificatePaths): CertificateFiles | CertificateProblem {
  const certificate = readText(certificatePath)
  if (certificate instanceof Error) return unreadable('TLS_CERT', certificate)
  const key = readText(keyPath)
  if (key instanceof Error) return unreadable('TLS_KEY', key)
  if (!parses(() => new X509Certificate(certificate)))
    return { name: 'TLS_CERT', message: 'must name a file with a certificate in PEM form' }
  if (key.includes('ENCRYPTED'))
    return {
      name: 'TLS_KEY',
      message:
        'names a key with a passphrase. Remove the passphrase, for example with: openssl pkey -in key.pem -out new.pem',
    }
  if (!parses(() => createPrivateKey(key)))
    return { name: 'TLS_KEY', message: 'must name a file with a private key in PEM form' }
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    return { name: 'TLS_KEY', message: 'names a key that does not belong to the certificate of TLS_CERT' }
  // Also parses the certificates of the authorities, and refuses keys that are too short.
  if (!parses(() => createSecureContext({ cert: certificate, key })))
    return { name: 'TLS_CERT', message: 'names a certificate that cannot be used for TLS' }
  return { certificate, key }
}

function unreadable(name: CertificateProblem['name'], error: NodeJS.ErrnoException): CertificateProblem {
  return { name, message: `names a file that cannot be read (${error.code ?? error.message})` }
}

function readText(path: string): string | NodeJS.ErrnoException {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function parses(parse: () => unknown): boolean {
  try {
    parse()
    return true
  } catch {
    return false
  }
}
