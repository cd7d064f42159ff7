import type { Message, MessageContent } from '@yonder/contract/message'
import { filesOfContent, textOfContent, toContent, withText } from '@yonder/contract/message-text'
import { normalizeText } from '../../lib/text.ts'
import type { ImportedChat, UnreadableChat } from '../imported-chat.ts'
import type { ChatFiles } from './chat-files.ts'
import { toForest } from './to-forest.ts'

/** A message of another product, which can be several of ours, or none. */
export interface ForeignNode {
  readonly id: string
  /** Of a parent that is missing, the node becomes a root. */
  readonly parentId: string | null
  /** Milliseconds since 1970. */
  readonly time: number | null
  /** What it shows, in order. A node without any is left out, and its children take its place. */
  readonly steps: readonly Step[]
}

export type Step =
  | { readonly kind: 'user'; readonly content: MessageContent }
  | ReplyStep
  /** What the model thought before its next step. */
  | { readonly kind: 'reasoning'; readonly text: string }
  | CallStep
  /** Of the call before it. */
  | {
      readonly kind: 'result'
      readonly tool: string
      readonly content: MessageContent
      readonly isError?: boolean
    }

interface ReplyStep {
  readonly kind: 'reply'
  readonly content: MessageContent
  readonly model?: string | null
  readonly end?: 'stopped' | 'interrupted' | 'cut' | { readonly error: string }
}

interface CallStep {
  readonly kind: 'call'
  readonly tool: string
  readonly arguments: string
  readonly model?: string | null
}

export interface ForeignChat extends Omit<
  ImportedChat,
  'selectedMessageId' | 'messages' | 'compactions' | 'files'
> {
  /** The name of the product, which stands for the connector of its tools. */
  readonly product: string
  readonly nodes: readonly ForeignNode[]
  /** The node whose path was open. */
  readonly openNodeId: string | null
  readonly files: ChatFiles
}

/** Makes one of our chats of a chat of another product. */
export function toImportedChat({
  product,
  nodes,
  openNodeId,
  files,
  ...chat
}: ForeignChat): ImportedChat | UnreadableChat {
  const { messages, selectedMessageId } = new TreeBuilder(product, nodes).build(openNodeId)
  if (messages.length === 0)
    return { sourceId: chat.sourceId, title: chat.title, problem: 'No messages in it.' }
  return { ...chat, messages, selectedMessageId, compactions: [], files: files.list }
}

/** What a text of arguments is in our form: an object as JSON. */
export function toArguments(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value ?? {})
  const text = normalizeText(value)
  return text.trim() === '' ? '{}' : text
}

export function isEmptyContent(content: MessageContent): boolean {
  return typeof content === 'string' ? content.trim() === '' : content.length === 0
}

/** A message that is being made. */
type Draft = Omit<Message, 'timestamp' | 'unix_timestamp'> & {
  readonly time: number
  /** `time`, or that of the parent if it is later. */
  readonly order: number
  /** The result that a call got because the export has none. */
  addedResult?: Draft
  isAnswered?: boolean
}

interface Thoughts {
  readonly text: string
  readonly node: ForeignNode
  /** The message that shows them when no reply follows. */
  draft?: Draft
}

/** What follows a node continues here. */
interface End {
  readonly draft: Draft | null
  readonly thoughts: Thoughts | null
}

const noResult = 'The export has no result of this call.'

class TreeBuilder {
  readonly #product: string
  readonly #nodes: readonly ForeignNode[]
  readonly #ids: Set<string>
  readonly #drafts: Draft[] = []
  readonly #ends = new Map<string, End>()
  /** The nodes whose last message nothing follows but their children: it is their own, or they are left out. */
  readonly #continuable = new Set<string>()
  /** How many children each node has. */
  readonly #childCounts = new Map<string, number>()

  constructor(product: string, nodes: readonly ForeignNode[]) {
    this.#product = product
    this.#nodes = toForest(nodes)
    this.#ids = new Set(nodes.map(({ id }) => id))
    for (const { parentId } of this.#nodes) {
      if (parentId !== null) this.#childCounts.set(parentId, this.#countChildren(parentId) + 1)
    }
  }

