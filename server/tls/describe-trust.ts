import { X509Certificate } from 'node:crypto'

/**
 * What the start prints about an authority that Yonder made: where its certificate is, how to recognise it, and one
 * line for each system or browser.
 */
export function describeTrust(certificate: string, path: string, publicUrl: string): string[] {
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
