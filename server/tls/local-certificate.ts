import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Machine } from '../config/machine.ts'
import { writeFileOnce, readIfExists, replaceFile } from '../lib/write-file.ts'
import {
  certificateDays,
  createNameCheck,
  dayMs,
  listWideNames,
  makeAuthority,
  makeCertificate,
  normalizeIp,
  readNames,
  readValidity,
  type KeyPair,
} from './certificates.ts'

export interface LocalCertificateOptions {
  /** The folder of the files. When it is created, only the user of this process has access to it. */
  readonly folder: string
  /** The host of `PUBLIC_URL`, an IPv6 address without brackets. */
  readonly publicHost: string
  readonly machine: Machine
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface LocalCertificate extends KeyPair {
  /** The certificate that devices trust, as PEM, and the path of the file with it. */
  readonly authority: string
  readonly authorityPath: string
  /** The names and addresses in the certificate. */
  readonly names: readonly string[]
  /** The names and addresses of the machine, also those that the authority cannot certify. */
  readonly ownNames: readonly string[]
  /** The authority that this start replaced because it could certify whole domains, as PEM. */
  readonly replaced?: string
}

/** A certificate that is valid for fewer days is replaced. */
const minRemainingDays = 30
/** A clock before this has not been set yet, as on a small computer without a battery. */
const minClock = Date.UTC(2026, 0, 1)

/**
 * Returns a valid certificate for this machine from the files in the folder. Makes the certificate unless the stored
 * one is signed by the authority, has the names of the machine and does not end soon. Makes the authority if it is
 * missing, cannot certify the public host, could certify whole domains or ends before a new certificate would, and only
 * then, because every device has to trust a new authority.
 * @throws Error with a sentence for the operator when the clock or a file is wrong
 */
export function ensureLocalCertificate(options: LocalCertificateOptions): LocalCertificate {
  const { folder, now } = options
  const authorityPath = join(folder, 'ca.crt')
  if (now < minClock) throw new Error(`the clock of this machine shows ${day(now)}. Set it, then start again`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const ownNames = listNames(options)
  const { replaced, ...authority } = ensureAuthority(options)
  // A file that the operator can copy to devices, because it does not contain the key.
  if (readIfExists(authorityPath) !== authority.certificate) replaceFile(authorityPath, authority.certificate)
  const names = ownNames.filter(createNameCheck(authority.certificate)).slice(0, maxNames)
  const path = join(folder, 'server.pem')
  const known = readPair(path)
  const rest = {
    authority: authority.certificate,
    authorityPath,
    names,
    ownNames,
    ...(replaced !== undefined && { replaced }),
  }
  if (known !== undefined && isUsable(known, authority, names, now)) return { ...known, ...rest }
  const made = makeCertificate(authority, names, now)
  replaceFile(path, made.key + made.certificate)
  return { ...made, ...rest }
}

/** A machine with many virtual networks may have hundreds of addresses. */
const maxNames = 100

/** The names and addresses under which this machine may be reached, also by itself; the public one comes first. */
function listNames({ publicHost, machine }: LocalCertificateOptions): string[] {
  // The host name of a container is random, and other devices do not know it.
  const hostName = machine.isContainer ? null : machine.hostName
  const firstLabel = hostName?.split('.')[0]
  const names = [
    publicHost,
    ...(hostName === null || firstLabel === undefined ? [] : [hostName, firstLabel, `${firstLabel}.local`]),
    'localhost',
    '127.0.0.1',
    '::1',
    ...machine.addresses,
  ]
  return [...new Set(names.map((name) => (isIP(name) === 0 ? name : normalizeIp(name))))]
}

function ensureAuthority({
  folder,
  publicHost,
  now,
}: LocalCertificateOptions): KeyPair & Pick<LocalCertificate, 'replaced'> {
  const path = join(folder, 'ca.pem')
  if (readIfExists(path) === undefined) {
    const { key, certificate } = makeAuthority(publicHost, now)
    writeFileOnce(path, key + certificate)
  }
  // Two processes that start at once get the same authority.
  const known = readPair(path)
  if (known === undefined)
    throw new Error(
      `${path} does not contain a certificate authority with its key. Restore it from a backup. To make a new one, which every device has to trust again, delete the folder ${folder}`,
    )
  const { notBefore, notAfter } = readValidity(known.certificate)
  if (now < notBefore)
    throw new Error(
      `the clock of this machine shows ${day(now)}, but ${path} is valid only after ${day(notBefore)}. Set the clock. If it is right, delete the folder ${folder}`,
    )
  const isWide = listWideNames(known.certificate).length > 0
  const isValid = createNameCheck(known.certificate)(publicHost) && now + certificateDays * dayMs < notAfter
  if (isValid && !isWide) return known
  const made = makeAuthority(publicHost, now)
  replaceFile(path, made.key + made.certificate)
  return { ...made, ...(isWide && { replaced: known.certificate }) }
}

function isUsable(pair: KeyPair, authority: KeyPair, names: readonly string[], now: number): boolean {
  const { notBefore, notAfter } = readValidity(pair.certificate)
  return (
    notBefore <= now &&
    now + minRemainingDays * dayMs < notAfter &&
    new X509Certificate(pair.certificate).verify(new X509Certificate(authority.certificate).publicKey) &&
    readNames(pair.certificate).join() === names.toSorted().join()
  )
}

function readPair(path: string): KeyPair | undefined {
  const text = readIfExists(path)
  return text === undefined ? undefined : parsePair(text)
}

/** Returns undefined when the text is not a key with its certificate, for example because the file was cut. */
function parsePair(text: string): KeyPair | undefined {
  const start = text.indexOf('-----BEGIN CERTIFICATE-----')
  const [key, certificate] = [text.slice(0, start), text.slice(start)]
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
      ? { certificate, key }
      : undefined
  } catch {
    return undefined
  }
}

function day(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}