  build(openNodeId: string | null): { messages: readonly Message[]; selectedMessageId: string | null } {
    for (const node of this.#nodes) this.#ends.set(node.id, this.#addNode(node))
    for (const { id } of this.#nodes) {
      const end = this.#ends.get(id)
      if (end !== undefined && this.#countChildren(id) === 0) this.#ends.set(id, this.#showThoughts(end))
    }
    for (const draft of this.#drafts.filter(({ call }) => call !== undefined)) {
      if (draft.isAnswered !== true) this.#addResult(draft)
    }
    // Sorting is stable, and a parent was made before its children.
    const drafts = this.#drafts.toSorted((a, b) => a.order - b.order)
    const open = openNodeId === null ? undefined : this.#ends.get(openNodeId)?.draft
    return { messages: withTimes(drafts), selectedMessageId: findLeaf(drafts, open?.id) }
  }

  #countChildren(id: string): number {
    return this.#childCounts.get(id) ?? 0
  }

  #addNode(node: ForeignNode): End {
    let end: End = (node.parentId === null ? undefined : this.#ends.get(node.parentId)) ?? {
      draft: null,
      thoughts: null,
    }
    let canContinue = this.#isOnlyFollower(node)
    for (const step of node.steps) {
      const next = this.#addStep(node, step, end, canContinue)
      // Its own messages have no other children yet.
      if (next.draft !== end.draft) canContinue = true
      end = next
    }
    if (canContinue) this.#continuable.add(node.id)
    return end
  }

  /** A message can be continued by what follows it when nothing else does. */
  #isOnlyFollower({ parentId }: ForeignNode): boolean {
    return parentId !== null && this.#countChildren(parentId) === 1 && this.#continuable.has(parentId)
  }

  #addStep(node: ForeignNode, step: Step, end: End, canContinue: boolean): End {
    switch (step.kind) {
      case 'reasoning': {
        const text = [end.thoughts?.text, normalizeText(step.text)].filter(Boolean).join('\n\n')
        return text === '' ? end : { ...end, thoughts: { text, node } }
      }
      case 'user':
        return toEnd(this.#add(node, this.#closeCall(this.#showThoughts(end).draft), 'user', step.content))
      case 'reply':
      case 'call':
        return toEnd(this.#addReply(node, step, end, canContinue))
      case 'result': {
        // Some products give one result in several messages.
        if (canContinue && end.draft?.outcome !== undefined && end.thoughts === null) {
          return toEnd(continueResult(end.draft, normalizeContent(step.content)))
        }
        const call =
          end.draft?.call === undefined
            ? this.#addReply(node, { kind: 'call', tool: step.tool, arguments: '{}' }, end, canContinue)
            : end.draft
        return { draft: this.#answer(node, call, step), thoughts: end.draft === call ? end.thoughts : null }
      }
    }
  }

  #addReply(node: ForeignNode, step: ReplyStep | CallStep, end: End, canContinue: boolean): Draft {
    const parent = this.#closeCall(end.draft)
    const draft =
      canContinue && parent?.role === 'assistant' && parent.status === 'complete'
        ? parent
        : this.#add(node, parent, 'assistant', '')
    if (end.thoughts !== null) draft.reasoning = joinTexts(draft.reasoning ?? '', end.thoughts.text)
    if (step.model !== undefined && step.model !== null) draft.model = normalizeText(step.model)
    if (step.kind === 'call') {
      draft.server = this.#product
      draft.tool = normalizeText(step.tool)
      draft.arguments = step.arguments
      draft.call = { state: 'answered' }
      return draft
    }
    draft.content = joinContent(draft.content, normalizeContent(step.content))
    endReply(draft, step.end)
    return draft
  }

  #answer(node: ForeignNode, call: Draft, step: Extract<Step, { kind: 'result' }>): Draft {
    const content = normalizeContent(step.content)
    call.isAnswered = true
    const result = this.#add(node, call, 'user', content)
    return Object.assign(result, {
      server: call.server,
      tool: call.tool,
      outcome: {
        status: step.isError === true ? 'tool_error' : 'done',
        duration: null,
        parts: toResultParts(content),
      },
    })
  }

  /** Returns the end of a call: its result, which it gets if the export has none. */
  #closeCall(draft: Draft | null): Draft | null {
    return draft?.call === undefined ? draft : this.#addResult(draft)
  }

  #addResult(call: Draft): Draft {
    call.isAnswered = true
    call.addedResult ??= Object.assign(
      this.#push(this.#takeId(`${call.id}#result`), call.time, call, 'user', noResult),
      {
        server: call.server,
        tool: call.tool,
        outcome: { status: 'interrupted', duration: null, parts: [{ type: 'note', text: noResult }] },
      },
    )
    return call.addedResult
  }

  /** Thoughts after which no reply follows are shown as a reply that was stopped. */
  #showThoughts({ draft, thoughts }: End): End {
    if (thoughts === null) return { draft, thoughts }
    if (thoughts.draft === undefined) {
      thoughts.draft = this.#add(thoughts.node, this.#closeCall(draft), 'assistant', '')
      Object.assign(thoughts.draft, { reasoning: thoughts.text, status: 'stopped' })
    }
    return toEnd(thoughts.draft)
  }

  #add(node: ForeignNode, parent: Draft | null, role: Message['role'], content: MessageContent): Draft {
    const time = node.time ?? 0
    return this.#push(this.#takeNodeId(node.id), time, parent, role, normalizeContent(content))
  }

  #push(
    id: string,
    time: number,
    parent: Draft | null,
    role: Message['role'],
    content: MessageContent,
  ): Draft {
    const order = Math.max(time, parent?.order ?? 0)
    const draft: Draft = { id, parent_id: parent?.id ?? null, role, content, status: 'complete', time, order }
    this.#drafts.push(draft)
    return draft
  }

  readonly #counts = new Map<string, number>()

  /** The first message of a node has its id, and the next ones a number behind it. */
  #takeNodeId(nodeId: string): string {
    const count = this.#counts.get(nodeId) ?? 0
    this.#counts.set(nodeId, count + 1)
    return count === 0 ? nodeId : this.#takeId(`${nodeId}#${count}`)
  }

  #takeId(wanted: string): string {
    let id = wanted
    while (this.#ids.has(id)) id += '#'
    this.#ids.add(id)
    return id
  }
}

