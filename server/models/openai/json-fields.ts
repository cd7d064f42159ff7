/** Whether the value of a field `error` is an error: some servers send the field empty or false without one. */
export function isError(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== ''
}

/** The arguments as text. An object was read as its text (`wire-format.ts`); some servers send a list. */
export function argumentsOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined
}
