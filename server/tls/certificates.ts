import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  ExtendedKeyUsage,
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  NameConstraints,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509'
import ipaddr from 'ipaddr.js'

/** A certificate with its key, both as PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

export const dayMs = 86_400_000
/** Ten years. After that, every device has to trust a new authority. */
const authorityDays = 3_650
/** Systems refuse certificates of servers that are valid for more than 397 or 825 days. */
export const certificateDays = 90

const commonName = '2.5.4.3'
const ecdsaWithSha256 = '1.2.840.10045.4.3.2'

/** Names that standards keep out of the public DNS, with all names below them. */
const localZones = ['localhost', 'local', 'internal', 'home.arpa']
/** Networks that are not routed on the internet. */
const localNetworks = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
]

/**
 * Makes a certificate authority. It can only certify servers, and only under local names and addresses and the public
 * host, so that its key is of little use to a thief.
 * @param now milliseconds since 1970
 * @throws Error for a public host of one label, with which every name that ends with it would be permitted
 */
export function makeAuthority(publicHost: string, now: number): KeyPair {
  if (isIP(publicHost) === 0 && isWide(publicHost))
    throw new Error(`an authority for ${publicHost} could certify a whole domain`)
  const ownName = { 0: publicHost, 4: `${publicHost}/32`, 6: `${publicHost}/128` }[isIP(publicHost)]
  const permitted = [...new Set([...localZones, ...localNetworks, ownName ?? publicHost])]
  // The random part distinguishes this authority from an earlier one of the machine, which a device may still trust.
  const subject = `Yonder local CA ${publicHost.slice(0, 36)} ${randomBytes(3).toString('hex')}`
  return certify({
    subject,
    now,
    notAfter: now + authorityDays * dayMs,
    extensions: [
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
      extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
      extension(
        id_ce_nameConstraints,
        new NameConstraints({
          permittedSubtrees: new GeneralSubtrees(
            permitted.map((name) => new GeneralSubtree({ base: toGeneralName(name) })),
          ),
        }),
        true,
      ),
    ],
  })
}

/**
 * Makes the certificate of a server with these names and addresses.
 * @param now milliseconds since 1970
 */
export function makeCertificate(authority: KeyPair, names: readonly string[], now: number): KeyPair {
  const { notAfter } = readValidity(authority.certificate)
  return certify({
    subject: (names[0] ?? 'Yonder').slice(0, 64),
    issuer: authority,
    now,
    notAfter: Math.min(now + (certificateDays - 1) * dayMs, notAfter),
    extensions: [
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: false }), true),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
      extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
      extension(id_ce_subjectAltName, new SubjectAlternativeName(names.map(toGeneralName))),
    ],
  })
}

/**
 * Whether an authority that is permitted this name could certify a whole domain of the public DNS: a single label may be
 * or become one.
 */
function isWide(name: string): boolean {
  return !trimDots(name).includes('.') && !localZones.includes(trimDots(name))
}

function trimDots(name: string): string {
  return name
    .toLowerCase()
    .split('.')
    .filter((label) => label !== '')
    .join('.')
}

/** Returns the names with which this authority could certify whole domains, as those of earlier versions could. */
export function listWideNames(authority: string): readonly string[] {
  return (
    permittedNames(authority)
      .flatMap(({ dNSName }) => dNSName ?? [])
      // An earlier version permitted it to every authority. No public domain has this name.
      .filter((name) => isWide(name) && trimDots(name) !== 'lan')
  )
}

/** Returns a check whether certificates of this authority may contain a name or address. */
export function createNameCheck(authority: string): (name: string) => boolean {
  const permitted = permittedNames(authority)
  if (permitted.length === 0) return () => true
  return (name) =>
    permitted.some(({ dNSName, iPAddress }) =>
      isIP(name) === 0
        ? dNSName !== undefined && (name === dNSName || name.endsWith(`.${dNSName}`))
        : iPAddress !== undefined && isInNetwork(name, iPAddress),
    )
}

