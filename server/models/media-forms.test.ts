import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { assistantMessage } from '../testing/models/messages.ts'
import { openModelScene, type ModelScene } from '../testing/models/open-model-scene.ts'
import { strictProviders } from '../testing/models/strict/providers.ts'
import { wireShapes } from '../testing/models/wire-shapes.ts'
import { userMessage, type MediaPart, type ModelMessage, type ModelRequest } from './model.ts'

let scene: ModelScene

beforeAll(async () => {
  scene = await openModelScene()
})
afterEach(() => scene.closeServers())
afterAll(() => scene.close())

type ApiType = keyof typeof wireShapes
type Body = Readonly<Record<string, unknown>>

/** Calls a model and returns the bodies that were sent, the last of them, and how the reply ended. */
async function send(
  apiType: ApiType,
  messages: readonly ModelMessage[],
  request: Partial<ModelRequest> = {},
  refusal?: (body: Body) => string | undefined,
) {
  const shape = wireShapes[apiType]
  const reply = [shape.start('m'), shape.text('ok'), shape.finish('stop', { input: 5, output: 7 })]
  const { url, seen } = await scene.serve(() => reply, refusal)
  const { end } = await scene.callModel(apiType, url, { request: { messages, tools, ...request } })
  const bodies = seen.map(({ body }) => body)
  return { bodies, body: bodies.at(-1) ?? {}, end }
}

const tools = [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' } }]
const png: MediaPart = { type: 'media', name: 'a.png', mediaType: 'image/png', data: 'iVBORw0KGgo=' }
const pdf: MediaPart = {
  type: 'media',
  name: 'Größe: 1_2.pdf',
  mediaType: 'application/pdf',
  data: 'JVBERi0xLjQ=',
}
const pngUrl = 'data:image/png;base64,iVBORw0KGgo='
const pdfUrl = 'data:application/pdf;base64,JVBERi0xLjQ='

const asked: ModelMessage = { role: 'user', parts: [{ type: 'text', text: 'What is it?' }, png, pdf] }
const looked = [
  userMessage('Look'),
  assistantMessage('', [
    { id: 'call00001', name: 'look', arguments: '{}' },
    { id: 'call00002', name: 'look', arguments: '{}' },
  ]),
  {
    role: 'tool' as const,
    parts: [
      { type: 'result' as const, callId: 'call00001', name: 'look', text: 'one', media: [png] },
      { type: 'result' as const, callId: 'call00002', name: 'look', text: 'two' },
    ],
  },
]

describe('chat completions', () => {
  // developers.openai.com/api/docs/guides/images-vision and file-inputs: `image_url` and `file`, PDF only.
  it('have a list when a message has media, and a text otherwise', async () => {
    const { body } = await send('openai', [userMessage('Hello'), assistantMessage('Hi'), asked])
    expect(body['messages']).toEqual([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: pngUrl } },
          { type: 'file', file: { filename: 'Größe: 1_2.pdf', file_data: pdfUrl } },
        ],
      },
    ])
  })

  // openai-node#1030, OpenHands#7700: a picture with the role `tool` is refused.
  it('have the pictures of results after all results, from the user', async () => {
    const { body } = await send('openai', looked)
    expect((body['messages'] as object[]).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'call00001', name: 'look', content: 'one' },
      { role: 'tool', tool_call_id: 'call00002', name: 'look', content: 'two' },
      { role: 'assistant', content: '[No reply]' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[From the result of the tool look: a.png]' },
          { type: 'image_url', image_url: { url: pngUrl } },
        ],
      },
    ])
  })

  it('join them with a message of the user that follows', async () => {
    const { body } = await send('openai', [...looked, asked])
    const messages = body['messages'] as readonly { role: string; content: { type: string }[] }[]
    expect(messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'user',
    ])
    expect(messages.at(-1)?.content.map(({ type }) => type)).toEqual([
      'text',
      'image_url',
      'text',
      'image_url',
      'file',
    ])
  })

  it('have the pictures after the last result also when each call has a message of its own', async () => {
    const { body, end } = await send('openai', looked, {}, ({ messages }) =>
      (messages as readonly { tool_calls?: unknown[] }[]).some(
        ({ tool_calls: calls }) => (calls?.length ?? 0) > 1,
      )
        ? 'This model only supports single tool-calls at once!'
        : undefined,
    )
    expect(end).toEqual({ type: 'finish', reason: 'stop' })
    const roles = (body['messages'] as readonly { role: string }[]).map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant', 'user'])
  })

  it('have the instructions before the list when there is no system role', async () => {
    const { body } = await send('openai', [asked], { instructions: 'Be brief.' }, ({ messages }) =>
      (messages as readonly { role: string }[])[0]?.role === 'user' ? undefined : 'System role not supported',
    )
    expect(body['messages']).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'Be brief.' }, { type: 'text' }, {}, {}] },
    ])
  })

  // docs.aws.amazon.com API_runtime_DocumentBlock; vercel/ai#20365.
  it('have plain and different names of documents for Bedrock', async () => {
    const names = async (model: string, ...given: readonly string[]) => {
      const parts = given.map((name) => ({ ...pdf, name }))
      const { body } = await send('openai', [{ role: 'user', parts }], { model })
      const [message] = body['messages'] as readonly {
        content: { file: { filename: string } }[]
      }[]
      return message?.content.map(({ file }) => file.filename)
    }
    const bedrock = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
    expect(await names(bedrock, pdf.name, 'Größe 1 2.pdf', '报告.pdf', `${'x'.repeat(250)}.PDF`)).toEqual([
      'Gr e 1 2',
      'Gr e 1 2 2',
      'document',
      'x'.repeat(200),
    ])
    expect(await names('gpt-4o', 'Report', 'Report.PDF')).toEqual(['Report.pdf', 'Report.PDF'])
  })

  it('have such names after a refusal', async () => {
    const { bodies, end } = await send('openai', [asked], {}, (body) =>
      JSON.stringify(body).includes('.pdf"')
        ? 'The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets.'
        : undefined,
    )
    expect([bodies.length, end]).toEqual([2, { type: 'finish', reason: 'stop' }])
  })
})

