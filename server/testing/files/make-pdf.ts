/** An object of a PDF: a dictionary, and the content of a stream. */
export type PdfObject = string | { readonly dictionary: string; readonly stream: Buffer }

/**
 * Makes a PDF of objects, which are numbered from 1.
 *
 * @param trailer added to the trailer, beside its root, the first object
 */
export function makePdfOfObjects(objects: readonly PdfObject[], trailer = ''): Buffer {
  const chunks: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const offsets: number[] = []
  const length = () => chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  for (const [index, object] of objects.entries()) {
    offsets.push(length())
    chunks.push(Buffer.from(`${index + 1} 0 obj\n`))
    if (typeof object === 'string') chunks.push(Buffer.from(object, 'latin1'))
    else
      chunks.push(
        Buffer.from(`<< /Length ${object.stream.length} ${object.dictionary} >>\nstream\n`, 'latin1'),
        object.stream,
        Buffer.from('\nendstream'),
      )
    chunks.push(Buffer.from('\nendobj\n'))
  }
  const start = length()
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  chunks.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(chunks)
}

export interface PdfPage {
  /** Operators that draw the page. The font is called `/F`. */
  readonly content: string | Buffer
  /** Added to the dictionary of the content, such as a filter. */
  readonly dictionary?: string
}

/** Makes a PDF with a page for each argument: a line of ASCII text, or what draws it. */
export function makePdf(...pages: readonly (string | PdfPage)[]): Buffer {
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ')
  return makePdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} /MediaBox [0 0 612 792] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((page, index) => {
      const { content, dictionary = '' } =
        typeof page === 'string' ? { content: `BT /F 12 Tf 72 700 Td (${page}) Tj ET` } : page
      return [
        `<< /Type /Page /Parent 2 0 R /Resources << /Font << /F 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
        { dictionary, stream: Buffer.from(content) },
      ]
    }),
  ])
}

/** Makes a small PDF of forms that draw each other, so that reading its only page takes for ever. */
export function makeEndlessPdf(): Buffer {
  const depth = 12
  const font = 4 + depth
  const forms = Array.from({ length: depth }, (_, level): PdfObject => {
    const isLast = level === depth - 1
    const resources = isLast ? `/Font << /F ${font} 0 R >>` : `/XObject << /X ${5 + level} 0 R >>`
    return {
      dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << ${resources} >>`,
      stream: Buffer.from(isLast ? 'BT /F 12 Tf (a) Tj ET' : '/X Do '.repeat(20)),
    }
  })
  return makePdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >> /Contents 4 0 R >>',
    ...forms,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ])
}
