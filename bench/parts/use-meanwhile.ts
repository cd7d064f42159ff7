import { openStream } from '../../server/testing/chat/open-stream.ts'
import { sendRequest } from '../../server/testing/send-request.ts'

/*
 * A user in a process of its own, who lists chats and lets a model reply, one after the other. Each message from the
 * parent begins or ends a period; at the end of one, the process answers with its times.
 */

export interface Period {
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  readonly botName: string
}

/** Milliseconds of each request: until the list was received, and until the first text of a reply. */
export interface Times {
  readonly list: number[]
  readonly firstText: number[]
}

let ending = new AbortController()
process.on('message', (period: Period | 'end') => {
  ending.abort()
  if (period === 'end') return
  ending = new AbortController()
  void use(period, ending.signal)
})
process.send?.('ready')

async function use({ base, headers, botName }: Period, ended: AbortSignal): Promise<void> {
  const times: Times = { list: [], firstText: [] }
  const { body } = await sendRequest({ method: 'GET', url: `${base}/api/chat/id`, headers })
  const { id: chatId } = JSON.parse(body) as { id: string }
  while (!ended.aborted) {
    for (let index = 0; index < 5; index++) {
      const start = performance.now()
      const { statusCode } = await sendRequest({ method: 'GET', url: `${base}/api/chats`, headers })
      if (statusCode !== 200) throw new Error(`The list had status ${statusCode}.`)
      times.list.push(performance.now() - start)
    }
    const start = performance.now()
    const stream = await openStream({
      method: 'POST',
      url: `${base}/api/chat/completions`,
      headers,
      body: { chatId, botName, parentId: null, content: 'go' },
    })
    await stream.until(({ text }) => text !== '')
    times.firstText.push(performance.now() - start)
    await stream.ended
  }
  process.send?.(times)
}