describe('responses', () => {
  // developers.openai.com/api/docs/guides/file-inputs and the reference of `input`.
  it('have a list when a message or a result has media, and a text otherwise', async () => {
    const { body } = await send('openai-responses', [...looked, asked])
    expect(body['input']).toMatchObject([
      { role: 'user', content: 'Look' },
      { type: 'function_call' },
      { type: 'function_call' },
      {
        type: 'function_call_output',
        output: [
          { type: 'input_text', text: 'one' },
          { type: 'input_image', detail: 'auto', image_url: pngUrl },
        ],
      },
      { type: 'function_call_output', output: 'two' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', detail: 'auto', image_url: pngUrl },
          { type: 'input_file', filename: 'Größe: 1_2.pdf', file_data: pdfUrl },
        ],
      },
    ])
  })

  it.each([
    ['llama.cpp', "Output of tool call should be 'Input text'"],
    ['LM Studio', "Invalid type for 'input'."],
    ['oMLX', 'body -> input -> list[InputItem] -> 4 -> output: Input should be a valid string'],
  ])('have the pictures of results from the user after a refusal of %s', async (_, message) => {
    const { body, end } = await send('openai-responses', looked, {}, ({ input }) =>
      (input as readonly { output?: unknown }[]).some(({ output }) => Array.isArray(output))
        ? message
        : undefined,
    )
    expect(end).toEqual({ type: 'finish', reason: 'stop' })
    expect((body['input'] as object[]).slice(3)).toMatchObject([
      { type: 'function_call_output', output: 'one' },
      { type: 'function_call_output', output: 'two' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: '[From the result of the tool look: a.png]' },
          { type: 'input_image', detail: 'auto', image_url: pngUrl },
        ],
      },
    ])
  })
})

