/** A number of bytes for a sentence, such as `25 MB` or `1.5 MB`. */
export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
}
