import { AppError } from './app-error.ts'

/**
 * Returns the text of a response. A response of more than `maxBytes` is not read to its end.
 * @throws AppError `output_limit`
 */
export async function readCapped(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop early ends the request.
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw tooLong(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The error of a response, or of several together, with more than `maxBytes`. */
export function tooLong(maxBytes: number): AppError {
  const mebibyte = 1_024 * 1_024
  const limit =
    maxBytes >= mebibyte ? `${Math.floor(maxBytes / mebibyte)} MiB` : `${Math.floor(maxBytes / 1_024)} KiB`
  return new AppError('output_limit', `The server sent more than ${limit}.`)
}
