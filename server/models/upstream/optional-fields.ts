/**
 * Fields that a request can do without, each with a field that the objects have to which it belongs. The first ones are
 * not words of prose, so that a refusal which has one is about it.
 */
const optionalFields = {
  stream_options: 'model',
  reasoning_content: 'role',
  reasoning_details: 'role',
  extra_content: 'type',
  cache_control: undefined,
  block_binding: undefined,
  store: 'model',
  include: 'model',
  strict: 'type',
  name: 'role',
} as const satisfies Record<string, string | undefined>

export type OptionalField = keyof typeof optionalFields

const optionalNames = Object.keys(optionalFields) as OptionalField[]

/**
 * How servers say that they do not know a field: pydantic (Mistral, vLLM, Anthropic), OpenAI, Groq, Google, JSON schema,
 * and servers in Go, Rust and Java.
 */
const saysUnknown =
  /\bextra(?:_forbidden\b| (?:inputs?|fields?|propert|keys?))|\badditional ?propert|\b(?:unsupported|unrecogni[sz]ed|unknown|unexpected)\b|\bnot (?:permitted|allowed|supported|recogni[sz]ed|accepted)\b|\b(?:cannot find|no such) field\b|\bonly messages? of role\b|\b(?:does not|doesn't) (?:support|accept|allow|recogni[sz]e)\b/i

/** The optional field of the request that the server refused; undefined when it refused something else. */
export function findRefusedField(rejection: string, body: string): OptionalField | undefined {
  if (!saysUnknown.test(rejection)) return undefined
  return optionalNames.find((name) => body.includes(`"${name}":`) && wordsOf(rejection).includes(name))
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/[^a-z0-9_]+/)
}

/** What the native parser passes on of a number; our version of TypeScript does not know it. */
interface Written {
  readonly source?: string
}
const { rawJSON } = JSON as unknown as { rawJSON: (source: string) => unknown }

/** The body without these fields, where they are optional. An object that has nothing else goes with its field. */
export function leaveOut(body: string, fields: readonly OptionalField[]): string {
  if (fields.length === 0) return body
  const emptied = new Set<unknown>()
  return JSON.stringify(
    JSON.parse(
      body,
      function (this: Readonly<Record<string, unknown>>, key, value: unknown, written?: Written) {
        const name = fields.find((field) => field === key)
        if (name === undefined && typeof value === 'number') return rawJSON(written?.source ?? String(value))
        if (name === undefined) return emptied.has(value) ? undefined : value
        const owner = optionalFields[name]
        if (owner !== undefined && typeof this[owner] !== 'string') return value
        if (Object.keys(this).length === 1) emptied.add(this)
        return undefined
      },
    ),
  )
}
