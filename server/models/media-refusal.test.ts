import { describe, expect, it } from 'vitest'
import { ModelFailure, toFailedPart } from './failure.ts'
import { tooLargeRejection } from './media-refusal.ts'
import { userMessage, type MediaPart, type ModelMessage, type ModelRequest } from './model.ts'
import { explainRefusal } from './refusal.ts'

const media = (name: string, data: string, mediaType: MediaPart['mediaType'] = 'image/png'): MediaPart => ({
  type: 'media',
  name,
  mediaType,
  data,
})
const first = media('first.png', 'Zmlyc3Q=')
const second = media('second.jpg', 'c2Vjb25k', 'image/jpeg')
const contract = media('contract.pdf', 'Y29udHJhY3Q=', 'application/pdf')

const ask = (...parts: readonly MediaPart[]): ModelMessage => ({
  role: 'user',
  parts: [{ type: 'text', text: 'What is it?' }, ...parts],
})
const requestOf = (...messages: readonly ModelMessage[]): ModelRequest => ({
  model: 'm',
  messages,
  tools: [{ name: 'draw', description: '', inputSchema: {} }],
  maxTokens: null,
})

function explain(rejection: string, request: ModelRequest, body: unknown = '') {
  const failure = new ModelFailure('upstream_error', 'a.example returned an error (400): No.', rejection)
  return toFailedPart(explainRefusal(failure, request, 'a.example', JSON.stringify(body)))
}

const bodyOf = (message: string) => JSON.stringify({ error: { message } })

describe('a model that takes no pictures', () => {
  it.each([
    'No endpoints found that support image input',
    'Invalid content type. image_url is only supported by certain models.',
    'this model does not support image input (ref: b8bd630e-4a39-4b57-82af-9158ee9d5703)',
    'Model does not support images. Please use a model that does.',
    'Image inputs are not supported by this model.',
    'Image input is not enabled for this model',
    'team-model is not a multimodal model',
    'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
    'Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text` at line 1 column 679289',
    'Failed to deserialize the JSON body into the target type: messages[2]: invalid type: sequence, expected a string at line 1 column 2901',
    'messages[1]: data did not match any variant of untagged enum ChatCompletionRequestContent at line 1 column 18231',
    "'messages.1' : for 'role:user' the following must be satisfied[('messages.1.content' : value must be a string)]",
  ])('is recognised by "%s"', (message) => {
    expect(explain(bodyOf(message), requestOf(ask(first)))).toEqual({
      type: 'failed',
      code: 'file_refused',
      message:
        'a.example reported that this model does not take pictures. Send the message again without "first.png", choose another model, or set \'Pictures\' in the settings of this bot to No.',
      file: { name: 'first.png' },
    })
  })

  it('is not assumed of a PDF, which has a setting of its own', () => {
    const part = explain(bodyOf('PDF input is not supported by this model.'), requestOf(ask(contract)))
    expect(part.message).toContain('does not take PDF files. Send the message again without "contract.pdf"')
  })
})

