import { isObject, parseWithSource } from '../../lib/json-object.ts'
import { anthropicCacheMark, findRefusedOption, writeAnthropicOptions } from './anthropic-options.ts'
import { ofPackage } from './call-package.ts'
import { writeGoogleOptions } from './google-options.ts'

/** The package refuses a reply with events of other names, although Anthropic may add some. */
const anthropicEvents: readonly string[] = [
  'message',
  'message_start',
  'message_delta',
  'message_stop',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'error',
]

/** Anthropic's Messages API. Its own base address is `https://api.anthropic.com/v1`. */
export const anthropicFormat = ofPackage({
  apiType: 'anthropic',
  defaultPath: () => '/messages',
  keyHeader: 'x-api-key',
  readsEvent: (name) => anthropicEvents.includes(name),
  keepArguments: moveInput,
  writeOptions: writeAnthropicOptions,
  readsPicturesInResults: () => true,
  findRefused: findRefusedOption,
  cacheMark: anthropicCacheMark,
  async open(model, settings) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic(settings).languageModel(model)
  },
})

/** Compatible servers send the whole arguments with the start of a call. They become the first piece of its text. */
function moveInput(data: string): readonly string[] {
  if (!/"input"\s*:\s*\{\s*"/.test(data)) return [data]
  const start = parseWithSource(data, 'input')
  const block = isObject(start) ? start['content_block'] : undefined
  if (!isObject(start) || !isObject(block) || block['type'] !== 'tool_use') return [data]
  const delta = { type: 'input_json_delta', partial_json: block['input'] }
  return [
    JSON.stringify({ ...start, content_block: { ...block, input: {} } }),
    JSON.stringify({ type: 'content_block_delta', index: start['index'], delta }),
  ]
}

/** Google's generateContent. Its own base address is `https://generativelanguage.googleapis.com/v1beta`. */
export const googleFormat = ofPackage({
  apiType: 'google',
  // A name with a slash includes the kind of model, for example `tunedModels/mine`.
  defaultPath: (model) => {
    const name = model.replaceAll(/[?#%\\]/g, encodeURIComponent)
    return `/${name.includes('/') ? name : `models/${name}`}:streamGenerateContent?alt=sse`
  },
  keyHeader: 'x-goog-api-key',
  readsEvent: () => true,
  // The package passes a text on.
  keepArguments: (data) => [
    (/"args"\s*:\s*\{/.test(data) && JSON.stringify(parseWithSource(data, 'args'))) || data,
  ],
  writeOptions: writeGoogleOptions,
  // From Gemini 3 on. For older models the package puts them beside the results, which Google wants alone.
  readsPicturesInResults: (model) => /gemini-[3-9]/.test(model),
  async open(model, settings) {
    const { createGoogle } = await import('@ai-sdk/google')
    return createGoogle(settings).languageModel(model)
  },
})
