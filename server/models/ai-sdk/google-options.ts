import type { ReasoningEffort } from '@yonder/contract/bot'
import type { ModelRequest } from '../model.ts'
import type { WrittenOptions } from './write-prompt.ts'

/** Tokens of thinking for Gemini 2.5, within the limits of all its models. */
const thinkingBudgets: Readonly<Record<ReasoningEffort, number>> = {
  minimal: 512,
  low: 2048,
  medium: 8192,
  high: 24_576,
}

/** Returns the reasoning effort as Gemini expects it: a level from version 3 on, a budget for older models. */
export function writeGoogleOptions({ model, maxTokens, options }: ModelRequest): WrittenOptions {
  const effort = options?.reasoningEffort
  if (effort === undefined) return { providerOptions: {}, maxTokens }
  const amount = /gemini-[12]\b/.test(model)
    ? { thinkingBudget: thinkingBudgets[effort] }
    : { thinkingLevel: effort }
  return { providerOptions: { google: { thinkingConfig: { ...amount, includeThoughts: true } } }, maxTokens }
}