describe('messages of Anthropic', () => {
  // platform.claude.com/docs build-with-claude/vision and pdf-support: base64 blocks, before the text.
  it('have pictures and documents before the text, and pictures in results', async () => {
    const { body } = await send('anthropic', [...looked, asked])
    const source = (media_type: string, data: string) => ({ type: 'base64', media_type, data })
    const image = { type: 'image', source: source('image/png', png.data) }
    const document = { type: 'document', source: source('application/pdf', pdf.data), title: pdf.name }
    expect((body['messages'] as object[])[2]).toMatchObject({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call00001', content: [{ type: 'text', text: 'one' }, image] },
        { type: 'tool_result', tool_use_id: 'call00002', content: 'two' },
        image,
        document,
        { type: 'text', text: 'What is it?' },
      ],
    })
  })

  it('have a cache mark at the end also when it is a picture', async () => {
    const { body } = await send('anthropic', [{ role: 'user', parts: [png] }])
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'image',
            source: { type: 'base64', media_type: 'image/png', data: png.data },
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
    ])
  })
})

describe('contents of Google', () => {
  const image = { inlineData: { mimeType: 'image/png', data: png.data } }

  // ai.google.dev image-understanding and document-processing: inline data, before the text.
  it('have pictures and documents before the text', async () => {
    const { body } = await send('google', [asked])
    expect(body['contents']).toEqual([
      {
        role: 'user',
        parts: [
          image,
          { inlineData: { mimeType: 'application/pdf', data: pdf.data } },
          { text: 'What is it?' },
        ],
      },
    ])
  })

  // ai.google.dev function-calling: multimodal function responses, from Gemini 3 on.
  it('have pictures in the results from Gemini 3 on', async () => {
    const { body } = await send('google', looked, { model: 'gemini-3-pro-preview' })
    expect((body['contents'] as object[])[2]).toMatchObject({
      parts: [
        { functionResponse: { name: 'look', response: { content: 'one' }, parts: [image] } },
        { functionResponse: { name: 'look', response: { content: 'two' } } },
      ],
    })
  })

  it('have them after the results for older models', async () => {
    const { body } = await send('google', looked, { model: 'gemini-2.5-flash' })
    const contents = body['contents'] as readonly { parts: object[] }[]
    expect(contents[2]?.parts).toHaveLength(2)
    expect(JSON.stringify(contents[2])).not.toContain('inlineData')
    expect(contents[3]).toEqual({
      role: 'user',
      parts: [image, { text: '[From the result of the tool look: a.png]' }],
    })
  })
})

describe('a refusal of a picture', () => {
  it.each([
    ['openai', "Invalid 'messages[2].content[1].image_url.url': Invalid base64."],
    ['openai-responses', 'Invalid image. param: input[2].content[1].image_url'],
    ['anthropic', 'messages.2.content.0.image.source.base64.data: Could not process image'],
    ['google', 'contents[2].parts[0].inline_data: Provided image is not valid'],
  ] as const)('names the file to the user, in the form of %s', async (apiType, message) => {
    const data = Buffer.from('a picture of a yellow house by the sea').toString('base64')
    const messages: readonly ModelMessage[] = [
      { role: 'user', parts: [{ type: 'text', text: 'One' }, png] },
      assistantMessage('Seen.'),
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'Two' },
          { ...png, name: 'other.png', data },
        ],
      },
      assistantMessage('Seen.'),
      { role: 'user', parts: [{ type: 'text', text: 'Three' }, png] },
    ]
    const { end } = await send(apiType, messages, {}, () => `${message} (${data})`)
    expect(end).toMatchObject({
      code: 'file_refused',
      message: expect.stringMatching(/This is about the file "other\.png"\. Send/) as string,
      file: { name: 'other.png' },
    })
    expect(JSON.stringify(end)).not.toContain(data.slice(0, 12))
  })

  it('is a failure of the file also when a proxy takes no body of that size', async () => {
    const { url } = await scene.refuse(413, 'Request Entity Too Large')
    const large = { ...png, data: 'A'.repeat(4_000) }
    const messages: ModelMessage[] = [{ role: 'user', parts: [large] }]
    const { end } = await scene.callModel('openai', url, { request: { messages } })
    expect(end).toMatchObject({ code: 'file_refused', file: { name: 'a.png' } })
    expect((await scene.callModel('openai', url)).end).toMatchObject({ code: 'context_exceeded' })
  })
})

