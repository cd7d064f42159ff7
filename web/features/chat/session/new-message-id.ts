/** An id for a message made here: 128 random bits, also where `crypto.randomUUID` needs HTTPS and is missing. */
export function newMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
