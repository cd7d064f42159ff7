import type { ModelPart, ModelRequest, ModelStream, ModelStreamOptions, ModelUsage } from './model.ts'

type Failure = Extract<ModelPart, { type: 'failed' }>

/** What arrived of a reply until it ended, failed or was aborted. */
export interface CollectedReply {
  readonly text: string
  /** Whether there is any text, reasoning or call. */
  readonly hasContent: boolean
  /** The model's name in the response, if it has one. */
  readonly model?: string
  readonly usage?: ModelUsage
  /** Absent when the call was aborted or failed. */
  readonly finish?: Extract<ModelPart, { type: 'finish' }>
  readonly failure?: Failure
}

/** Calls a model and waits for its whole reply, without its reasoning. Never rejects; an abort ends it early. */
export async function collectReply(
  model: ModelStream,
  request: ModelRequest,
  signal: AbortSignal,
  onWhole?: ModelStreamOptions['onWhole'],
): Promise<CollectedReply> {
  const parts: ModelPart[] = []
  const drain = (): void => void parts.push(...reply.drain())
  const reply = model(request, { signal, onReadable: drain, ...(onWhole && { onWhole }) })
  await reply.closed
  drain()
  const find = <Type extends ModelPart['type']>(type: Type) =>
    parts.findLast((part): part is Extract<ModelPart, { type: Type }> => part.type === type)
  const [named, usage, finish, failure] = [find('model'), find('usage'), find('finish'), find('failed')]
  return {
    text: parts
      .slice(parts.findLastIndex(({ type }) => type === 'text_was_reasoning') + 1)
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join(''),
    hasContent: parts.some(({ type }) => type === 'text' || type === 'reasoning' || type === 'tool_call'),
    ...(named !== undefined && { model: named.model }),
    ...(usage !== undefined && { usage }),
    ...(finish !== undefined && { finish }),
    ...(failure !== undefined && { failure }),
  }
}
