const support = (supported: boolean) => ({ supported })

function effortsOf(supported: boolean) {
  const levels = ['low', 'medium', 'high', 'xhigh', 'max'].map(
    (level) => [level, support(supported)] as const,
  )
  return { supported, ...Object.fromEntries(levels) }
}

function thinkingOf(adaptive: boolean, enabled: boolean) {
  return { supported: true, types: { adaptive: support(adaptive), enabled: support(enabled) } }
}

const common = {
  batch: support(true),
  citations: support(true),
  code_execution: support(true),
  context_management: { supported: true, compact_20260112: null },
  image_input: support(true),
  pdf_input: support(true),
  structured_outputs: support(true),
}

/** Entries as Anthropic's list has had them since 2026: a model that thinks adaptively only, and one that takes a budget. */
export const anthropicModels = [
  {
    type: 'model',
    id: 'claude-sonnet-5',
    display_name: 'Claude Sonnet 5',
    created_at: '2026-06-29T00:00:00Z',
    max_input_tokens: 1_000_000,
    max_tokens: 128_000,
    capabilities: { ...common, effort: effortsOf(true), thinking: thinkingOf(true, false) },
  },
  {
    type: 'model',
    id: 'claude-haiku-4-5-20251001',
    display_name: 'Claude Haiku 4.5',
    created_at: '2025-10-15T00:00:00Z',
    max_input_tokens: 200_000,
    max_tokens: 64_000,
    capabilities: { ...common, effort: effortsOf(false), thinking: thinkingOf(false, true) },
  },
] as const
