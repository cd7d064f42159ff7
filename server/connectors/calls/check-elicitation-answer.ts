import type { Elicitation, ElicitationAnswer, ElicitationField } from '@yonder/contract/elicitation'

/** An answer as its server may get it: only fields that were asked for, of the kind that was asked for. */
export function checkElicitationAnswer(
  { fields }: Elicitation,
  answer: ElicitationAnswer,
): ElicitationAnswer | undefined {
  if (answer.action !== 'accept') return { action: answer.action }
  const content: Record<string, string | number | boolean | string[]> = {}
  for (const field of fields) {
    // A field may be named like something that every object has.
    const value = Object.hasOwn(answer.content ?? {}, field.name) ? answer.content?.[field.name] : undefined
    if (value === undefined) {
      if (field.required) return undefined
      continue
    }
    if (!fits(field, value)) return undefined
    content[field.name] = value
  }
  return { action: 'accept', content }
}

function fits(field: ElicitationField, value: string | number | boolean | string[]): boolean {
  switch (field.kind) {
    case 'text':
      return (
        typeof value === 'string' &&
        value.length >= (field.minLength ?? 0) &&
        value.length <= Math.min(field.maxLength ?? 10_000, 10_000)
      )
    case 'number':
      return (
        typeof value === 'number' &&
        (!field.whole || Number.isInteger(value)) &&
        value >= (field.minimum ?? -Infinity) &&
        value <= (field.maximum ?? Infinity)
      )
    case 'switch':
      return typeof value === 'boolean'
    case 'choice': {
      const values = new Set(field.options.map((option) => option.value))
      if (field.many) return Array.isArray(value) && value.every((item) => values.has(item))
      return typeof value === 'string' && values.has(value)
    }
  }
}