describe('a refused picture or document', () => {
  it.each([
    'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6500712 bytes > 5242880 bytes',
    'messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
    'Could not process image',
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
    'Invalid base64 image_url.',
    "Invalid 'messages[0].content[1].image_url.url': string too long. Expected a string with maximum length 20971520, but got a string with length 20971521 instead.",
    'Provided image is not valid',
    'Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
    'Unsupported MIME type: image/gif',
    '* GenerateContentRequest.contents[0].parts[1].inline_data.mime_type: MIME type must be image/png',
    'At most 1 image(s) may be provided in one request.',
    "messages.0.content.1.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  ])('is recognised by "%s"', (message) => {
    expect(explain(bodyOf(message), requestOf(ask(first)))).toEqual({
      type: 'failed',
      code: 'file_refused',
      message:
        'a.example returned an error (400): No. This is about the file "first.png". Send the message again without it.',
      file: { name: 'first.png' },
    })
  })

  it.each([
    'messages.0.content.1.pdf.source.base64.data: A maximum of 100 PDF pages may be provided.',
    'messages.4.content.1.pdf.source.base64.data: The PDF specified is password protected.',
    'The document has no pages.',
  ])('is the document in "%s", not a newer picture', (message) => {
    const request = requestOf(ask(contract), userMessage('And this?'), ask(first))
    expect(explain(bodyOf(message), request)).toMatchObject({ file: { name: 'contract.pdf' } })
  })

  it.each([
    ['Anthropic', 'messages.1.content.0.image.source.base64: image exceeds 5 MB maximum', 'first.png'],
    [
      'Anthropic, in a result',
      'messages.2.content.0.tool_result.content.1.image.source.base64: image exceeds 5 MB maximum',
      'second.jpg',
    ],
  ])('is the one at the path of %s', (_, message, name) => {
    const picture = ({ mediaType, data }: MediaPart) => ({
      type: 'image',
      source: { type: 'base64', media_type: mediaType, data },
    })
    const text = { type: 'text', text: 'x' }
    const body = {
      messages: [
        { role: 'user', content: [text] },
        { role: 'user', content: [picture(first)] },
        { role: 'user', content: [{ type: 'tool_result', content: [text, picture(second)] }] },
      ],
    }
    expect(explain(bodyOf(message), requestOf(ask(first, second, contract)), body)).toMatchObject({
      message: expect.stringContaining(`This is about the file "${name}"`) as string,
      file: { name },
    })
  })

  it.each([
    ["Invalid 'messages[1].content[0].image_url'.", 'messages'],
    ['Invalid image. param: messages.[1].content.[0].type', 'messages'],
    ['Invalid image: input[1].content[0].image_url', 'input'],
    ['contents[1].content[0].inline_data: Provided image is not valid', 'contents'],
  ])('is the one at the path in "%s"', (message, root) => {
    const url = ({ mediaType, data }: MediaPart) => ({ url: `data:${mediaType};base64,${data}` })
    const body = { [root]: [{ content: [url(second)] }, { content: [url(first)] }] }
    expect(explain(bodyOf(message), requestOf(ask(first, second)), body)).toMatchObject({
      file: { name: 'first.png' },
    })
  })

  it.each([
    'Could not process image',
    'messages.9.content.9.image: Could not process image',
    'messages.0: Could not process image',
  ])('is probably the newest after "%s"', (message) => {
    const body = { messages: [{ role: 'user', content: 'x' }] }
    const part = explain(bodyOf(message), requestOf(ask(first), userMessage('Hm.'), ask(second)), body)
    expect(part).toMatchObject({
      message: expect.stringContaining('This is probably about the file "second.jpg"') as string,
      file: { name: 'second.jpg' },
    })
  })

  it('is one file although it is in several messages', () => {
    const part = explain(bodyOf('Could not process image'), requestOf(ask(first), ask(first)))
    expect(part.message).toContain('This is about the file "first.png"')
  })
})

describe('a request that is too large', () => {
  const large = media('large.png', 'A'.repeat(900))

  it('is explained by its largest file when files are most of it', () => {
    expect(explain(tooLargeRejection, requestOf(ask(large, first)), 'x'.repeat(1_000))).toMatchObject({
      code: 'file_refused',
      file: { name: 'large.png' },
    })
  })

  it('is another matter when texts are most of it', () => {
    expect(explain(tooLargeRejection, requestOf(ask(first)), 'x'.repeat(1_000)).code).toBe('upstream_error')
  })
})

describe('a refusal of something else', () => {
  it.each([
    ['has no file', 'Could not process image', requestOf(userMessage('Hello'))],
    ['is about a tool', 'tools.0.input_schema.properties.image: invalid', requestOf(ask(first))],
    ['is about a tool', "Invalid schema for function 'edit_image': no type", requestOf(ask(first))],
    ['is about the model', 'The model `gpt-image-9` does not exist', requestOf(ask(first))],
    ['is about the texts', 'messages.1: text content blocks must be non-empty', requestOf(ask(first))],
    ['is about an option', 'temperature: Input should be less than 1', requestOf(ask(first))],
  ])('%s: "%s"', (_, message, request) => {
    expect(explain(bodyOf(message), request).code).toBe('upstream_error')
  })

  it('names the tools before the pictures', () => {
    const part = explain(bodyOf('gemma does not support tools'), requestOf(ask(first)))
    expect(part.code).toBe('tool_unavailable')
  })

  it('names the window before the pictures', () => {
    const part = explain(bodyOf('prompt is too long: 213462 tokens > 200000 maximum'), requestOf(ask(first)))
    expect(part.code).toBe('context_exceeded')
  })
})
