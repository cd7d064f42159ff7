import { isObject, parseJson } from '../lib/json-object.ts'
import { ModelFailure } from './failure.ts'
import { mediaOf, type MediaPart, type ModelRequest } from './model.ts'

/** Stands for a response with status 413 that names no limit of tokens: it is the body that is too large. */
export const tooLargeRejection = 'request_too_large'

/**
 * Messages of models and servers that take no pictures or documents. OpenRouter, MiMo; OpenAI, vLLM; Ollama, LM Studio,
 * xAI, Mistral; llama.cpp; DeepSeek and other servers in Rust (vllm#11629, ollama#17301, oai-compatible-copilot#229,
 * llama.cpp#13566, #15377, #12947, rikkahub#1433, browser-use#159, chatbox#1740).
 */
const blindTexts: readonly RegExp[] = [
  /\bno endpoints found that support (?:image|file|document|pdf)/i,
  /\bimage_url is only supported by certain models\b/i,
  /\b(?:not|n't|cannot) (?:support|accept)(?:ed|s)? (?:any |the )?(?:images?|vision|pdfs?|documents?|files?|multi-?modal)\b/i,
  /\b(?:images?|vision|pdfs?|documents?|files?)(?: inputs?)? (?:is|are) not (?:supported|enabled|available|allowed)\b/i,
  /\bnot a multi-?modal model\b|\bmmproj\b/i,
  /\bunsupported content part type\b/i,
  /\bunknown variant [`'"]?(?:image_url|file|input_image|input_file)\b/i,
  /\binvalid type: sequence, expected a string\b|\buntagged enum \w{0,60}Content\b/i,
  /\b(?:value must|input should) be a (?:valid )?string\b/i,
]

/**
 * What names a picture or document, also as a part of a path or a code: `messages.3.content.1.image.source`,
 * `invalid_image_format`, `inline_data.mime_type` (gptme#185, claude-code#14412, #6231, #19013, STranslate#277,
 * openai-node#1463, Open-Interface#64, chatwise#799, gemini-ai#3).
 */
const namesFile =
  /(?<![a-z])(?:images?|pictures?|pdfs?|documents?|input_file|file_data|inline_?data)(?![a-z])/i
const namesData = /\b(?:mime|media)[ _-]?type\b|\bbase64\b/i
const namesPicture = /(?<![a-z])(?:images?|pictures?)(?![a-z])/i
const namesDocument = /(?<![a-z])(?:pdfs?|documents?|input_file|file_data)(?![a-z])/i

/** Messages with these words that are about something else: a tool, or a model whose name has them. */
function isAboutOther(rejection: string): boolean {
  const namesTool = /\binvalid schema\b|\btools?[.[]{1,2}\d|\bfunction_?declarations\b/i
  return (
    namesTool.test(rejection) || (/\bmodel\b/i.test(rejection) && /\bnot (?:exist|found)\b/i.test(rejection))
  )
}

/**
 * Returns the failure for a picture or document of the request that the upstream refused; undefined when it refused
 * something else. `rejection` is what it wrote, and `body` what was sent to it.
 */
export function explainMediaRefusal(
  { message }: ModelFailure,
  rejection: string,
  request: ModelRequest,
  upstream: string,
  body: string,
): ModelFailure | undefined {
  const media = uniqueOf(request.messages.flatMap(mediaOf))
  if (media.length === 0) return undefined
  if (rejection === tooLargeRejection) {
    const chars = media.reduce((sum, { data }) => sum + data.length, 0)
    // Else the texts are too long, which a summary may help.
    if (chars < body.length / 2) return undefined
    const largest = media.reduce((one, other) => (other.data.length > one.data.length ? other : one))
    return fileRefused(
      `${upstream} refused the message because its files are too large (413). Send it again without "${largest.name}", or with a smaller file.`,
      largest,
    )
  }
  if (isAboutOther(rejection)) return undefined
  const isBlind = blindTexts.some((text) => text.test(rejection))
  if (!isBlind && !namesFile.test(rejection) && !namesData.test(rejection)) return undefined
  const { file, isCertain } = findFile(media, rejection, body)
  if (isBlind) {
    const [what, setting] =
      file.mediaType === 'application/pdf' ? ['PDF files', 'PDF files'] : ['pictures', 'Pictures']
    return fileRefused(
      `${upstream} reported that this model does not take ${what}. Send the message again without "${file.name}", choose another model, or set '${setting}' in the settings of this bot to No.`,
      file,
    )
  }
  return fileRefused(
    `${message.replace(/ Try again in a moment\.$/, '')} This is ${isCertain ? '' : 'probably '}about the file "${file.name}". Send the message again without it.`,
    file,
  )
}

function fileRefused(message: string, { name }: MediaPart): ModelFailure {
  return new ModelFailure('file_refused', message, '', { file: { name } })
}

/** The same file may be in several messages. */
function uniqueOf(media: readonly MediaPart[]): readonly MediaPart[] {
  return media.filter((part, index) => media.findLastIndex(({ data }) => data === part.data) === index)
}

interface FoundFile {
  readonly file: MediaPart
  readonly isCertain: boolean
}

/** The file that a refusal is about: the only one, or the one at the path that it names, else the newest. */
function findFile(media: readonly MediaPart[], rejection: string, body: string): FoundFile {
  const kind = media.filter(({ mediaType }) =>
    mediaType === 'application/pdf' ? !namesPicture.test(rejection) : !namesDocument.test(rejection),
  )
  const candidates = kind.length === 0 ? media : kind
  const texts = textsAt(rejection, candidates.length > 1 ? body : '')
  const named = candidates.filter(({ data }) => texts.some((text) => text.endsWith(data)))
  const possible = named.length === 0 ? candidates : named
  return { file: possible.at(-1) as MediaPart, isCertain: possible.length === 1 }
}

/** A path into the body of the request: `messages.3.content.1.image`, `contents[0].parts[1].inline_data`. */
const path = /\b(messages|input|contents)((?:[.[\]]{1,3}\w{1,40}){1,12})/i

/** The texts in the body at the path that a refusal names. Names of kinds in it, such as `tool_result`, are no fields. */
function textsAt(rejection: string, body: string): readonly string[] {
  const [, root = '', rest = ''] = path.exec(rejection) ?? []
  const sent = root === '' || body === '' ? undefined : parseJson(body)
  let value = isObject(sent) ? sent[root] : undefined
  for (const step of rest.split(/[.[\]]+/).filter((one) => one !== '')) {
    const isIndex = /^\d+$/.test(step)
    if (isIndex && !Array.isArray(value)) break
    if (Array.isArray(value)) value = isIndex ? (value as readonly unknown[])[Number(step)] : value
    else if (isObject(value) && Object.hasOwn(value, step)) value = value[step]
  }
  return [...leavesOf(value)]
}

function* leavesOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* leavesOf(inner)
}
