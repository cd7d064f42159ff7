import { cutText } from './text.ts'

const maxMessageChars = 1_000
const maxStackChars = 3_000
/** Errors in a chain of causes. */
const maxDepth = 5

/** A type and not an interface, because Fastify requires a type that may have further fields. */
type DescribedError = {
  readonly type: string
  readonly message: string
  readonly stack: string
  readonly code?: string
  readonly cause?: DescribedError
}

/**
 * The form of an error in the log: its type, code, message, stack and causes. Message and stack are limited in length,
 * because another server may have written them. Other fields are omitted, since libraries store requests and responses
 * in them.
 */
export function describeError(error: unknown, depth = 1): DescribedError {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: cutText(String(error), maxMessageChars), stack: '' }
  }
  const { name, message, stack = '', cause } = error
  const code: unknown = 'code' in error ? error.code : undefined
  return {
    type: name,
    message: cutText(message, maxMessageChars),
    // Without the message, which is a field of its own.
    stack: cutText(stack.replace(message, ''), maxStackChars),
    ...(typeof code === 'string' ? { code } : {}),
    ...(cause === undefined || depth === maxDepth ? {} : { cause: describeError(cause, depth + 1) }),
  }
}

/** The `code` of a system or driver error such as `ENOENT` or `23505`; empty when it has none. */
export function errorCode(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : ''
  return typeof code === 'string' ? code : ''
}
