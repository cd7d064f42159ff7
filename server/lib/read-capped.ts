import { AppError } from './app-error.ts'

/**
 * The text of an answer of at most so many bytes; a longer one is not read to its end.
 * @throws AppError `output_limit`
 */
export async function readCapped(answer: Response, mostBytes: number): Promise<string> {
  if (answer.body === null) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop early ends the request.
  for await (const chunk of answer.body) {
    bytes += chunk.byteLength
    if (bytes > mostBytes) {
      throw new AppError('output_limit', `The server sent more than ${mostBytes.toLocaleString('en')} bytes.`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
