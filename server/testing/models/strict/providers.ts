import type { ApiType } from '@yonder/contract/bot'
import * as chat from './chat-checks.ts'
import {
  checkAnthropic,
  checkGoogle,
  checkResponses,
  type AnthropicBody,
  type GoogleBody,
  type ResponsesBody,
} from './other-checks.ts'
import { firstOf, type Check, type Refusal } from './refusal.ts'

/** A stand-in for a provider that refuses what the real one is known to refuse. `rules.ts` has the sources. */
export interface StrictProvider {
  readonly name: string
  readonly apiType: ApiType
  readonly host: string
  readonly model: string
  /** The id of the call with this number, as this provider makes them. */
  readonly callId: (number: number) => string
  /** What it sends with a call and expects back. */
  readonly note?: unknown
  readonly check: (body: unknown) => Refusal | undefined
}

interface ChatProvider extends Omit<StrictProvider, 'apiType' | 'check'> {
  readonly checks: readonly Check<chat.ChatBody>[]
}

/** What every server of chat completions refuses. */
const everywhere: readonly Check<chat.ChatBody>[] = [
  chat.callsAnswered,
  chat.callCount,
  chat.idsUnique,
  chat.systemFirst,
  chat.userFirst,
  chat.toolNames,
  chat.toolLimits,
  chat.jsonArguments,
  chat.mediaFromUser,
  chat.wellFormedMedia(500),
  chat.textsAreNoLists,
  chat.noBlankParts,
]

const longHex = (number: number) => number.toString(16).padStart(24, '0')
const openaiId = (number: number) => `call_${longHex(number)}`
/** Some servers of vLLM and some gateways make ids that are longer than others accept. */
const longId = (number: number) => `chatcmpl-tool-${longHex(number)}${longHex(number)}`

const standardOptions = [
  'model',
  'messages',
  'tools',
  'stream',
  'temperature',
  'top_p',
  'max_tokens',
  'reasoning_effort',
]

const googleSignature = (model: string) => `signed-by-${model}`
const compatibleGoogle = googleSignature('gemini-3-pro-compatible')

