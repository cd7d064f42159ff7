import type { ModelPart, ModelRequest, ModelStream } from '../../models/model.ts'

interface ReadOptions {
  readonly signal: AbortSignal
  readonly onParts: (parts: readonly ModelPart[]) => void
  /** Whether the reply is drained only when it is full or closed. */
  readonly late?: boolean
}

/** Calls a model and passes its parts to `onParts` as they arrive, until the reply is closed. */
export async function readReply(
  model: ModelStream,
  request: ModelRequest,
  { signal, onParts, late = false }: ReadOptions,
): Promise<void> {
  const drain = (): void => {
    const parts = reply.drain()
    if (parts.length > 0) onParts(parts)
  }
  const reply = model(request, {
    signal,
    onReadable: (isFull) => {
      if (isFull || !late) drain()
    },
  })
  await reply.closed
  drain()
}
