import addressParser from 'nodemailer/lib/addressparser'

/** The bare addresses of a header, in lower case and each once. */
export function readAddresses(header: string | undefined): string[] {
  if (header === undefined) return []
  const found = addressParser(header, { flatten: true })
  return [...new Set(found.map(({ address }) => address.toLowerCase()).filter((address) => address !== ''))]
}
