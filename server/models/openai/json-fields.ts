/** Whether the value of a field `error` is an error: some servers send the field empty or false without one. */
export function isError(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== ''
}

/** Some servers send the arguments as an object rather than as text. */
export function argumentsOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined
}