function permittedNames(authority: string): readonly GeneralName[] {
  const constraints = readExtension(authority, id_ce_nameConstraints, NameConstraints)
  return [...(constraints?.permittedSubtrees ?? [])].map(({ base }) => base)
}

/** Returns the canonical form of an IP address, in which equal addresses are equal texts. */
export function normalizeIp(text: string): string {
  return ipaddr.parse(text).toString()
}

function isInNetwork(address: string, network: string): boolean {
  const [parsed, [base, bits]] = [ipaddr.parse(address), ipaddr.parseCIDR(network)]
  return parsed.kind() === base.kind() && parsed.match(base, bits)
}

/** When a certificate begins and ceases to be valid, in milliseconds since 1970. */
export function readValidity(certificate: string): { readonly notBefore: number; readonly notAfter: number } {
  const { validFromDate, validToDate } = new X509Certificate(certificate)
  return { notBefore: validFromDate.getTime(), notAfter: validToDate.getTime() }
}

/** The names and addresses of a certificate, sorted. */
export function readNames(certificate: string): readonly string[] {
  return [...(readExtension(certificate, id_ce_subjectAltName, SubjectAlternativeName) ?? [])]
    .map(({ dNSName, iPAddress }) => dNSName ?? normalizeIp(iPAddress ?? ''))
    .toSorted()
}

function readExtension<Value>(pem: string, id: string, Type: new () => Value): Value | undefined {
  const { extensions } = parseCertificate(pem)
  const found = extensions?.find(({ extnID }) => extnID === id)
  return found && AsnConvert.parse(found.extnValue.buffer, Type)
}

function parseCertificate(pem: string): TBSCertificate {
  return AsnConvert.parse(new X509Certificate(pem).raw, Certificate).tbsCertificate
}

interface CertificateParts {
  readonly subject: string
  /** Without an issuer the certificate is signed by its own key. */
  readonly issuer?: KeyPair
  /** Milliseconds since 1970, as `notAfter` is. */
  readonly now: number
  readonly notAfter: number
  readonly extensions: readonly Extension[]
}

/** Makes a key, and its certificate, which begins a day ago, for devices with a slow clock. */
function certify(parts: CertificateParts): KeyPair {
  // P-256, which every system that can run a current browser supports.
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = parts.issuer && parseCertificate(parts.issuer.certificate)
  const subject = toName(parts.subject)
  const keyInfo = AsnConvert.parse(publicKey.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo)
  const keyId = keyIdOf(keyInfo)
  const issuerKeyId = issuer === undefined ? keyId : keyIdOf(issuer.subjectPublicKeyInfo)
  const algorithm = new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 })
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    // The first byte makes the number positive, as a serial number must be.
    serialNumber: toBuffer(Buffer.concat([Buffer.of(0x40), randomBytes(15)])),
    signature: algorithm,
    issuer: issuer?.subject ?? subject,
    validity: new Validity({ notBefore: new Date(parts.now - dayMs), notAfter: new Date(parts.notAfter) }),
    subject,
    subjectPublicKeyInfo: keyInfo,
    extensions: new Extensions([
      ...parts.extensions,
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyId)),
      extension(
        id_ce_authorityKeyIdentifier,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(issuerKeyId) }),
      ),
    ]),
  })
  const signature = sign(
    'sha256',
    Buffer.from(AsnConvert.serialize(tbsCertificate)),
    parts.issuer?.key ?? privateKey,
  )
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: algorithm,
    signatureValue: toBuffer(signature),
  })
  return {
    certificate: new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString(),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function keyIdOf({ subjectPublicKey }: SubjectPublicKeyInfo): ArrayBuffer {
  return toBuffer(createHash('sha256').update(Buffer.from(subjectPublicKey)).digest().subarray(0, 20))
}

function extension(extnID: string, value: object, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) })
}

function toName(text: string): Name {
  const value = new AttributeValue({ utf8String: text })
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: commonName, value })])])
}

function toGeneralName(name: string): GeneralName {
  return isIP(name.split('/')[0] ?? '') === 0
    ? new GeneralName({ dNSName: name })
    : new GeneralName({ iPAddress: name })
}

function toBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
