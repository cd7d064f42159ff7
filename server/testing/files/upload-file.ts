import { crc32, deflateSync } from 'node:zlib'
import type { UploadedFile } from '@yonder/contract/file'
import type { ChatClient } from '../chat/open-chat-app.ts'
import { overHttp, type TestResponse } from '../send-request.ts'

/** Sends the bytes of a file as a page does. */
export function sendFileTo(
  base: string,
  { headers }: Pick<ChatClient, 'headers'>,
  name: string,
  body: Uint8Array,
): Promise<TestResponse> {
  return overHttp(base).send({
    method: 'POST',
    url: `/api/files?name=${encodeURIComponent(name)}`,
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body,
  })
}

/** Stores a file, and returns it. */
export async function uploadFile(
  base: string,
  client: Pick<ChatClient, 'headers'>,
  name: string,
  body: Uint8Array,
): Promise<UploadedFile> {
  const response = await sendFileTo(base, client, name, body)
  if (response.statusCode !== 201) throw new Error(response.body)
  return response.json<UploadedFile>()
}

/** A grey PNG of this size, in pixels. `fill` makes its pixels others. They are not compressed. */
export function makePng(width = 640, height = 480, fill = '\x80'): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits for each pixel.
  header[8] = 8
  const rows = Buffer.alloc(height * (width + 1), fill)
  // Each row begins with its filter: none.
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0
  const chunks = [
    makeChunk('IHDR', header),
    makeChunk('IDAT', deflateSync(rows, { level: 0 })),
    makeChunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'), ...chunks])
}

function makeChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