describe('the stand-ins', () => {
  const strict = (name: string) => {
    const provider = strictProviders.find((one) => one.name === name)
    if (provider === undefined) throw new Error(`no stand-in ${name}`)
    return (body: unknown) => provider.check(body)?.rule
  }
  const chat = (content: unknown, role = 'user') => ({
    model: 'm',
    messages: [
      { role: 'user', content: 'x' },
      { role, content },
    ],
  })
  const image = (url: string) => ({ type: 'image_url', image_url: { url } })

  it.each([
    ['a picture of the assistant', chat([image(pngUrl)], 'assistant'), 'mediaRole'],
    ['what is no base64', chat([image('data:image/png;base64,a-b_')]), 'mediaForm'],
    ['a web address', chat([image('https://example.com/a.png')]), 'mediaForm'],
    ['an unknown type', chat([image('data:image/svg+xml;base64,iVBORw0KGgo=')]), 'mediaForm'],
    ['an unknown part', chat([{ type: 'picture' }]), 'mediaForm'],
    ['a list of texts', chat([{ type: 'text', text: 'x' }]), 'onlyTexts'],
    ['too many pictures', chat(Array.from({ length: 501 }, () => image(pngUrl))), 'mediaCount'],
    ['a document that is no PDF', chat([{ type: 'file', file: { file_data: pngUrl } }]), 'mediaForm'],
  ])('of chat completions refuse %s', (_, body, rule) => {
    expect(strict('OpenAI')(body)).toBe(rule)
  })

  it('of Responses refuse pictures of the assistant and what is no base64', () => {
    const input = (role: string, url: string) => ({
      input: [{ role, content: [{ type: 'input_image', image_url: url }] }],
    })
    const check = strict('OpenAI Responses')
    expect(check(input('assistant', pngUrl))).toBe('mediaRole')
    expect(check(input('user', 'data:image/png;base64,a'))).toBe('mediaForm')
    expect(check(input('user', pngUrl))).toBeUndefined()
  })

  it('of Anthropic refuse documents of the assistant, other types, and pictures after the text', () => {
    const check = strict('Anthropic claude-sonnet-4-5')
    const text = { type: 'text', text: 'x' }
    const picture = (media_type: string, data = png.data) => ({
      type: 'image',
      source: { type: 'base64', media_type, data },
    })
    const document = { ...picture('application/pdf', pdf.data), type: 'document' }
    const messages = (...contents: readonly object[][]) => ({
      model: 'm',
      messages: contents.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
    })
    expect(check(messages([text], [document, text], [text]))).toBe('assistantDocuments')
    expect(check(messages([picture('image/bmp')]))).toBe('mediaForm')
    expect(check(messages([picture('image/png', '')]))).toBe('mediaForm')
    expect(check(messages([text, picture('image/png')]))).toBe('mediaOrder')
    expect(check(messages([picture('image/png'), document, text]))).toBeUndefined()
  })

  it('of Google refuse a GIF, and pictures beside results', () => {
    const check = strict('Google gemini-2.5-flash')
    const inline = (mimeType: string) => ({ inlineData: { mimeType, data: png.data } })
    const call = { functionCall: { name: 'look', args: {} } }
    const result = { functionResponse: { name: 'look' } }
    const contents = (...parts: readonly object[][]) => ({
      contents: parts.map((each, index) => ({ role: index % 2 === 0 ? 'user' : 'model', parts: each })),
    })
    expect(check(contents([inline('image/gif')]))).toBe('mediaForm')
    expect(check(contents([{ text: 'x' }], [call], [result, inline('image/png')]))).toBe('resultsGrouped')
    const within = { functionResponse: { name: 'look', parts: [inline('image/png')] } }
    expect(check(contents([{ text: 'x' }], [call], [within]))).toBe('resultPictures')
    expect(check(contents([inline('image/png')]))).toBeUndefined()
  })
})
