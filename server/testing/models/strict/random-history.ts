import fc from 'fast-check'
import type { StoredCall } from '../../../chats/tool-call-store.ts'
import type { PromptMessage } from '../../../completions/prompt/build-prompt.ts'
import type { MediaPart, ModelMessage } from '../../../models/model.ts'
import { writeNote } from '../../../models/reply-parts.ts'
import { strictProviders, type StrictProvider } from './providers.ts'

/** What became of the calls of one reply: how many were answered, and what happened to the next one. */
interface RandomBatch {
  readonly provider: StrictProvider
  readonly text: string
  readonly reasoning: string | null
  /** Whether the provider sent what it expects back, such as signed thinking. */
  readonly isSigned: boolean
  readonly calls: readonly {
    readonly name: string
    readonly arguments: string
    readonly repeatsId: boolean
  }[]
  readonly answered: number
  /** The state of the first call that has no result. `answered` means that its result is on another branch. */
  readonly state: 'answered' | 'denied' | 'running' | 'waiting'
  /** Whether each denial was for one call only. */
  readonly deniesOne: boolean
}

interface RandomTurn {
  readonly question: string
  readonly batches: readonly RandomBatch[]
  readonly reply: string
}

export interface RandomHistory {
  readonly path: readonly PromptMessage[]
  readonly summary:
    | { readonly id: string; readonly content: string; readonly message_count: number }
    | undefined
  readonly shortenBefore: number
  /** What the messages of the user and the results have beside their text, in turn. */
  readonly media: readonly RandomMedia[]
}

type RandomMedia = 'none' | 'picture' | 'several' | 'document' | 'only'

const blank = ['', ' ', '\n\n']
const texts = [...blank, 'Let me see.', '</think>\nIt is 2.', '🧀 größer']
/** Names of tools that models made up, or that come from elsewhere. */
const oddNames = ['mail.send', '9 lives!', 'x'.repeat(90), '', '文件']
const broken = ['{"a":', '[1]', 'now']
const jsonObjects = ['{}', '{"a":1}', `{"text":"${'x'.repeat(3_000)}"}`]

/** One in eight values is odd: with several odd ones, the first refusal would hide the others. */
function rarely<Value>(usual: Value, odd: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 7, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: odd })
}

const call = fc.record({
  name: rarely('mail__send', fc.constantFrom('gone__tool', ...oddNames)),
  arguments: fc.constantFrom(...jsonObjects, ...broken),
  repeatsId: rarely(false, fc.constant(true)),
})

const batch: fc.Arbitrary<RandomBatch> = fc.record({
  provider: fc.constantFrom(...strictProviders),
  text: fc.constantFrom(...texts),
  reasoning: fc.constantFrom(null, '', 'I must look.'),
  isSigned: rarely(true, fc.constant(false)),
  calls: fc.array(call, { minLength: 1, maxLength: 3, size: 'max' }),
  answered: fc.nat(3),
  state: fc.constantFrom('answered' as const, 'denied' as const, 'running' as const, 'waiting' as const),
  deniesOne: fc.boolean(),
})

const turn: fc.Arbitrary<RandomTurn> = fc.record({
  question: fc.constantFrom('Hello', 'What now?', ...blank),
  batches: fc.array(batch, { maxLength: 3, size: 'max' }),
  reply: fc.constantFrom(...texts),
})

const media = rarely<RandomMedia>('none', fc.constantFrom('picture', 'several', 'document', 'only'))

const picture: MediaPart = {
  type: 'media',
  name: 'größe 1.png',
  mediaType: 'image/png',
  data: 'iVBORw0KGgo=',
}
const photo: MediaPart = { type: 'media', name: 'photo', mediaType: 'image/jpeg', data: '/9j/4AAQ' }
const document: MediaPart = {
  type: 'media',
  name: 'Bericht_2.pdf',
  mediaType: 'application/pdf',
  data: 'JVBERi0xLjQ=',
}

const mediaOf: Readonly<Record<RandomMedia, readonly MediaPart[]>> = {
  none: [],
  picture: [picture],
  several: [picture, photo, document],
  document: [document],
  only: [photo],
}

