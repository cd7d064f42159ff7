import type { SendFile } from '../api/api-client.ts'

/** Sends a file with an `XMLHttpRequest`, because `fetch` does not tell how much of a body is sent. */
export const sendFile: SendFile = (path, headers, file, { method = 'POST', onProgress, signal }) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error)
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    const end = (settle: () => void) => () => {
      signal.removeEventListener('abort', abort)
      settle()
    }
    request.open(method, path)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    request.addEventListener(
      'load',
      end(() => resolve(new Response(request.responseText, { status: request.status }))),
    )
    request.addEventListener(
      'error',
      end(() => reject(new TypeError('The upload reached no server.'))),
    )
    request.addEventListener(
      'abort',
      end(() => reject(signal.reason as Error)),
    )
    signal.addEventListener('abort', abort)
    request.send(file)
  })
