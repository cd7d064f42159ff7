import { setTimeout as wait } from 'node:timers/promises'
import type { ImportOptions, Transfer, Transfers } from '@yonder/contract/transfer'
import { expect } from 'vitest'
import { overHttp, type RequestClient, type TestResponse } from '../send-request.ts'

type Client = Pick<RequestClient, 'headers' | 'get' | 'post'>

/** Sends the bytes of a file of an import. */
export function sendImportFile(
  base: string,
  { headers }: Pick<Client, 'headers'>,
  { id, number = 0 }: { readonly id: string; readonly number?: number },
  body: Uint8Array,
): Promise<TestResponse> {
  return overHttp(base).send({
    method: 'PUT',
    url: `/api/imports/${id}/files/${number}`,
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body,
  })
}

/** Announces files and sends them. Resolves with the import while it is read. */
export async function uploadImport(
  base: string,
  client: Client,
  files: Readonly<Record<string, Buffer>>,
): Promise<Transfer> {
  const list = Object.entries(files)
  const begun = await client.post('/api/imports', {
    files: list.map(([name, { length: size }]) => ({ name, size })),
  })
  expect(begun.statusCode, begun.body).toBe(201)
  let transfer = begun.json<Transfer>()
  for (const [number, [, bytes]] of list.entries()) {
    const response = await sendImportFile(base, client, { id: transfer.id, number }, bytes)
    expect(response.statusCode, response.body).toBe(200)
    transfer = response.json<Transfer>()
  }
  return transfer
}

/** Resolves with the last import of a user once no node works on it. Rejects when the server has died. */
export async function endOfImport(client: Client): Promise<Transfer> {
  for (;;) {
    const { import: last } = (await client.get('/api/transfers')).json<Transfers>()
    if (last === null) throw new Error('There is no import.')
    if (last.state !== 'reading' && last.state !== 'running') return last
    await wait(20)
  }
}

/** Uploads files, and imports them as soon as their preview is there. */
export async function importFiles(
  base: string,
  client: Client,
  files: Readonly<Record<string, Buffer>>,
  options: Partial<ImportOptions> = {},
): Promise<{ readonly preview: Transfer; readonly done: Transfer }> {
  await uploadImport(base, client, files)
  const preview = await endOfImport(client)
  expect(preview.state, preview.error).toBe('ready')
  const started = await client.post(`/api/imports/${preview.id}/start`, { bot: 'Helper', ...options })
  expect(started.statusCode, started.body).toBe(200)
  return { preview, done: await endOfImport(client) }
}
