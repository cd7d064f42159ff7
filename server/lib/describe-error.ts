/** Characters of what one error says, and of where it was. */
const longestMessage = 1_000
const longestStack = 3_000
/** Errors behind one another. */
const deepest = 5

/** A type and not an interface: Fastify wants one that may have further fields. */
type DescribedError = {
  readonly type: string
  readonly message: string
  readonly stack: string
  readonly code?: string
  readonly cause?: DescribedError
}

/**
 * An error as it stands in the log: what it says and where it was, with what caused it. Other fields of errors stay out,
 * since libraries keep requests and answers in them, and what another server said has an end.
 */
export function describeError(error: unknown, depth = 1): DescribedError {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: cut(String(error), longestMessage), stack: '' }
  }
  const { name, message, stack = '', cause } = error
  const code: unknown = 'code' in error ? error.code : undefined
  return {
    type: name,
    message: cut(message, longestMessage),
    // It begins with the message.
    stack: cut(stack.replace(message, ''), longestStack),
    ...(typeof code === 'string' ? { code } : {}),
    ...(cause === undefined || depth === deepest ? {} : { cause: describeError(cause, depth + 1) }),
  }
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`
}
