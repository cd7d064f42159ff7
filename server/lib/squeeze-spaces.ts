/** Text without what folding, wrapping and copying do to its spaces; for comparing. */
export function squeezeSpaces(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