const chatProviders: readonly ChatProvider[] = [
  {
    name: 'OpenAI',
    host: 'api.openai.com',
    model: 'gpt-4.1',
    callId: openaiId,
    checks: [chat.idsUpTo40, chat.noUnknownMessageFields],
  },
  {
    name: 'OpenAI GPT-5.6',
    host: 'api.openai.com',
    model: 'gpt-5.6',
    callId: openaiId,
    checks: [
      chat.idsUpTo40,
      chat.noUnknownMessageFields,
      chat.noMaxTokens,
      chat.temperatureOne,
      chat.noEffortWithTools,
    ],
  },
  {
    name: 'Azure',
    host: 'mine.openai.azure.com',
    model: 'gpt-4o',
    callId: openaiId,
    checks: [chat.idsUpTo40, chat.noUnknownMessageFields, chat.noStreamOptions, chat.noMaxCompletionTokens],
  },
  {
    name: 'Google, compatible',
    host: 'generativelanguage.googleapis.com',
    model: 'gemini-3-pro-preview',
    callId: () => 'function-call-1',
    note: { call: { extra_content: { google: { thought_signature: compatibleGoogle } } } },
    checks: [chat.signedCalls(compatibleGoogle), chat.lastNotAssistant, chat.nameWithResults],
  },
  {
    name: 'Mistral',
    host: 'api.mistral.ai',
    model: 'mistral-large-latest',
    callId: (number) => number.toString(36).padStart(9, 'M'),
    checks: [
      chat.idsOfNine,
      chat.mistralOrder,
      chat.lastNotAssistant,
      chat.noUnknownMessageFields,
      chat.noUnknownOptions(standardOptions, 422),
    ],
  },
  {
    name: 'DeepSeek',
    host: 'api.deepseek.com',
    model: 'deepseek-v4-pro',
    callId: (number) => `call_00_${longHex(number)}`,
    note: { turn: { reasoning_content: 'DeepSeek thought.' } },
    checks: [chat.thinkingOfEveryReply],
  },
  {
    name: 'Moonshot',
    host: 'api.moonshot.ai',
    model: 'kimi-k2.5',
    callId: (number) => `functions.mail__send:${number}`,
    note: { turn: { reasoning_content: 'Kimi thought.' } },
    checks: [
      chat.thinkingOfEveryCall,
      chat.thinkingOfEveryReply,
      chat.assistantNotEmpty,
      chat.temperatureOne,
    ],
  },
  {
    name: 'Groq',
    host: 'api.groq.com',
    model: 'deepseek-r1-distill-llama-70b',
    callId: (number) => `fc_${longHex(number)}`,
    checks: [chat.noUnknownMessageFields, chat.noNameWithResults],
  },
  {
    name: 'xAI',
    host: 'api.x.ai',
    model: 'grok-4',
    callId: (number) => `call_${number}`,
    checks: [chat.contentNotNull, chat.noEffort, chat.noNameWithResults],
  },
  {
    name: 'Cohere',
    host: 'api.cohere.ai',
    model: 'command-a-03-2025',
    callId: (number) => `mail__send_${longHex(number)}`,
    checks: [chat.noNameWithResults],
  },
  {
    name: 'Qwen',
    host: 'dashscope-intl.aliyuncs.com',
    model: 'qwen3-max',
    callId: openaiId,
    checks: [chat.lastNotAssistant],
  },
  { name: 'Z.ai', host: 'api.z.ai', model: 'glm-5', callId: (number) => `call_-${number}`, checks: [] },
  {
    name: 'MiniMax',
    host: 'api.minimax.io',
    model: 'MiniMax-M2',
    callId: (number) => `call_function_${longHex(number)}_1`,
    checks: [chat.assistantNotEmpty],
  },
  {
    name: 'Ollama',
    host: 'ollama.internal',
    model: 'llama3.2',
    callId: (number) => `call_${number.toString(36).padStart(8, 'z')}`,
    checks: [chat.contentIsText],
  },
  {
    name: 'vLLM',
    host: 'vllm.internal',
    model: 'mistralai/Mistral-Small-3.2',
    callId: longId,
    checks: [chat.idsOfNine, chat.alternating, chat.lastNotAssistant],
  },
  {
    name: 'LM Studio',
    host: 'lmstudio.internal',
    model: 'gemma-3-27b',
    callId: (number) => String(number),
    checks: [chat.alternating, chat.contentIsText],
  },
  {
    name: 'llama.cpp',
    host: 'llama.internal',
    model: 'local',
    callId: (number) => `x${longHex(number)}`,
    checks: [chat.alternating, chat.lastNotAssistant],
  },
  {
    name: 'OpenRouter',
    host: 'openrouter.ai',
    model: 'anthropic/claude-sonnet-4.5',
    callId: (number) => `toolu_vrtx_${longHex(number)}`,
    note: {
      turn: {
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 'sealed-by-openrouter' }],
      },
    },
    checks: [chat.idsOfBedrock, chat.ownDetails('sealed-by-openrouter')],
  },
  {
    name: 'Bedrock gateway',
    host: 'gateway.internal',
    model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    callId: (number) => `tooluse_${longHex(number)}`,
    checks: [
      chat.idsOfBedrock,
      chat.noBlankContent,
      chat.alternating,
      chat.lastNotAssistant,
      chat.toolsWithCalls,
      chat.noUnknownMessageFields,
      chat.noNameWithResults,
      chat.noEmptyDescriptions,
      chat.plainFileNames,
    ],
  },
  {
    name: 'vLLM, Llama 3',
    host: 'llama3.internal',
    model: 'meta-llama/Llama-3.3-70B-Instruct',
    callId: longId,
    checks: [chat.oneCallPerMessage, chat.lastNotAssistant],
  },
  {
    name: 'vLLM, Gemma 2',
    host: 'gemma.internal',
    model: 'google/gemma-2-27b-it',
    callId: longId,
    checks: [chat.noSystem, chat.alternating, chat.lastNotAssistant],
  },
  {
    name: 'LiteLLM',
    host: 'litellm.internal',
    model: 'team-model',
    callId: (number) => `call_${longHex(number)}__thought__${'Q2lR'.repeat(60)}`,
    checks: [chat.toolsWithCalls, chat.noUnknownMessageFields],
  },
]