/** Gives messages of the user and results their pictures and documents. A result has pictures only. */
export function addMedia(
  messages: readonly ModelMessage[],
  kinds: RandomHistory['media'],
): readonly ModelMessage[] {
  let next = 0
  const take = () => kinds[next++ % kinds.length] ?? 'none'
  return messages.map((message): ModelMessage => {
    if (message.role === 'user') {
      const kind = take()
      return { role: 'user', parts: [...(kind === 'only' ? [] : message.parts), ...mediaOf[kind]] }
    }
    if (message.role !== 'tool') return message
    const parts = message.parts.map((part) => {
      const pictures = mediaOf[take()].filter(({ mediaType }) => mediaType !== 'application/pdf')
      return pictures.length === 0 ? part : { ...part, media: pictures }
    })
    return { role: 'tool', parts }
  })
}

/** Histories as chats have them, made by several providers. `sourceOf` names the source of a provider's notes. */
export function randomHistories(sourceOf: (provider: StrictProvider) => string): fc.Arbitrary<RandomHistory> {
  return fc
    .record({
      turns: fc.array(turn, { minLength: 1, maxLength: 5, size: 'max' }),
      endsWithResult: fc.boolean(),
      skipped: fc.nat(3),
      hasSummary: fc.boolean(),
      shortenBefore: fc.nat(6),
      media: fc.array(media, { minLength: 1, maxLength: 12, size: 'max' }),
    })
    .map(({ turns, endsWithResult, skipped, hasSummary, shortenBefore, media: kinds }) => {
      const rows = new RowWriter(sourceOf)
      for (const [index, each] of turns.entries()) rows.addTurn(each, index === turns.length - 1)
      if (!endsWithResult || !rows.endsWithResult) rows.addUser('And then?')
      return {
        // A path that is too long begins anywhere.
        path: rows.path.slice(Math.min(skipped, rows.path.length - 1)),
        summary: hasSummary ? { id: 's', content: 'They talked.', message_count: 3 } : undefined,
        shortenBefore,
        media: kinds,
      }
    })
}

/** Writes the rows of a path as the product stores them. */
class RowWriter {
  readonly path: PromptMessage[] = []
  readonly #sourceOf: (provider: StrictProvider) => string
  #calls = 0

  constructor(sourceOf: (provider: StrictProvider) => string) {
    this.#sourceOf = sourceOf
  }

  get endsWithResult(): boolean {
    return this.path.at(-1)?.server === 's' && this.path.at(-1)?.role === 'user'
  }

  addUser(content: string): string {
    return this.#add({ role: 'user', content })
  }

  addTurn({ question, batches, reply }: RandomTurn, isLast: boolean): void {
    this.addUser(question)
    for (const each of batches) if (!this.#addBatch(each)) return
    if (!isLast) this.#add({ role: 'assistant', content: reply })
  }

  /** Returns whether all calls were answered, so that the model replied again. */
  #addBatch({
    provider,
    isSigned,
    text,
    reasoning,
    calls,
    answered,
    state,
    deniesOne,
  }: RandomBatch): boolean {
    const source = this.#sourceOf(provider)
    const stored = calls.map(({ name, arguments: written, repeatsId }, index) => ({
      id: provider.callId(repeatsId ? 1 : 1_000 + this.#calls++),
      name,
      arguments: written,
      ...(broken.includes(written) && { isBroken: true as const }),
      ...(index === 0 &&
        isSigned &&
        provider.note !== undefined && { note: writeNote(source, provider.note) }),
    }))
    for (const [index, { arguments: written, ...own }] of stored.entries()) {
      const isAnswered = index < answered
      const call: StoredCall = {
        ...own,
        ...(index > 0 && { continues: true }),
        rest: stored.slice(index + 1),
        total: stored.length,
      }
      const denial = !isAnswered && state === 'denied' && deniesOne ? `denial ${this.path.length}` : undefined
      this.#add({
        role: 'assistant',
        content: index === 0 ? text : '',
        reasoning: index === 0 ? reasoning : null,
        server: 's',
        arguments: written,
        call_state: isAnswered ? 'answered' : state,
        call: JSON.stringify(denial === undefined ? call : { ...call, deniedBy: denial }),
      })
      if (isAnswered) this.#add({ role: 'user', content: 'It is done.'.repeat(300), server: 's' })
      else if (denial === undefined) return false
      else this.#add({ id: denial, role: 'user', content: index === 0 ? 'cancel' : 'Not this one' })
    }
    return true
  }

  #add(fields: Partial<PromptMessage> & Pick<PromptMessage, 'role' | 'content'>): string {
    const id = fields.id ?? `message ${this.path.length}`
    this.path.push({
      server: null,
      arguments: null,
      call_state: null,
      call: null,
      reasoning: null,
      ...fields,
      id,
    })
    return id
  }
}
