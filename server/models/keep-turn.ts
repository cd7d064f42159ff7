type Fields = Readonly<Record<string, unknown>>

export interface TurnKeeper {
  push(delta: Fields): void
  /** Fields of the turn; nothing when there were none. */
  end(): Fields | undefined
}

/**
 * Keeps what some servers send beside a turn and want to see again when its calls are answered: thinking that goes on after
 * the results (`reasoning_content`), or is signed (`reasoning_details`).
 */
export function keepTurn(): TurnKeeper {
  let thinking = ''
  const details: Record<string, unknown>[] = []
  return {
    push({ reasoning_content: text, reasoning_details: pieces }) {
      if (typeof text === 'string') thinking += text
      if (Array.isArray(pieces)) for (const piece of pieces as readonly unknown[]) addDetail(details, piece)
    },
    end() {
      if (details.length > 0) return { reasoning_details: details }
      return thinking === '' ? undefined : { reasoning_content: thinking }
    },
  }
}

/** Pieces of one text become one; everything else stays as it came. */
function addDetail(details: Record<string, unknown>[], piece: unknown): void {
  if (typeof piece !== 'object' || piece === null) return
  const last = details.at(-1)
  const { text, ...rest } = piece as Record<string, unknown>
  const goesOn =
    typeof text === 'string' &&
    typeof last?.['text'] === 'string' &&
    last['type'] === rest['type'] &&
    last['index'] === rest['index']
  if (goesOn) Object.assign(last, rest, { text: `${String(last['text'])}${text}` })
  else details.push({ ...(piece as Record<string, unknown>) })
}
