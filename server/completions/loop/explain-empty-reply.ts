import type { ErrorDetail } from '@yonder/contract/error'
import type { ModelPart } from '../../models/model.ts'

type Finish = Extract<ModelPart, { type: 'finish' }>

export interface EmptyReply extends Pick<Finish, 'reason' | 'detail' | 'media'> {
  /** Whether the model has sent reasoning. */
  readonly hasReasoning: boolean
  /** The limit of output tokens of the request; null for the provider's default. */
  readonly maxTokens: number | null
}

/**
 * What providers call their reasons, and what the user should know: OpenAI, Azure, Anthropic, Google, and gateways that
 * pass these words on.
 */
const reasons: readonly (readonly [words: RegExp, sentence: string])[] = [
  [/^refusal$/i, 'The model declined to reply. Rephrase the message, or choose another bot.'],
  [
    /recitation/i,
    'The provider stopped the reply because it would have repeated a published text. Ask for it in other words.',
  ],
  [
    /spii/i,
    'The provider stopped the reply because of personal data in it. Remove such data from the message and send it again.',
  ],
  [/^language$/i, 'The provider does not support the language of the reply. Choose another bot.'],
  [
    /malformed_?(?:function|tool)_?call|unexpected_tool_call|too_many_tool_calls|missing_thought_signature/i,
    'The model tried to call a tool and failed. Regenerate the reply.',
  ],
  [/^pause_turn$/i, 'The model paused before it wrote anything. Regenerate the reply.'],
  [
    /context_window/i,
    'The conversation fills the context window of the model, so there was no room for a reply. Start a new chat, or choose a model with a larger context window.',
  ],
]

/** Explains to the user why a reply has no text and no call, and what to do. */
export function explainEmptyReply(reply: EmptyReply): ErrorDetail {
  const known = reasons.find(([words]) => reply.detail !== undefined && words.test(reply.detail))
  if (known !== undefined) return { code: 'upstream_error', message: known[1] }
  const quoted = reply.detail === undefined ? '' : ` It names the reason “${reply.detail}”.`
  const wrote = reply.hasReasoning ? 'only reasoning and no reply' : 'nothing'
  switch (reply.reason) {
    case 'length': {
      const limit = reply.maxTokens === null ? '' : ` of ${reply.maxTokens.toLocaleString('en')} tokens`
      const used = reply.hasReasoning ? 'for reasoning before it wrote a reply' : 'before it wrote anything'
      return {
        code: 'output_limit',
        message: `The model used up its limit${limit} ${used}. Raise the max tokens of this bot, or lower its reasoning effort.`,
      }
    }
    case 'content_filter':
      return {
        code: 'upstream_error',
        message: `The content filter of the provider blocked the reply.${quoted} Rephrase the message and send it again.`,
      }
    case 'tool_calls':
      return {
        code: 'upstream_invalid',
        message: 'The model announced a tool call but sent none. Regenerate the reply.',
      }
    case 'stop':
    case 'other':
      if (reply.media !== undefined)
        return {
          code: 'upstream_error',
          message: `The model replied with ${describeMedia(reply.media)} and no text, which Yonder cannot show. Ask for text, or choose another bot.`,
        }
      return {
        code: 'upstream_invalid',
        message: `The model wrote ${wrote}.${quoted} Regenerate the reply, or choose another bot.`,
      }
  }
}

function describeMedia(media: string): string {
  return media === 'image' ? 'an image' : media === 'audio' ? 'sound' : `a part of the type ${media}`
}
