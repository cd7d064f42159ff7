/** At most this many characters of a text, and how many were left out. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const left = (text.length - most).toLocaleString('en')
  return `${text.slice(0, most).toWellFormed()}\n[${left} further characters were left out.]`
}
