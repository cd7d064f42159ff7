/** Returns the name under which a PDF is sent. */
export type FileNamer = (name: string) => string

/** Characters of a name. */
const maxPlainChars = 200

/**
 * Opens the names of the PDFs of a request. Plain names are those that Bedrock takes: no dot and so no ending, only some
 * characters, and none twice.
 */
export function openFileNamer(isPlain: boolean): FileNamer {
  if (!isPlain) return (name) => (/\.pdf$/i.test(name) ? name : `${name}.pdf`)
  const used = new Set<string>()
  return (name) => {
    const base = toPlainName(name)
    let plain = base
    for (let copy = 2; used.has(plain); copy++) plain = `${base.slice(0, maxPlainChars - 5)} ${copy}`
    used.add(plain)
    return plain
  }
}

function toPlainName(name: string): string {
  const plain = name
    .replace(/\.pdf$/i, '')
    .replaceAll(/[^a-zA-Z0-9()[\]-]+/g, ' ')
    .trim()
    .slice(0, maxPlainChars)
    .trim()
  return plain === '' ? 'document' : plain
}
