import { ExactNumber, readJson, RepeatedKeyError } from '@yonder/contract/lib/exact-json'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { cleanText, normalizeText } from '../lib/text.ts'

/** Deeper bodies are refused, because code that walks them recursively could run out of stack. */
const maxDepth = 32
/**
 * Names and values of a body. Parsing and checking takes about a microsecond for each, and the event loop must be free
 * again after a few hundredths of a second. Bodies with long texts have few.
 */
const maxValues = 20_000

/** Shared, because creating a decoder takes longer than decoding a short body. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * For what a user has seen or written: repeated keys are refused, and a number that a double cannot hold is read as
     * an `ExactNumber` or as its text.
     */
    readonly exactNumbers?: 'number' | 'text'
  }
}

const forbiddenKeys = new Set(['__proto__', 'prototype'])

/**
 * Accepts only JSON bodies. Normalizes their text, limits their depth, and refuses keys that could change a prototype.
 */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const charset =
      /charset="?([\w-]+)/i.exec(request.headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8'
    if (charset !== 'utf-8' && charset !== 'utf8') {
      done(
        new AppError(
          'unsupported_media_type',
          'The charset of this body is not supported. Send JSON in UTF-8.',
        ),
      )
      return
    }
    try {
      done(null, parseJson(body as Buffer, request.routeOptions.config.exactNumbers))
    } catch (error) {
      done(error as Error)
    }
  })
}

/**
 * Parses a body. An empty one is `undefined`, so that the schema of the route names what is missing.
 * @throws AppError `invalid_request`
 */
export function parseJson(body: Uint8Array, exactNumbers?: FastifyContextConfig['exactNumbers']): unknown {
  if (body.byteLength === 0) return undefined
  refuseLarge(body)
  let value: unknown
  try {
    const text = utf8.decode(body)
    value = exactNumbers === undefined ? JSON.parse(text) : readJson(text, { refusesRepeatedKeys: true })
  } catch (error) {
    if (error instanceof RepeatedKeyError)
      throw new AppError('invalid_request', `The body has ${cleanText(error.message)}. Send it once.`, {
        cause: error,
      })
    throw new AppError(
      'invalid_request',
      'The body is not valid JSON in UTF-8. Correct it and send it again.',
      { cause: error },
    )
  }
  return clean(value, exactNumbers === 'text')
}

const sign = { quote: 0x22, backslash: 0x5c, comma: 0x2c, colon: 0x3a } as const
const opening = { list: 0x5b, object: 0x7b } as const
const closing = { list: 0x5d, object: 0x7d } as const

/**
 * Refuses a body with too many names and values, or too many levels, by its signs outside texts, before it is parsed.
 * @throws AppError `invalid_request`
 */
function refuseLarge(body: Uint8Array): void {
  let count = 1
  let depth = 0
  let isText = false
  for (let at = 0; at < body.byteLength; at++) {
    const byte = body[at]
    if (byte === sign.quote) isText = !isText
    else if (isText) {
      if (byte === sign.backslash) at++
    } else if (byte === sign.comma || byte === sign.colon) {
      if (++count > maxValues)
        throw new AppError(
          'invalid_request',
          `The body has more than ${maxValues.toLocaleString('en')} names and values. Send fewer.`,
        )
    } else if (byte === closing.list || byte === closing.object) depth--
    else if ((byte === opening.list || byte === opening.object) && ++depth > maxDepth)
      throw new AppError(
        'invalid_request',
        `The body is nested deeper than ${maxDepth} levels. Send a flatter one.`,
      )
  }
}

/** Normalizes the texts of a parsed value in place, because building it again takes longer than parsing it. */
function clean(value: unknown, writesNumbers: boolean): unknown {
  if (typeof value === 'string') return normalizeText(value)
  if (value instanceof ExactNumber) return writesNumbers ? value.source : value
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Record<string, unknown>
  for (const [key, item] of Object.entries(fields)) {
    if (forbiddenKeys.has(key))
      throw new AppError('invalid_request', `The body contains the forbidden key ${key}. Remove it.`)
    const name = normalizeText(key)
    if (name !== key) delete fields[key]
    fields[name] = clean(item, writesNumbers)
  }
  return fields
}
