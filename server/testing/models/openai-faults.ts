import { replyOk, beginReply as begin, sendJson as json, type Fault } from './fault-scene.ts'

const chunk = (choices: unknown) => `data: ${JSON.stringify({ model: 'm', choices })}\n\n`
const openaiEnd = `${chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])}data: [DONE]\n\n`

/** Deviations of OpenAI-compatible servers from the format. */
export const openaiFaults: Readonly<Record<string, Fault>> = {
  'no-done': (scene) =>
    void begin(scene).end(scene.shape.text('ok') + chunk([{ delta: {}, finish_reason: 'stop' }])),
  'only-done': (scene) => void begin(scene).end(`${scene.shape.text('ok')}data: [DONE]`),
  'only-done-and-nothing': ({ response }) => void response.writeHead(200).end('data: [DONE]\n\n'),
  'after-done': (scene) =>
    void begin(scene).end(`${scene.shape.text('ok')}${openaiEnd}${scene.shape.text('late')}data: [DONE]\n\n`),
  'hang-after-finish': (scene) =>
    void begin(scene).write(scene.shape.text('ok') + chunk([{ delta: {}, finish_reason: 'stop' }])),
  'hang-after-done': (scene) => void begin(scene).write(scene.shape.text('ok') + openaiEnd),
  'broken-json-at-end': (scene) =>
    void begin(scene).end(`${scene.shape.text('partial')}data: {"choices":[{"del`),
  'odd-shapes': (scene) => {
    const odd = [
      undefined,
      null,
      [],
      [null],
      [{ delta: null }],
      [{ index: 0, delta: { content: null } }],
      'text',
      7,
    ]
    const readable = [
      [{ index: 0, delta: { content: [{ type: 'text', text: 'o' }] } }],
      [
        { index: 0, delta: { content: 'k' } },
        { index: 1, delta: { content: 'other' } },
      ],
      [{ index: 0, delta: { content: 5 } }],
    ]
    begin(scene).end([...odd, ...readable].map(chunk).join('') + openaiEnd)
  },
  'index-seven': (scene) => {
    scene.response
      .writeHead(200)
      .end(`${chunk([{ index: 7, delta: { content: 'ok' }, finish_reason: 'stop' }])}data: [DONE]\n\n`)
  },
  'many-tools': (scene) => {
    const calls = Array.from({ length: 10_000 }, (_, index) => ({
      index,
      id: `c${index}`,
      function: { name: 'act', arguments: '{}' },
    }))
    begin(scene).end(
      calls.map((call) => chunk([{ index: 0, delta: { tool_calls: [call] } }])).join('') + openaiEnd,
    )
  },
  'loose-tools': (scene) => {
    // Neither call has an index or an id, and the first has its arguments as an object.
    const calls = [
      { function: { name: 'first', arguments: { a: 1 } } },
      { function: { name: 'second', arguments: '{"b":2}' } },
    ]
    begin(scene).end(
      calls.map((call) => chunk([{ index: 0, delta: { tool_calls: [call] } }])).join('') + openaiEnd,
    )
  },
  'odd-usage': (scene) => {
    const odd = { prompt_tokens: -5, completion_tokens: 1e300 }
    begin(scene).end(`${scene.shape.text('ok')}data: ${JSON.stringify({ usage: odd })}\n\n${openaiEnd}`)
  },
  whole: ({ response }) => {
    const message = { role: 'assistant', content: 'ok', reasoning: 'because' }
    json(response, 200, {
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 7 },
    })
  },
  'think-tags': (scene) => {
    begin(scene).end(
      ['<th', 'ink>why', ' not</th', 'ink>\n\nok <think>', ' stays']
        .map((text) => scene.shape.text(text))
        .join('') + openaiEnd,
    )
  },
  'refuses-usage-option': (scene) => {
    if (scene.body.includes('stream_options'))
      json(scene.response, 400, { error: { message: 'unknown field stream_options' } })
    else replyOk(scene)
  },
}
