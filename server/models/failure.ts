import type { ErrorCode } from '@yonder/contract/error'
import { AppError } from '../lib/app-error.ts'
import type { ModelPart } from './model.ts'

export type FailedPart = Extract<ModelPart, { type: 'failed' }>

/** Thrown inside an adapter to end the reply. It never leaves `models/`. */
export class ModelFailure extends Error {
  readonly code: ErrorCode
  /** The response body of a refused request, which may name a field that the upstream does not support. */
  readonly rejection: string

  constructor(code: ErrorCode, message: string, rejection = '') {
    super(message)
    this.name = 'ModelFailure'
    this.code = code
    this.rejection = rejection
  }
}

/** The last part of a failed reply. An error other than `ModelFailure` and `AppError` is a defect; its details are not shown. */
export function toFailedPart(error: unknown): FailedPart {
  if (error instanceof ModelFailure || error instanceof AppError) {
    return { type: 'failed', code: error.code, message: error.message }
  }
  return {
    type: 'failed',
    code: 'internal',
    message:
      'The reply could not be read because of a defect in this server. Try again, or report it to the operator.',
  }
}

/** Messages of a model without tool support, from Ollama, Google, OpenRouter, vLLM, llama.cpp, Anthropic and others. */
const refusals: readonly RegExp[] = [
  /\b(?:does not|doesn't|do not|cannot) support (?:the )?(?:tools?|tool[ _-]?(?:use|calls?|calling)|functions?|function[ _-]?call(?:s|ing)?)\b/i,
  /\b(?:tools?|tool[ _-]?(?:use|calls?|calling|choice)|functions?|function[ _-]?call(?:s|ing)?)(?: \w+){0,2} (?:is|are) not (?:supported|enabled|available|allowed)\b/i,
  /\bno endpoints found that support tool/i,
  /\btool choice requires\b/i,
  /\btools? param(?:eter)? requires\b/i,
  /\b(?:unsupported|unrecognized|unknown|unexpected) (?:request )?(?:parameter|argument|field|keyword)s?(?: supplied)?:? ['"`]?tools\b/i,
]

/** A message that explains a refusal is at the beginning of a response. */
const maxRejectionChars = 4000

/** Whether the upstream refused a request because its model does not support tools. A request without tools may succeed. */
export function refusesTools(error: unknown): error is ModelFailure {
  if (!(error instanceof ModelFailure)) return false
  const rejection = error.rejection.slice(0, maxRejectionChars)
  return refusals.some((refusal) => refusal.test(rejection))
}

/** The failure of a model without tool support. */
export function noToolSupport(upstream: string): ModelFailure {
  return new ModelFailure(
    'tool_unavailable',
    `${upstream} reported that this model does not support tools. Choose another model for this bot.`,
  )
}
