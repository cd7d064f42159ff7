import type { ApiType } from '@yonder/contract/bot'
import type { ListedModel } from './listed-models.ts'

/** What a model can be given beside text, at its address and in its API type. */
export interface ModelInputs {
  /** Pictures in the types of `MediaPart`. */
  readonly images: boolean
  /** PDFs as they are. */
  readonly pdf: boolean
}

export interface InputsQuery {
  readonly apiType: ApiType
  /** The model's name at its provider. */
  readonly model: string
  /** Where the model is called; null for the built-in demo model. */
  readonly address: string | null
  /** What the provider's list says about the model. */
  readonly listed?: ListedModel | undefined
}

/**
 * Returns what a model takes: what the provider's list says, else what is known of its name. A model of an unknown name
 * takes neither, because most servers refuse the whole message, or leave the picture out and let the model make up what
 * it shows; the settings of a bot can say otherwise.
 */
export function findInputs({ apiType, model, address, listed = {} }: InputsQuery): ModelInputs {
  if (address === null) return { images: false, pdf: false }
  const name = model.trim().toLowerCase()
  return {
    images: listed.images ?? (!withoutPictures.test(name) && withPictures.some((names) => names.test(name))),
    pdf: listed.pdf ?? (takesPdf(apiType, hostOf(address), name) && !withoutPictures.test(name)),
  }
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : ''
}

/** Claude from 3.5 on: platform.claude.com pdf-support. */
const claudeWithPdf = /claude-(?:3[.-][57]|(?:[4-9]|[a-z]{3,20})-?\d)/
/** Gemini from 1.5 on: ai.google.dev document-processing. */
const geminiWithPdf = /gemini-(?:1\.5|[2-9]|flash|pro-latest)/
/** Models of OpenAI that read pictures read PDFs too: developers.openai.com file-inputs. */
const openaiWithPdf = /(?:^|\/)(?:gpt-4o|gpt-4\.[1-9]|gpt-[5-9]|chatgpt-4o|o[1-9](?!-mini)|o4-mini)/

/**
 * Whether a model takes PDFs in an API type. Chat Completions have them at OpenAI and OpenRouter only: others refuse the
 * part or leave it out. OpenRouter has a PDF read by another, paid model when its own model cannot
 * (openrouter.ai/docs multimodal/pdfs), so that only names are taken that can.
 */
function takesPdf(apiType: ApiType, host: string, name: string): boolean {
  switch (apiType) {
    case 'anthropic':
      return claudeWithPdf.test(name)
    case 'google':
      return geminiWithPdf.test(name)
    case 'openai-responses':
      return /(?:^|\.)(?:openai\.com|openai\.azure\.com)$/.test(host) && openaiWithPdf.test(name)
    case 'openai':
      if (/(?:^|\.)openrouter\.ai$/.test(host))
        return [claudeWithPdf, geminiWithPdf, openaiWithPdf].some((names) => names.test(name))
      return /(?:^|\.)openai\.com$/.test(host) && openaiWithPdf.test(name)
  }
}

/** Models whose names look like one below. They write or hear, make pictures, or are the small ones without eyes. */
const withoutPictures =
  /audio|realtime|transcribe|tts|embed|search-preview|o[13]-mini|o1-preview|gpt-oss|gemma-?3[:-](?:270m|1b)|nova-micro|\bclaude-(?:2|instant)/

/**
 * Names of models that read pictures, wherever they run. Sources: the lists of models at developers.openai.com,
 * platform.claude.com, ai.google.dev, docs.x.ai, docs.mistral.ai and docs.aws.amazon.com/nova; ollama.com/search?c=vision;
 * docs.vllm.ai supported_models (multimodal); docs.nvidia.com automodel vision-language-models.
 */
const withPictures: readonly RegExp[] = [
  // What names say themselves: Llama 3.2 Vision, Phi 3.5 Vision, Granite Vision, Qwen VL, Kimi-VL, GLM-4.6V, …
  /(?:^|[^a-z])(?:vision|vl|vlm|multimodal|omni)(?:$|[^a-z])/,
  // OpenAI; Codex models have the names of GPT.
  /(?:^|[^a-z])(?:gpt-4o|gpt-4-turbo(?!-preview)|gpt-4\.[1-9]|gpt-[5-9]|chatgpt-4o|o[1-9])(?:$|[^a-z\d])/,
  // Anthropic from Claude 3 on, also at Bedrock and Vertex.
  /claude-(?:[3-9]|[a-z]{3,20}-?\d)/,
  // Google.
  /gemini-(?:1\.5|[2-9]|flash|pro-latest)|gemma-?(?:3|3n|4)(?:$|[^\d])/,
  // xAI; Amazon; Meta.
  /grok-[4-9]|nova-(?:lite|pro|premier|2)|llama-?4/,
  // Mistral: from Small 3.1, Medium 3, Large 3 and Ministral 3 on.
  /pixtral|mistral-small-?(?:3\.[1-9]|[4-9]|250[3-9]|251|26|latest)|mistral-medium-?(?:3|25|26|latest)|mistral-large-?(?:3|2512|26|latest)|ministral-?3/,
  // Qwen 3.5 and later, and QVQ; Moonshot from K2.5 on; Zhipu; MiniCPM; InternVL.
  /qwen-?3\.[5-9]|qwen-?[4-9]|qvq|kimi-(?:k2\.[5-9]|k[3-9]|latest)|glm-\d(?:\.\d)?v|minicpm-?[ov]|internvl/,
  /llava|moondream|molmo|idefics|cogvlm|smolvlm/,
]
