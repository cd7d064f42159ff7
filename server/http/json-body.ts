import type { FastifyInstance } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { normalizeText } from '../lib/text.ts'

/** Deeper bodies are refused, because code that walks them recursively could run out of stack. */
const maxDepth = 32

/** Shared, because creating a decoder takes longer than decoding a short body. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

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
      done(null, parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

/**
 * Parses a body. An empty one is `undefined`, so that the schema of the route names what is missing.
 * @throws AppError `invalid_request`
 */
export function parseJson(body: Uint8Array): unknown {
  if (body.byteLength === 0) return undefined
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(body))
  } catch (error) {
    throw new AppError(
      'invalid_request',
      'The body is not valid JSON in UTF-8. Correct it and send it again.',
      { cause: error },
    )
  }
  return clean(value, 0)
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return normalizeText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth)
    throw new AppError(
      'invalid_request',
      `The body is nested deeper than ${maxDepth} levels. Send a flatter one.`,
    )
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1))
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    if (forbiddenKeys.has(key))
      throw new AppError('invalid_request', `The body contains the forbidden key ${key}. Remove it.`)
    return [normalizeText(key), clean(item, depth + 1)]
  })
  return Object.fromEntries(entries)
}
