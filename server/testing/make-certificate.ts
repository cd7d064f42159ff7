import { makeAuthority, makeCertificate } from '../tls/certificates.ts'

/** A certificate for one name or address, with its key and the authority that issued it, all as PEM. */
export function makeTestCertificate(
  name: string,
  now = Date.now(),
): { readonly cert: string; readonly key: string; readonly ca: string } {
  const authority = makeAuthority(name, now)
  const { certificate, key } = makeCertificate(authority, [name], now)
  return { cert: certificate, key, ca: authority.certificate }
}