const anthropicNote = (name: string) => ({
  thinking: [{ text: 'Claude thought.', options: { anthropic: { signature: `sealed-by-${name}` } } }],
})
const anthropicId = (number: number) => `toolu_01${longHex(number)}`

/** The providers whose API types have packages, and OpenAI's Responses. */
const otherProviders: readonly StrictProvider[] = [
  {
    name: 'OpenAI Responses',
    apiType: 'openai-responses',
    host: 'api.openai.com',
    model: 'gpt-5',
    callId: openaiId,
    note: {
      reasoning: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed-by-openai' }],
    },
    check: toCheck(checkResponses({ issued: 'sealed-by-openai' })),
  },
  {
    name: 'DeepSeek Responses',
    apiType: 'openai-responses',
    host: 'api.deepseek.com',
    model: 'deepseek-v4-flash',
    callId: (number) => `call_00_${longHex(number)}`,
    note: {
      reasoning: [
        {
          type: 'reasoning',
          summary: [],
          content: [{ type: 'reasoning_text', text: 'DeepSeek thought.' }],
        },
      ],
    },
    check: toCheck(checkResponses({ wantsThinking: true })),
  },
  {
    name: 'LM Studio Responses',
    apiType: 'openai-responses',
    host: 'lmstudio.internal',
    model: 'qwen3-vl-30b',
    callId: (number) => String(number),
    check: toCheck(checkResponses({ wantsTextResults: true })),
  },
  ...(
    [
      ['claude-sonnet-4-5', { refusesSampling: false, wantsBudget: true }],
      ['claude-opus-4-7', { refusesSampling: true }],
      ['claude-fable-5-1', { refusesSampling: true, bindsThinking: true }],
      // The address of DeepSeek for Anthropic's form.
      ['deepseek-v4-pro', { refusesSampling: false, wantsThinking: true }],
    ] as const
  ).map(([model, limits]) => ({
    name: `Anthropic ${model}`,
    apiType: 'anthropic' as const,
    host: model.startsWith('claude') ? 'api.anthropic.com' : 'api.deepseek.com',
    model,
    callId: anthropicId,
    note: anthropicNote(model),
    check: toCheck(checkAnthropic({ issued: `sealed-by-${model}`, ...limits })),
  })),
  ...(['gemini-3-pro-preview', 'gemini-2.5-flash'] as const).map((model) => ({
    name: `Google ${model}`,
    apiType: 'google' as const,
    host: 'generativelanguage.googleapis.com',
    model,
    // The package makes up ids, because Google sends none.
    callId: (number: number) => longHex(number).slice(-16),
    note: { options: { google: { thoughtSignature: googleSignature(model) } } },
    check: toCheck(
      checkGoogle({ issued: googleSignature(model), wantsSignatures: model.startsWith('gemini-3') }),
    ),
  })),
]

/** Checks bodies that came over the network. Their form is what the stand-in is about. */
function toCheck(check: Check<ResponsesBody> | Check<AnthropicBody> | Check<GoogleBody>) {
  return check as Check<unknown>
}

export const strictProviders: readonly StrictProvider[] = [
  ...chatProviders.map(({ checks, ...provider }) => ({
    ...provider,
    apiType: 'openai' as const,
    check: (body: unknown) => firstOf([...everywhere, ...checks], (check) => check(body as chat.ChatBody)),
  })),
  ...otherProviders,
]
