/** Closes a stream (§7.31). */
const endMarker = '[DONE]'

/**
 * Reads an event stream and yields the data of each event until the end marker or the end of the body. Chunks may be
 * cut anywhere, also within a character. An event that the end of the body cuts off is dropped. Leaving the loop
 * cancels the body.
 */
export async function* readSse(response: Response): AsyncGenerator<string, void, undefined> {
  if (response.body === null) throw new Error('Response body is not readable')
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const lines = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split('\n')
      rest = lines.pop() ?? ''
      // A last event whose lines are whole counts, even without its blank line.
      if (done) lines.push('')
      for (const line of lines) {
        const text = line.endsWith('\r') ? line.slice(0, -1) : line
        if (text.startsWith('data:')) data.push(text.slice(text.startsWith('data: ') ? 6 : 5))
        if (text !== '' || data.length === 0) continue
        const event = data.join('\n')
        if (event === endMarker) return
        yield event
        data = []
      }
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