function toEnd(draft: Draft): End {
  return { draft, thoughts: null }
}

function continueResult(result: Draft, content: MessageContent): Draft {
  result.content = joinContent(result.content, content)
  if (result.outcome !== undefined) result.outcome.parts = toResultParts(result.content)
  return result
}

function endReply(draft: Draft, end: ReplyStep['end']): void {
  if (end === undefined) return
  if (end === 'cut') draft.finish = 'length'
  else if (typeof end === 'string') draft.status = end
  else {
    const message = normalizeText(end.error).trim() || 'The reply failed.'
    const text = textOfContent(mergeTexts(draft.content))
    draft.status = 'failed'
    draft.error = { code: 'upstream_error', message }
    draft.content = withText(draft.content, `**Error:** ${message}`)
    if (text !== '') draft.partial = text
  }
}

/** Times of a chat increase strictly, so that they order its messages. */
function withTimes(drafts: readonly Draft[]): readonly Message[] {
  let last = 0
  return drafts.map(({ time, order: _order, addedResult: _result, isAnswered: _answered, ...message }) => {
    if (time !== 0) last = Math.max(time, last + 1)
    const unix_timestamp = time === 0 ? 0 : last
    return {
      ...message,
      content: mergeTexts(message.content),
      timestamp: new Date(unix_timestamp).toISOString(),
      unix_timestamp,
    }
  })
}

/** Returns the newest message below this one, or of all. */
function findLeaf(drafts: readonly Draft[], id = drafts.at(-1)?.id): string | null {
  if (id === undefined) return null
  const lastChildren = new Map<string | null, string>()
  for (const draft of drafts) lastChildren.set(draft.parent_id, draft.id)
  let leaf = id
  for (let at: string | undefined = id; at !== undefined; at = lastChildren.get(at)) leaf = at
  return leaf
}

function joinTexts(former: string, next: string): string {
  return former === '' || next === '' ? former + next : `${former}\n\n${next}`
}

function joinContent(former: MessageContent, next: MessageContent): MessageContent {
  if (isEmptyContent(former)) return next
  if (isEmptyContent(next)) return former
  if (typeof former === 'string' && typeof next === 'string') return joinTexts(former, next)
  return [...toParts(former), ...toParts(next)]
}

/** Content of ours has one text. Several, between which a file was, are paragraphs of it. */
function mergeTexts(content: MessageContent): MessageContent {
  if (typeof content === 'string') return content
  const texts = content.flatMap((part) => (part.type === 'text' ? part.text : []))
  return texts.length < 2 ? content : toContent(texts.reduce(joinTexts), filesOfContent(content))
}

function toParts(content: MessageContent): Exclude<MessageContent, string> {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function normalizeContent(content: MessageContent): MessageContent {
  if (typeof content === 'string') return normalizeText(content)
  return content.map((part) => (part.type === 'text' ? { ...part, text: normalizeText(part.text) } : part))
}

function toResultParts(content: MessageContent): NonNullable<Message['outcome']>['parts'] {
  return toParts(content).map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: part.file.type.startsWith('image/') ? 'image' : 'file', file: part.file.id },
  )
}
