import { describe, expect, it } from 'vitest'
import { anthropicModels } from '../../testing/models/anthropic-models.ts'
import { readListedInputs, readListedModel } from './listed-models.ts'
import { findInputs } from './model-inputs.ts'

const at = (apiType: 'openai' | 'openai-responses' | 'anthropic' | 'google', host: string) => ({
  apiType,
  address: `https://${host}/v1`,
})
const own = at('openai', 'models.internal')

describe('pictures', () => {
  it.each([
    ['gpt-4o-mini', 'gpt-4o-audio-preview'],
    ['openai/gpt-4.1-nano', 'openai/gpt-4'],
    ['gpt-4-turbo-2024-04-09', 'gpt-4-turbo-preview'],
    ['gpt-5.6', 'gpt-oss-120b'],
    ['o3', 'o3-mini'],
    ['o4-mini', 'gpt-3.5-turbo'],
    ['claude-3-haiku-20240307', 'claude-2.1'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-instant-1.2'],
    ['anthropic/claude-fable-5-1', 'claudette'],
    ['models/gemini-2.5-flash', 'gemini-embedding-001'],
    ['gemini-flash-latest', 'gemini-2.5-flash-preview-tts'],
    ['gemma3:4b', 'gemma3:1b'],
    ['google/gemma-3n-e4b-it', 'google/gemma-2-27b-it'],
    ['grok-4-fast', 'grok-3'],
    ['meta-llama/Llama-3.2-11B-Vision-Instruct', 'meta-llama/Llama-3.3-70B-Instruct'],
    ['llama4:scout', 'llama3.1:8b'],
    ['Qwen/Qwen2.5-VL-7B-Instruct', 'Qwen/Qwen2.5-7B-Instruct'],
    ['qwen2.5vl:7b', 'qwen3-max'],
    ['qwen3.5-27b', 'qwen3-coder'],
    ['mistralai/Mistral-Small-3.2-24B', 'mistral-small-2501'],
    ['mistral-medium-latest', 'mistral-large-2411'],
    ['pixtral-large-latest', 'codestral-latest'],
    ['moonshotai/Kimi-K2.5', 'moonshotai/kimi-k2-0905'],
    ['glm-4.5v', 'glm-4.6'],
    ['amazon.nova-lite-v1:0', 'amazon.nova-micro-v1:0'],
    ['llava:13b', 'deepseek-v4-pro'],
    ['ggml-org/SmolVLM-500M-Instruct', 'team-model'],
    ['internvl3-8b', ''],
  ])('are taken by %s, and not by %s', (seeing, blind) => {
    expect(findInputs({ ...own, model: seeing }).images).toBe(true)
    expect(findInputs({ ...own, model: blind }).images).toBe(false)
  })

  it('are taken as the list of the provider says, whatever the name', () => {
    expect(findInputs({ ...own, model: 'team-model', listed: { images: true } }).images).toBe(true)
    expect(findInputs({ ...own, model: 'gpt-4o', listed: { images: false } }).images).toBe(false)
  })
})

describe('PDF files', () => {
  it.each([
    ['claude-sonnet-4-5', at('anthropic', 'api.anthropic.com')],
    ['claude-3-5-haiku-latest', at('anthropic', 'gateway.internal')],
    ['gemini-2.5-pro', at('google', 'generativelanguage.googleapis.com')],
    ['gpt-4o', at('openai', 'api.openai.com')],
    ['gpt-5', at('openai-responses', 'api.openai.com')],
    ['gpt-4.1', at('openai-responses', 'mine.openai.azure.com')],
    ['anthropic/claude-sonnet-4.5', at('openai', 'openrouter.ai')],
    ['openai/gpt-5', at('openai', 'openrouter.ai')],
  ])('are taken by %s', (model, place) => {
    expect(findInputs({ ...place, model }).pdf).toBe(true)
  })

  it.each([
    ['claude-3-opus-20240229', at('anthropic', 'api.anthropic.com')],
    ['deepseek-v4-pro', at('anthropic', 'api.deepseek.com')],
    ['gemma-3-27b-it', at('google', 'generativelanguage.googleapis.com')],
    ['gpt-3.5-turbo', at('openai', 'api.openai.com')],
    ['o3-mini', at('openai', 'api.openai.com')],
    ['gpt-4o', at('openai', 'mine.openai.azure.com')],
    ['gpt-4o', at('openai', 'openai.com.example.com')],
    ['claude-sonnet-4-5', at('openai', 'api.anthropic.com')],
    ['gemini-2.5-pro', at('openai', 'generativelanguage.googleapis.com')],
    ['meta-llama/llama-4-maverick', at('openai', 'openrouter.ai')],
    ['gpt-5', own],
  ])('are not taken by %s at another address or of another kind', (model, place) => {
    expect(findInputs({ ...place, model }).pdf).toBe(false)
  })

  it('are taken as the list of the provider says', () => {
    const openRouter = at('openai', 'openrouter.ai')
    expect(findInputs({ ...openRouter, model: 'x/new', listed: { pdf: true } }).pdf).toBe(true)
    expect(findInputs({ ...openRouter, model: 'openai/gpt-5', listed: { pdf: false } }).pdf).toBe(false)
  })
})

it('knows that the demo model takes neither', () => {
  expect(findInputs({ apiType: 'openai', model: 'gpt-4o', address: null })).toEqual({
    images: false,
    pdf: false,
  })
})

describe('an entry of a list', () => {
  it.each([
    ['OpenRouter', { architecture: { input_modalities: ['text', 'image', 'file'] } }, true, true],
    ['OpenRouter, text', { architecture: { input_modalities: ['text'] } }, false, false],
    ['GitHub Models', { supported_input_modalities: ['text', 'image'] }, true, false],
    ['Mistral', { capabilities: { completion_chat: true, vision: true } }, true, undefined],
    ['Mistral, text', { capabilities: { completion_chat: true, vision: false } }, false, undefined],
    ['Fireworks', { supports_image_input: true }, true, undefined],
    ['Moonshot', { supports_image_in: false }, false, undefined],
    ['LM Studio', { type: 'vlm' }, true, undefined],
    ['LM Studio, text', { type: 'llm' }, false, undefined],
    ['Ollama', { capabilities: ['completion', 'vision'] }, true, undefined],
    ['llama.cpp', { capabilities: ['completion', 'multimodal'] }, true, undefined],
    ['OpenAI', { object: 'model', owned_by: 'openai' }, undefined, undefined],
    ['odd values', { type: 'model', capabilities: null, architecture: 'x' }, undefined, undefined],
  ])('of %s says what the model takes', (_, entry, images, pdf) => {
    expect(readListedInputs(entry)).toEqual({
      ...(images !== undefined && { images }),
      ...(pdf !== undefined && { pdf }),
    })
  })

  it('of Anthropic says both, which may be null', () => {
    expect(readListedModel(anthropicModels[0])).toMatchObject({ images: true, pdf: true })
    const capabilities = { image_input: { supported: false }, pdf_input: null }
    expect(readListedModel({ id: 'm', capabilities })).toEqual({ images: false })
  })
})
